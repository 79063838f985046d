"""The limits beside the map: for each constraint a slider over its tolerances, what it buys, and a small price curve.

The server says what there is, `assets/run/limits.js` draws it and moves it: so a slider never waits, and nothing that
somebody holds or types is put in place anew.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dash import ClientsideFunction, Dash, Input, Output, State, dcc, html
from dash.development.base_component import Component

from components.answers.state import tolerance_text
from components.page_state import ids
from components.page_state.parts import DrawnPart, PagePart
from components.page_state.state import PageState
from components.page_state.view import Maps, ShownMap
from components.shared.context import Context
from mapelites.answers import Designs, Gains, RelaxedGroups, headline, relaxation_gains
from mapelites.answers.headline import Proven, no_bounds, smallest_gain
from mapelites.answers.words import format_gain, percent_change
from mapelites.core.archive import Archive
from mapelites.core.constraint import Constraint
from mapelites.core.format import amount
from mapelites.core.nested_map.usual import axis_groups, move_together
from mapelites.core.terms import level_words, limit_text, quantity_text, violation_text
from mapelites.runs import Run
from mapelites.runs.record import OVER

DATA = "limits-data"  # Store: the rows of the panel
SENTENCE = "run-sentence"
NEXT = (  # from problem to problem, each with more to see
    ("tin-can", "Now one with four limits →", "/?problem=pressure-vessel"),
    ("pressure-vessel", "Now one with seven →", "/?problem=welded-beam"),
)
ProvenOf = Callable[[Run], Proven]  # what jobs have proven of a run


def sentence_line(run: Run) -> Component:
    """The one sentence on top; it can be copied. After the first problem the next one is beside it."""
    following = [
        html.A(words, href=href, className="next-step") for name, words, href in NEXT if name == run.request.problem
    ]
    return html.Div(
        [
            html.P(id=SENTENCE, className="sentence-words", role="status"),
            html.Button("Copy", id="sentence-copy", className="text-button sentence-copy", hidden=True),
            *following,
        ],
        id="run-sentence-box",
        className="sentence",
    )


def layout(state: PageState) -> Component:
    """The panel; its rows come from the browser's script."""
    return html.Section(
        [
            dcc.Store(id=DATA),
            dcc.Store(id=ids.ALLOW, data={name: tolerance_text(value) for name, value in state.asked.allow.items()}),
            dcc.Store(id=ids.HARD, data=list(state.asked.hard)),
            html.Div(
                [
                    html.H2("Limits", className="panel-title"),
                    html.Span("sorted by gain", className="quiet"),
                    html.Button("Undo", id="limits-undo", className="text-button limits-undo", hidden=True),
                    html.Button("All satisfied", id="limits-reset", className="text-button", **{"data-reset": "yes"}),
                ],
                className="panel-head",
            ),
            html.Div(id="limits-rows", className="limits-rows"),
        ],
        id="limits",
        className="card limits",
        **{"aria-label": "Limits"},
    )


def register(app: Dash) -> None:
    """The browser draws what the server says, and where the sliders stand."""
    app.clientside_callback(
        ClientsideFunction("limits", "show"),
        Input(DATA, "data"),
        Input(ids.ALLOW, "data"),
        Input(ids.HARD, "data"),
    )
    app.clientside_callback(
        ClientsideFunction("limits", "follow"),
        Output(ids.ALLOW, "data", allow_duplicate=True),
        Input(ids.NEEDED, "data"),
        State(ids.SELECTED, "data"),
        prevent_initial_call=True,
    )


def part(context: Context, maps: Maps, proven: ProvenOf) -> PagePart:
    """The rows and the sentence follow the run; the sentence the sliders, too."""

    def tell(state: PageState, shown: ShownMap, before: Any) -> DrawnPart | None:
        held = tuple(sorted(state.asked.allow.items()))
        key = [*shown.key, str(held), shown.run.state in OVER]
        if key == before:
            return None
        found = context.cache.remember(
            ("limits", *map(str, key)), lambda: _told(maps.archive(shown), state, shown, proven(shown.run))
        )
        return DrawnPart(key, (found["rows"], _unbroken(found["sentence"]), not found["sentence"]))

    outputs = Output(DATA, "data"), Output(SENTENCE, "children"), Output("sentence-copy", "hidden")
    return PagePart("limits", outputs, (), tell)


def _unbroken(words: str) -> str:
    """No line ends between a number and its per cent sign."""
    return words.replace(" %", "\u00a0%")


