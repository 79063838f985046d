// The answers in the browser: sliders and fields that follow each other, the question gathered from all
// controls, and presses on rows, points and numbers.
(function () {
  const ANY = "any";
  const setProps = (id, props) => window.dash_clientside.set_props(id, props);
  const none = () => window.dash_clientside.no_update;
  const triggered = () => window.dash_clientside.callback_context.triggered_id;

  // A tolerance as a number; NaN where it is none.
  function tolerance(text) {
    const plain = String(text === null || text === undefined ? "" : text).trim().toLowerCase();
    if (plain === ANY || plain === "∞") { return Infinity; }
    const value = plain === "" ? NaN : Number(plain.replace(/,/g, ""));
    return value >= 0 ? value : NaN;
  }

  function place(texts, value) {
    let found = 0;
    texts.forEach((text, i) => { if (tolerance(text) <= value) { found = i; } });
    return found;
  }

  // A cell may hold two designs, its elite and the best feasible one behind it. What is pressed says which is meant.
  let behind = false;
  document.addEventListener("click", function (event) {
    const target = event.target.closest && event.target.closest("[data-cell].text-button, [data-goto]");
    if (target) { behind = target.dataset.behind === "true" || target.dataset.goto === "goto-feasible"; }
  }, true);

  document.addEventListener("click", function (event) {
    const target = event.target.closest && event.target.closest("[data-about], [data-columns], [data-away], [data-view].text-button");
    if (!target) { return; }
    if (target.dataset.about) { setProps("answers-about", { data: target.dataset.about }); }
    if (target.dataset.columns) { setProps("answers-pair-chosen", { data: target.dataset.columns.split(",") }); }
    if (target.dataset.away) { setProps("run-away", { data: [target.dataset.away, Date.now()] }); }
    if (target.dataset.view) { setProps("answers-view", { value: target.dataset.view }); }
  });

  // While a run goes on, its answers are put in place now and then, never under a finger, and what had the
  // focus has it again afterwards.
  const PERIOD = 1500;
  const placing = { serial: 0, at: 0, down: false };
  const sleep = (time) => new Promise((done) => setTimeout(done, time));
  document.addEventListener("pointerdown", () => { placing.down = true; });
  for (const kind of ["pointerup", "pointercancel"]) {
    document.addEventListener(kind, () => setTimeout(() => { placing.down = false; }, 100));
  }

  function focused() {
    const element = document.activeElement, body = document.getElementById("answers-body");
    if (!element || !body || !body.contains(element) || !element.dataset) { return null; }
    for (const name of ["about", "columns", "cell"]) {
      const value = element.dataset[name];
      if (value !== undefined) { return `#answers-body [data-${name}="${CSS.escape(value)}"]`; }
    }
    return null;
  }

  function refocus(selector) {
    const element = selector && document.querySelector(selector);
    if (element && document.activeElement === document.body) { element.focus({ preventScroll: true }); }
  }

  // Where the tabs do not fit side by side, the one that is open is brought into sight; the page stays where it is.
  function showTab(view) {
    const tabs = document.querySelector(".view-tabs");
    const tab = tabs && [...tabs.querySelectorAll("[role=tab]")].find((each) => each.id.endsWith("-" + view));
    if (!tab || tabs.dataset.shown === view) { return; }
    tabs.dataset.shown = view;
    const own = tab.getBoundingClientRect(), all = tabs.getBoundingClientRect();
    tabs.scrollLeft += own.left + own.width / 2 - all.left - all.width / 2;
  }

  window.dash_clientside = Object.assign({}, window.dash_clientside, {
    answers: {
      allow: function (at, text, hard, id, steps) {
        const own = steps[id.of];
        if (!own) { return [none(), none(), none(), none(), none()]; }
        if (hard) { return [place(own.texts, tolerance(own.satisfied)), own.satisfied, null, true, true]; }
        const by = triggered();
        if (by && by.allow === "slider") { return [none(), own.texts[at], null, false, false]; }
        const value = tolerance(text);
        if (Number.isNaN(value)) { return [none(), none(), "a number from 0 on, or any", false, false]; }
        return [place(own.texts, value), none(), null, false, false];
      },

      place: async function (fresh) {
        const mine = ++placing.serial;
        if (!fresh) { return none(); }
        if (fresh.live) { await sleep(Math.max(0, placing.at + PERIOD - Date.now())); }
        while (placing.down && mine === placing.serial) { await sleep(50); }
        if (mine !== placing.serial) { return none(); }
        placing.at = Date.now();
        const selector = focused();
        if (selector) { setTimeout(() => refocus(selector), 100); }
        return fresh.children;
      },

      reset: function (clicks, ids, steps) {
        if (!clicks) { return [ids.map(none), ids.map(none)]; }
        const own = ids.map((id) => steps[id.of]);
        return [own.map((each) => place(each.texts, tolerance(each.satisfied))), own.map((each) => each.satisfied)];
      },

      gather: function (view, about, pair, need, margin, most, measure, texts, marks, behind, ids, steps, before) {
        const allow = {}, hard = [];
        showTab(view);
        ids.forEach((id, i) => {
          const name = id.of, own = steps[name], value = tolerance(texts[i]);
          if (marks[i]) { hard.push(name); return; }
          if (!own || Number.isNaN(value) || value === tolerance(own.satisfied)) { return; }
          allow[name] = value === Infinity ? ANY : String(value);
        });
        const data = { view: view, about: about, allow: allow, hard: hard, need: need, margin: margin,
                       most: Number(most), measure: measure, pair: pair, behind: behind };
        const same = JSON.stringify(data) === JSON.stringify(before);
        // On a phone the questions stand below the map, and above every other view.
        if (before.view !== view && window.matchMedia("(max-width: 720px)").matches) { setTimeout(() => window.scrollTo(0, 0), 0); }
        const moved = Object.entries(allow).map(([name, value]) => name + " ≤ " + value);
        const words = [moved.join(", ") || "all satisfied"].concat(hard.length ? ["hard: " + hard.join(", ")] : []);
        return [same ? none() : data, "answers view-" + view, view !== "map", words.join(" · ")];
      },

      // The question's part of the address; what is as usual is left out.
      view: function (asked) {
        const usual = { view: "map", margin: "5 %", most: 1, measure: "total" };
        const names = ["view", "about", "need", "margin", "most", "measure"];
        const values = names.map((name) => [name, asked[name] === usual[name] ? null : asked[name]]);
        return {
          ...Object.fromEntries(values),
          allow: Object.entries(asked.allow).map(([name, value]) => name + ":" + value).join(","),
          hard: asked.hard.join(","),
          pair: asked.pair && asked.pair.join(","),
          behind: asked.behind ? "yes" : null,
        };
      },

      // The report is that of the view on the page.
      linkReport: function (query) {
        const link = document.getElementById("answers-report");
        if (link) { link.search = query; }
      },

      pick: function () {
        const [change] = window.dash_clientside.callback_context.triggered;
        const point = change && change.value && change.value.points && change.value.points[0];
        const cell = point && point.customdata;
        if (typeof cell !== "number" && typeof cell !== "string") { return none(); }
        behind = String(cell).endsWith("*");
        return behind ? cell.slice(0, -1) : cell;
      },

      behind: function () {
        const meant = behind;
        behind = false;
        return meant;
      },
    },
  });
})();
