// The run page in the browser: what must not wait for the server. The cursor on the map and its words, the
// address that follows the view, copies to the clipboard and pictures of the map.
(function () {
  const NARROW = "(max-width: 720px)", SHEET = "(max-width: 1080px)"; // there the inspector is a sheet from below
  const TICK_GAP = 4; // pixels
  const LABEL = 9.5; // pixels that a line of a label takes
  const SHOWN = 4, AWAY = ";"; // how many axes a map has, and what stands before a constraint that is off it
  const { placeOf, cellAt, plainCell, words, outline } = window.mapCursor;
  const told = { row: null, column: null }; // the place that the readout tells of
  let pointed = null; // the place that the mouse is at, and where that is

  const byId = (id) => document.getElementById(id);
  const plot = () => document.querySelector("#run-map .js-plotly-plot");
  const meta = () => window.mapCursor.metaOf(plot());
  const setProps = (id, props) => window.dash_clientside.set_props(id, props);
  const triggered = () => { const context = window.dash_clientside.callback_context; return context.triggered_id; };
  const none = () => window.dash_clientside.no_update;

  const AXES = ["x, outer", "y, outer", "x, inner", "y, inner"];
  const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

  function readout(row, column) {
    const found = words(plot(), row, column), text = found.place + ": " + found.state + (found.broken ? "; " + found.broken : "");
    const element = byId("map-readout");
    Object.assign(told, { row: row, column: column });
    if (element && element.textContent !== text) { element.textContent = text; }
  }

  // The words follow the map when it is drawn anew.
  function retell() {
    const map = meta();
    if (!map) { return; }
    if (told.row !== null && told.row < map.rows && told.column < map.columns) { readout(told.row, told.column); }
    if (pointed && pointed.y < map.rows && pointed.x < map.columns) { tip(pointed, pointed.mouse); }
  }

  // ---- outlines and the tip over the map ----

  // Where the sliders stand: the bins of all constraints, and the place where that is, or null.
  let allow = {}, chosen = null, reading = null;

  function binOf(map, i) {
    const said = allow[map.names[i]], value = said === undefined ? map.satisfied[i] : said === "any" ? Infinity : Number(said);
    if (map.reading === "up-to" && value <= map.satisfied[i]) { return 0; } // whoever asks for 0 asks for what counts as satisfied
    const levels = map.uppers[i].slice(0, map.shape[i] - 1);
    const found = levels.findIndex((level) => value <= level);
    return found < 0 ? map.shape[i] - 1 : found;
  }

  function standing(map) {
    if (chosen !== null && chosen !== undefined && chosen !== "") { return placeOf(map, chosen); }
    const along = (constraints) => constraints.reduce((place, c) => place * map.shape[c] + binOf(map, c), 0);
    return { row: along(map.y), column: along(map.x) };
  }

  function outlines() {
    const map = meta(), box = byId("map-box");
    if (!map || !box) { return; }
    const at = (cell) => (cell === undefined || cell === "" ? null : placeOf(map, cell));
    const inBlock = map.outer.every(([i, bin]) => binOf(map, i) === bin);
    outline(byId("map-selection"), box, plot(), inBlock ? standing(map) : null);
    outline(byId("map-pinned"), box, plot(), at(box.dataset.pinned));
    outline(byId("map-cursor"), box, plot(), document.activeElement === box ? cursor : null);
    const mark = byId("map-selection");
    if (!mark.hidden) { crossHair(mark, box); }
  }

  // The lines of the cross-hair go from its cell to the edges of the map.
  function crossHair(mark, box) {
    const gd = plot(), x = gd._fullLayout.xaxis, y = gd._fullLayout.yaxis, frame = box.getBoundingClientRect(), own = gd.getBoundingClientRect();
    const left = own.left - frame.left + x._offset, top = own.top - frame.top + y._offset;
    const at = (side) => parseFloat(mark.style[side]); // where it goes; it may be on its way there
    const room = {
      left: at("left") - left, right: left + x._length - at("left") - at("width"),
      above: at("top") - top, below: top + y._length - at("top") - at("height"),
    };
    for (const side of Object.keys(room)) { mark.style.setProperty("--" + side, Math.max(room[side], 0) + "px"); }
  }

  // The same inner cell in every block, with the labels of its row and its column.
  const MOST_ECHOES = 130;
  function echo(point) {
    const box = byId("map-echo"), map = meta(), gd = plot(), full = gd && gd._fullLayout;
    if (!box) { return; }
    box.textContent = "";
    if (!point || !map || !full || !full.xaxis) { return; }
    const inner = (constraints) => (constraints.length > 1 ? map.shape[constraints[1]] : 1);
    const frame = box.getBoundingClientRect(), own = gd.getBoundingClientRect();
    const left = (column) => own.left - frame.left + full.xaxis._offset + full.xaxis.l2p(column - 0.5);
    const top = (row) => own.top - frame.top + full.yaxis._offset + full.yaxis.l2p(row + 0.5);
    const add = (className, style, words) => {
      const made = document.createElement("div");
      made.className = className;
      Object.assign(made.style, style);
      if (words) { made.textContent = words; }
      box.append(made);
    };
    const isNested = map.x.length > 1 || map.y.length > 1;
    const across = inner(map.x), up = inner(map.y), count = (map.columns / across) * (map.rows / up);
    const wide = left(1) - left(0), tall = top(0) - top(1);
    if (isNested && count <= MOST_ECHOES && wide >= 3 && tall >= 3) {
      for (let r = map.y.length > 1 ? point.y % up : point.y; r < map.rows; r += map.y.length > 1 ? up : map.rows) {
        for (let c = map.x.length > 1 ? point.x % across : point.x; c < map.columns; c += map.x.length > 1 ? across : map.columns) {
          add("echo-cell", { left: left(c) + "px", top: top(r) + "px", width: wide + "px", height: tall + "px" });
        }
      }
    }
    const bins = window.mapCursor.binsAt(map, point.y, point.x);
    const label = (constraints) => constraints.map((i) => map.names[i] + " " + map.labels[i][bins[i]]).join(" · ");
    add("echo-label echo-column", { left: left(point.x) + wide / 2 + "px", top: top(-1) + "px" }, label(map.x));
    if (map.y.length) { // at the far side, so that it never lies over the cell
      const isFar = point.x < map.columns / 2, side = isFar ? "echo-label echo-row is-far" : "echo-label echo-row";
      add(side, { left: left(isFar ? map.columns : 0) + "px", top: top(point.y) + tall / 2 + "px" }, label(map.y));
    }
    opener(point, map, left, top, across, up);
  }

  // A button in the corner of the block that the mouse is over: it opens the block alone.
  function opener(point, map, left, top, across, up) {
    const button = byId("map-open");
    if (!map.blocks || map.blocks[0] * map.blocks[1] < 2 || map.block || map.summary) { button.hidden = true; return; }
    const block = blockAt(map, point.y, point.x);
    const right = left((block[1] + 1) * across), high = top(map.y.length > 1 ? (block[0] + 1) * up - 1 : map.rows - 1);
    button.dataset.row = point.y; button.dataset.column = point.x;
    button.hidden = false;
    button.style.left = right - button.offsetWidth - 2 + "px";
    button.style.top = high + 2 + "px";
  }

  const blockAt = (map, row, column) => [
    map.y.length > 1 ? Math.floor(row / map.shape[map.y[1]]) : 0,
    map.x.length > 1 ? Math.floor(column / map.shape[map.x[1]]) : column,
  ];

  // The sliders with some constraints at the upper ends of bins.
  function allowed(map, bins) {
    const next = { ...allow };
    for (const [i, bin] of bins) {
      const level = map.uppers[i][bin];
      if (level !== null && level <= map.satisfied[i]) { delete next[map.names[i]]; } else {
        next[map.names[i]] = level === null || bin >= map.shape[i] - 1 ? "any" : window.pageState.short(level);
      }
    }
    return next;
  }

  // A block alone: the sliders of its outer constraints go with it.
  function openBlock(row, column) {
    const map = meta();
    if (!map || map.block || map.blocks[0] * map.blocks[1] < 2) { return; }
    const block = map.summary ? [row, column] : blockAt(map, row, column);
    const bins = window.mapCursor.binsAt(map, row, column), outer = [map.x[0], ...(map.blocks[0] > 1 ? [map.y[0]] : [])];
    setProps("run-block", { data: map.blocks[0] > 1 ? block : [0, block[1]] });
    window.limits.ask(allowed(map, outer.map((i) => [i, bins[i]])));
  }

  function closeBlock() { setProps("run-block", { data: null }); }

  function where() {
    const box = byId("map-where"), map = meta();
    if (!box || !map) { return; }
    if (map.block || map.summary) { byId("map-open").hidden = true; byId("map-schematic").replaceChildren(); }
    const words = map.block ? map.outer.map(([i, bin]) => map.names[i] + " " + map.labels[i][bin]).join(", ") : "";
    const said = map.block ? "block:" + words : map.summary ? "summary" : "";
    if (box.dataset.said === said) { return; }
    if (box.dataset.said !== undefined && told.row !== null) { const place = standing(map); readout(place.row, place.column); }
    box.dataset.said = said;
    box.hidden = !said;
    box.textContent = "";
    if (map.block) {
      const back = document.createElement("button");
      Object.assign(back, { className: "text-button", textContent: "All blocks" });
      back.addEventListener("click", closeBlock);
      box.append(back, " › " + words);
    } else if (map.summary) {
      box.textContent = "Each place is a whole block: the best within the allowances of its inner constraints. Press one to open it.";
    }
  }

  function tip(point, event) {
    const element = byId("map-tip"), box = byId("map-box");
    if (!element || !box) { return; }
    if (!point) { element.hidden = true; return; }
    const found = words(plot(), point.y, point.x), unbroken = (text) => text.replace(/([≤>]) | %/g, (part) => part.replace(" ", "\u00a0"));
    element.textContent = "";
    const state = document.createElement("b");
    state.textContent = unbroken(found.state);
    const place = document.createElement("span");
    place.textContent = unbroken(found.place);
    const broken = document.createElement("span");
    broken.textContent = unbroken(found.broken);
    element.append(state, place, ...(found.broken ? [broken] : []));
    element.hidden = false;
    const frame = box.getBoundingClientRect();
    const left = event.clientX - frame.left, top = event.clientY - frame.top;
    element.style.left = (left > frame.width / 2 ? left - element.offsetWidth - 14 : left + 14) + "px";
    element.style.top = Math.max(0, top - element.offsetHeight - 10) + "px";
  }

  // Labels of inner bins that would stand over each other in this window are not seen; zoomed in they have room.
  function roomForLabels(gd, box) {
    const room = (axis) => axis._length / (axis.range[1] - axis.range[0]) >= LABEL;
    box.dataset.crowded = [["x", gd._fullLayout.xaxis], ["y", gd._fullLayout.yaxis]].filter((each) => !room(each[1])).map((each) => each[0]).join(" ");
  }

  // Zoomed in, a label of an outer bin may reach beyond the map: there it would stand over a constraint's name.
  function showZoom(gd) {
    const map = meta(), area = gd.querySelector(".nsewdrag");
    if (!map || !area) { return; }
    const frame = area.getBoundingClientRect();
    const isWhole = (axis, length) => axis.range[1] - axis.range[0] >= length - 0.01;
    const whole = isWhole(gd._fullLayout.xaxis, map.columns) && isWhole(gd._fullLayout.yaxis, map.rows);
    byId("map-box").dataset.zoomed = whole ? "" : "yes"; // then there is a way back
    roomForLabels(gd, byId("map-box"));
    gd.layout.annotations.forEach((label, i) => {
      const drawn = label.name && gd.querySelector('.annotation[data-index="' + i + '"]');
      if (!drawn) { return; }
      const box = drawn.getBoundingClientRect();
      const inside = label.name === "outer x" ? box.left >= frame.left && box.right <= frame.right : box.top >= frame.top && box.bottom <= frame.bottom;
      drawn.style.visibility = whole || inside ? "" : "hidden";
    });
  }

  // On a narrow screen the design comes from below: the cell it tells of stays in sight above it.
  function reveal() {
    const mark = byId("map-selection"), sheet = byId("inspector");
    if (!mark || mark.hidden || !sheet || !window.matchMedia(SHEET).matches) { return; }
    sheet.classList.add("is-open");
    const box = mark.getBoundingClientRect();
    const top = document.querySelector(".header").offsetHeight;
    const bottom = window.innerHeight - parseFloat(getComputedStyle(sheet).maxHeight);
    if (box.top < top || box.bottom > bottom) { window.scrollBy({ top: (box.top + box.bottom - top - bottom) / 2 }); }
  }

  // A press on a cell: the sliders go there. On the star's they go back to satisfied, whatever else is at its place.
  function select(row, column) {
    const map = meta();
    Object.assign(cursor, { row: row, column: column });
    if (map.summary) { openBlock(row, column); return; }
    const bins = window.mapCursor.binsAt(map, row, column), shown = map.x.concat(map.y);
    const isStar = map.feasible && map.feasible[0] === row && map.feasible[1] === column;
    const next = isStar && !map.block ? {} : allowed(map, shown.map((i) => [i, bins[i]]));
    allow = next; chosen = null;
    window.limits.ask(next);
    if (map.reading === "exact" && !isStar) { setTimeout(() => setProps("run-selected", { data: cellAt(map, row, column) }), 0); }
    outlines();
    reveal();
  }

  function listen(gd) {
    if (gd.dataset.listening) { return; }
    gd.dataset.listening = "yes";
    gd.on("plotly_click", (event) => { const p = event.points[0]; readout(p.y, p.x); select(p.y, p.x); });
    gd.on("plotly_hover", (event) => { const p = event.points[0]; pointed = { x: p.x, y: p.y, mouse: event.event }; tip(pointed, event.event); echo(p); });
    gd.on("plotly_unhover", () => { pointed = null; tip(null); echo(null); });
    gd.on("plotly_afterplot", () => { outlines(); legend(); where(); controls(); retell(); showZoom(gd); window.dash_clientside.live.plotted(); });
    gd.on("plotly_relayout", outlines);
  }

  // ---- the legend ----

  function element(kind, className, ...children) {
    const made = document.createElement(kind);
    made.className = className;
    made.append(...children);
    return made;
  }

  function mark(kind, words, colour) {
    const sample = element("span", "mark " + kind, kind === "mark-star" ? "★" : "");
    sample.setAttribute("aria-hidden", "true");
    if (colour) { sample.style.background = colour; }
    return element("span", "legend-mark", sample, words);
  }

  const rampOf = (legend) => "linear-gradient(90deg, " + legend.scale.map((stop) => stop[1] + " " + 100 * stop[0] + "%").join(", ") + ")";

  function scaleOf(legend) {
    const title = element("div", "legend-title", legend.title);
    const ends = legend.ends ? [element("div", "legend-ends", element("span", "", legend.ends[0]), element("span", "", legend.ends[1]))] : [];
    if (legend.kinds.length) {
      return element("div", "legend-scale", title, element("div", "legend-marks", ...legend.kinds.map((kind) => mark("mark-kind", kind[0], kind[1]))));
    }
    const bar = element("div", "legend-bar");
    bar.style.background = rampOf(legend);
    const ticks = legend.ticks.map((tick) => {
      const label = element("span", "legend-tick", tick[1]);
      label.style.left = 100 * tick[0] + "%";
      label.style.setProperty("--shift", -100 * tick[0] + "%"); // the first label begins and the last one ends with the bar
      return label;
    });
    return element("div", "legend-scale", title, element("div", "", bar, element("div", "legend-ticks", ...ticks)), ...ends);
  }

  // Ticks that would stand over each other: the ends stay, of the others what has room.
  function thinTicks(box) {
    if (!box || box.childElementCount < 3) { return; }
    const ticks = [...box.children].map((each) => [each, each.getBoundingClientRect()]).sort((one, other) => one[1].left - other[1].left);
    const last = ticks[ticks.length - 1][1];
    let end = ticks[0][1].right;
    for (const [tick, place] of ticks.slice(1, -1)) {
      tick.hidden = place.left < end + TICK_GAP || place.right + TICK_GAP > last.left;
      if (!tick.hidden) { end = place.right; }
    }
  }

  const MEANING = {
    "up-to": "Each cell: the best design if you allow up to this.",
    exact: "Each cell: the best design that breaks the constraints by exactly so much.",
  };

  // Whether a map has places of this shade, such as 0 for what is not reached.
  const hasPlaces = (gd, shade) => [...gd._fullData[0].z].some((row) => row.includes(shade));

  function legend() {
    const box = byId("map-legend"), map = meta();
    const isOne = map && map.rows * map.columns === 1, isFull = map && !hasPlaces(plot(), 0);
    const told = map && JSON.stringify([map.legend, map.impossible, map.corner, map.reading, Boolean(map.bounds), Boolean(map.feasible), Boolean(map.best), map.beyond, isOne, isFull]);
    if (!box || !map || box.dataset.told === told) { return; }
    box.dataset.told = told;
    const marks = []; // only what can be seen on the map is explained
    if (map.corner && !isOne) { marks.push(mark("mark-feasible", "feasible corner")); }
    if (map.feasible) { marks.push(mark("mark-star", "best feasible")); }
    if (map.best) { marks.push(mark("mark-best", map.beyond ? "best of all, beyond an allowance" : "best within the allowances")); }
    if (!isOne) {
      const beyond = mark("mark-beyond", "beyond an allowance");
      if (!map.legend.kinds.length) { beyond.firstChild.style.setProperty("--ramp", rampOf(map.legend)); }
      marks.push(beyond);
    }
    if (!isFull) { marks.push(mark("mark-empty", "not reached yet")); }
    if (map.impossible) { marks.push(mark("mark-impossible", "cannot exist")); }
    if (map.bounds) { marks.push(mark("mark-proven", "proven best within " + 100 * map.closed + " %")); }
    const meaning = isOne ? [] : [element("p", "legend-reading", MEANING[map.reading])];
    box.replaceChildren(...meaning, scaleOf(map.legend), element("div", "legend-marks", ...marks));
    thinTicks(box.querySelector(".legend-ticks"));
    if (map.blocks[0] * map.blocks[1] > 1 && !map.summary && !map.block) { schematic(); }
  }

  // ---- the first map with blocks: how it is nested ----

  const SEEN = "nesting-explained";

  function schematic() {
    const box = byId("map-schematic"), map = meta();
    let seen = "yes";
    try { seen = window.localStorage.getItem(SEEN); } catch (refused) { /* then it is not explained */ }
    if (!box || seen || box.childElementCount) { return; }
    const [outer, inner] = [[map.x[0], map.y[0]], [map.x[1], map.y[1]]].map((pair) => pair.filter((i) => i !== undefined).map((i) => map.names[i]).join(" and "));
    const cells = [0, 1, 2].map((r) => [0, 1, 2].map((c) => '<rect x="' + (4 + c * 24) + '" y="' + (4 + r * 24) + '" width="22" height="22" class="' + (r === 2 && c === 1 ? "is-block" : "") + '"/>').join("")).join("");
    const fine = [0, 1, 2].map((r) => [0, 1, 2].map((c) => '<rect x="' + (112 + c * 24) + '" y="' + (4 + r * 24) + '" width="22" height="22"/>').join("")).join("");
    const picture = document.createElement("span");
    picture.innerHTML = '<svg viewBox="0 0 190 82" width="190" height="82" aria-hidden="true">' + cells + '<path d="M50 62L108 6M50 76L108 76"/>' + fine + "</svg>";
    const words = element("p", "", "Each block allows so much of ", element("b", "", outer), "; within it, each cell so much of ", element("b", "", inner), ". The feasible corner is at the lower left: every step away relaxes something.");
    const close = element("button", "text-button", "Got it");
    close.type = "button";
    close.addEventListener("click", () => {
      box.replaceChildren();
      try { window.localStorage.setItem(SEEN, "yes"); } catch (refused) { /* it is explained again next time */ }
    });
    box.append(picture, words, close);
  }

  // ---- the controls above the map ----

  // What a switch or a list of the browser's own chooses goes into a store.
  document.addEventListener("click", (event) => {
    const target = event.target.closest && event.target.closest("button[data-set]");
    if (target) { setProps(target.dataset.set, { data: target.dataset.value }); }
  });
  document.addEventListener("change", (event) => {
    if (event.target.matches && event.target.matches("select[data-set]")) { setProps(event.target.dataset.set, { data: event.target.value }); }
    if (event.target.matches && event.target.matches("select[data-axis]")) { axisChosen(Number(event.target.dataset.axis), event.target.value); }
  });

  function controls() {
    const map = meta();
    if (!map) { return; }
    document.querySelector(".run-map .switch").hidden = map.rows * map.columns === 1; // then both readings are one
    const now = { "run-reading": map.reading, "run-colour": map.colour, "run-scale": map.scale };
    document.querySelectorAll(".run-map [data-set]").forEach((each) => {
      if (each.matches("select")) {
        if (document.activeElement !== each) { each.value = now[each.dataset.set]; }
        if (each.dataset.set === "run-scale") { each.disabled = map.colour !== "gain" && map.colour !== "objective"; }
      } else { each.setAttribute("aria-pressed", String(each.dataset.value === now[each.dataset.set])); }
    });
    axesMenu(map);
  }

  // The order of the constraints as the map has it: those on its axes, the others, and those taken off.
  function orderOf(map) {
    const off = map.off.map((i) => AWAY + map.names[i]);
    return map.whole.filter((i) => !map.off.includes(i) && !map.hard.includes(i)).map((i) => map.names[i]).concat(off);
  }

  function axisChosen(place, name) {
    const order = orderOf(meta()), old = order.indexOf(name);
    if (old < 0) { setAxes([...order.slice(0, place), name, ...order.slice(place).filter((each) => each !== AWAY + name)]); return; }
    [order[place], order[old]] = [order[old], order[place]];
    setAxes(order);
  }

  function setAxes(order) {
    setProps("run-block", { data: null });
    setProps("run-axes", { data: order });
  }

  function axesMenu(map) {
    const box = byId("axes-menu"), order = orderOf(map), names = map.names.filter((_, i) => !map.hard.includes(i));
    const told = JSON.stringify([order, names]);
    byId("axes").hidden = names.length < 2;
    if (!box || box.dataset.told === told || box.contains(document.activeElement)) { return; }
    box.dataset.told = told;
    const shown = order.filter((each) => !each.startsWith(AWAY)).slice(0, SHOWN);
    const selects = shown.map((name, place) => {
      const select = document.createElement("select"), label = element("label", "map-choice", AXES[place]);
      select.className = "plain-select";
      select.dataset.axis = place;
      select.append(...names.map((each) => new Option(each, each, false, each === name)));
      select.value = name;
      label.append(select);
      return label;
    });
    const swap = element("button", "plain-button", "Swap x and y");
    swap.addEventListener("click", () => {
      const next = orderOf(meta());
      for (const [i, j] of [[0, 1], [2, 3]]) { if (j < shown.length) { [next[i], next[j]] = [next[j], next[i]]; } }
      setAxes(next);
    });
    const usual = element("button", "plain-button", "The usual axes");
    usual.addEventListener("click", () => { setProps("run-block", { data: null }); setProps("run-axes", { data: null }); });
    box.replaceChildren(...selects, swap, usual);
  }

  // A constraint off the map, or back on it.
  function toggleAway(name) {
    const order = orderOf(meta());
    setAxes(order.includes(AWAY + name) ? order.filter((each) => each !== AWAY + name).concat([name]) : order.filter((each) => each !== name).concat(AWAY + name));
  }

  // Lists that open from a button close when somebody presses elsewhere.
  document.addEventListener("click", (event) => {
    document.querySelectorAll("details.menu[open], details.axes[open]").forEach((each) => { if (!each.contains(event.target)) { each.open = false; } });
  });

  // ---- keyboard and focus ----

  const cursor = window.mapCursor.listen({
    owns: (element) => element.id === "map-box",
    plot: plot,
    start: () => standing(meta()),
    tell: (row, column) => { readout(row, column); echo({ x: column, y: row }); },
    choose: select,
    open: openBlock,
    leave: () => { const map = meta(); if (map.block) { closeBlock(); } else { setProps("run-selected", { data: null }); } echo(null); },
    outline: outlines,
  });

  function onClick(event) {
    const target = event.target.closest && event.target.closest("[data-goto], [data-cell].text-button, #map-open, #zoom-reset, #inspector-close");
    if (!target) { return; }
    if (target.id === "map-open") { openBlock(Number(target.dataset.row), Number(target.dataset.column)); return; }
    if (target.id === "zoom-reset") { resetZoom(); return; }
    if (target.id === "inspector-close") { byId("inspector").classList.remove("is-open"); return; }
    if (target.dataset.goto) { window.limits.ask({}); return; }
    setProps("run-selected", { data: plainCell(BigInt(target.dataset.cell)) });
  }

  function resetZoom() {
    const gd = plot(), map = meta();
    if (map) { window.Plotly.relayout(gd, { "xaxis.range": [-0.5, map.columns - 0.5], "yaxis.range": [-0.5, map.rows - 0.5] }); }
  }

  document.addEventListener("click", onClick);
  window.matchMedia(NARROW).addEventListener("change", (event) => {
    if (byId("map-box")) { setProps("run-narrow", { data: event.matches }); }
  });

  // The plotting library is large: a page without a map loads it in an idle moment, so that the first map
  // somebody opens from there is drawn at once.
  function loadPlotting() {
    if (window.Plotly || byId("map-box")) { return; }
    const script = document.createElement("script");
    Object.assign(script, { async: true, src: window.dash_clientside.shell.base + "/_dash-component-suites/plotly/package_data/plotly.min.js" });
    document.head.append(script);
  }
  window.addEventListener("load", () => setTimeout(() => (window.requestIdleCallback || setTimeout)(loadPlotting), 1500));

  // ---- clipboard and files ----

  async function copy(text) {
    if (navigator.clipboard && window.isSecureContext) {
      try { await navigator.clipboard.writeText(text); return; } catch (refused) { /* the older way may still be allowed */ }
    }
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    const copied = document.execCommand("copy");
    area.remove();
    if (!copied) { throw new Error("The browser does not allow copying."); }
  }

  function say(id, text) {
    const button = byId(id), label = button && button.querySelector("span:last-child");
    if (!label) { return; }
    const before = label.dataset.words || label.textContent;
    label.dataset.words = before;
    label.style.minWidth = label.offsetWidth + "px"; // its neighbours stay where they are
    label.textContent = text;
    setTimeout(() => { label.textContent = before; }, 3000);
  }

  function save(name, text) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  function fetchFile(address) {
    const link = document.createElement("a");
    link.href = address;
    link.download = "";
    link.click();
  }

  const fileName = (...words) => words.join("-").toLowerCase().replace(/[^a-z0-9]+/g, "-");

  function picture(format) {
    const gd = plot();
    if (!gd || !meta()) { return; }
    const box = gd.getBoundingClientRect();
    window.Plotly.downloadImage(withScale(gd), {
      format: format,
      filename: fileName(document.querySelector("#run-head h1").textContent, window.location.pathname.split("/").pop(), "map"),
      width: Math.max(900, Math.round(box.width)),
      height: Math.max(640, Math.round(box.height)),
      scale: format === "png" ? 2 : 1,
    });
  }

  // A picture has no page around it: it carries its colour scale and a ground of its own.
  function withScale(gd) {
    const map = meta(), legend = map.legend;
    const data = JSON.parse(JSON.stringify(gd.data)), layout = JSON.parse(JSON.stringify(gd.layout));
    const scale = legend.scale.map((stop) => [stop[0], stop[1]]);
    const kinds = legend.kinds.length;
    data.push({
      type: "scatter", mode: "markers", x: [null], y: [null], showlegend: false,
      marker: {
        color: [0], cmin: 0, cmax: 1, colorscale: scale, showscale: true,
        colorbar: {
          title: { text: legend.title, side: "right" }, thickness: 14, outlinewidth: 0,
          tickvals: kinds ? legend.kinds.map((_, i) => (i + 0.5) / kinds) : legend.ticks.map((tick) => tick[0]),
          ticktext: kinds ? legend.kinds.map((kind) => kind[0]) : legend.ticks.map((tick) => tick[1]),
        },
      },
    });
    layout.paper_bgcolor = getComputedStyle(byId("map-box").closest(".card")).backgroundColor;
    layout.margin.r = 110;
    layout.title = { text: document.querySelector(".run-name h1").textContent + " · " + byId("run-method").textContent, font: { size: 15 } };
    layout.margin.t += 40;
    return { data: data, layout: layout };
  }

  function relabel(words) { byId("inspector-pin").querySelector("span:last-child").textContent = words; }

  window.runMap = {
    copy: copy,
    toggleAway: toggleAway,
    showPair: (pair) => setAxes(pair.concat(orderOf(meta()).filter((name) => !pair.includes(name) && !pair.includes(name.slice(1))))),
    cross: (next) => {
      allow = next; chosen = null;
      const map = meta();
      // A block that is shown alone is that of the sliders.
      if (map && map.block && !map.outer.every(([i, bin]) => binOf(map, i) === bin)) { setProps("run-block", { data: map.outer.length > 1 ? [binOf(map, map.outer[1][0]), binOf(map, map.outer[0][0])] : [0, binOf(map, map.outer[0][0])] }); }
      outlines();
    },
  };

  window.dash_clientside = Object.assign({}, window.dash_clientside, {
    run: {
      narrow: function () {
        for (const place of [cursor, told]) { Object.assign(place, { row: null, column: null }); }
        pointed = null;
        return window.matchMedia(NARROW).matches;
      },

      attach: function (figure, state, pinned, drawn) {
        window.dash_clientside.live.drawn(drawn);
        const box = byId("map-box"), pin = pinned && pinned.cell;
        allow = state.allow || {}; chosen = state.cell;
        if (box) { box.dataset.pinned = pin ?? ""; }
        let tries = 100;
        (function whenReady() {
          const gd = plot();
          if (gd && gd.on && meta()) { listen(gd); outlines(); legend(); where(); controls(); } else if (tries-- > 0) { setTimeout(whenReady, 50); }
        })();
      },

      // Other levels, as soon as the form has none that is wrong; what was chosen at others is no longer.
      binAnew: function (form, own, before) {
        const nothing = [none(), none()];
        if (!form || form.wrong) { return nothing; } // the form itself says what is wrong beside the level
        const levels = same(form.levels, own) ? null : form.levels;
        if (same(levels, before)) { return nothing; }
        setProps("run-block", { data: null });
        return [levels, null];
      },

      address: function (state, run) {
        const base = window.dash_clientside.shell.base + "/run/" + encodeURIComponent(run);
        if (!run || window.location.pathname !== base) { return; }
        const query = window.pageState.address(state);
        window.history.replaceState(window.history.state, "", base + (query ? "?" + query : ""));
        window.answersPanel.linkReport(query);
      },

      tools: function (pin, python, json, download, link, texts, pinned) {
        const id = triggered();
        if (id === "inspector-pin" && pinned) { relabel("Pin"); return null; }
        if (!texts) { return none(); }
        if (id === "inspector-pin") { relabel("Unpin"); return { ...texts.pin, cell: texts.cell }; }
        if (id === "inspector-download") { save(texts.file, texts.json); return none(); }
        const text = id === "inspector-link" ? window.location.href : id === "inspector-python" ? texts.python : texts.json;
        copy(text).then(() => say(id, "Copied"), () => say(id, "Not allowed"));
        return none();
      },

      take: function () {
        const kind = triggered().split("-")[1], base = window.location.pathname;
        if (kind === "link") { copy(window.location.href).then(() => say("export", "Link copied"), () => say("export", "Not allowed")); }
        if (kind === "csv" || kind === "json") { fetchFile(base + "/elites." + kind + window.location.search); }
        if (kind === "npz") { fetchFile(base + "/run.npz"); }
        if (kind === "png" || kind === "svg") { picture(kind); }
      },
    },
  });
})();
