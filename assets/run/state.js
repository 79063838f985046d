// The state of a run's page in the browser: gathered from the controls into one store, and written to the address.
// components/page_state/state.py is the server's half of the codec.
window.pageState = (function () {
  const USUAL = { scale: "auto", overview: "pairs", view: "map", margin: "5 %", most: 1, measure: "total" };

  // A number as the server writes it: the shortest text that reads back as the same.
  function short(value) {
    const size = Math.abs(value);
    return value === 0 || (size >= 1e-3 && size < 1e5) ? String(value) : value.toExponential().replace("e+", "e");
  }

  const list = (names) => names.join(",");
  const WRITERS = {
    at: String,
    axes: list,
    reading: String,
    colour: String,
    scale: String,
    block: (block) => block.join(","),
    cell: String,
    levels: (levels) => levels.map((each) => each.map(short).join(",")).join(";"),
    overview: String,
    brush: (brush) => brush.map(([axis, low, high]) => axis + ":" + short(low) + "-" + short(high)).join(";"),
    view: String,
    about: String,
    need: String,
    margin: String,
    most: String,
    measure: String,
    allow: (allow) => Object.entries(allow).map(([name, value]) => name + ":" + value).join(","),
    hard: list,
    pair: list,
    behind: (behind) => (behind ? "yes" : ""),
  };
  // What stands in an address as it is.
  const quote = (text) => encodeURIComponent(text).replace(/%2C/g, ",").replace(/%3B/g, ";").replace(/%3A/g, ":")
    .replace(/[!'()*]/g, (mark) => "%" + mark.charCodeAt(0).toString(16).toUpperCase());

  // The query of the page's address; what is as usual is left out.
  function address(state) {
    const written = (name) => {
      const value = state[name];
      return value === null || value === undefined || value === USUAL[name] ? "" : WRITERS[name](value);
    };
    return Object.keys(WRITERS).map((name) => [name, written(name)]).filter((pair) => pair[1])
      .map((pair) => pair[0] + "=" + quote(pair[1])).join("&");
  }

  return { short, address };
})();

window.dash_clientside = Object.assign({}, window.dash_clientside, {
  pageState: {
    gather: function (at, axes, reading, colour, scale, block, cell, levels, overview, brush, allow, hard, asked, before) {
      const state = { at, axes, reading, colour, scale, block, cell, levels, overview, brush, ...asked, allow, hard };
      const plain = (each) => JSON.stringify(Object.keys(state).map((name) => each[name] ?? null));
      return plain(state) === plain(before) ? window.dash_clientside.no_update : state;
    },
  },
});
