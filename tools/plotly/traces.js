// What of plotly.js the pages draw with; scatter is in its core.
const Plotly = require("plotly.js/lib/core");
Plotly.register([require("plotly.js/lib/bar"), require("plotly.js/lib/box"), require("plotly.js/lib/heatmap")]);
module.exports = Plotly;
