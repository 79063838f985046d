"""The head of a run's page: what it is, how far it is, how fast, its best values, and what can be done with it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import dash_mantine_components as dmc
import numpy as np
from dash import dcc, html
from dash.development.base_component import Component
from numpy.typing import NDArray

from components.page_state import ids
from components.run import failures as run_failures
from components.run.curve import progress_curves
from components.runs import labels
from components.shared import summary
from components.shared.format import count, duration, error_sentence, many, rough_count
from components.shared.notices import icon
from mapelites.core.format import evaluation_rate, number, whole_percent
from mapelites.runs import Moment, Run, Store
from mapelites.runs.pacing import seconds_left, watched_rate

ACTIVE = ("queued", "running")
SMOOTHING = 0.5
AT_ITS_PACE = 0.5  # of the rate at which a run is watched: one that is slower waits for its function
FEW_MOMENTS = 20
Curve = NDArray[np.float64]  # (k, 3): evaluations, cells with an elite, best feasible value or NaN


def layout(store: Store, run: Run, history: Sequence[Moment], further: list[Component]) -> Component:
    """The head, filled with what is known now, with further controls beside its buttons."""
    live = _live(store, run, history, None)
    return html.Header(
        [
            dcc.Store(id=ids.LATEST),
            html.Div(
                [
                    html.Div(
                        [
                            html.Div(labels.run_heading(run), id=labels.HEADING),
                            html.Div(summary.state_badge(run), id="run-state", className="run-state"),
                            html.Div(id="run-spent", className="run-progress-words", **live["run-spent"]),
                        ],
                        className="run-name",
                    ),
                    _actions(further),
                ],
                className="run-title",
            ),
            html.Div(html.Div(id="run-bar", **live["run-bar"]), className="run-bar", **{"aria-hidden": "true"}),
            html.Div(_trouble(run), id="run-trouble"),
        ],
        id="run-head",
        className=_state_class(run),
    )


def search_numbers(store: Store, run: Run, history: Sequence[Moment]) -> list[Component]:
    """What else is known of the search: elements that stay while their content changes."""
    live = _live(store, run, history, None)
    return [
        html.P(
            [
                html.Span(f"{summary.search_and_seed(run)} · {levels_in_words(run)}", id="run-method"),
                " · ",
                summary.problem_link(run),
            ],
            className="quiet",
        ),
        html.Div(
            [
                _goal("Best feasible", "goto-feasible", live["run-best-feasible"], "run-best-feasible"),
                html.Div(id="run-cells", className="fact", **live["run-cells"]),
                html.Div(id="run-refused", **live["run-refused"]),
                html.Div(id="run-curves", className="run-curves", **live["run-curves"]),
            ],
            className="run-numbers",
        ),
    ]


def _goal(name: str, target: str, live: dict[str, Any], id: str) -> Component:
    """A value that leads to its place on the map."""
    button = html.Button(id=id, title="Show it on the map", **live, **{"data-goto": target})
    return html.Div([html.Div(name, className="fact-name"), button], className="fact")


def levels_in_words(run: Run) -> str:
    """The number of cells the run's levels make."""
    kind = "centroid" if run.request.settings.archive == "centroids" else "cell"
    kind = kind if run.request.cells == 1 else f"{kind}s"
    return f"{rough_count(run.request.cells)} {kind} of {many(len(run.request.tolerances.names), 'constraint')}"


def replayable_moments(history: Sequence[Moment]) -> list[int]:
    """The evaluations of all moments that can be replayed."""
    return [moment.evaluations for moment in history]


def progress_curve(store: Store, run: Run, history: Sequence[Moment]) -> Curve:
    """How cells and best feasible value went; a run that was over in no time has few moments, but noted more."""
    if run.state not in ACTIVE and len(history) < FEW_MOMENTS:
        snapshot = store.snapshot(run.id)
        if snapshot is not None and len(snapshot.curve) > len(history):
            return snapshot.curve
    rows = [
        (each.evaluations, each.occupied, np.nan if each.best_feasible is None else each.best_feasible)
        for each in history
    ]
    return np.array(rows, dtype=float).reshape(-1, 3)


def shown_curve(store: Store, run: Run, history: Sequence[Moment]) -> Curve:
    """The same with the objective as people mean it."""
    return summary.shown_curve(run, progress_curve(store, run, history))


def changing_parts(store: Store, run: Run, history: Sequence[Moment], speed: float | None) -> dict[str, dict[str, Any]]:
    """What changes in the head while a run goes on: the properties of each part, by its id."""
    return {
        "run-state": {"children": summary.state_badge(run)},
        **_live(store, run, history, speed),
        "run-trouble": {"children": _trouble(run)},
        "run-head": {"className": _state_class(run)},
        ids.MOMENTS: {"data": replayable_moments(history)},
    }


