// The list of runs: the cells of the runs that changed, and no others.
window.dash_clientside = Object.assign({}, window.dash_clientside, {
  runs: {
    // Another filter or order is read from its beginning.
    first: function () {
      return 1;
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
