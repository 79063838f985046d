"""The answers of a run: what a constraint costs, what if, almost feasible, trade-off, relations; beside the map.

All questions are asked of the map that is shown, at its moment and its levels, and one selection runs through
all of them: a design pressed anywhere is the cell chosen on the map and in the inspector.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import dash_mantine_components as dmc
import orjson
from dash import ALL, ClientsideFunction, Dash, Input, Output, State, dcc, html, no_update
from dash.development.base_component import Component

from components import (
    answers_allow,
    answers_almost,
    answers_front,
    answers_parts,
    answers_price,
    answers_relations,
    answers_report,
    answers_whatif,
    summary,
)
from components import run_ids as ids
from components.answers_local import local_multipliers, related
from components.answers_state import VIEWS, Asked, read
from components.context import Context
from components.run_view import Maps, Shown, read_cell, read_view
from components.shell import SCHEME
from components.shell_notices import icon
from mapelites.answers import Designs, ranking, shortest
from mapelites.archive import Archive
from mapelites.errors import InputError
from mapelites.runs import Run
from mapelites.runs.record import OVER
from mapelites.tolerances import Tolerances

LATELY = 1.0  # seconds: pages that look at the same run are answered from the same moment


def tabs(run: Run, data: Mapping[str, Any]) -> Component:
    """The questions in one line, and the shortest answer under it."""
    names = [dmc.TabsTab(words, value=view) for view, words in VIEWS.items()]
    report = html.A(
        [icon("download"), "Report"],
        href=f"{summary.address(run)}/report.html",
        target="_blank",
        id="answers-report",
        className="report-link",
        title="One page to print or send",
    )
    return html.Div(
        [
            dcc.Store(id=ids.ANSWERS, data=dict(data)),
            dcc.Store(id="answers-about", data=data["about"]),
            dcc.Store(id="answers-pair-chosen", data=data["pair"]),
            dcc.Store(id=ids.BEHIND, data=data["behind"]),
            dcc.Store(id="answers-key"),
            dcc.Store(id=ids.seen("answers")),
            dcc.Store(id="answers-fresh"),
            html.Div(
                [dmc.Tabs(dmc.TabsList(names), id="answers-view", value=data["view"], className="view-tabs"), report],
                className="view-bar",
            ),
            html.Div(
                [
                    html.Span(id="glance-words", className="glance-words", role="status"),
                    html.Button("What does each constraint cost?", className="text-button", **{"data-view": "price"}),
                ],
                id="answers-glance",
                className="glance",
                hidden=data["view"] != "map",
            ),
        ],
        className="views",
    )


def layout(run: Run, shown: Tolerances, data: Mapping[str, Any]) -> Component:
    """Controls that stay as they are while a run goes on, and the body that follows it."""
    need = dmc.TextInput(
        id="answers-need", label="I need the objective below", placeholder="a number", value=data["need"],
        debounce=400, size="sm", className="answer-field",
    )  # fmt: skip
    margin = dmc.TextInput(
        id="answers-margin", label="Each violated by at most", value=data["margin"], debounce=400, size="sm",
        description="A number, or a share of the last level such as 5 %", className="answer-field",
    )  # fmt: skip
    most = dmc.SegmentedControl(
        id="answers-most", data=[{"value": "1", "label": "One violated"}, {"value": "2", "label": "Up to two"}],
        value=str(data["most"]), size="sm", **{"aria-label": "How many constraints may be violated"},
    )  # fmt: skip
    measure = [
        html.Div(
            [
                dmc.Text("Violation of all constraints, taken together", size="sm"),
                dmc.Text("Relative: each in units of its last level", size="xs", c="dimmed"),
            ]
        ),
        dmc.SegmentedControl(
            id="answers-measure", value=data["measure"], size="sm", **{"aria-label": "How violation is measured"},
            data=[{"value": key, "label": name.capitalize()} for key, name in answers_front.NAMES.items()],
        ),
    ]  # fmt: skip
    return html.Div(
        [
            answers_allow.layout(run.request.get_problem(), shown, data),
            html.Section(need, className="card answer-part need for-whatif"),
            html.Section([margin, most], className="card answer-part answer-controls for-almost"),
            html.Section(measure, className="card answer-part answer-controls for-front"),
            html.Div(id="answers-body", className="answers-body"),
        ],
        id="answers",
        className=f"answers view-{data['view']}",
    )


def register(app: Dash, context: Context, maps: Maps) -> None:
    """One question is gathered in the browser, one callback answers it."""
    answers_allow.register(app, maps)
    answers_report.register(app, context, maps)
    app.clientside_callback(
        ClientsideFunction("answers", "gather"),
        Output(ids.ANSWERS, "data"),
        Output("answers", "className"),
        Output("view-map", "hidden"),
        Output("allow-words", "children"),
        Input("answers-view", "value"),
        Input("answers-about", "data"),
        Input("answers-pair-chosen", "data"),
        Input("answers-need", "value"),
        Input("answers-margin", "value"),
        Input("answers-most", "value"),
        Input("answers-measure", "value"),
        Input({"allow": "value", "of": ALL}, "value"),
        Input({"allow": "hard", "of": ALL}, "checked"),
        Input(ids.BEHIND, "data"),
        State({"allow": "value", "of": ALL}, "id"),
        State(answers_allow.STEPS, "data"),
        State(ids.ANSWERS, "data"),
    )
    app.clientside_callback(
        ClientsideFunction("answers", "pick"),
        Output(ids.SELECTED, "data", allow_duplicate=True),
        Input({"answers-graph": ALL}, "clickData"),
        prevent_initial_call=True,
    )

    app.clientside_callback(
        ClientsideFunction("answers", "behind"),
        Output(ids.BEHIND, "data"),
        Input(ids.SELECTED, "data"),
        prevent_initial_call=True,
    )

    app.clientside_callback(
        ClientsideFunction("answers", "place"),
        Output("answers-body", "children"),
        Input("answers-fresh", "data"),
        prevent_initial_call=True,
    )

    @app.callback(
        Output("answers-fresh", "data"),
        Output("glance-words", "children"),
        Output("glance-words", "title"),
        Output("answers-glance", "hidden"),
        Output("answers-key", "data"),
        Input(ids.ANSWERS, "data"),
        Input(ids.seen("answers"), "data"),
        Input(ids.MOMENT, "data"),
        Input(ids.LEVELS, "data"),
        Input(ids.SELECTED, "data"),
        Input(ids.AXES, "data"),
        Input(SCHEME, "data"),
        State(ids.RUN, "data"),
        State("answers-key", "data"),
    )
    def answer(
        data: Any, _: Any, at: Any, levels: Any, cell: Any, axes: Any, scheme: Any, run_id: Any, before: Any
    ) -> Any:
        shown = maps.shown(run_id, at, levels, LATELY)
        order = read_view(axes, "objective", "auto", shown.tolerances).order
        asked = read(data, shown.tolerances)
        chosen = _chosen(cell, shown)
        dark = scheme == "dark"
        known = before if isinstance(before, dict) else {}
        look = () if asked.view == "map" else (chosen, dark, *(order if asked.view == "relations" else ()))
        question = [run_id, at, str(shown.levels), asked.key, *look]
        live = known.get("question") == question
        if asked.view == "map":
            said = ("glance", *shown.key, *asked.hard)
            fresh, words = [], context.cache.remember(said, lambda: glance(maps.archive(shown), asked.hard))
        else:
            designs = Designs.of(maps.archive(shown), asked.hard)
            behind = designs.behind(chosen) if asked.behind else None
            selected = designs.row_of(chosen) if behind is None else behind
            fresh, words = _body(context, shown, designs, asked, selected, order, dark=dark), ""
        key = {"question": question, "said": _digest(fresh, words)}
        if key == known:
            return (no_update,) * 5
        return {"live": live, "children": fresh}, answers_parts.whole(words), words, asked.view != "map", key


def _digest(fresh: list[Component], words: str) -> str:
    """Differs where a person would see something else."""
    content = orjson.dumps([fresh, words], default=lambda each: each.to_plotly_json())
    return hashlib.sha256(content).hexdigest()


def _chosen(cell: Any, shown: Shown) -> int | None:
    """The cell chosen; one of other levels, while new ones are on their way, is none."""
    try:
        return read_cell(cell, shown.tolerances)
    except InputError:
        return None


def _body(
    context: Context, shown: Shown, designs: Designs, asked: Asked, selected: int | None, axes: tuple[str, ...], *,
    dark: bool,
) -> list[Component]:  # fmt: skip
    """The view that is asked for; `axes` are those of the map."""
    if not len(designs):
        words = "Answers come with the first elites; the page follows the run by itself."
        if shown.run.state in OVER and not shown.run.occupied:
            words = "The run ended before its first elite. What stopped it stands above; Resume lets it go on."
        if asked.hard:
            words = f"No elite satisfies all of {', '.join(asked.hard)}. Mark fewer constraints hard, or search longer."
        return [html.Section(answers_parts.empty("Nothing found yet", words), className="card answer-part")]
    if asked.view == "price":
        worth = answers_price.chosen(asked, ranking(designs, designs.limits(asked.allow)), designs)
        local = local_multipliers(context, shown.run, designs, worth.start.row)
        return answers_price.view(designs, asked, selected, local, dark=dark)
    if asked.view == "whatif":
        return answers_whatif.view(designs, asked, selected)
    if asked.view == "almost":
        return answers_almost.view(designs, asked, selected)
    if asked.view == "front":
        return answers_front.view(designs, asked, selected, dark=dark)
    return answers_relations.view(designs, asked, related(context, shown.run, designs), axes, selected, dark=dark)


def glance(archive: Archive, hard: tuple[str, ...]) -> str:
    """What stands above the map."""
    designs = Designs.of(archive, hard)
    return shortest(designs) if len(designs) else "Nothing is found yet."
