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

  document.addEventListener("click", function (event) {
    const target = event.target.closest && event.target.closest("[data-about], [data-pair], [data-view].text-button");
    if (!target) { return; }
    if (target.dataset.about) { setProps("answers-about", { data: target.dataset.about }); }
    if (target.dataset.pair) { setProps("answers-pair-chosen", { data: target.dataset.pair.split(",") }); }
    if (target.dataset.view) { setProps("answers-view", { value: target.dataset.view }); }
  });

  window.dash_clientside = Object.assign({}, window.dash_clientside, {
    answers: {
      allow: function (at, text, hard, id, steps) {
        const own = steps[id["allow-slider"]];
        if (!own) { return [none(), none(), none(), none(), none()]; }
        if (hard) { return [place(own.texts, tolerance(own.satisfied)), own.satisfied, null, true, true]; }
        const by = triggered();
        if (by && "allow-slider" in by) { return [none(), own.texts[at], null, false, false]; }
        const value = tolerance(text);
        if (Number.isNaN(value)) { return [none(), none(), "a number from 0 on, or any", false, false]; }
        return [place(own.texts, value), none(), null, false, false];
      },

      reset: function (clicks, ids, steps) {
        if (!clicks) { return [ids.map(none), ids.map(none)]; }
        const own = ids.map((id) => steps[id["allow-slider"]]);
        return [own.map((each) => place(each.texts, tolerance(each.satisfied))), own.map((each) => each.satisfied)];
      },

      gather: function (view, about, pair, need, margin, most, measure, texts, marks, ids, steps, before) {
        const allow = {}, hard = [];
        ids.forEach((id, i) => {
          const name = id["allow-value"], own = steps[name], value = tolerance(texts[i]);
          if (marks[i]) { hard.push(name); return; }
          if (!own || Number.isNaN(value) || value === tolerance(own.satisfied)) { return; }
          allow[name] = value === Infinity ? ANY : String(value);
        });
        const data = { view: view, about: about, allow: allow, hard: hard, need: need, margin: margin,
                       most: Number(most), measure: measure, pair: pair };
        const same = JSON.stringify(data) === JSON.stringify(before);
        const moved = Object.entries(allow).map(([name, value]) => name + " ≤ " + value);
        const words = [moved.join(", ") || "all satisfied"].concat(hard.length ? ["hard: " + hard.join(", ")] : []);
        return [same ? none() : data, "answers view-" + view, view !== "map", words.join(" · ")];
      },

      // The question's part of the address; what is as usual is left out.
      view: function (asked) {
        const usual = { view: "map", margin: "1 %", most: 1, measure: "total" };
        const names = ["view", "about", "need", "margin", "most", "measure"];
        const values = names.map((name) => [name, asked[name] === usual[name] ? null : asked[name]]);
        return {
          ...Object.fromEntries(values),
          allow: Object.entries(asked.allow).map(([name, value]) => name + ":" + value).join(","),
          hard: asked.hard.join(","),
          pair: asked.pair && asked.pair.join(","),
        };
      },

      // The report is that of the view on the page.
      linkReport: function (query) {
        const link = document.getElementById("answers-report");
        if (link) { link.search = query; }
      },

      pick: function (...clicks) {
        const graph = triggered();
        const context = window.dash_clientside.callback_context;
        const click = context.inputs[graph + ".clickData"];
        const point = click && click.points && click.points[0];
        return point && typeof point.customdata === "number" ? point.customdata : none();
      },
    },
  });
})();
