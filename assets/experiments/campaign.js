// The cell of the overview that the tables and figures tell of.
function markCampaignCell(view) {
  const id = JSON.stringify({ "campaign-cell": [view.problem, view.dimension, view.search].join("|") });
  const now = document.getElementById(id), before = document.querySelector(".overview-cell[aria-current]");
  if (now === before) { return; }
  if (before) { before.removeAttribute("aria-current"); }
  if (now) { now.setAttribute("aria-current", "true"); }
}

// A run of a campaign is put among the runs when it is opened, which a link alone must not do.
document.addEventListener("click", function (event) {
  const link = event.target.closest && event.target.closest("a[href*='/experiments/'][href*='/run/']");
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey) { return; }
  event.preventDefault();
  event.stopPropagation();
  const form = Object.assign(document.createElement("form"), { method: "post", action: link.href });
  document.body.append(form);
  form.submit();
}, true);

window.dash_clientside = Object.assign({}, window.dash_clientside, {
  experiments: {
    // What is looked at on a campaign's page: the cell pressed last, or what the switches say.
    choose: function (_, dimension, search, beside, before) {
      const { no_update, callback_context } = window.dash_clientside;
      const view = Object.assign({}, before, { dimension: Number(dimension), search: search, beside: beside });
      const pressed = callback_context.triggered_id;
      if (pressed && pressed["campaign-cell"]) {
        const parts = pressed["campaign-cell"].split("|");
        Object.assign(view, { problem: parts[0], dimension: Number(parts[1]), search: parts[2] });
      }
      if (Object.keys(view).every((name) => view[name] === before[name])) {
        return [no_update, no_update, no_update, no_update];
      }
      return [view, String(view.dimension), view.search, "?" + new URLSearchParams(view)];
    },
    // One question at a time: what depends on the answers waits as long as one is due.
    ask: function (_, view, before, answered) {
      const PERIOD = 1000, PATIENCE = 10000; // milliseconds
      markCampaignCell(view);
      const due = before.number !== answered;
      const moved = Object.keys(view).some((name) => view[name] !== before.view[name]);
      if (Date.now() - before.at < (due ? PATIENCE : moved ? 0 : PERIOD)) { return window.dash_clientside.no_update; }
      return { number: before.number + 1, at: Date.now(), view: view, whole: due };
    },
  },
});
