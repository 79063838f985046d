// The browser's half of `components/shared/follow.py`: a page asks one question at a time.
// Dash drops the answer to a question that a newer one overtook, so a page that asks on and on would never be told.
window.dash_clientside = Object.assign({}, window.dash_clientside, {
  follow: {
    ask: function (_, before, answered) {
      const PATIENCE = 10000; // milliseconds until an answer counts as lost
      const due = before.number !== answered;
      if (due && Date.now() - before.at < PATIENCE) { return window.dash_clientside.no_update; }
      return { number: before.number + 1, at: Date.now() };
    },
  },
});
