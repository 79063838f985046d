"""The help that opens over every page: how to read a map, the words, the keys."""

from __future__ import annotations

import dash_mantine_components as dmc
from dash import Dash, Input, Output, State, html
from dash.development.base_component import Component

READING = (
    "Every cell of a map is one combination of tolerances, one for each constraint.",
    "It shows the best design if you allow up to this; read exactly, the best that breaks them by just so much.",
    "Its colour says how much better that is than the best feasible design, or the objective itself.",
    "The outlined corner at the lower left meets every constraint; walk away from it and see what each one costs.",
)
WORDS = (
    (
        "Problem",
        "An objective to minimise within bounds, with inequality constraints g ≤ 0 and equality constraints h = 0.",
    ),
    ("Violation", "By how much a constraint fails: max(0, g) or |h|."),
    (
        "Tolerance levels",
        "Numbers that cut a constraint's violation into bins: 0, 1e-4, 1 give {0}, (0, 1e-4], (1e-4, 1] and (1, ∞).",
    ),
    ("Cell", "One bin per constraint: a place on the map."),
    ("Elite", "The best solution found so far in a cell."),
    ("Feasible", "Every g ≤ 0 and every |h| ≤ 1e-4."),
    ("Coverage", "The share of the cells that hold an elite. Some cells can never exist, and the map says which."),
)
KEYS = (
    (("?",), "This help"),
    (("Tab",), "To the next field, button or map"),
    (("←", "→", "↑", "↓"), "On a map: move between cells"),
    (("Shift", "→"), "On a map: move by a whole outer bin"),
    (("Enter",), "On a map: the sliders go to the cell; in a form: start"),
    (("B",), "On a map: open the block alone; Esc goes back"),
    (("Esc",), "Close"),
)


def layout() -> Component:
    """The window, closed."""
    return dmc.Modal(
        dmc.Stack(
            [
                dmc.Title("How to read a map", order=3),
                dmc.List([dmc.ListItem(line) for line in READING], type="ordered", spacing="xs"),
                dmc.Title("Words", order=3),
                html.Dl([part for word, text in WORDS for part in (html.Dt(word), html.Dd(text))], className="words"),
                dmc.Title("Keys", order=3),
                html.Dl(
                    [part for keys, text in KEYS for part in (html.Dt(_keys(keys)), html.Dd(text))], className="words"
                ),
            ],
            gap="sm",
        ),
        id="help",
        title=dmc.Text("Help", fw=650),
        size="lg",
        closeButtonProps={"aria-label": "Close the help"},
    )


def _keys(keys: tuple[str, ...]) -> Component:
    return html.Span([dmc.Kbd(key, mr=4) for key in keys])


def register(app: Dash) -> None:
    """Open and close it; `assets/shell/frame.js` presses the button on the key `?`."""

    @app.callback(
        Output("help", "opened"), Input("help-button", "n_clicks"), State("help", "opened"), prevent_initial_call=True
    )
    def toggle(_: int, opened: bool) -> bool:
        return not opened