def _told(archive: Archive, state: PageState, shown: ShownMap, proven: Proven) -> dict[str, Any]:
    designs = Designs.of(archive)
    gains = relaxation_gains(designs, proven=proven)
    return {
        "rows": limit_rows(designs, gains, state.asked.hard),
        "sentence": sentence_of(designs, state, shown, proven, gains),
    }


def sentence_of(
    designs: Designs, state: PageState, shown: ShownMap, proven: Proven = no_bounds, gains: Gains | None = None
) -> str:
    """The sentence for what is shown: page and report say the same."""
    groups = axis_groups(designs.problem, designs.tolerances)
    held = move_together(designs.limits(state.asked.allow), designs.satisfied, groups)
    moved = bool((held > designs.satisfied).any())
    is_last = state.at is None or shown.evaluations >= shown.run.evaluations
    so_far = shown.run.state not in OVER or not is_last
    return headline(designs, held if moved else None, so_far=so_far, proven=proven, gains=None if moved else gains)


def limit_rows(designs: Designs, gains: Gains, locked: Sequence[str] = ()) -> dict[str, Any]:
    """Everything the panel shows, as JSON: the constraints by their gain, then the hard ones, `locked` here or not."""
    problem = designs.problem
    listed = [_row(designs, each, gains) for each in gains.alone]
    hard = [
        {"name": name, "words": limit_words(problem.constraints[i]), "own": name not in locked}
        for i, name in enumerate(designs.names)
        if name in designs.hard
    ]
    return {"rows": listed, "hard": hard, "feasible": gains.start.f is not None}


def _row(designs: Designs, relaxed: RelaxedGroups, gains: Gains) -> dict[str, Any]:
    (group,) = relaxed.groups
    leader = group[0]
    constraint, levels = designs.problem.constraints[leader], designs.tolerances.levels[leader]
    satisfied = float(designs.satisfied[leader])
    steps = [satisfied, *(level for level in levels if level > satisfied)]
    curve = _curve(designs, group, steps)
    words = level_words(constraint, levels)
    ticks = ["0", *(text for text, level in zip(words, levels, strict=True) if level > satisfied)]
    shown = designs.problem.shown_objective
    return {
        "name": designs.names[leader],
        "label": "/".join(designs.names[i] for i in group),
        "title": "; ".join(f"{designs.names[i]}: {_stated(designs.problem.constraints[i])}" for i in group),
        "words": limit_words(constraint) if len(group) == 1 else "move together",
        "unit": constraint.unit,
        "reference": constraint.reference,
        "steps": [tolerance_text(step) for step in steps],
        "ticks": ticks,
        "sizes": ["satisfied", *(f"+{violation_text(constraint, step)}" for step in steps[1:])],
        "amounts": ["satisfied", *(f"+{quantity_text(constraint, step)}" for step in steps[1:])],
        "curve": [None if f is None else shown(f) for f in curve],
        "alone": [_change(designs, gains.start.f, f) for f in curve],
        "gain": _change(designs, gains.start.f, relaxed.f) if relaxed.gain else "",
        "limiting": bool(relaxed.gain) or relaxed.gain is None,
        "proven": relaxed.proven,
    }


def _curve(designs: Designs, group: Sequence[int], steps: Sequence[float]) -> list[float | None]:
    """The best objective with these constraints alone relaxed, for each tolerance."""
    found: list[float | None] = []
    for step in steps:
        limits = designs.satisfied.copy()
        limits[group[0]] = max(limits[group[0]], step)
        row = designs.best(move_together(limits, designs.satisfied, (tuple(group),)))
        found.append(None if row is None else float(designs.f[row]))
    return found


def _change(designs: Designs, start: float | None, f: float | None) -> str:
    """From the best feasible objective to another one, in per cent where that says something."""
    if start is None or f is None:
        return "" if f is None else amount(designs.problem.shown_objective(f))
    if start - f <= smallest_gain(designs, start):
        return ""
    shown = designs.problem.shown_objective
    return percent_change(shown(start), shown(f)).strip(" ()") or f"-{format_gain(start, f)}"


def limit_words(constraint: Constraint) -> str:
    """The limit as it is stated, `≤ 13,600 psi`, or the typical size of what is compared; else empty."""
    return limit_text(constraint) if constraint.limit or constraint.scale else ""


def _stated(constraint: Constraint) -> str:
    return constraint.meaning or limit_words(constraint) or constraint.kind
