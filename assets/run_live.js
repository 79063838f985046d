// A run's page while things happen: looks whether there is something new, and fetches the map when there is.
(function () {
  const PATIENCE = 40; // looks after which a drawing that never came is no longer waited for
  let asking = false, turn = 0;

  const none = () => window.dash_clientside.no_update;
  const given = (value) => value !== null && value !== undefined && value !== "";
  // The address of the run, whatever stands before it.
  const base = () => { const found = window.location.pathname.match(/^.*\/run\/[^/]+/); return found && found[0]; };

  function query(values) {
    const plain = (text) => encodeURIComponent(text).replace(/%2C/g, ",").replace(/%3B/g, ";").replace(/%3A/g, ":");
    return Object.entries(values).filter((pair) => given(pair[1])).map((pair) => pair[0] + "=" + plain(pair[1])).join("&");
  }

  // What names a view in the page's address, and in that of the map.
  function view(at, axes, colour, scale, cell, levels, rest, brush, overview) {
    return {
      at: at,
      axes: axes && axes.join(","),
      colour: colour === "objective" ? null : colour,
      scale: scale === "auto" ? null : scale,
      cell: cell,
      levels: levels && levels.map((each) => each.join(",")).join(";"),
      rest: rest && rest.join(","),
      overview: overview === "parallel" ? overview : null,
      brush: brush && brush.map((each) => each[0] + ":" + each[1] + "-" + each[2]).join(";"),
    };
  }

  // A newer map now would make a drawing that is under way void.
  const isDrawing = (latest, drawn, tick) => latest && drawn && drawn.seen !== latest.version && tick - latest.tick < PATIENCE;

  function changed(figure, patch) {
    const [heatmap, marks] = figure.data, layout = figure.layout;
    const shapes = layout.shapes.map((shape) => (shape.name === "best" ? { ...shape, ...patch.best } : shape));
    return {
      ...figure,
      data: [{ ...heatmap, ...patch.heatmap }, { ...marks, ...patch.marks }],
      layout: { ...layout, shapes: shapes, meta: { ...layout.meta, ...patch.meta } },
    };
  }

  function complain(words) {
    const notice = { action: "show", id: "map-error", title: "The map cannot be drawn", message: words, color: "red", autoClose: 12000, withBorder: true };
    window.dash_clientside.set_props("notices", { sendNotifications: [notice] });
  }

  window.dash_clientside = Object.assign({}, window.dash_clientside, {
    live: {
      query: query,
      view: view,

      look: async function (tick, latest, drawn) {
        if (asking || !base() || isDrawing(latest, drawn, tick)) { return none(); }
        asking = true;
        try {
          const answer = await fetch(base() + "/version", { cache: "no-store" });
          const version = answer.ok ? Number(await answer.text()) : -1;
          return latest && latest.version === version ? none() : { version: version, tick: tick };
        } catch (gone) {
          return none(); // the banner says so
        } finally {
          asking = false;
        }
      },

      draw: async function (latest, at, levels, axes, colour, scale, scheme, narrow, rest, drawn, figure) {
        const nothing = [none(), none(), none()];
        if (!scheme || typeof narrow !== "boolean" || !base()) { return nothing; } // not yet known how it looks
        const mine = ++turn;
        const known = drawn || {};
        const asked = { ...view(at, axes, colour, scale, null, levels, rest), scheme: scheme, narrow: narrow, look: known.look, key: known.key };
        let answer;
        try {
          answer = await fetch(base() + "/map?" + query(asked), { cache: "no-store" });
          if (!answer.ok) { complain(await answer.text()); return nothing; }
          answer = await answer.json();
        } catch (gone) {
          return nothing;
        }
        if (mine !== turn) { return nothing; } // a newer one is under way
        const stamp = { look: answer.look, key: answer.key, seen: latest ? latest.version : null };
        if (answer.figure) { return [answer.figure, stamp, "map-box " + answer.form]; }
        return [answer.patch ? changed(figure, answer.patch) : none(), stamp, none()];
      },
    },
  });
})();
