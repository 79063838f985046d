window.dash_clientside = Object.assign({}, window.dash_clientside, {
  levels: {
    // Chips in order, as the server writes them: only where they are still those it was asked about, for who types
    // on meanwhile must lose nothing.
    write: function (written, values, ids) {
      const isSame = (one, two) => JSON.stringify(one) === JSON.stringify(two);
      for (const [id, asked, texts] of written || []) {
        const place = ids.findIndex((each) => each.row === id.row);
        if (place >= 0 && isSame(values[place], asked)) { window.dash_clientside.set_props(id, { value: texts }); }
      }
    },
  },
});
