// What the frame of every page does in the browser: title, colour scheme, the help key, and the banner
// that says when the server or the worker is gone and takes itself away when it is back.
window.dash_clientside = Object.assign({}, window.dash_clientside, {
  shell: {
    // What a proxy puts in front of every address, such as /illuminate; mostly nothing.
    base: JSON.parse(document.getElementById("_dash-config").textContent).requests_pathname_prefix.replace(/\/$/, ""),
    setTitle: function (title) {
      if (title) { document.title = title; }
    },
    // The field of an upload comes late and without a name for screen readers: it is called what its button says.
    labelUpload: function (id) {
      const label = function () {
        const box = document.getElementById(id), field = box && box.querySelector("input[type=file]");
        if (field && box.innerText.trim()) { field.setAttribute("aria-label", box.innerText.trim()); } else { setTimeout(label, 300); }
      };
      label();
      return window.dash_clientside.no_update;
    },
    // The first wrong field of the start form, out of the way of its buttons.
    goToField: function (wrong) {
      const place = document.getElementById(wrong[1] === "tolerances" ? "start-rows" : "start-" + wrong[1]);
      const field = place && (place.matches("input") ? place : place.querySelector("[aria-invalid=true], input"));
      if (!field) { return; }
      const folded = field.closest("details");
      if (folded) { folded.open = true; }
      field.focus({ preventScroll: true });
      field.scrollIntoView({ block: "center" });
    },
    // The scheme in use, whoever chose it: the system at first, then the switch in the header.
    watchScheme: function () {
      const root = document.documentElement;
      const now = () => root.getAttribute("data-mantine-color-scheme") || "light";
      const tell = () => window.dash_clientside.set_props("scheme", { data: now() });
      new MutationObserver(tell).observe(root, { attributeFilter: ["data-mantine-color-scheme"] });
      return now();
    },
  },
});

(function () {
  const PERIOD = 3000, PATIENCE = 5000, LATELY = 6000;
  const GONE = "The server does not answer. This page comes back by itself as soon as it does; what runs have found is kept.";
  const SIGNED_OUT = "This browser is no longer signed in. Reload the page to sign in again; runs go on.";
  const WAITING = "The worker that searches is not running. Runs wait until it is back; nothing is lost.";
  let missingSince = null, heardAt = 0, late = 0;

  function banner(text, kind) {
    const element = document.getElementById("banner");
    if (!element || element.textContent === text) { return; }
    element.textContent = text;
    element.className = "banner " + kind;
    element.hidden = text === "";
  }

  function hear(health) {
    missingSince = health.worker ? null : missingSince || Date.now();
    const isMissing = missingSince && Date.now() - missingSince > PERIOD; // one that is replaced is soon back
    banner(health.problem || (isMissing ? WAITING : ""), "banner-hint");
  }

  Object.assign(window.dash_clientside.shell, {
    hear: function (health) { heardAt = Date.now(); hear(health); }, // from a page that asks for more than this
    doubt: function () { heardAt = 0; },
  });

  async function ask() {
    if (Date.now() - heardAt < LATELY) { setTimeout(ask, PERIOD); return; }
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(), PATIENCE);
    try {
      const answer = await fetch(window.dash_clientside.shell.base + "/status", { signal: stop.signal, cache: "no-store" });
      if (answer.status === 401) { banner(SIGNED_OUT, "banner-error"); return; }
      hear(await answer.json());
      late = 0;
    } catch (error) {
      // A browser that is busy hears its own alarm before the answer that is there: once may be its own fault.
      late = error.name === "AbortError" ? late + 1 : 2;
      if (late > 1) { banner(GONE, "banner-error"); }
    } finally {
      clearTimeout(timer);
      setTimeout(ask, late === 1 ? 0 : PERIOD);
    }
  }
  ask();

  // Enter in a plain field of a form presses its button, as in any form.
  const BUTTONS = { "start-form": "start-button", "campaign-form": "campaign-start" };
  document.addEventListener("keydown", function (event) {
    const field = event.key === "Enter" && event.target.closest && event.target.closest("input:not([type=checkbox]):not([type=radio])");
    const form = field && field.closest("#start-form, #campaign-form");
    if (form && !field.getAttribute("aria-haspopup") && !field.closest(".level-chips")) {
      setTimeout(() => document.getElementById(BUTTONS[form.id]).click(), 0);
    }
  });

  // What is typed into a list that searches takes the place of what is chosen in it.
  for (const kind of ["focusin", "click"]) {
    document.addEventListener(kind, function (event) {
      const field = event.target;
      if (!field.matches || !field.matches("input[aria-haspopup=listbox]:not([readonly])")) { return; }
      const isNew = kind === "focusin" || field.getAttribute("aria-expanded") !== "true"; // else somebody is typing in it
      if (isNew) { setTimeout(() => field.select(), 0); }
    }, true);
  }

  // A page that a callback leads to opens at its top, as one does that a link leads to.
  window.addEventListener("_dashprivate_pushstate", () => window.scrollTo(0, 0));

  document.addEventListener("keydown", function (event) {
    const typing = event.target.closest && event.target.closest("input, textarea, select, [contenteditable]");
    if (event.key === "?" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      const button = document.getElementById("help-button");
      if (button) { button.click(); }
    }
  });
})();
