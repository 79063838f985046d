"""Evaluations by workers that came to nothing: how many, and folded away, of which kind and what was said last."""

from __future__ import annotations

from dash import html
from dash.development.base_component import Component

from components.shared.format import count
from mapelites.runs import Run

FAILED = {
    "raised": "by an exception",
    "not finite": "with a value that is no finite number",
    "wrong shape": "with the wrong shape",
    "died": "by the end of the process",
    "too slow": "over the time limit",
}


def layout(run: Run) -> Component:
    """The fact for the head of a run's page."""
    rows = []
    for kind, (times, words) in run.failures.items():
        last = [html.Span(f"last: {words}", className="failure-words")] if words else []
        rows.append(html.Li([f"{count(times)} {FAILED.get(kind, kind)}", *last]))
    total = sum(times for times, _ in run.failures.values())
    details = html.Details(
        [html.Summary(f"{count(total)} of {count(run.evaluations)}"), html.Ul(rows)], className="failures"
    )
    return html.Div([html.Div("Evaluations that failed", className="fact-name"), details], className="fact")
