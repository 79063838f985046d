/* The page on which a problem is written: put the cursor where an error is. */
window.dash_clientside = Object.assign({}, window.dash_clientside, {
  editor: {
    go: (clicks) => {
      const button = document.getElementById("editor-go");
      const area = document.getElementById("editor-text");
      if (!clicks || !button || !area) return;
      const at = Number(button.dataset.at);
      area.focus();
      area.setSelectionRange(at, Math.min(at + 1, area.value.length));
    },
  },
});
