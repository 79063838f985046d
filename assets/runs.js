// The list of runs: the cells of the runs that changed, and no others. Two runs compared: how wide their maps are.
const comparedMaps = {
  gap: 20, beside: 440, roomy: 560, // pixels, as in base.css: between two maps, the least that stand side by side
  isNarrow: function (width) {
    const single = document.querySelector("#compare-view input:checked[value=difference]");
    const two = !single && width >= 2 * this.beside + this.gap;
    return (two ? (width - this.gap) / 2 : width) < this.roomy;
  },
  watch: function (box) {
    if (box.dataset.watched) { return; }
    box.dataset.watched = "yes";
    new ResizeObserver(() => {
      const narrow = this.isNarrow(box.clientWidth);
      if (box.clientWidth && narrow !== this.told) { this.told = narrow; window.dash_clientside.set_props("compare-narrow", { data: narrow }); }
    }).observe(box);
  },
};
window.dash_clientside = Object.assign({}, window.dash_clientside, {
  runs: {
    // Another filter or order is read from its beginning.
    first: function () {
      return 1;
    },
    // Whether the maps compared have little room for their labels; told again when the window changes.
    narrow: function () {
      const box = document.getElementById("compare-maps");
      comparedMaps.watch(box);
      comparedMaps.told = comparedMaps.isNarrow(box.clientWidth);
      return comparedMaps.told;
    },
    // The place pressed last, on whichever map; it stays while the maps are drawn anew.
    press: function () {
      const [change] = window.dash_clientside.callback_context.triggered;
      return change && change.value ? change.value : window.dash_clientside.no_update;
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
