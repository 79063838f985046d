// The timeline in the browser: what is moved by hand must not be moved back by an answer that was on its way.
(function () {
  const STEPS = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 };
  const hand = { held: false, step: 0, place: 0 }; // a finger on the slider, a key that goes from moment to moment, where that led

  const none = () => window.dash_clientside.no_update;
  const context = () => window.dash_clientside.callback_context;
  const isSlider = (event) => Boolean(event.target.closest && event.target.closest("#timeline-slider"));
  const isNothing = (value) => value === null || value === undefined;
  // Several things can happen at once, and all of them come in one call.
  const happened = (id) => context().triggered.some((each) => each.prop_id.startsWith(id + "."));

  document.addEventListener("keydown", (event) => { hand.step = (isSlider(event) && STEPS[event.key]) || 0; }, true);
  document.addEventListener("pointerdown", (event) => { hand.held = isSlider(event); hand.step = 0; }, true);
  for (const kind of ["pointerup", "pointercancel"]) {
    document.addEventListener(kind, () => {
      if (hand.held) { setTimeout(() => window.dash_clientside.set_props("timeline-slider", { value: hand.place }), 0); }
      hand.held = false; // what is let go of between two moments goes to the one that is shown
    }, true);
  }

  function nearest(moments, at) {
    let found = moments.length - 1, distance = Infinity;
    moments.forEach((each, i) => { if (Math.abs(each - at) < distance) { distance = Math.abs(each - at); found = i; } });
    return found;
  }

  window.dash_clientside = Object.assign({}, window.dash_clientside, {
    timeline: {
      // The slider's scale never changes: a slider with another one is another element, and slips out of the hand.
      follow: function (value, moments, live, play, step, was, wasStopped, scale, wasStill) {
        const last = moments.length - 1;
        let at = was, stopped = wasStopped, index = isNothing(at) ? last : nearest(moments, at);
        const place = () => (last > 0 ? Math.round((scale * Math.max(index, 0)) / last) : scale);
        const go = (i) => {
          const there = Math.min(Math.max(i, 0), last);
          if (there !== index) { index = there; at = moments[index]; stopped = true; }
        };
        if (happened("timeline-live")) {
          at = null; index = last; stopped = true;
        } else if (happened("timeline-slider") && last > 0 && value !== place()) {
          go(hand.step ? index + hand.step : Math.round((value * last) / scale));
        } else if (happened("timeline-play") && last > 0) {
          if (stopped && index >= last) { go(0); }
          stopped = !wasStopped;
        } else if (happened("timeline-step") && !stopped) {
          go(index + Math.max(1, Math.round(moments.length / 60)));
          stopped = index >= last;
        }
        const isLive = isNothing(at);
        const fresh = (now, old) => (now === old && context().triggered_id ? none() : now); // an update costs the page time
        const same = context().triggered_id && stopped === wasStopped && isLive === isNothing(was);
        const text = last < 0 ? "no history yet" : "evaluation " + moments[Math.max(index, 0)].toLocaleString("en-US");
        const looks = [isLive ? "filled" : "default", "icon icon-" + (stopped ? "play" : "pause"),
                       stopped ? "Play the history" : "Pause the replay"];
        hand.place = place();
        return [hand.held ? none() : hand.place, fresh(isLive ? null : at, was), fresh(stopped, wasStopped), text,
                ...(same ? looks.map(none) : looks), fresh(last < 1, wasStill), fresh(last < 1, wasStill)];
      },
    },
  });
})();