@dataclass(frozen=True)
class Speed:
    """Evaluations per second between two looks at a run, smoothed; None where it does not run."""

    time: float = 0.0
    evaluations: int = -1
    rate: float | None = None

    def after(self, run: Run, now: float | None = None) -> Speed:
        """The speed after another look."""
        now = time.monotonic() if now is None else now
        speed = self.rate if run.state == "running" else None
        if run.state == "running" and run.evaluations == self.evaluations:
            return self  # the next one takes as long as it has been waited for, not since somebody looked last
        if run.state == "running" and now > self.time and 0 <= self.evaluations < run.evaluations:
            measured = (run.evaluations - self.evaluations) / (now - self.time)
            speed = measured if speed is None else SMOOTHING * speed + (1 - SMOOTHING) * measured
        return Speed(now, run.evaluations, speed)


def _state_class(run: Run) -> str:
    deleted = " is-deleted" if run.deleted is not None else ""
    return f"run-head is-{run.state}{deleted}"


def _progress_words(run: Run, speed: float | None) -> list[Component | str]:
    """How far the run is, and how fast or how long it took."""
    budget = run.request.settings.evaluations
    second = ""
    if run.state == "running" and speed:
        second = f" · {evaluation_rate(speed)}, {duration(_seconds_left(run, speed))} left"
    elif run.state == "queued":
        second = " · waits for a free worker"
    elif run.state != "running" and run.seconds:
        second = f" · {duration(run.seconds)}"
    return [html.B(count(run.evaluations)), f" of {count(budget)}{second}"]


def _seconds_left(run: Run, speed: float) -> float:
    """A run that is watched gets faster as it goes, unless its function is what it waits for."""
    budget = run.request.settings.evaluations
    if run.request.watch is not None and speed > AT_ITS_PACE * watched_rate(run.request.watch, budget, run.evaluations):
        return seconds_left(run.request.watch, budget, run.evaluations)
    return (budget - run.evaluations) / speed


def _live(store: Store, run: Run, history: Sequence[Moment], speed: float | None) -> dict[str, dict[str, Any]]:
    """The facts by the ids of the elements that tell them."""
    return {
        "run-spent": {"children": _progress_words(run, speed)},
        "run-bar": {"style": {"width": f"{100 * summary.spent_share(run):.2f}%"}},
        "run-best-feasible": _value(summary.best_feasible(run)),
        "run-cells": {"children": _cells(run)},
        "run-refused": {"children": _refused(run)},
        "run-curves": {"children": progress_curves(shown_curve(store, run, history), run.request.settings.evaluations)},
    }


def _value(value: float | None) -> dict[str, Any]:
    known = value is not None
    return {
        "children": number(value),
        "className": "fact-link" if known else "fact-link fact-none",
        "disabled": not known,
    }


def _cells(run: Run) -> list[Component]:
    cells, possible = run.request.cells, run.request.possible_cells
    where = f"{rough_count(possible)} that can exist" if possible < cells else "map"
    detail = f"{whole_percent(summary.filled_share(run))} of the {where}"
    share = f"{count(run.occupied)} of {rough_count(cells)}"
    return [html.Div(f"Cells, {detail}", className="fact-name"), html.B(share)]


def _refused(run: Run) -> Component | None:
    """What of the candidates came to nothing, if any did."""
    if run.failures:
        return run_failures.layout(run)
    if run.refused:
        words = f"{many(run.refused, 'candidate')} with a value that is no finite number"
        return html.Div([html.Div("Refused", className="fact-name"), html.Div(words)], className="fact")
    return None


def _actions(further: list[Component]) -> Component:
    def button(name: str, words: str, sign: str, look: str = "") -> Component:
        return html.Button(
            [icon(sign), html.Span(words)], id=f"run-{name}", className=f"plain-button {look} act act-{name}".strip()
        )

    return html.Div(
        [
            *further[:1],
            button("pause", "Pause", "pause", "is-filled"),
            button("resume", "Resume", "play", "is-filled"),
            button("stop", "Stop", "stop"),
            button("again", "New run from this", "repeat"),
            *further[1:],
            button("delete", "Delete", "trash"),
            button("undelete", "Bring it back", "undo", "is-filled"),
        ],
        className="run-actions",
        role="group",
        **{"aria-label": "Actions"},
    )


def _trouble(run: Run) -> list[Component]:
    """A run that failed says why; one that is deleted, how to get it back."""
    found: list[Component] = []
    if run.deleted is not None:
        found.append(
            dmc.Alert(
                "It can be brought back for a while.",
                title="This run is deleted",
                color="gray",
                icon=icon("trash"),
                className="run-alert",
            )
        )
    if run.state == "paused" and run.reason:
        found.append(
            dmc.Alert(
                dmc.Text(error_sentence(run.reason), size="sm"),
                title="This run had to pause",
                color="gray",
                icon=icon("alert"),
                className="run-alert",
            )
        )
    if run.state == "failed":
        details = html.Details([html.Summary("Details"), html.Pre(run.traceback)]) if run.traceback else None
        words = "Resume takes it up from the last checkpoint." if run.evaluations else "Resume begins it again."
        found.append(
            dmc.Alert(
                [
                    dmc.Text(error_sentence(run.reason or "the reason is not known"), size="sm"),
                    dmc.Text(words, size="sm"),
                    details,
                ],
                title="This run failed",
                color="red",
                icon=icon("alert"),
                className="run-alert",
            )
        )
    return found
