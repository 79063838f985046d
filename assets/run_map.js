// The run page in the browser: what must not wait for the server. The cursor on the map and its words, the
// address that follows the view, copies to the clipboard and pictures of the map.
(function () {
  const NARROW = "(max-width: 720px)", SHEET = "(max-width: 1080px)"; // there the inspector is a sheet from below
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

  // The axes with a constraint taken off the map, or put back where it was.
  function moved(axes, name) {
    const others = axes.filter((each) => each !== name && each !== AWAY + name);
    return axes.includes(AWAY + name) ? others : others.concat(AWAY + name);
  }

  function readout(row, column) {
    const found = words(plot(), row, column), text = found.place + ": " + found.state;
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

  function outlines() {
    const map = meta(), box = byId("map-box");
    if (!map || !box) { return; }
    const at = (cell) => (cell === undefined || cell === "" ? null : placeOf(map, cell));
    outline(byId("map-selection"), box, plot(), at(box.dataset.cell));
    outline(byId("map-pinned"), box, plot(), at(box.dataset.pinned));
    outline(byId("map-cursor"), box, plot(), document.activeElement === box ? cursor : null);
  }

  function tip(point, event) {
    const element = byId("map-tip"), box = byId("map-box");
    if (!element || !box) { return; }
    if (!point) { element.hidden = true; return; }
    const found = words(plot(), point.y, point.x);
    element.textContent = "";
    const state = document.createElement("b");
    state.textContent = found.state;
    const place = document.createElement("span");
    place.textContent = found.place;
    element.append(state, place);
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

  // On a narrow screen the inspector comes from below: the cell it tells of stays in sight above it.
  function reveal() {
    const mark = byId("map-selection"), sheet = byId("inspector");
    if (!mark || mark.hidden || !sheet || !window.matchMedia(SHEET).matches) { return; }
    const box = mark.getBoundingClientRect();
    const top = document.querySelector(".header").offsetHeight;
    const bottom = window.innerHeight - parseFloat(getComputedStyle(sheet).maxHeight);
    if (box.top < top || box.bottom > bottom) { window.scrollBy({ top: (box.top + box.bottom - top - bottom) / 2 }); }
  }

  function select(row, column) {
    const map = meta();
    Object.assign(cursor, { row: row, column: column });
    setProps("run-selected", { data: cellAt(map, row, column) });
  }

  function listen(gd) {
    if (gd.dataset.listening) { return; }
    gd.dataset.listening = "yes";
    gd.on("plotly_click", (event) => { const p = event.points[0]; readout(p.y, p.x); select(p.y, p.x); });
    gd.on("plotly_hover", (event) => { const p = event.points[0]; pointed = { x: p.x, y: p.y, mouse: event.event }; tip(pointed, event.event); });
    gd.on("plotly_unhover", () => { pointed = null; tip(null); });
    gd.on("plotly_afterplot", () => { outlines(); legend(); retell(); showZoom(gd); window.dash_clientside.live.plotted(); });
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

  function scaleOf(legend) {
    const title = element("div", "legend-title", legend.title);
    if (legend.kinds.length) {
      return element("div", "legend-scale", title, element("div", "legend-marks", ...legend.kinds.map((kind) => mark("mark-kind", kind[0], kind[1]))));
    }
    const bar = element("div", "legend-bar");
    bar.style.background = "linear-gradient(90deg, " + legend.scale.map((stop) => stop[1] + " " + 100 * stop[0] + "%").join(", ") + ")";
    const ticks = legend.ticks.map((tick) => {
      const label = element("span", "legend-tick", tick[1]);
      label.style.left = 100 * tick[0] + "%";
      label.style.setProperty("--shift", -100 * tick[0] + "%"); // the first label begins and the last one ends with the bar
      return label;
    });
    return element("div", "legend-scale", title, element("div", "", bar, element("div", "legend-ticks", ...ticks)));
  }

  function legend() {
    const box = byId("map-legend"), map = meta();
    const told = map && JSON.stringify([map.legend, map.impossible, map.corner]);
    if (!box || !map || box.dataset.told === told) { return; }
    box.dataset.told = told;
    const corner = map.corner ? [mark("mark-feasible", "feasible corner")] : [];
    const marks = [...corner, mark("mark-star", "best feasible"), mark("mark-best", "best overall"), mark("mark-empty", "not reached yet")];
    if (map.impossible) { marks.push(mark("mark-impossible", "cannot exist")); }
    box.replaceChildren(scaleOf(map.legend), element("div", "legend-marks", ...marks));
  }

  // ---- keyboard and focus ----

  const cursor = window.mapCursor.listen({
    owns: (element) => element.id === "map-box",
    plot: plot,
    start: () => { const chosen = byId("map-box").dataset.cell; return chosen ? placeOf(meta(), chosen) : { row: 0, column: 0 }; },
    tell: readout,
    choose: select,
    leave: () => setProps("run-selected", { data: null }),
    outline: outlines,
  });

  function onClick(event) {
    const target = event.target.closest && event.target.closest("[data-goto], [data-cell].text-button");
    if (!target) { return; }
    if (target.dataset.cell) { setProps("run-selected", { data: plainCell(BigInt(target.dataset.cell)) }); return; }
    const map = meta();
    if (!map) { return; }
    // The elite itself: where constraints are folded away, its place on the map may show another.
    const cell = map.own[target.dataset.goto === "goto-best" ? "best" : "feasible"];
    if (cell === null) { return; }
    const place = placeOf(map, cell);
    readout(place.row, place.column);
    Object.assign(cursor, place);
    setProps("run-selected", { data: plainCell(BigInt(cell)) });
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
    const button = byId(id), label = button && button.querySelector(".mantine-Button-label");
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

  window.dash_clientside = Object.assign({}, window.dash_clientside, {
    run: {
      narrow: function () {
        for (const place of [cursor, told]) { Object.assign(place, { row: null, column: null }); }
        pointed = null;
        return window.matchMedia(NARROW).matches;
      },

      attach: function (figure, cell, pinned, drawn) {
        window.dash_clientside.live.drawn(drawn);
        const box = byId("map-box"), before = box && box.dataset.cell;
        if (box) { box.dataset.cell = cell ?? ""; box.dataset.pinned = pinned ?? ""; }
        let tries = 100;
        (function whenReady() {
          const gd = plot();
          if (gd && gd.on && meta()) {
            listen(gd); outlines(); legend();
            if (box && box.dataset.cell !== before) { reveal(); }
          } else if (tries-- > 0) { setTimeout(whenReady, 50); }
        })();
      },

      scaleIsIdle: function (colour) { return colour !== "objective"; },

      resetZoom: function () {
        const gd = plot(), map = meta();
        if (map) { window.Plotly.relayout(gd, { "xaxis.range": [-0.5, map.columns - 0.5], "yaxis.range": [-0.5, map.rows - 0.5] }); }
      },

      // All constraints in the order of the axes, those off the map last, and how many are axes.
      order: function (names, axes) {
        const away = (axes || []).filter((name) => name.startsWith(AWAY)).map((name) => name.slice(AWAY.length));
        const first = (axes || []).filter((name) => !name.startsWith(AWAY));
        const others = names.filter((name) => !first.includes(name) && !away.includes(name));
        return [first.concat(others, away), Math.min(SHOWN, names.length - away.length), names.length - away.length];
      },

      axes: function (a, b, c, d, swap, all, pair, away, before, names) {
        const id = triggered();
        const asked = id === "axes-all" ? null : id === "run-away" && away ? moved(before || [], away[0]) : before;
        const [order, shown, on] = window.dash_clientside.run.order(names, asked);
        const wanted = asked !== before ? [] : id === "run-pair" && pair ? pair.slice(0, 2) : [a, b, c, d].slice(0, shown);
        if (id === "axes-swap") {
          for (const [i, j] of [[0, 1], [2, 3]]) {
            if (j < shown) { [order[i], order[j]] = [order[j], order[i]]; }
          }
        } else {
          // The constraint that stood where another goes takes its old place.
          wanted.forEach((name, i) => {
            const old = order.indexOf(name);
            if (name && old !== i) { [order[i], order[old]] = [order[old], order[i]]; }
          });
        }
        const usual = on === names.length && order.every((name, i) => name === names[i]);
        const axes = usual ? null : order.map((name, i) => (i < on ? name : AWAY + name));
        const known = window.dash_clientside.run.order(names, before);
        const same = JSON.stringify([order, on]) === JSON.stringify([known[0], known[2]]);
        const places = [0, 1, 2, 3];
        return [same ? none() : axes, ...places.map((i) => (i < shown ? order[i] : null)),
                ...places.map((i) => (i < shown ? null : "none")), shown < Math.min(SHOWN, names.length) ? null : "none"];
      },

      address: function (at, axes, colour, scale, cell, levels, rest, brush, overview, asked, run) {
        const base = window.dash_clientside.shell.base + "/run/" + encodeURIComponent(run);
        if (!run || window.location.pathname !== base) { return; }
        const live = window.dash_clientside.live, answers = window.dash_clientside.answers;
        const query = live.query({ ...live.view(at, axes, colour, scale, cell, levels, rest, brush, overview), ...answers.view(asked) });
        window.history.replaceState(window.history.state, "", base + (query ? "?" + query : ""));
        answers.linkReport(query);
      },

      tools: function (pin, python, json, download, link, texts, pinned) {
        const id = triggered();
        const nothing = [none(), none()];
        if (id === "inspector-pin" && pinned) { return [null, "Pin"]; }
        if (!texts) { return nothing; }
        if (id === "inspector-pin") { return [texts.pin, "Unpin"]; }
        if (id === "inspector-download") { save(texts.file, texts.json); return nothing; }
        const text = id === "inspector-link" ? window.location.href : id === "inspector-python" ? texts.python : texts.json;
        copy(text).then(() => say(id, "Copied"), () => say(id, "Not allowed"));
        return nothing;
      },

      close: function () { return null; },

      take: function () {
        const kind = triggered().split("-")[1], base = window.location.pathname;
        if (kind === "csv" || kind === "json") { fetchFile(base + "/elites." + kind + window.location.search); }
        if (kind === "npz") { fetchFile(base + "/run.npz"); }
        if (kind === "png" || kind === "svg") { picture(kind); }
      },
    },
  });
})();
