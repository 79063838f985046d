// The limits beside the map: rows with a slider, a field, what relaxing buys and a small price curve. The server says
// what there is; the rows stay the same elements while it changes, so nothing slips out of a hand or a field.
(function () {
  const ANY = "any", WAIT = 40; // milliseconds from a slider's move to the question
  const TRACK = 170, LETTER = 6, GAP = 5; // pixels: a slider at its narrowest, a character of its ticks, and between two
  const rows = new Map(); // by constraint: its elements and what they show
  const ONE_MOVE = 1500; // milliseconds: later moves of the same slider are another step
  const past = { page: "", steps: [], name: null, time: 0 };
  let shown = { data: null, allow: {}, hard: [] }, timer = null, pressed = false;

  const byId = (id) => document.getElementById(id);
  const none = () => window.dash_clientside.no_update;
  const setProps = (id, props) => window.dash_clientside.set_props(id, props);
  const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

  function element(kind, className, text) {
    const made = document.createElement(kind);
    made.className = className;
    if (text !== undefined) { made.textContent = text; }
    return made;
  }

  function write(target, text) { if (target.textContent !== text) { target.textContent = text; } }

  // A tolerance that somebody typed, `5 %`, `680 psi`, `1,280` or `any`, as a number; NaN where it is none.
  function tolerance(text, row) {
    const plain = String(text ?? "").trim().toLowerCase();
    if (plain === ANY || plain === "∞") { return Infinity; }
    if (plain === "satisfied") { return 0; }
    const [, digits, unit] = plain.match(/^([0-9.,e+-]+)\s*(.*)$/) || [];
    const value = digits ? Number(digits.replace(/,/g, "")) : NaN;
    if (!(value >= 0)) { return NaN; }
    if (unit === "%") { return row.reference ? Number((value * row.reference / 100).toPrecision(12)) : NaN; }
    return !unit || unit === (row.unit || "").toLowerCase() ? value : NaN;
  }

  const text = (value) => (value === Infinity ? ANY : window.pageState.short(value));

  function place(row, value) {
    let found = 0;
    row.steps.forEach((step, i) => { if (Number(step) <= value) { found = i; } });
    return found;
  }

  // ---- moving ----

  // `slider` is the name of the one in somebody's hand; a press on a cell or a button has none.
  function ask(allow, at, slider) {
    remember(allow, slider || null);
    go(allow, at);
  }

  // Where the sliders stood before, so that a press on a cell or a button can be taken back; what happens while one
  // slider is in a hand is one step.
  function remember(allow, slider) {
    const now = Date.now(), before = shown.allow;
    if (!Object.keys({ ...before, ...allow }).some((name) => before[name] !== allow[name])) { return; }
    const goesOn = slider !== null && slider === past.name && now - past.time < ONE_MOVE;
    if (!goesOn) { past.steps.push(before); }
    Object.assign(past, { name: slider, time: now });
  }

  function undo() {
    const before = past.steps.pop();
    Object.assign(past, { name: null });
    if (!before) { return; }
    window.runMap.cross(before);
    go(before);
    if (!past.steps.length) { document.querySelector("#limits .limit-slider").focus(); }
  }

  function go(allow, at) {
    shown.allow = allow;
    clearTimeout(timer);
    timer = setTimeout(() => {
      setProps("run-selected", { data: null });
      setProps("run-allow", { data: allow });
    }, at || 0);
  }

  function move(name, value, wait) {
    const row = rows.get(name).row, allow = { ...shown.allow };
    if (value > Number(row.steps[0])) { allow[name] = text(value); } else { delete allow[name]; }
    settle(name, allow);
    window.runMap.cross(allow);
    ask(allow, wait, name);
  }

  document.addEventListener("pointerdown", (event) => { pressed = Boolean(event.target.closest && event.target.closest("#limits")); });
  for (const kind of ["pointerup", "pointercancel"]) { document.addEventListener(kind, () => { pressed = false; }); }

  document.addEventListener("click", (event) => {
    const target = event.target.closest && event.target.closest("[data-lock], [data-reset], [data-curve], #limits-undo");
    if (!target) { return; }
    if (target.id === "limits-undo") { undo(); }
    if (target.dataset.reset) { ask({}); }
    if (target.dataset.curve) { setProps("answers-about", { data: target.dataset.curve }); window.answersPanel.open("price"); }
    if (target.dataset.lock) {
      const name = target.dataset.lock, allow = { ...shown.allow };
      delete allow[name];
      setProps("run-hard", { data: shown.hard.includes(name) ? shown.hard.filter((each) => each !== name) : shown.hard.concat(name) });
      setProps("run-block", { data: null });
      ask(allow);
    }
  });

  // ---- drawing ----

  function made(row) {
    const box = element("div", "limit"), head = element("div", "limit-head"), name = element("b", "limit-name", row.label);
    const words = element("span", "limit-words"), gain = element("span", "limit-gain"), lock = element("button", "icon-button limit-lock");
    lock.type = "button";
    lock.dataset.lock = row.name;
    lock.setAttribute("aria-label", "Lock " + row.label + ": it stays satisfied");
    lock.title = "Lock: it stays satisfied";
    lock.append(element("span", "icon icon-unlock"));
    head.append(name, words, gain, lock);
    const track = element("div", "limit-track"), slider = element("input", "limit-slider"), ticks = element("div", "limit-ticks");
    Object.assign(slider, { type: "range", min: 0, step: 1 });
    slider.setAttribute("aria-label", "Tolerance allowed on " + row.label);
    track.append(slider, ticks);
    const field = element("input", "limit-field");
    Object.assign(field, { type: "text", autocomplete: "off" });
    field.setAttribute("aria-label", "Tolerance allowed on " + row.label + ", typed");
    const foot = element("div", "limit-foot"), size = element("span", "limit-size"), alone = element("span", "limit-alone"), curve = element("button", "limit-curve");
    Object.assign(curve, { type: "button", title: "The price curve in full" });
    curve.dataset.curve = row.name;
    curve.setAttribute("aria-label", "The price curve of " + row.label);
    foot.append(size, alone, curve);
    box.append(head, track, field, foot);
    slider.addEventListener("input", () => { move(row.name, Number(rows.get(row.name).row.steps[slider.value]), WAIT); });
    const typed = () => {
      const own = rows.get(row.name), value = tolerance(field.value, own.row), wrong = Number.isNaN(value);
      field.setAttribute("aria-invalid", String(wrong));
      field.title = wrong ? "a number, a per cent of the limit such as 5 %, or any" : "";
      if (!wrong && field.value !== own.told) { move(row.name, value); }
    };
    field.addEventListener("change", typed);
    field.addEventListener("keydown", (event) => { if (event.key === "Enter") { typed(); } });
    return { box, name, words, gain, lock, slider, ticks, field, size, alone, curve, row: null, told: "" };
  }

  // A step curve of the best objective over the tolerances; nothing where no design is known.
  function sparkline(row, at) {
    const known = row.curve.filter((each) => each !== null);
    if (known.length < 2) { return ""; }
    const low = Math.min(...known), high = row.limiting ? Math.max(...known) : low, wide = 64, tall = 18;
    const x = (i) => 2 + (i * (wide - 4)) / (row.curve.length - 1), y = (value) => 3 + (high > low ? (high - value) / (high - low) : 0) * (tall - 6);
    let path = "", last = null;
    row.curve.forEach((value, i) => {
      if (value === null) { return; }
      path += last === null ? "M" + x(i) + " " + y(value) : "H" + x(i) + "V" + y(value);
      last = value;
    });
    const dot = row.curve[at] === null ? "" : '<circle cx="' + x(at) + '" cy="' + y(row.curve[at]) + '" r="2.6"/>';
    return '<svg viewBox="0 0 ' + wide + " " + tall + '" width="' + wide + '" height="' + tall + '" aria-hidden="true"><path d="' + path + '"/>' + dot + "</svg>";
  }

  // What follows from where a slider stands.
  function settle(name, allow) {
    const own = rows.get(name), row = own.row, value = allow[name] === undefined ? Number(row.steps[0]) : tolerance(allow[name], row);
    const at = place(row, value), isStep = Number(row.steps[at]) === value;
    const field = value === Infinity ? ANY : isStep ? row.ticks[at] : text(value);
    if (document.activeElement !== own.slider || Number(own.slider.value) !== at) { own.slider.value = at; }
    own.slider.setAttribute("aria-valuetext", value === Infinity ? "any violation" : isStep ? row.sizes[at] : text(value));
    if (document.activeElement !== own.field || own.told !== field) { own.field.value = field; own.field.setAttribute("aria-invalid", "false"); }
    own.told = field;
    write(own.size, value === Infinity ? "any violation" : isStep ? row.amounts[at] : "+" + text(value) + (row.unit ? " " + row.unit : ""));
    // What is told of a level holds at that level alone; between two, the design says it.
    write(own.alone, at && isStep && row.curve[at] !== null ? "alone " + (row.alone[at] || "buys nothing") : "");
    own.box.classList.toggle("is-moved", value > Number(row.steps[0]));
    const drawn = sparkline(row, at);
    if (own.drawn !== drawn) { own.drawn = drawn; own.curve.innerHTML = drawn; }
  }

  // Which ticks can be written under a slider: both ends, and between them what stands over no other.
  function ticksWithRoom(ticks) {
    const last = ticks.length - 1, half = (i) => (ticks[i].length * LETTER + GAP) / 2, at = (i) => (TRACK * i) / Math.max(last, 1);
    const found = new Set([0, last]);
    let end = half(0);
    for (let i = 1; i < last; i++) {
      if (at(i) - half(i) >= end && at(i) + half(i) <= TRACK - half(last)) { found.add(i); end = at(i) + half(i); }
    }
    return found;
  }

  function fill(row) {
    const own = rows.get(row.name) || made(row);
    rows.set(row.name, own);
    if (same(own.row, row)) { return own; }
    own.row = row;
    own.box.title = "";
    own.name.title = row.title;
    write(own.words, row.words);
    write(own.gain, row.limiting ? (row.gain ? row.gain + (row.proven ? ", proven" : "") : "") : "not limiting");
    own.gain.title = "What relaxing it alone to its allowance buys";
    own.slider.max = row.steps.length - 1;
    own.slider.disabled = row.steps.length < 2;
    const told = ticksWithRoom(row.ticks);
    const marks = row.ticks.map((tick, i) => {
      const mark = element("span", "limit-tick", told.has(i) ? tick : "");
      mark.style.left = (100 * i) / Math.max(row.ticks.length - 1, 1) + "%";
      return mark;
    });
    own.ticks.replaceChildren(...marks);
    return own;
  }

  function locked(each) {
    const box = element("div", "limit is-hard"), head = element("div", "limit-head");
    const lock = element(each.own ? "span" : "button", each.own ? "limit-lock" : "icon-button limit-lock");
    lock.append(element("span", "icon icon-lock"));
    if (!each.own) { lock.type = "button"; lock.dataset.lock = each.name; lock.setAttribute("aria-label", "Unlock " + each.name); }
    head.append(element("b", "limit-name", each.name), element("span", "limit-words", each.words), element("span", "limit-gain", "hard"), lock);
    box.append(head);
    return box;
  }

  function draw() {
    const box = byId("limits-rows"), data = shown.data;
    if (!box || !data) { return; }
    for (const name of rows.keys()) { if (!data.rows.some((row) => row.name === name)) { rows.delete(name); } }
    const filled = data.rows.map(fill);
    data.rows.forEach((row) => settle(row.name, shown.allow));
    const isOpen = (own) => own.row.limiting || shown.allow[own.row.name] !== undefined || !data.feasible;
    const first = filled.filter(isOpen), rest = filled.filter((own) => !isOpen(own));
    // While somebody holds or has the focus in a row, no row changes its place.
    const order = first.concat(rest).map((own) => own.row.name).join() + "|" + first.length + "|" + JSON.stringify(data.hard);
    if (box.dataset.order === order || (box.childElementCount && (pressed || box.contains(document.activeElement)) && box.dataset.names === data.rows.map((row) => row.name).sort().join())) { return; }
    box.dataset.order = order;
    box.dataset.names = data.rows.map((row) => row.name).sort().join();
    if (!data.rows.length && !data.hard.length) { box.replaceChildren(element("p", "limits-none", "There is nothing to relax.")); return; }
    const folded = element("details", "limits-folded");
    folded.open = !first.length || Boolean(box.querySelector(".limits-folded[open]"));
    folded.append(element("summary", "", rest.length + " not limiting"), ...rest.map((own) => own.box));
    box.replaceChildren(...first.map((own) => own.box), ...(rest.length ? [folded] : []), ...data.hard.map(locked));
  }

  document.addEventListener("click", (event) => {
    if (event.target.id !== "sentence-copy") { return; }
    const words = byId("run-sentence").textContent.replace(/\u00a0/g, " ");
    window.runMap.copy(words).then(() => { event.target.textContent = "Copied"; }, () => { event.target.textContent = "Not allowed"; });
    setTimeout(() => { event.target.textContent = "Copy"; }, 2500);
  });

  window.limits = { ask: ask, allowed: () => shown.allow };
  window.dash_clientside = Object.assign({}, window.dash_clientside, {
    limits: {
      show: function (data, allow, hard) {
        const box = byId("limits-rows");
        if (box && !box.childElementCount) { rows.clear(); box.dataset.order = ""; }
        shown = { data: data || shown.data, allow: allow || {}, hard: hard || [] };
        if (box && !data) { shown.data = null; }
        draw();
        const reset = byId("limits-reset");
        if (past.page !== window.location.pathname) { Object.assign(past, { page: window.location.pathname, steps: [], name: null }); }
        if (reset) { reset.hidden = !Object.keys(shown.allow).length; byId("limits-undo").hidden = !past.steps.length; }
      },

      // A design that was chosen by itself, in a table or by a link: the sliders go where it lies.
      follow: function (needed, cell) {
        return needed && cell !== null && cell !== undefined && !same(needed, shown.allow) ? needed : none();
      },
    },
  });
})();
