"""The answers of a run below its map: almost feasible, the least to relax, trade-off, prices, relations.

All questions are asked of the map that is shown, at its moment and its levels, and one selection runs through
all of them: a design pressed anywhere is the one beside the map, and the sliders go where it lies.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dash import ALL, ClientsideFunction, Dash, Input, Output, State, dcc, html
from dash.development.base_component import Component

from components.answers import parts as answers_parts
from components.answers.answer import AnswerContext
from components.answers.question import AskedQuestion
from components.answers.registry import ANSWERS, MAP, answer_named, tab_labels
from components.page_state import ids
from components.page_state.parts import DrawnPart, PagePart
from components.page_state.state import PageState, figure_view, reading_of
from components.page_state.view import Maps, ShownMap
from components.run import report as run_report
from components.shared.context import Context
from components.shared.follow import content_digest
from components.shell.frame import SCHEME
from mapelites.answers import Designs
from mapelites.runs import Run
from mapelites.runs.record import OVER


def layout(run: Run, data: Mapping[str, Any]) -> Component:
    """The questions in one line; controls that stay as they are while a run goes on, and the body that follows it."""
    tabs = [
        html.Button(
            words, className="tab", **{"data-tab": view, "aria-pressed": "true" if view == data["view"] else "false"}
        )
        for view, words in tab_labels().items()
        if view != MAP
    ]
    controls = [
        html.Section(
            fields,
            className=f"answer-part {answer.controls_class}",
            hidden=answer.name != data["view"],
            **{"data-for": answer.name},
        )
        for answer in ANSWERS.entries()
        if (fields := answer.controls(data))
    ]
    return html.Section(
        [
            dcc.Store(id=ids.ANSWERS, data=dict(data)),
            dcc.Store(id="answers-view", data=data["view"]),
            dcc.Store(id="answers-about", data=data["about"]),
            dcc.Store(id="answers-pair-chosen", data=data["pair"]),
            dcc.Store(id="answers-fresh"),
            html.Div(tabs, className="tabs", role="group", **{"aria-label": "Answers"}),
            *controls,
            html.Div(id="answers-body", className="answers-body"),
        ],
        id="answers",
        className=f"card answers view-{data['view']}",
        **{"aria-label": "Answers"},
    )


def register(app: Dash, context: Context, maps: Maps) -> None:
    """One question is gathered in the browser, one callback answers it."""
    run_report.register(app, context, maps)
    app.clientside_callback(
        ClientsideFunction("answers", "gather"),
        Output(ids.ANSWERS, "data"),
        Output("answers", "className"),
        Input("answers-view", "data"),
        Input("answers-about", "data"),
        Input("answers-pair-chosen", "data"),
        Input("answers-need", "value"),
        Input("answers-margin", "value"),
        Input("answers-most", "value"),
        Input("answers-measure", "value"),
        Input(ids.BEHIND, "data"),
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


def part(context: Context, maps: Maps) -> PagePart:
    """The answer to the question, drawn again where it is another one; nothing while no question is open."""

    def draw(state: PageState, shown: ShownMap, before: Any, scheme: Any) -> DrawnPart | None:
        asked, chosen, dark = state.asked, state.cell, scheme == "dark"
        known = before if isinstance(before, dict) else {}
        if asked.view == MAP:
            closed = {"question": MAP}
            return None if closed == known else DrawnPart(closed, ({"live": False, "children": []},))
        order = figure_view(state, shown, maps).order
        drawn = (chosen, dark, reading_of(state, shown), *(order if _follows_axes(asked) else ()))
        question = [shown.run.id, state.at, str(shown.levels), asked.key, *map(str, drawn)]
        designs = Designs.of(maps.archive(shown))
        behind = designs.behind(chosen) if asked.behind else None
        selected = designs.row_of(chosen) if behind is None else behind
        fresh = _body(context, shown, designs, asked, selected, order, dark=dark)
        key = {"question": question, "said": content_digest([fresh, ""])}
        live = known.get("question") == question
        return None if key == known else DrawnPart(key, ({"live": live, "children": fresh},))

    return PagePart("answers", (Output("answers-fresh", "data"),), (Input(SCHEME, "data"),), draw)


def _body(
    context: Context,
    shown: ShownMap,
    designs: Designs,
    asked: AskedQuestion,
    selected: int | None,
    axes: tuple[str, ...],
    *,
    dark: bool,
) -> list[Component]:
    """The view that is asked for; `axes` are those of the map."""
    if not len(designs):
        words = "Answers come with the first elites; the page follows the run by itself."
        if shown.run.state in OVER and not shown.run.occupied:
            words = "The run ended before its first elite. What stopped it stands above; Resume lets it go on."
        if asked.hard:
            words = f"No elite satisfies all of {', '.join(asked.hard)}. Mark fewer constraints hard, or search longer."
        return [html.Section(answers_parts.empty_answer("Nothing found yet", words), className="answer-part")]
    question = AnswerContext(context, shown.run, designs, asked, selected, axes, dark)
    return answer_named(asked.view).draw(question)


def _follows_axes(asked: AskedQuestion) -> bool:
    return asked.view != MAP and answer_named(asked.view).follows_axes
