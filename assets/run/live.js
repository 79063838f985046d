// A run's page while things happen: looks whether there is something new, and fetches the map when there is.
(function () {
  const SOONEST = 100, IDLE = 2000, CALM = 1000; // milliseconds
  const LOOKS_TO_CALM = 7, HURRIED_LOOKS = 10;
  const REST = 2; // after a drawing, as a multiple of the time it took: the page belongs to the person, too
  let told = {}; // of the run: its version, and what the page shows of it
  let asked = { view: "", look: {} }, page = null, shown = {}; // the view that is asked for, of which page, and what the figure shows
  let turn = 0, loop = 0, fetching = 0, hurry = 0, resting = 0;

  const byId = (id) => document.getElementById(id);
  const setProps = (id, props) => window.dash_clientside.set_props(id, props);
  const none = () => window.dash_clientside.no_update;
  // The address of the run, whatever stands before it.
  const base = () => { const found = window.location.pathname.match(/^.*\/run\/[^/]+/); return found && found[0]; };

  // What names a map in its address: the part of the page's state that it depends on.
  const MAP = ["at", "axes", "reading", "colour", "scale", "block", "levels", "allow", "hard"];
  const mapOf = (state) => Object.fromEntries(MAP.map((name) => [name, state[name]]));
  const query = (values) => [asked.view, ...Object.entries(values).filter((pair) => pair[1] !== undefined)
    .map((pair) => pair[0] + "=" + encodeURIComponent(pair[1]))].filter(Boolean).join("&");

  function changed(figure, patch) {
    const [heatmap, marks] = figure.data, layout = figure.layout;
    const shapes = layout.shapes.map((shape) => (shape.name === "best" ? { ...shape, ...patch.best } : shape.name === "proven" ? { ...shape, path: patch.proven } : shape));
    return {
      ...figure,
      data: [{ ...heatmap, ...patch.heatmap }, { ...marks, ...patch.marks }],
      layout: { ...layout, shapes: shapes, meta: { ...layout.meta, ...patch.meta } },
    };
  }

  function complain(words) {
    const notice = { action: "show", id: "map-error", title: "The map cannot be drawn", message: words, color: "red", autoClose: 12000, withBorder: true, closeButtonProps: { "aria-label": "Close this notice" } };
    setProps("notices", { sendNotifications: [notice] });
  }

  // What comes of an answer: the figure, what it shows, and the class of its box.
  function figures(answer, figure) {
    const stamp = { look: answer.look, key: answer.key };
    if (answer.figure) { return [answer.figure, stamp, "map-box " + answer.form]; }
    return [answer.patch ? changed(figure, answer.patch) : none(), stamp, none()];
  }

  async function fetched(drawn, figure) {
    const mine = ++turn, nothing = [none(), none(), none()];
    fetching += 1;
    try {
      const answer = await fetch(base() + "/map?" + query({ ...asked.look, ...drawn }), { cache: "no-store" });
      if (!answer.ok) { complain(await answer.text()); return nothing; }
      const content = await answer.json();
      return mine === turn ? figures(content, figure) : nothing; // else a newer one is under way
    } catch (gone) {
      return nothing; // the banner says so
    } finally {
      fetching -= 1;
    }
  }

  // ---- looking for news ----

  // Parts of the page beside the map and the head, and whether anybody sees what is new in them.
  const PARTS = {
    limits: () => byId("limits"),
    proof: () => byId("proof"),
    inspector: () => byId("inspector"),
    many: () => document.querySelector(".many:not([hidden])"),
    budget: () => byId("budget-details") && byId("budget-details").open,
    levels: () => byId("rebin-note") && !byId("rebin-note").hidden,
    answers: () => document.querySelector("#answers .tab[aria-pressed=true]"),
  };

  function tell(news) {
    for (const [id, props] of Object.entries(news.head)) {
      const words = JSON.stringify(props);
      if (told.head[id] !== words) { told.head[id] = words; setProps(id, props); }
    }
  }

  // The other parts follow now and then while a run goes on, and at once when it does not.
  function settle() {
    const calm = told.active ? Math.max(CALM, LOOKS_TO_CALM * told.wait) : 0;
    if (told.version === told.settled || Date.now() - told.settledAt < calm) { return; }
    Object.assign(told, { settled: told.version, settledAt: Date.now() });
    const parts = Object.keys(PARTS).filter((name) => PARTS[name]());
    if (parts.length) { setProps("run-seen-parts", { data: { version: told.version, parts: parts } }); }
  }

  async function look() {
    const mine = base();
    const answer = await fetch(mine + "/news?" + query({ ...asked.look, ...shown, version: told.version }), { cache: "no-store" });
    if (base() !== mine || fetching) { return; } // another page by now, or another view whose map comes first
    if (!answer.ok) {
      if (answer.status === 404 && told.wait !== IDLE) { complain(await answer.text()); } // the run is gone
      throw new Error(answer.status);
    }
    const news = await answer.json();
    told.wait = news.wait;
    window.dash_clientside.shell.hear(news.health);
    if (news.version === undefined) { return; }
    Object.assign(told, { version: news.version, active: news.active, drawingSince: Date.now() });
    setProps("run-latest", { data: { version: news.version, map: news.map, view: query(asked.look) } });
    setTimeout(() => { if (base() === mine) { tell(news); } }, 0); // the map goes first
  }

  async function follow(mine) {
    if (mine !== loop || !base()) { return; }
    let wait = SOONEST;
    try {
      if (page === base() && byId("run-head") && !document.hidden && !fetching && Date.now() >= resting) { await look(); settle(); wait = hurry-- > 0 ? SOONEST : told.wait; }
    } catch (gone) {
      wait = told.wait = IDLE;
      window.dash_clientside.shell.doubt(); // the banner says so
    }
    setTimeout(follow, wait, mine);
  }

  // A press on a button of the run soon changes what there is to see.
  document.addEventListener("click", function (event) {
    if (!event.target.closest || !event.target.closest(".act")) { return; }
    hurry = HURRIED_LOOKS;
    setTimeout(follow, SOONEST, ++loop);
  });

  window.dash_clientside = Object.assign({}, window.dash_clientside, {
    live: {
      follow: function () {
        told = { head: {}, wait: SOONEST, settledAt: 0 };
        hurry = HURRIED_LOOKS; // somebody waits for the first cells
        shown = {};
        page = null;
        follow(++loop);
        return none();
      },

      plotted: function () {
        if (told.drawingSince && hurry <= 0) { resting = Date.now() + REST * (Date.now() - told.drawingSince); }
        told.drawingSince = null;
      },

      drawn: function (drawn) { shown = drawn || {}; },

      draw: function (latest, state, scheme, narrow, drawn, figure) {
        if (!scheme || typeof narrow !== "boolean" || !base()) { return [none(), none(), none()]; } // not yet known how it looks
        const before = page === base() ? query(asked.look) : null, by = window.dash_clientside.callback_context.triggered;
        asked = { view: window.pageState.address(mapOf(state)), look: { scheme: scheme, narrow: narrow } };
        page = base();
        const now = query(asked.look), isNews = by.length === 1 && by[0].prop_id === "run-latest.data" && latest.view === now;
        if (before === now && by.every((each) => each.prop_id === "run-page-state.data")) { return [none(), none(), none()]; }
        const fits = isNews && (latest.map.figure || (drawn && drawn.look === latest.map.look));
        return fits ? figures(latest.map, figure) : fetched(drawn, figure);
      },
    },
  });
})();
