// Maps of more constraints than they show: what counts of the others, pairs that are buttons, and parallel
// coordinates with brushes. Lines are drawn on a canvas, axes are elements that can be focused.
(function () {
  const LISTED = 8, HEIGHT = 300, TOP = 26, BOTTOM = 14, STEP = 0.02;
  const byId = (id) => document.getElementById(id);
  const setProps = (id, props) => window.dash_clientside.set_props(id, props);
  const clamp = (value) => Math.min(Math.max(value, 0), 1);

  function element(kind, className, ...children) {
    const made = document.createElement(kind);
    made.className = className;
    made.append(...children);
    return made;
  }

  // ---- pairs ----

  document.addEventListener("click", (event) => {
    const target = event.target.closest && event.target.closest("[data-pair]");
    if (target) { window.runMap.showPair(target.dataset.pair.split(",")); }
  });

  // ---- parallel coordinates ----

  const state = { data: null, brush: [], cell: null, places: null, cells: null };

  function unpack(text, kind) {
    return new kind(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer);
  }

  function colourOf(scale, share) {
    let below = scale[0], above = scale[scale.length - 1];
    for (let i = 1; i < scale.length; i++) { if (share <= scale[i][0]) { below = scale[i - 1]; above = scale[i]; break; } }
    const part = above[0] > below[0] ? (share - below[0]) / (above[0] - below[0]) : 0;
    const mix = [1, 3, 5].map((at) => {
      const a = parseInt(below[1].slice(at, at + 2), 16), b = parseInt(above[1].slice(at, at + 2), 16);
      return Math.round(a + part * (b - a));
    });
    return "rgb(" + mix.join(",") + ")";
  }

  const xOf = (axis, count, width) => 46 + (axis * (width - 92)) / Math.max(count - 1, 1);
  const yOf = (place) => TOP + (1 - place) * (HEIGHT - TOP - BOTTOM);
  const placeAt = (y) => clamp(1 - (y - TOP) / (HEIGHT - TOP - BOTTOM));

  function passing() {
    const count = state.data.axes.length, found = [];
    for (let row = 0; row < state.data.drawn; row++) {
      const inside = state.brush.every(([axis, low, high]) => {
        const place = state.places[row * count + axis];
        return place >= low - 1e-6 && place <= high + 1e-6;
      });
      if (inside) { found.push(row); }
    }
    return found;
  }

  function stroke(pen, row, count, width) {
    pen.beginPath();
    for (let axis = 0; axis < count; axis++) {
      const x = xOf(axis, count, width), y = yOf(state.places[row * count + axis]);
      if (axis) { pen.lineTo(x, y); } else { pen.moveTo(x, y); }
    }
    pen.stroke();
  }

  function drawLines(canvas, width, rows) {
    const count = state.data.axes.length, ratio = window.devicePixelRatio || 1;
    canvas.width = width * ratio; canvas.height = HEIGHT * ratio;
    canvas.style.width = width + "px"; canvas.style.height = HEIGHT + "px";
    const pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    pen.lineJoin = "round";
    const kept = new Set(rows);
    const quiet = getComputedStyle(canvas).getPropertyValue("--faint") || "rgba(128,128,128,.25)";
    if (state.brush.length) {
      pen.strokeStyle = quiet; pen.globalAlpha = 0.35; pen.lineWidth = 0.6;
      for (let row = 0; row < state.data.drawn; row++) { if (!kept.has(row)) { stroke(pen, row, count, width); } }
    }
    pen.globalAlpha = Math.max(0.25, Math.min(0.9, 120 / Math.max(rows.length, 1)));
    pen.lineWidth = 1.1;
    for (let i = rows.length - 1; i >= 0; i--) { // the best last, on top
      pen.strokeStyle = colourOf(state.data.scale, 1 - state.places[rows[i] * count + count - 1]);
      stroke(pen, rows[i], count, width);
    }
    const chosen = state.cell === null ? -1 : state.cells.indexOf(BigInt(state.cell));
    if (chosen >= 0) {
      pen.globalAlpha = 1; pen.lineWidth = 3.2;
      pen.strokeStyle = getComputedStyle(canvas).getPropertyValue("--accent") || "#4263eb";
      stroke(pen, chosen, count, width);
    }
  }

  const brushOf = (axis) => state.brush.find((each) => each[0] === axis);

  function setBrush(axis, low, high) {
    const others = state.brush.filter((each) => each[0] !== axis);
    const round = (value) => Math.round(clamp(value) * 1000) / 1000;
    if (low !== null) { others.push([axis, round(low), round(high)]); }
    others.sort((a, b) => a[0] - b[0]);
    setProps("run-brush", { data: others.length ? others : null });
  }

  function axisElement(axis, width) {
    const { name, ticks } = state.data.axes[axis], count = state.data.axes.length, brush = brushOf(axis);
    const made = element("div", "parallel-axis", element("b", "parallel-name", name));
    made.style.left = xOf(axis, count, width) + "px";
    made.dataset.axis = axis;
    made.tabIndex = 0;
    made.setAttribute("role", "group");
    made.title = name;
    const words = brush ? "from " + Math.round(100 * brush[1]) + " to " + Math.round(100 * brush[2]) + " percent of its height" : "everything";
    made.setAttribute("aria-label", name + ", kept: " + words);
    let last = Infinity;
    ticks.slice().sort((a, b) => a[0] - b[0]).forEach(([place, label]) => {
      const y = yOf(place);
      const tick = element("span", "parallel-tick", last - y < 13 ? "" : label);
      if (last - y >= 13) { last = y; }
      tick.style.top = y + "px";
      made.append(tick);
    });
    const line = element("span", "parallel-line");
    line.style.top = yOf(1) + "px"; line.style.height = yOf(0) - yOf(1) + "px";
    made.append(line);
    if (brush) {
      const box = element("span", "parallel-brush");
      box.style.top = yOf(brush[2]) - 2 + "px";
      box.style.height = Math.max(4, yOf(brush[1]) - yOf(brush[2]) + 4) + "px";
      made.append(box);
    }
    return made;
  }

  function list(rows) {
    const words = byId("parallel-words"), box = byId("parallel-list");
    const all = state.data.total === state.data.drawn ? "" : " drawn, of " + state.data.total.toLocaleString("en-US") + " in all";
    const shown = state.data.drawn.toLocaleString("en-US") + " elites" + all;
    words.textContent = state.brush.length ? rows.length.toLocaleString("en-US") + " of " + shown + " pass every brush" : shown;
    const buttons = rows.slice(0, LISTED).map((row) => {
      const button = element("button", "text-button", "objective " + state.data.objectives[row]);
      button.dataset.cell = String(state.cells[row]);
      return button;
    });
    const clear = element("button", "text-button clear-brush", "Clear all brushes");
    clear.addEventListener("click", () => setProps("run-brush", { data: null }));
    const best = rows.length ? [element("span", "", "The best of them: "), ...buttons] : ["No elite passes every brush."];
    box.replaceChildren(...best, ...(state.brush.length ? [clear] : []));
  }

  function draw() {
    const box = byId("parallel");
    if (!box || !state.data || !box.clientWidth) { return; }
    const count = state.data.axes.length, longest = Math.max(...state.data.axes.map((axis) => axis.name.length));
    const width = Math.max(box.clientWidth, count * Math.max(62, 8 * longest + 10));
    const focused = document.activeElement && document.activeElement.dataset ? document.activeElement.dataset.axis : undefined;
    let inside = box.querySelector(".parallel-inside");
    if (!inside) {
      inside = element("div", "parallel-inside", element("canvas", ""), element("div", "parallel-axes"));
      box.replaceChildren(inside);
    }
    inside.style.width = width + "px"; inside.style.height = HEIGHT + "px";
    const rows = passing();
    drawLines(inside.querySelector("canvas"), width, rows);
    inside.querySelector(".parallel-axes").replaceChildren(...state.data.axes.map((_, axis) => axisElement(axis, width)));
    if (focused !== undefined) { const again = inside.querySelector("[data-axis='" + focused + "']"); if (again) { again.focus(); } }
    list(rows);
  }

  const drag = { axis: null, from: 0, to: 0 };

  function placeOfEvent(event) {
    const inside = document.querySelector(".parallel-inside");
    return placeAt(event.clientY - inside.getBoundingClientRect().top);
  }

  document.addEventListener("pointerdown", (event) => {
    const axis = event.target.closest && event.target.closest(".parallel-axis");
    if (!axis || !state.data) { return; }
    drag.axis = Number(axis.dataset.axis);
    drag.from = drag.to = placeOfEvent(event);
    axis.focus();
    event.preventDefault();
  });

  document.addEventListener("pointermove", (event) => {
    if (drag.axis === null) { return; }
    drag.to = placeOfEvent(event);
    state.brush = state.brush.filter((each) => each[0] !== drag.axis).concat([[drag.axis, Math.min(drag.from, drag.to), Math.max(drag.from, drag.to)]]);
    window.requestAnimationFrame(draw);
  });

  document.addEventListener("pointerup", () => {
    if (drag.axis === null) { return; }
    const low = Math.min(drag.from, drag.to), high = Math.max(drag.from, drag.to), axis = drag.axis;
    drag.axis = null;
    if (high - low < 0.01) { setBrush(axis, null, null); } else { setBrush(axis, low, high); }
  });

  document.addEventListener("keydown", (event) => {
    const axis = event.target.closest && event.target.closest(".parallel-axis");
    if (!axis || !state.data) { return; }
    const number = Number(axis.dataset.axis), [, low, high] = brushOf(number) || [number, 0, 1];
    const by = event.key === "ArrowUp" ? STEP : event.key === "ArrowDown" ? -STEP : 0;
    if (by && event.shiftKey) { setBrush(number, Math.min(low + by, high), high); }
    else if (by) { setBrush(number, low, Math.max(high + by, low)); }
    else if (event.key === "Delete" || event.key === "Backspace") { setBrush(number, null, null); }
    else { return; }
    event.preventDefault();
  });

  window.addEventListener("resize", () => window.requestAnimationFrame(draw));

  window.dash_clientside = Object.assign({}, window.dash_clientside, {
    many: {
      parallel: function (data, brush, cell, tab) {
        if (data && data !== state.data) {
          Object.assign(state, { data: data, places: unpack(data.places, Float32Array), cells: unpack(data.cells, BigInt64Array) });
        }
        state.brush = brush || [];
        state.cell = cell === undefined ? null : cell;
        if (tab === "parallel") { window.requestAnimationFrame(draw); }
      },
    },
  });
})();
