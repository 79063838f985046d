"""The design beside the map: the best within the sliders' tolerances, before and after, in the doubles of the store."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from dash import ClientsideFunction, Dash, Input, Output, State, dcc, html
from dash.development.base_component import Component

from components.answers.state import tolerance_text
from components.page_state import ids
from components.page_state.parts import DrawnPart, PagePart
from components.page_state.state import PageState, figure_view, reading_of, slider_tolerances
from components.page_state.view import Maps, ShownMap
from components.run import inspector_parts as parts
from components.shared.format import count
from components.shared.notices import icon
from mapelites.answers.closest import has_no_feasible_point
from mapelites.core.archive import Archive, Elite
from mapelites.core.nested_map.axes import full_bins
from mapelites.core.nested_map.fold import Fold
from mapelites.core.problem import Array
from mapelites.core.terms import violation_text
from mapelites.proof.words import with_bound

TOOLS = {
    "pin": ("Pin", "pin"),
    "python": ("Copy Python", "copy"),
    "json": ("Copy JSON", "copy"),
    "download": ("Download", "download"),
    "link": ("Copy link", "link"),
}


class ChosenDesign(NamedTuple):
    """The design that is looked at, or None and why there is none; and whether it was chosen by itself."""

    elite: Elite | None
    place: list[str]  # of what it is the best
    by_itself: bool
    impossible: bool = False


def layout(*, behind: bool) -> Component:
    """The panel beside the map; on a narrow screen a sheet from below. `behind`: see `AskedQuestion`."""
    buttons = [
        html.Button([icon(sign), html.Span(words)], id=f"inspector-{name}", className="plain-button")
        for name, (words, sign) in TOOLS.items()
    ]
    close = html.Button(icon("close"), id="inspector-close", className="icon-button", **{"aria-label": "Close"})
    return html.Section(
        [
            dcc.Store(id=ids.PINNED, storage_type="memory"),
            dcc.Store(id=ids.NEEDED),
            dcc.Store(id=ids.BEHIND, data=behind),
            dcc.Store(id="inspector-texts"),
            html.Div(
                [
                    html.H2("Design", className="panel-title"),
                    html.Span(id="inspector-against", className="quiet"),
                    close,
                ],
                className="panel-head",
            ),
            html.Div(id="inspector-content", className="inspector-content"),
            html.Div(buttons, id="inspector-tools", className="inspector-tools", hidden=True),
        ],
        id="inspector",
        className="card inspector",
        **{"aria-label": "Design"},
    )


def part(maps: Maps) -> PagePart:
    """The design where the sliders stand, or the one that was chosen; while a run is live, whenever it is another."""

    def inspect(state: PageState, shown: ShownMap, before: Any, pin: Any) -> DrawnPart | None:
        archive = maps.archive(shown)
        other, feasible = parts.pinned_elite(archive, pin), archive.best(feasible=True)
        chosen = choose_design(state, shown, archive, maps)
        key = _key(shown, chosen, feasible, other)
        if key == before:
            return None
        needed = _needed(archive, chosen)
        if chosen.elite is None:
            infeasible = not chosen.by_itself and maps.findings(shown.run).proofs.infeasible(
                slider_tolerances(state, shown)
            )
            return DrawnPart(key, (_none(archive, chosen, infeasible=infeasible), "", None, other is None, needed))
        against = other if other is not None and other.x.tolist() != chosen.elite.x.tolist() else feasible
        name = "pinned" if against is other and other is not None else "feasible"
        bound = "" if chosen.by_itself else _bound(maps, state, shown, chosen.elite)
        content = design_in_full(shown, archive, chosen, against, name, bound)
        content += parts.shared_axis_members(maps.whole(shown), chosen.elite)
        said = f"{name} → now" if against is not None else ""
        return DrawnPart(key, (content, said, _texts(archive, chosen.elite), False, needed))

    outputs = (
        Output("inspector-content", "children"),
        Output("inspector-against", "children"),
        Output("inspector-texts", "data"),
        Output("inspector-tools", "hidden"),
        Output(ids.NEEDED, "data"),
    )
    return PagePart("inspector", outputs, (Input(ids.PINNED, "data"),), inspect)


def register(app: Dash) -> None:
    """What its buttons do, in the browser."""
    app.clientside_callback(
        ClientsideFunction("run", "tools"),
        Output(ids.PINNED, "data"),
        *(Input(f"inspector-{name}", "n_clicks") for name in TOOLS),
        State("inspector-texts", "data"),
        State(ids.PINNED, "data"),
        prevent_initial_call=True,
    )


def choose_design(state: PageState, shown: ShownMap, archive: Archive, maps: Maps) -> ChosenDesign:
    """The design somebody chose by its cell, else the answer at the sliders in the reading of the map."""
    if state.cell is not None:
        return _by_cell(state, archive)
    limits = slider_tolerances(state, shown)
    if reading_of(state, shown) == "exact" and (limits > archive.problem.feasible_up_to).any():
        fold = figure_view(state, shown, maps).fold(archive.tolerances)
        return _exactly(archive, Fold.of(archive.tolerances, [archive.tolerances.names[i] for i in fold.order],
                                         fold.limits, "exact"), limits)  # fmt: skip
    return ChosenDesign(archive.answer(limits), _up_to(archive, limits), by_itself=False)


def _by_cell(state: PageState, archive: Archive) -> ChosenDesign:
    assert state.cell is not None
    elite, feasible = archive.at(state.cell), archive.best(feasible=True)
    if state.asked.behind and feasible is not None and feasible.cell == state.cell:
        elite = feasible
    bins = archive.tolerances.bins_of([state.cell])[0].tolist()
    impossible = elite is None and not bool(archive.can_exist(np.array([bins]))[0])
    return ChosenDesign(elite, _bins_in_words(archive, bins), by_itself=True, impossible=impossible)


def _exactly(archive: Archive, fold: Fold, limits: Array) -> ChosenDesign:
    """What the map shows in the exact reading where the sliders stand."""
    bins = [int(each) for each in archive.tolerances.bins(limits[None])[0]]
    row, column = fold.place(int(archive.tolerances.cell([bins])[0]))
    found = int(fold.rows_of(archive)[row, column])
    shown = [*fold.x.constraints, *fold.y.constraints]
    words = [f"{archive.tolerances.names[i]} {full_bins(fold, archive.problem, i)[bins[i]]}" for i in sorted(shown)]
    if found >= 0:
        return ChosenDesign(archive.solution(found), words, by_itself=False)
    return ChosenDesign(None, words, by_itself=False, impossible=bool(fold.impossible(archive)[row, column]))


def _up_to(archive: Archive, limits: Array) -> list[str]:
    """The tolerances that are allowed, for chips: only those beyond satisfied."""
    problem, found = archive.problem, []
    for i, name in enumerate(archive.tolerances.names):
        if limits[i] > problem.feasible_up_to[i]:
            found.append(f"{name} up to +{violation_text(problem.constraints[i], float(limits[i]))}")
    return found


def _bins_in_words(archive: Archive, bins: list[int]) -> list[str]:
    fold = Fold.of(archive.tolerances)
    names = archive.tolerances.names
    return [f"{names[i]} {full_bins(fold, archive.problem, i)[bins[i]]}" for i in range(len(names))]


def _needed(archive: Archive, chosen: ChosenDesign) -> dict[str, str] | None:
    """The tolerances that a design chosen by itself needs: each the level that holds it, or its own violation."""
    if not chosen.by_itself or chosen.elite is None:
        return None
    found = {}
    for i, name in enumerate(archive.tolerances.names):
        violation = float(chosen.elite.violations[i])
        if violation > archive.problem.feasible_up_to[i]:
            levels = [level for level in archive.tolerances.levels[i] if level >= violation]
            found[name] = tolerance_text(min(levels, default=violation))
    return found


def _key(shown: ShownMap, chosen: ChosenDesign, feasible: Elite | None, other: Elite | None) -> list[Any]:
    """Changes exactly when the panel would say something else."""
    versions = [[each.found_at, each.f] if each else None for each in (chosen.elite, feasible)]
    pin = None if other is None else other.x.tolist()
    return [*shown.key[:1], *shown.key[2:], chosen.place, chosen.by_itself, versions, pin]


def _texts(archive: Archive, elite: Elite) -> dict[str, Any]:
    return {**parts.copied_texts(archive, elite), "pin": {"x": elite.x.tolist()}, "cell": str(elite.cell)}


def _chips(place: list[str]) -> Component:
    words = place or ["all satisfied"]
    return html.Div([html.Span(each, className="bin-chip") for each in words], className="bin-chips")


def _bound(maps: Maps, state: PageState, shown: ShownMap, elite: Elite) -> str:
    """Below what nobody can get where the sliders stand, where that is proven."""
    problem, proofs = shown.run.request.get_problem(), maps.findings(shown.run).proofs
    return with_bound(problem, elite.f, proofs, slider_tolerances(state, shown))


def _none(archive: Archive, chosen: ChosenDesign, *, infeasible: bool = False) -> list[Component]:
    """No design: what is missing, and the way to one."""
    if not len(archive.everything()):
        return [html.P("Nothing is found yet.", className="quiet")]
    if infeasible:
        title, words = "This cannot exist", "It is proven that no solution is within these tolerances."
    elif chosen.impossible:
        title, words = "This cannot exist", "No solution can lie here: the constraints exclude each other."
    elif chosen.place:
        title, words = "Nothing found here yet", "No solution has been found that breaks the constraints so."
    elif has_no_feasible_point(archive.problem):
        title, words = "No design is feasible", "It is proven that none exists: relax a limit."
    else:
        title, words = "No feasible design yet", "Relax a limit, or search longer."
    return [_chips(chosen.place), html.P(title, className="inspector-none"), html.P(words, className="quiet")]


def design_in_full(
    shown: ShownMap, archive: Archive, chosen: ChosenDesign, against: Elite | None, name: str, bound: str = ""
) -> list[Component]:
    """Objective, with the bound that is proven of it, constraints and variables, before and after."""
    elite, budget = chosen.elite, shown.run.request.settings.evaluations
    assert elite is not None
    constraints = [html.H3("Constraints", className="panel-part"), parts.constraint_rows(archive, elite)]
    return [
        *([_chips(chosen.place)] if archive.problem.constraints else []),
        parts.objective_row(archive.problem, elite, against),
        *([html.P(bound, className="inspector-bound")] if bound else []),
        parts.feasibility_verdict(archive, elite),
        *(constraints if archive.problem.constraints else []),
        html.H3("Variables", className="panel-part"),
        parts.variable_rows(archive.problem, elite, against, name),
        html.Details(
            [html.Summary("Among levels and bounds"), *parts.violation_rulers(archive, elite, against)],
            className="answer-fold",
        ),
        html.P(
            f"Found at evaluation {count(elite.found_at)} of {count(budget)} by {elite.operator}.", className="quiet"
        ),
    ]
