"""The evaluations of a slow function: what is under way, waits and failed; and what the models expect of the map.

What is expected is drawn beside what was found, never as an elite of it.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from dash import Input, Output, dcc, html
from dash.development.base_component import Component

from components.compare.maps import ComparedArchives, side_by_side
from components.map.figure import CONFIG
from components.page_state.parts import DrawnPart, PagePart
from components.page_state.state import PageState
from components.page_state.view import Maps, ShownMap
from components.shared.context import Context
from components.shared.format import count, duration, many
from components.shell.frame import SCHEME
from mapelites.core.archive import Archive
from mapelites.core.format import amount
from mapelites.core.problem import Problem
from mapelites.core.settings import SLOW_SEARCH
from mapelites.core.terms import violation_text, with_unit
from mapelites.evaluation.queue import UNDER_WAY, WAITING, QueueEntry
from mapelites.runs import Run
from mapelites.snapshot.snapshot import Snapshot

SUMMARY, QUEUE, MODELS, MAPS = "evaluations-summary", "evaluations-queue", "evaluations-models", "evaluations-maps"
MAP_HEIGHT = 380
LEAST_SECONDS = 2.0  # between two drawings of the maps while a run goes on
HEADS = ("Number", "Made for", "State", "Took", "Where")
ENDED = {"fine": "done", "raised": "failed", "not finite": "no finite number", "wrong shape": "wrong shape",
         "died": "its process died", "too slow": "over the time limit"}  # fmt: skip
EXPECTED = "Expected by the models"
EXPECTED_HELP = "Nobody evaluated these: each colour is what the models give the best design that they see in a cell."


def layout(run: Run) -> Component:
    """The card, for runs whose function takes long; it is folded away until somebody wants it."""
    details = html.Details(
        [
            html.Summary(
                [html.H2("Evaluations", className="panel-title"), html.Span(className="quiet", id=SUMMARY)],
                id="evaluations-open",
            ),
            html.Div(id=QUEUE, className="evaluations-scroll"),
            html.Div(id=MODELS),
            html.Div(id=MAPS),
        ]
    )
    return html.Section(details, className="card evaluations", hidden=not is_slow(run), **{"aria-label": "Evaluations"})


def is_slow(run: Run) -> bool:
    """Whether others evaluate for a run, or models choose what is evaluated."""
    settings = run.request.settings
    return settings.workers > 0 or settings.search == SLOW_SEARCH


def part(context: Context, maps: Maps) -> PagePart:
    """The queue follows the newest moment, whatever moment of the map is shown."""

    def draw(_: PageState, shown: ShownMap, before: Any, __: Any, scheme: Any) -> DrawnPart | None:
        run = shown.run
        if not is_slow(run):
            return None
        known = before if isinstance(before, dict) else {}
        soon = time.time() - float(known.get("time", 0.0)) < LEAST_SECONDS and run.state == "running"
        look = [run.id, scheme]
        if known.get("look") == look and (soon or known.get("version") == run.version):
            return None
        snapshot = context.store.snapshot(run.id)
        if snapshot is None:
            return None
        dark = scheme == "dark"
        told = queue_summary(snapshot, run), queue_table(snapshot.queue, run)
        values = (*told, model_errors(snapshot), expected_maps(snapshot, dark=dark))
        return DrawnPart({"look": look, "version": run.version, "time": time.time()}, values)

    outputs = tuple(Output(name, "children") for name in (SUMMARY, QUEUE, MODELS, MAPS))
    return PagePart("evaluations", outputs, (Input("evaluations-open", "n_clicks"), Input(SCHEME, "data")), draw)


def queue_summary(snapshot: Snapshot, run: Run) -> str:
    """How many are under way, wait and failed, in a line."""
    states = [each.state for each in snapshot.queue] if run.state == "running" else []
    failed = sum(times for times, _ in snapshot.failures.values())
    told = [f"{count(states.count(each))} {each}" for each in (UNDER_WAY, WAITING) if each in states]
    return " · ".join([*told, f"{count(failed)} failed" if failed else "none failed"])


def queue_table(entries: Sequence[QueueEntry], run: Run) -> Component:
    """One row for each evaluation; of a run that does not go on nothing is under way."""
    shown = [each for each in entries if run.state == "running" or each.state not in (UNDER_WAY, WAITING)]
    if not shown:
        return html.P("Nothing was evaluated since this run was taken up.", className="quiet")
    head = html.Tr([html.Th(words, scope="col") for words in HEADS])
    return html.Table(
        [html.Thead(head), html.Tbody([row for each in shown for row in _rows(each)])],
        className="budget-table evaluations-queue",
    )


def _rows(entry: QueueEntry) -> list[Component]:
    """The evaluation, and below it what it said, where it said anything."""
    under_way = entry.state == UNDER_WAY
    seconds = time.time() - entry.started if under_way else entry.seconds
    failed = entry.state not in (UNDER_WAY, WAITING, "fine")
    took = "" if entry.state == WAITING else f"{duration(seconds)}{' so far' if under_way else ''}"
    cells = (count(entry.number), entry.purpose, ENDED.get(entry.state, entry.state), took, entry.where)
    kind = "is-under-way" if under_way else "is-failed" if failed else None
    rows = [html.Tr([html.Td(each) for each in cells], className=kind)]
    if entry.words:
        rows.append(html.Tr(html.Td(entry.words, colSpan=len(HEADS)), className="evaluations-words"))
    return rows


def model_errors(snapshot: Snapshot) -> Component | None:
    """How far the models were off in what came since they said it."""
    if snapshot.outlook is None or not len(snapshot.outlook.found):
        return None
    problem, errors = snapshot.get_problem(), snapshot.outlook.errors()
    objective = with_unit(amount(float(errors[0]), 3), problem.objective_unit)
    named = [(problem.objective, objective), *_constraint_errors(problem, errors[1:].tolist())]
    rows = [html.Tr([html.Th(name, scope="row"), html.Td(words)]) for name, words in named]
    times = many(len(snapshot.outlook.found), "evaluation")
    return html.Div(
        [
            html.H3("How good the models are"),
            html.P(f"By how much they were typically off in the latest {times} that they foretold.", className="quiet"),
            html.Table(html.Tbody(rows), className="budget-table evaluations-errors"),
        ]
    )


def _constraint_errors(problem: Problem, errors: Sequence[float]) -> list[tuple[str, str]]:
    return [
        (each.name, violation_text(each, error, 3))
        for each, error in zip(problem.constraints, errors, strict=True)
    ]  # fmt: skip


def expected_maps(snapshot: Snapshot, *, dark: bool) -> Component | None:
    """What was found, and beside it what the models expect, in the same colours."""
    if snapshot.outlook is None or not len(snapshot.outlook.x):
        return None
    found = snapshot.archive()
    foretold = Archive(found.problem, found.tolerances, snapshot.outlook.elites(found.problem))
    maps = side_by_side(ComparedArchives(found.by_axis, foretold.by_axis, True), dark=dark, narrow=True)["maps"]
    titles = ("Found", EXPECTED)
    figures = [
        html.Figure(
            [
                html.Figcaption(title),
                dcc.Graph(figure=each, config=CONFIG, responsive=True, style={"height": MAP_HEIGHT}),
            ],
            className=f"compare-map {'is-expected' if title == EXPECTED else ''}".strip(),
        )
        for title, each in zip(titles, (maps[0], _without_marks(maps[1])), strict=True)
    ]
    return html.Div(
        [
            html.H3("What the models expect"),
            html.P(EXPECTED_HELP, className="quiet"),
            html.Div(figures, className="compare-pair"),
        ]
    )


def _without_marks(drawn: dict[str, Any]) -> dict[str, Any]:
    """A map without stars and outlines, which belong to elites."""
    layout = drawn["layout"]
    kept = [each for each in layout["shapes"] if each.get("name") not in ("best", "proven")]
    return {**drawn, "data": drawn["data"][:1], "layout": {**layout, "shapes": kept}}
