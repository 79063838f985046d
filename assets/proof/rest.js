// Tells the server once the sliders have stood still for a while. components/proof/rest.py decides what follows.
(function () {
  const WHILE = 2500;  // milliseconds
  let waiting = null;
  let before = null;

  window.dash_clientside = Object.assign({}, window.dash_clientside, {
    proof: {
      rest: function (state) {
        const question = JSON.stringify([state.allow, state.hard, state.levels, state.at]);
        if (before !== null && question !== before) {
          clearTimeout(waiting);
          // Where nothing is allowed there is nothing to sharpen.
          if (Object.keys(state.allow || {}).length) { waiting = setTimeout(() => window.dash_clientside.set_props("proof-rested", { data: state }), WHILE); }
        }
        before = question;
        return window.dash_clientside.no_update;
      },
    },
  });
})();
