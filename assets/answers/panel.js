// The answers in the browser: sliders and fields that follow each other, the question gathered from all
// controls, and presses on rows, points and numbers.
(function () {
  const byId = (id) => document.getElementById(id);
  const setProps = (id, props) => window.dash_clientside.set_props(id, props);
  const none = () => window.dash_clientside.no_update;

  // A cell may hold two designs, its elite and the best feasible one behind it. What is pressed says which is meant.
  let behind = false;
  document.addEventListener("click", function (event) {
    const target = event.target.closest && event.target.closest("[data-cell].text-button, [data-goto]");
    if (target) { behind = target.dataset.behind === "true" || target.dataset.goto === "goto-feasible"; }
  }, true);

  document.addEventListener("click", function (event) {
    const target = event.target.closest && event.target.closest("[data-about], [data-columns], [data-away], [data-tab]");
    if (!target) { return; }
    if (target.dataset.about) { setProps("answers-about", { data: target.dataset.about }); }
    if (target.dataset.columns) { setProps("answers-pair-chosen", { data: target.dataset.columns.split(",") }); }
    if (target.dataset.away) { window.runMap.toggleAway(target.dataset.away); byId("map-box").scrollIntoView({ block: "center" }); }
    if (target.dataset.tab) { setProps("answers-view", { data: target.getAttribute("aria-pressed") === "true" ? "map" : target.dataset.tab }); }
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

  let page = null; // whose first view has been brought into sight

  // The tab that is open; the one that a link names is brought into sight.
  function showTab(view) {
    document.querySelectorAll("#answers [data-tab]").forEach((each) => each.setAttribute("aria-pressed", String(each.dataset.tab === view)));
    document.querySelectorAll("#answers > [data-for]").forEach((each) => { each.hidden = each.dataset.for !== view; });
    if (page === window.location.pathname) { return; }
    page = window.location.pathname;
    if (view !== "map" && view !== "whatif") { setTimeout(() => byId("answers").scrollIntoView({ block: "start" }), 400); }
  }

  window.answersPanel = {
    open: (view) => { setProps("answers-view", { data: view }); setTimeout(() => byId("answers").scrollIntoView({ block: "start", behavior: "smooth" }), 100); },
    // The report is that of the view on the page.
    linkReport: (query) => { const link = byId("answers-report"); if (link) { link.search = query; } },
  };

  window.dash_clientside = Object.assign({}, window.dash_clientside, {
    answers: {
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

      gather: function (view, about, pair, need, margin, most, measure, behind, before) {
        showTab(view);
        const data = { view: view, about: about, need: need, margin: margin, most: Number(most), measure: measure, pair: pair, behind: behind || false };
        const plain = (each) => JSON.stringify(Object.keys(data).map((name) => each[name] ?? null));
        return [plain(data) === plain(before) ? none() : data, "card answers view-" + view];
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
