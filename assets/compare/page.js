// Two runs compared: how wide their maps are, and one cursor on both.
const comparedMaps = {
  gap: 20, beside: 440, roomy: 560, // pixels, as in shell/base.css: between two maps, the least that stand side by side
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
// The cell that the keyboard is at and the one pressed last, on every map compared, and the first of them in words.
const comparedCells = (function () {
  const { metaOf, words, outline, listen } = window.mapCursor;
  const boxes = () => [...document.querySelectorAll(".compare-box")];
  const plot = (box) => box.querySelector(".js-plotly-plot");
  const letter = (i, all) => (all.length > 1 ? "AB"[i] + " " : "");
  const pressed = { row: null, column: null };
  let isTold = false;

  const isOn = (box, place) => { const map = metaOf(plot(box)); return map && place.row < map.rows && place.column < map.columns; };

  // Maps of one problem have the same cells: both are told. Of two problems only the one that has the focus is.
  function tell() {
    const all = boxes(), at = all.find((box) => box === document.activeElement);
    const readout = document.getElementById("compare-readout");
    if (!at || !readout || !isOn(at, cursor)) { return; }
    const found = (box) => words(plot(box), cursor.row, cursor.column);
    const place = found(at).place;
    const same = all.filter((box) => isOn(box, cursor) && found(box).place === place);
    const states = same.map((box) => letter(all.indexOf(box), all) + found(box).state);
    readout.textContent = place + ": " + states.join("; ");
    isTold = true;
  }

  function outlines() {
    const all = boxes(), hasFocus = all.includes(document.activeElement);
    for (const box of all) {
      const shown = (place) => (place.row !== null && isOn(box, place) ? place : null);
      outline(box.querySelector(".map-selection"), box, plot(box), shown(pressed));
      outline(box.querySelector(".map-cursor"), box, plot(box), hasFocus ? shown(cursor) : null);
    }
  }

  const press = (data) => window.dash_clientside.set_props("compare-pressed", { data });
  const cursor = listen({
    owns: (element) => element.classList.contains("compare-box"),
    plot: plot,
    start: () => (pressed.row === null ? { row: 0, column: 0 } : pressed),
    tell: tell,
    choose: (row, column) => press({ points: [{ x: column, y: row }] }),
    leave: () => press(null),
    outline: outlines,
  });

  function whenDrawn() {
    const plots = boxes().map(plot);
    if (!plots.every((gd) => gd && gd.on)) { setTimeout(whenDrawn, 50); return; }
    for (const gd of plots.filter((each) => !each.dataset.listening)) {
      gd.dataset.listening = "yes";
      gd.on("plotly_afterplot", () => { outlines(); if (isTold) { tell(); } });
    }
    outlines();
  }

  const placeOf = (click) => { const point = click && click.points && click.points[0]; return point ? { row: point.y, column: point.x } : { row: null, column: null }; };

  function attach(click) {
    Object.assign(pressed, placeOf(click));
    whenDrawn();
  }

  // The keyboard goes on where the mouse pressed; maps that are drawn anew leave it where it is.
  const goTo = (click) => Object.assign(cursor, placeOf(click));

  return { attach, goTo };
})();
window.dash_clientside = Object.assign({}, window.dash_clientside, {
  compare: {
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
      if (!change || !change.value) { return window.dash_clientside.no_update; }
      comparedCells.goTo(change.value);
      return change.value;
    },
    // Outlines and words follow the maps, and the place pressed.
    attach: function (figures, click) {
      comparedCells.attach(click);
    },
  },
});
