"""The start page: a form with a good default, one large button, the latest runs, and how to read a map."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import dash_mantine_components as dmc
from dash import ClientsideFunction, Dash, Input, Output, State, ctx, dcc, html, no_update
from dash.development.base_component import Component

from components.problems import chooser as problem_chooser
from components.problems import page as problems_page
from components.shared import follow as following
from components.shared.context import Context
from components.shared.format import many
from components.shared.notices import icon, notice, show_notices
from components.shell.frame import URL
from components.start import filled_from, searched
from components.start import reading as start_reading
from components.start import recent as start_recent
from components.start import tolerances as tolerance_form
from components.start.form import (
    FIELDS,
    FULL_SPEED,
    WATCH,
    default_search,
    dependent_settings,
    errors_in_words,
    field_control,
    form_defaults,
    in_order,
    number_or_text,
    read_form,
)
from mapelites.core.errors import InputError
from mapelites.core.problem import Problem
from mapelites.core.tolerances import Tolerances
from mapelites.problems import dimensions, get, names, own_problems

PREFIX = "start"
BUTTON = "start-button"
FORM = ("problem", *(field.name for field in FIELDS))


def layout(context: Context, query: Mapping[str, str]) -> Component:
    """The page."""
    run = filled_from.run_named(context.store, query.get(filled_from.QUERY))
    values = form_defaults(query) if run is None else filled_from.values_of(run)
    problem = get(values["problem"], int(values["dimension"]))
    tolerances = None if run is None else filled_from.tolerances_of(run, problem)
    tolerances = tolerances or filled_from.remembered_levels(context.store, problem) or Tolerances.default(problem)
    return html.Div(
        [
            html.Div(
                [
                    dmc.Title("What does each constraint cost?", order=1),
                    dmc.Text(
                        "Pick a problem and press one button: the best solution for every combination of tolerances "
                        "on its constraints, as a map.",
                        className="lead",
                    ),
                ],
                className="hero",
            ),
            html.Div(
                [
                    html.Section(
                        [
                            _problem(values, problem_chooser.problem_details(problem)),
                            _levels(problem, tolerances),
                            _search(values, problem.compiled),
                            _go(),
                        ],
                        id="start-form",
                        className="card form",
                        **{"aria-label": "A new run"},
                    ),
                    html.Div([start_recent.layout(context), start_reading.layout()], className="aside"),
                ],
                className="columns",
            ),
        ],
        className="start",
    )


def _problem(values: Mapping[str, str], details: list[Component]) -> Component:
    dimension = next(field for field in FIELDS if field.name == "dimension")
    dimension = replace(dimension, help=dimension_hint(values["problem"]))
    return html.Div(
        [
            html.Div(
                [
                    problem_chooser.problem_select("start-problem", values["problem"]),
                    field_control(dimension, values["dimension"], fixed=one_dimension(values["problem"])),
                ],
                className="problem-fields",
            ),
            html.Div(details, id="start-details", className="problem-details"),
            *following.layout("start", problems_page.files_mark()),
            dmc.Anchor("Write a problem of your own", href="/problems/new", size="sm", className="own-problem"),
        ],
        className="form-part",
    )


def _levels(problem: Problem, tolerances: Tolerances) -> Component:
    return html.Div(
        [dmc.Title("Tolerance levels", order=2, size="h4"), tolerance_form.layout(PREFIX, problem, tolerances)],
        className="form-part",
    )


def _search(values: Mapping[str, str], compiled: bool) -> Component:
    plain = [
        field_control(each, values.get(each.name, ""))
        for each in FIELDS
        if not (each.advanced or each.slow) and each.name != "dimension"
    ]
    slow = [field_control(each, values.get(each.name, "")) for each in FIELDS if each.slow]
    advanced = [field_control(each, values.get(each.name, "")) for each in FIELDS if each.advanced]
    return html.Div(
        [
            dmc.Title("Search", order=2, size="h4"),
            html.Div(plain, className="fields search-fields"),
            html.Div(slow, id="start-slow", className="fields slow-fields", hidden=compiled),
            html.Details([html.Summary("Advanced"), html.Div(advanced, className="fields")], className="advanced"),
        ],
        className="form-part",
    )


def _go() -> Component:
    pace = dmc.SegmentedControl(
        id="start-pace",
        data=[{"value": WATCH, "label": "Watch it fill, 10 s"}, {"value": FULL_SPEED, "label": "Full speed"}],
        value=WATCH,
        persistence="pace",
        persistence_type="local",
        **{"aria-label": "Speed"},
    )
    button = dmc.Button("Illuminate", id=BUTTON, size="lg", leftSection=icon("play"), className="start-button")
    return html.Div([button, pace, dcc.Store(id="start-wrong"), *searched.layout(PREFIX)], className="go")


def register(app: Dash, context: Context) -> None:
    """Keep the form consistent, check it with every edit, and start the run."""
    tolerance_form.register(
        app,
        PREFIX,
        lambda *chosen: searched.found_for(context, *chosen),
        [State("start-problem", "value"), State("start-dimension", "value")],
    )
    searched.register(app, context, PREFIX, State("start-problem", "value"))
    start_recent.register(app, context)
    states = [State(f"start-{name}", "value") for name in FORM]

    @app.callback(
        Output("start-details", "children"),
        Output(tolerance_form.constraints_id(PREFIX), "data"),
        Output("start-evaluations", "value"),
        Output("start-initial", "value"),
        Output("start-dimension", "description"),
        Output("start-dimension", "value"),
        Output("start-dimension", "readOnly"),
        Output("start-slow", "hidden"),
        Output("start-search", "value"),
        Input("start-problem", "value"),
        Input("start-dimension", "value"),
        Input("start-search", "value"),
        State("start-evaluations", "value"),
        State("start-initial", "value"),
        State(tolerance_form.constraints_id(PREFIX), "data"),
        prevent_initial_call=True,
    )
    def go_along(name: Any, dimension: Any, search: Any, evaluations: Any, initial: Any, before: Any) -> Any:
        """The description, the constraints and the budget go with problem, dimension and search."""
        if name not in names():
            return (no_update,) * 9
        hint, value, better = dimension_hint(name), no_update, no_update
        if ctx.triggered_id == "start-problem" and number_or_text(dimension) not in dimensions(name):
            value = dimension = str(problem_chooser.preferred_dimension(name))
        try:
            problem = get(name, number_or_text(dimension))
            if ctx.triggered_id == "start-problem" and search == default_search(compiled=not problem.compiled):
                better = search = default_search(compiled=problem.compiled)
            now = {"evaluations": evaluations, "initial": initial}
            changed = dependent_settings(search, problem.dimension, now, problem.compiled)
            details = problem_chooser.problem_details(problem)
        except InputError:  # said beside the field; the constraints are the same in every dimension
            problem, changed, details = problem_chooser.preferred_problem(name), {}, no_update
        constraints = tolerance_form.described_problem(problem, filled_from.remembered_levels(context.store, problem))
        new = no_update if _is_known(constraints, before) else constraints
        budget = [changed.get(each, no_update) for each in ("evaluations", "initial")]
        return details, new, *budget, hint, value, one_dimension(name), problem.compiled, better

    def reload(before: Any, name: Any, constraints: Any) -> tuple[Any, tuple[Any, ...]] | None:
        """A file of somebody's own problems has changed: so has the list, and perhaps the chosen one."""
        now = problems_page.files_mark()
        if now == before:
            return None
        if own_problems.entry_of(name) is None:
            return now, (problem_chooser.problem_options(), no_update, no_update)
        problem = get(name)
        new = tolerance_form.described_problem(problem)
        details = problem_chooser.problem_details(problem)
        return now, (problem_chooser.problem_options(), details, no_update if _is_known(new, constraints) else new)

    following.register(
        app,
        context.pacer,
        "start",
        [
            Output("start-problem", "data"),
            Output("start-details", "children", allow_duplicate=True),
            Output(tolerance_form.constraints_id(PREFIX), "data", allow_duplicate=True),
        ],
        reload,
        states=[State("start-problem", "value"), State(tolerance_form.constraints_id(PREFIX), "data")],
    )

    @app.callback(
        [Output(f"start-{name}", "error") for name in FORM],
        [Input(f"start-{name}", "value") for name in FORM],
        prevent_initial_call=True,
    )
    def check(*values: Any) -> list[Any]:
        _, errors = read_form(dict(zip(FORM, values, strict=True)), None, None)
        return [errors.get(name) for name in FORM]

    @app.callback(
        Output(URL, "href", allow_duplicate=True),
        Output("start-wrong", "data"),
        Input(BUTTON, "n_clicks"),
        *tolerance_form.typed_texts(PREFIX),
        State("start-pace", "value"),
        *states,
        prevent_initial_call=True,
    )
    def start(
        clicks: int | None, rows: list[Any], ids: list[Any], hard: Any, known: Any, pace: Any, *values: Any
    ) -> Any:
        if not clicks:
            return no_update, no_update
        levels = tolerance_form.as_typed(rows, ids, hard, known)
        request, errors = read_form(dict(zip(FORM, values, strict=True)), levels, pace)
        if request is None:
            title = f"Nothing started: {many(len(errors), 'field is wrong', 'fields are wrong')}"
            show_notices(notice(title, [html.Div(text) for text in errors_in_words(errors)], "error", key="form"))
            return no_update, [clicks, in_order(errors)[0]]
        return f"/run/{context.queue.create(request)}", no_update

    app.clientside_callback(
        ClientsideFunction("shell", "goToField"), Input("start-wrong", "data"), prevent_initial_call=True
    )


def _is_known(new: Mapping[str, Any], before: Any) -> bool:
    """Whether the constraints are those that the form is for already."""
    return isinstance(before, dict) and before.get("constraints") == new["constraints"]


def dimension_hint(name: str) -> str:
    """The help of the dimension, with what a problem can have."""
    words = problem_chooser.dimensions_in_words(name)
    return "Variables of this problem" if one_dimension(name) else f"Variables, {words}"


def one_dimension(name: str) -> bool:
    """Whether a problem leaves no choice of its dimension."""
    return len(dimensions(name)) == 1
