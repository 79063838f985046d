"""What can be written in a problem: a short list beside the text, for whoever asks."""

from __future__ import annotations

from dash import html
from dash.development.base_component import Component

from mapelites.problems.formulas.functions import CONSTANTS, FUNCTIONS

LINES = (
    ("problem Truss", "its name"),
    ('variable x from 0 to 10 [mm] "length"', "a variable with its bounds; unit and meaning where you like"),
    ("variable n from 1 to 9 integer", "whole numbers only; step 0.5 for other grids"),
    ("let A = pi*x^2", "something to use below"),
    ("minimise cost [$]: 3*A + sqrt(x)", "or maximise; its name and unit where you like"),
    (
        'subject to stress: 40/A <= 7 [kN/mm²] "in the bar"',
        "constraints, a line each, with <=, >= or =; name, unit and meaning where you like. The side without "
        "variables is the limit: levels can be in per cent of it",
    ),
    ("tolerance 1e-6", "how far an equality may be off and still count as met; 1e-4 without it"),
    ("about, source, best", "words about it, where it is from, and the best known value"),
    ("# words", "are skipped"),
)


def layout() -> Component:
    """The list, folded away."""
    rows = [part for code, words in LINES for part in (html.Dt(html.Code(code)), html.Dd(words))]
    functions = f"Functions: {', '.join(FUNCTIONS)}. Constants: {', '.join(CONSTANTS)}. Powers are ^ or **."
    return html.Details(
        [
            html.Summary("What can I write?"),
            html.Dl(rows, className="editor-lines"),
            html.P(functions, className="quiet"),
            html.P("A line goes on where a parenthesis is open or its last sign asks for more.", className="quiet"),
        ],
        className="advanced",
    )
