// A cursor on a map: its cells are walked through with the arrow keys, outlined, and told in words. The map of a run
// has one, and maps that are compared share one.
window.mapCursor = (function () {
  const metaOf = (gd) => gd && gd.layout && gd.layout.meta;

  // ---- places and cells ----

  function split(place, constraints, shape, bins) {
    for (let i = constraints.length - 1; i >= 0; i--) {
      const size = shape[constraints[i]];
      bins[constraints[i]] = place % size;
      place = Math.floor(place / size);
    }
  }

  function binsAt(map, row, column) {
    const bins = map.shape.map(() => 0);
    map.hidden.forEach(([i, bin]) => { bins[i] = bin; });
    split(column, map.x, map.shape, bins);
    split(row, map.y, map.shape, bins);
    return bins;
  }

  // A cell's number may be beyond what a browser's numbers hold exactly: then it travels as text.
  const plainCell = (cell) => (cell <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(cell) : String(cell));
  const cellOf = (map, bins) => plainCell(bins.reduce((cell, bin, i) => cell * BigInt(map.shape[i]) + BigInt(bin), 0n));

  function placeOf(map, cell) {
    const bins = map.shape.map(() => 0);
    let left = BigInt(cell);
    for (let i = map.shape.length - 1; i >= 0; i--) {
      bins[i] = Number(left % BigInt(map.shape[i]));
      left /= BigInt(map.shape[i]);
    }
    const along = (constraints) => constraints.reduce((place, c) => place * map.shape[c] + bins[c], 0);
    return { row: along(map.y), column: along(map.x) };
  }

  // Where constraints are folded away, the map says which cell each place shows.
  const shown = { text: null, cells: null };

  function cellAt(map, row, column) {
    if (map.cells) {
      if (shown.text !== map.cells) {
        shown.text = map.cells;
        shown.cells = new BigInt64Array(Uint8Array.from(atob(map.cells), (letter) => letter.charCodeAt(0)).buffer);
      }
      const cell = shown.cells[row * map.columns + column];
      if (cell >= 0n) { return plainCell(cell); }
    }
    return cellOf(map, binsAt(map, row, column));
  }

  // ---- words ----

  function number(value) {
    if (value === 0) { return "0"; }
    const size = Math.abs(value);
    if (size >= 1e-3 && size < 1e5) { return Number(value.toPrecision(4)).toLocaleString("en-US", { maximumSignificantDigits: 4 }); }
    const [mantissa, exponent] = value.toExponential(3).split("e");
    return Number(mantissa) + "e" + Number(exponent);
  }

  function at(matrix, row, column) {
    const line = matrix && matrix[row];
    return line === undefined ? NaN : line[column];
  }

  // Numbers that come packed, unpacked once for each map.
  function unpacked(store, packed) {
    if (store.packed !== packed.bdata) {
      const bytes = Uint8Array.from(atob(packed.bdata), (letter) => letter.charCodeAt(0)).buffer;
      store.packed = packed.bdata;
      store.values = packed.dtype === "f8" ? new Float64Array(bytes) : new Float32Array(bytes);
    }
    return store.values;
  }

  // What a colour says where it does not stand for the objective: "found by repair".
  const meaning = { packed: null, values: null }, broken = { packed: null, values: null };

  function colourWords(map, row, column) {
    if (!map.shown) { return ""; }
    const value = unpacked(meaning, map.shown)[row * map.columns + column], kind = map.legend.kinds[value];
    return ", " + map.legend.title + " " + (kind ? kind[0] : value.toLocaleString("en-US"));
  }

  // The change from one objective to another in per cent, "-2.9 %"; empty where that says nothing.
  function percent(first, second) {
    if (first === 0 || first > 0 !== second > 0) { return ""; }
    const share = (100 * (second - first)) / Math.abs(first);
    if (share > -100 && share < -99.9) { return ""; }
    return number(Number(share.toPrecision(Math.abs(share) < 99 ? 2 : 3))) + " %";
  }

  // What two runs have at a place, and which of them is better by how much.
  const sides = [{ packed: null, values: null }, { packed: null, values: null }];

  function comparedWords(map, row, column) {
    const { objectives, equal, least } = map.compared;
    const found = objectives.map((packed, i) => unpacked(sides[i], packed)[row * map.columns + column]);
    const [a, b] = found.map((value) => number(map.objective[2] ? -value : value));
    if (found.some(Number.isNaN)) { return Number.isNaN(found[0]) ? "only B found anything, objective " + b : "only A found anything, objective " + a; }
    const gap = Math.abs(found[0] - found[1]) / Math.max(Math.abs(found[0]), Math.abs(found[1]), least);
    const share = number(Number((100 * gap).toPrecision(2)));
    const verdict = gap <= equal ? "equal within " + number(100 * equal) + " %" : (found[0] < found[1] ? "A" : "B") + " better by " + share + " %";
    return "objective A " + a + ", B " + b + ", " + verdict;
  }

  // By how much the design at a place breaks each constraint: "shear +1,280 psi (9.41 %)".
  function brokenWords(map, row, column) {
    if (!map.violations) { return ""; }
    const values = unpacked(broken, map.violations), found = [];
    map.names.forEach((name, i) => {
      const value = values[(i * map.rows + row) * map.columns + column];
      if (!(value > map.satisfied[i] * (1 + 1e-6))) { return; }
      const unit = map.units[i] || "", ofIt = unit.includes("%") ? " of its size" : "";  // where the unit is a per cent too
      const share = map.references[i] ? " (" + number(Number(((100 * value) / map.references[i]).toPrecision(3))) + " %" + ofIt + ")" : "";
      found.push(name + " +" + number(value) + (unit ? " " + unit : "") + share);
    });
    return found.join(", ") || "breaks nothing";
  }

  // What is proven of the place: that nobody is better, or how much better somebody could be.
  const bound = { packed: null, values: null };

  function provenWords(map, row, column, value) {
    const least = map.bounds ? unpacked(bound, map.bounds)[row * map.columns + column] : NaN;
    if (!(least <= value)) { return ""; }
    const gap = (value - least) / Math.max(Math.abs(value), 1e-12);
    if (gap <= map.closed) { return ", proven within " + roundedUp(100 * gap, 1) + " %"; }
    return ", nobody " + (map.objective[2] ? "above " : "below ") + number((map.objective[2] ? 1 : -1) * roundedUp(-least, 4)) + " (" + roundedUp(100 * gap, 2) + " %)";
  }

  function roundedUp(value, digits) {
    if (value === 0) { return 0; }
    const step = Math.pow(10, Math.floor(Math.log10(Math.abs(value))) + 1 - digits);
    return Number((Math.ceil(value / step - 1e-9) * step).toPrecision(digits));
  }

  function words(gd, row, column) {
    const map = metaOf(gd);
    const bins = binsAt(map, row, column);
    const shown = map.x.concat(map.y).sort((a, b) => a - b);
    const place = shown.map((i) => map.names[i] + " " + map.labels[i][bins[i]]).join(", ");
    const trace = gd._fullData ? gd._fullData[0] : gd.data[0];
    const shade = at(trace.z, row, column), value = at(trace.customdata, row, column);
    if (shade === 1 || shade === 0) { return { place: place, state: shade ? "cannot exist" : "not reached yet", broken: "" }; }
    if (map.compared) { return { place: place, state: comparedWords(map, row, column), broken: "" }; }
    const same = (mark) => mark && mark[0] === row && mark[1] === column;
    const isFeasible = same(map.feasible), sign = map.objective[2] ? -1 : 1;
    const marks = (isFeasible ? ", best feasible" : "") + (same(map.best) ? (map.beyond ? ", best of all" : ", best within the allowances") : "");
    const change = map.reference === null ? "" : value === map.reference ? "as the best feasible" : percent(sign * map.reference, sign * value);
    const against = change && change !== "as the best feasible" ? ", " + change + " against feasible" : "";
    const state = "objective " + number(sign * value) + against + provenWords(map, row, column, value) + colourWords(map, row, column) + marks;
    return { place: place, state: state, broken: brokenWords(map, row, column) };
  }

  // ---- outlines ----

  // Put an element of a map's box around a cell, or hide it where there is none.
  function outline(element, box, gd, place) {
    if (!element) { return; }
    const full = gd && gd._fullLayout;
    if (!place || place.row === null || !full || !full.xaxis || !full.xaxis.l2p) { element.hidden = true; return; }
    const x = full.xaxis, y = full.yaxis;
    const clamp = (value, most) => Math.min(Math.max(value, 0), most);
    const left = clamp(x.l2p(place.column - 0.5), x._length), right = clamp(x.l2p(place.column + 0.5), x._length);
    const top = clamp(y.l2p(place.row + 0.5), y._length), bottom = clamp(y.l2p(place.row - 0.5), y._length);
    element.hidden = right - left < 0.5 || bottom - top < 0.5;
    const frame = box.getBoundingClientRect(), own = gd.getBoundingClientRect();
    const least = Math.min(right - left, bottom - top);
    const grown = least < 6 ? 8 : least < 18 ? 4 : 0; // around a small cell, so that it and a star in it show
    element.style.left = own.left - frame.left + x._offset + left - grown + "px";
    element.style.top = own.top - frame.top + y._offset + top - grown + "px";
    element.style.width = right - left + 2 * grown + "px";
    element.style.height = bottom - top + 2 * grown + "px";
  }

  // ---- keyboard and focus ----

  function move(map, cursor, key, far) {
    const inner = (constraints) => (constraints.length > 1 ? map.shape[constraints[1]] : 1);
    const across = far ? inner(map.x) : 1, up = far ? inner(map.y) : 1;
    if (key === "ArrowLeft") { cursor.column -= across; }
    if (key === "ArrowRight") { cursor.column += across; }
    if (key === "ArrowDown") { cursor.row -= up; }
    if (key === "ArrowUp") { cursor.row += up; }
    if (key === "Home") { cursor.column = 0; }
    if (key === "End") { cursor.column = map.columns - 1; }
    cursor.row = Math.min(Math.max(cursor.row, 0), map.rows - 1);
    cursor.column = Math.min(Math.max(cursor.column, 0), map.columns - 1);
  }

  // The cursor of the maps in the boxes that somebody `owns`: which cell it is at, and nowhere before the first key.
  // `plot` finds the map in a box, `start` says where to begin; `tell`, `choose`, `leave` and `outline` are what follows
  // from a move, from Enter, from Escape, and from the focus that comes and goes.
  function listen({ owns, plot, start, tell, choose, open, leave, outline }) {
    const cursor = { row: null, column: null };
    const mapAt = (element) => (element && owns(element) ? metaOf(plot(element)) : null);

    document.addEventListener("keydown", (event) => {
      const map = mapAt(event.target);
      if (!map || event.ctrlKey || event.metaKey || event.altKey) { return; }
      if (cursor.row === null) { Object.assign(cursor, start()); }
      if (/^(Arrow(Left|Right|Up|Down)|Home|End)$/.test(event.key)) {
        move(map, cursor, event.key, event.shiftKey);
        tell(cursor.row, cursor.column);
        outline();
      } else if (event.key === "Enter" || event.key === " ") {
        choose(cursor.row, cursor.column);
      } else if (event.key === "Escape") {
        leave();
      } else if (open && event.key.toLowerCase() === "b") {
        open(cursor.row, cursor.column);
      } else {
        return;
      }
      event.preventDefault();
    });
    document.addEventListener("focusin", (event) => {
      if (!mapAt(event.target)) { return; }
      if (cursor.row === null) { Object.assign(cursor, start()); }
      if (event.target.matches(":focus-visible")) { tell(cursor.row, cursor.column); }
      outline();
    });
    document.addEventListener("focusout", () => setTimeout(outline, 0));
    return cursor;
  }

  return { metaOf, placeOf, binsAt, cellAt, plainCell, words, outline, listen };
})();
