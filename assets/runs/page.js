// The list of runs: the cells of the runs that changed, and no others.
window.dash_clientside = Object.assign({}, window.dash_clientside, {
  runs: {
    // Another filter or order is read from its beginning.
    first: function () {
      return 1;
    },
    // The address follows what is shown, so that a reload and a link show the same.
    address: function (text, states, starred, view, page) {
      const base = window.dash_clientside.shell.base + "/runs";
      if (window.location.pathname !== base) { return; }
      const isDown = ["progress", "coverage", "seconds", "created"].includes(view.sort);
      const said = {
        q: (text || "").trim(),
        state: (states || []).join(","),
        starred: starred ? "yes" : "",
        sort: view.sort === "created" ? "" : view.sort,
        order: view.descending === isDown ? "" : view.descending ? "down" : "up",
        page: page > 1 ? String(page) : "",
      };
      const query = new URLSearchParams(Object.entries(said).filter((each) => each[1])).toString();
      window.history.replaceState(window.history.state, "", base + (query ? "?" + query : ""));
    },
    // A callback with all cells as outputs would be looked at cell by cell at every look at the server.
    tell: function (news) {
      for (const [key, run, children] of news || []) {
        if (document.getElementById(JSON.stringify({ live: key, run }))) {
          window.dash_clientside.set_props({ live: key, run }, { children });
        }
      }
    },
  },
});
