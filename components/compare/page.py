"""`/compare/<ids>`: two maps side by side in the same colours or as a difference, and the curves of up to six runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import dash_mantine_components as dmc
from dash import ALL, ClientsideFunction, Dash, Input, Output, State, dcc, html, no_update
from dash.development.base_component import Component

from components.answers.parts import named_chart
from components.compare.cells import cell_table, pressed_cell
from components.compare.curves import TITLES, curves
from components.compare.maps import ONE, OTHER, ComparedArchives, comparison_verdict, difference_map, side_by_side
from components.map import cursor as map_cursor
from components.map.colour import KINDS
from components.map.figure import CONFIG
from components.runs.actions import MOST_COMPARED
from components.runs.differences import distinguishing_words
from components.shared import follow, summary
from components.shared.context import Context
from components.shared.format import count
from components.shell.frame import SCHEME
from mapelites.core.errors import InputError
from mapelites.core.format import number, whole_percent
from mapelites.runs import Run

MAP_HEIGHT, CURVE_HEIGHT = 480, 360  # pixels
VIEWS = {"both": "Side by side", "difference": "Difference"}
COLOURS = (ONE, OTHER, *(shade for shade in KINDS if shade not in (ONE, OTHER)))
LETTERS = "ABCDEF"
NAMES = {1: ("Map of the difference",), 2: ("Map of A", "Map of B")}  # by how many maps there are
LIGHT = "AF"  # the letters whose colour is so dark that they are read best in white


def layout(context: Context, query: Mapping[str, str], ids: str) -> Component:
    """The page."""
    runs = runs_in_address(context, ids)
    view = query.get("view") if query.get("view") in VIEWS else "both"
    switch = dmc.SegmentedControl(
        id="compare-view",
        data=[{"value": key, "label": label} for key, label in VIEWS.items()],
        value=view,
        **{"aria-label": "How to compare the maps"},
    )
    return html.Div(
        [
            html.Div([dmc.Title("Compare", order=1), dmc.Anchor("All runs", href="/runs")], className="page-head"),
            html.Div(id="compare-words"),
            html.Div(_table(runs), id="compare-table", className="card runs-card"),
            html.Section(
                [
                    html.Div([dmc.Title("Maps", order=2, size="h3"), switch], className="page-head"),
                    html.Div(id="compare-maps", className="compare-pair"),
                    html.Div(
                        html.Span("Walk through the cells with the arrow keys.", className="with-keys"),
                        id="compare-readout",
                        className="compare-readout",
                        role="status",
                    ),
                    html.Div(id="compare-legend"),
                    html.Div(
                        [
                            dmc.Title("Where they differ most", order=3, size="h5"),
                            dmc.Text(
                                "Press a cell of a map to see it here; a value opens its design.", c="dimmed", size="sm"
                            ),
                            html.Div(id="compare-cells"),
                        ],
                        id="compare-cells-box",
                        className="compare-part",
                        **{"aria-live": "polite"},
                    ),
                ],
                className="card compare-part",
            ),
            html.Section(
                [
                    html.Div(
                        [dmc.Title("Curves", order=2, size="h3"), *_letters(runs)],
                        className="compare-names",
                    ),
                    html.Div(
                        [named_chart(_graph("curve", i, CURVE_HEIGHT), f"Chart: {TITLES[i]}") for i in range(2)],
                        className="compare-pair",
                    ),
                ],
                id="compare-curves",
                className="card compare-part",
            ),
            dcc.Store(id="compare-ids", data=[run.id for run in runs]),
            *follow.layout("compare"),
            dcc.Store(id="compare-narrow"),
            dcc.Store(id="compare-pressed"),
            dcc.Location(id="compare-url", refresh=False),
        ],
        className="runs",
    )


def runs_in_address(context: Context, ids: str) -> list[Run]:
    """The runs an address names, `a+b`; an `InputError` where they are too few or too many."""
    names = list(dict.fromkeys(part for part in ids.replace(" ", "+").split("+") if part))
    if not 2 <= len(names) <= MOST_COMPARED:
        raise InputError(f"comparing takes 2 to {MOST_COMPARED} different runs, but there were {len(names)}")
    return [context.store.run(name) for name in names]


def tab_title(context: Context, ids: str) -> str:
    """The tab of the browser names the runs."""
    names = [summary.run_name(run) for run in runs_in_address(context, ids)]
    return f"{' and '.join(dict.fromkeys(names))} compared"


def register(app: Dash, context: Context) -> None:
    """Maps and curves are made again only where a run, the view or the colour scheme changed.

    A graph that is there gets another figure, so that zoom survives; only another number of maps makes new graphs.
    """

    def draw(
        before: Any, view: Any, scheme: Any, narrow: Any, ids: Any, graphs: Any
    ) -> tuple[Any, tuple[Any, ...]] | None:
        runs = runs_in_address(context, "+".join(map(str, ids if isinstance(ids, list) else [])))
        view = view if view in tuple(VIEWS) else "both"
        seen = [view, scheme, narrow, *(run.version for run in runs)]
        if seen == before or narrow is None:
            return None
        dark = scheme == "dark"
        key = ("compare", *ids, *(run.version for run in runs), view, dark, bool(narrow))
        figures = context.cache.remember(key, lambda: _figures(context, runs, view, dark, bool(narrow)))
        maps, words = figures["maps"], _words(figures)
        impossible = any(each["layout"]["meta"]["impossible"] for each in maps)
        drawn = legend(figures["legend"], impossible=impossible) if figures["legend"] else None
        if len(maps) == len(graphs):
            return seen, (no_update, words, drawn, _table(runs), maps, figures["curves"])
        same = [no_update] * len(graphs)
        return seen, (_maps(maps, runs), words, drawn, _table(runs), same, figures["curves"])

    follow.register(
        app,
        context.pacer,
        "compare",
        [
            *(Output(f"compare-{part}", "children") for part in ("maps", "words", "legend", "table")),
            Output({"compare-map": ALL}, "figure"),
            Output({"compare-curve": ALL}, "figure"),
        ],
        draw,
        inputs=[Input("compare-view", "value"), Input(SCHEME, "data"), Input("compare-narrow", "data")],
        states=[State("compare-ids", "data"), State({"compare-map": ALL}, "id")],
        prevent_initial_call=False,
    )

    @app.callback(
        Output("compare-cells", "children"),
        Output("compare-cells-box", "hidden"),
        Input("compare-seen", "data"),
        Input("compare-pressed", "data"),
        State("compare-ids", "data"),
    )
    def tell(_: Any, clicked: Any, ids: Any) -> Any:
        runs = runs_in_address(context, "+".join(map(str, ids if isinstance(ids, list) else [])))
        first, second = (context.store.snapshot(run.id) for run in runs[:2])
        if first is None or second is None:
            return None, True
        pair = ComparedArchives.of(first, second)
        return cell_table(pair, runs, pressed_cell(pair, clicked)), not pair.same_problem

    app.clientside_callback(
        ClientsideFunction("compare", "narrow"), Output("compare-narrow", "data"), Input("compare-view", "value")
    )
    app.clientside_callback(
        ClientsideFunction("compare", "press"),
        Output("compare-pressed", "data"),
        Input({"compare-map": ALL}, "clickData"),
        prevent_initial_call=True,
    )
    app.clientside_callback(
        ClientsideFunction("compare", "attach"),
        Input({"compare-map": ALL}, "figure"),
        Input("compare-pressed", "data"),
        prevent_initial_call=True,
    )

    @app.callback(Output("compare-url", "search"), Input("compare-view", "value"), prevent_initial_call=True)
    def remember_view(view: Any) -> Any:
        return f"?view={view}" if view in tuple(VIEWS) else no_update


def _figures(context: Context, runs: Sequence[Run], view: str, dark: bool, narrow: bool) -> dict[str, Any]:
    """Everything that is drawn, as JSON values."""
    snapshots = [context.store.snapshot(run.id) for run in runs]
    known = [each for each in snapshots if each is not None]
    names = [f"{LETTERS[i]} {summary.run_name(run)}, {summary.search_and_seed(run)}" for i, run in enumerate(runs)]
    lines = [
        (name, summary.shown_curve(run, each.curve), shade)
        for run, name, each, shade in zip(runs, names, snapshots, COLOURS, strict=False)
        if each
    ]
    found: dict[str, Any] = {"curves": curves(lines, dark=dark), "maps": [], "legend": None, "note": "", "counts": None}
    if len(known) < 2 or snapshots[0] is None or snapshots[1] is None:
        return {**found, "note": "The maps appear as soon as both runs have one."}
    pair = ComparedArchives.of(snapshots[0], snapshots[1])
    found["note"] = pair.note
    if pair.same_problem:
        found["counts"] = comparison_verdict(pair)
    if view == "difference" and pair.same_problem:
        return {**found, **difference_map(pair, dark=dark, narrow=narrow)}
    if view == "difference":
        found["note"] = "A difference needs two runs of one problem in one dimension; here are both maps instead."
    return {**found, **side_by_side(pair, dark=dark, narrow=narrow)}


def _words(figures: dict[str, Any]) -> list[Component]:
    """What has to be said about the maps."""
    parts: list[Component] = []
    if figures["counts"]:
        parts.append(html.P(figures["counts"].replace(" %", "\u00a0%"), className="compare-counts", role="status"))
    return [*parts, html.P(figures["note"], className="quiet")] if figures["note"] else parts


def _maps(maps: Sequence[dict[str, Any]], runs: Sequence[Run]) -> list[Component]:
    labels = _letters(runs)[:2] if len(maps) == 2 else [None]
    return [
        html.Figure(
            [html.Figcaption(label) if label else None, _box(i, each, NAMES[len(maps)][i])],
            className="compare-map" if label else "compare-map compare-single",
        )
        for i, (label, each) in enumerate(zip(labels, maps, strict=False))
    ]


def legend(scales: Sequence[dict[str, Any]], *, impossible: bool) -> Component:
    """What the colours and the signs mean; where each map has a scale of its own, its letter stands before it."""
    letters = LETTERS if len(scales) > 1 else ("",)
    rows = [part for letter, each in zip(letters, scales, strict=False) for part in _scale(letter, each)]
    return html.Div(
        [*rows, html.Div(_marks(_ramp(scales[0]), impossible=impossible), className="legend-signs")],
        className="compare-legend",
    )


def _scale(letter: str, drawn: dict[str, Any]) -> list[Component]:
    """One scale: what it is of, its colours, and what its ends mean."""
    sign = [_swatch(LETTERS.index(letter))] if letter else []
    ticks = [html.Span(label, style={"left": f"{100 * place:.1f}%"}) for place, label in drawn["ticks"]]
    worse, better = drawn["ends"] or ("", "")
    ramp = html.Div(
        [
            html.Div(className="ramp", style={"background": _ramp(drawn)}),
            html.Div(ticks, className="ramp-ticks"),
        ],
        className="ramp-box",
    )
    ends = [html.Span(word, className="ramp-end") for word in (worse, better)]
    return [html.Span([*sign, drawn["title"]]), html.Div([ends[0], ramp, ends[1]], className="ramp-line")]


def _ramp(drawn: dict[str, Any]) -> str:
    """The colours of a scale, as a style."""
    stops = ", ".join(f"{shade} {100 * place:.1f}%" for place, shade in drawn["scale"])
    return f"linear-gradient(90deg, {stops})"


def _marks(ramp: str, *, impossible: bool) -> list[Component]:
    """The signs on the maps, in the words of a run's own page."""
    signs = [
        ("mark-feasible", "", "feasible corner"),
        ("mark-star", "★", "best feasible"),
        ("mark-best", "", "best within the allowances"),
        ("mark-beyond", "", "beyond an allowance"),
        ("mark-empty", "", "not reached yet"),
        *([("mark-impossible", "", "cannot exist")] if impossible else []),
    ]
    return [
        html.Span(
            [html.Span(sign, className=f"mark {kind}", style={"--ramp": ramp}, **{"aria-hidden": "true"}), words],
            className="legend-mark",
        )
        for kind, sign, words in signs
    ]


def _box(i: int, drawn: dict[str, Any], name: str) -> Component:
    """A map with the outlines of the cell pressed and of the one the keyboard is at."""
    return map_cursor.cursor_box(
        [
            _graph("map", i, MAP_HEIGHT, drawn),
            html.Div(className="map-outline map-selection", hidden=True),
            html.Div(className="map-outline map-cursor", hidden=True),
        ],
        {"compare-box": i},
        "compare-box",
        name=name,
        enter="Enter tells a cell in the table below, Escape takes it away.",
        readout="compare-readout",
    )


def _graph(kind: str, i: int, height: int, drawn: dict[str, Any] | None = None) -> Component:
    return dcc.Graph(
        id={f"compare-{kind}": i}, figure=drawn or {}, config=CONFIG, responsive=True, style={"height": height}
    )


def _swatch(i: int) -> Component:
    ink = "#fff" if LETTERS[i] in LIGHT else "#14161b"
    return html.Span(LETTERS[i], className="letter", style={"background": COLOURS[i], "color": ink})


def _letters(runs: Sequence[Run]) -> list[Component]:
    """Each run by its letter, its name, and what tells it from others of these that look the same."""
    differences = distinguishing_words(runs)
    words = [[summary.run_name(run), summary.search_and_seed(run), differences.get(run.id, "")] for run in runs]
    return [html.Span([_swatch(i), ", ".join(filter(None, each))]) for i, each in enumerate(words)]


def _table(runs: Sequence[Run]) -> Component:
    head = ("Run", "State", "Evaluations", "Best feasible", "Coverage")
    rows = [
        html.Tr(
            [
                html.Td(dmc.Anchor(letter, href=summary.run_address(run), c="inherit")),
                html.Td(summary.state_badge(run), **{"data-label": head[1]}),
                html.Td(count(run.evaluations), **{"data-label": head[2]}),
                html.Td(number(summary.best_feasible(run)), **{"data-label": head[3]}),
                html.Td(
                    f"{whole_percent(summary.filled_share(run))}, {count(run.occupied)} cells",
                    **{"data-label": head[4]},
                ),
            ]
        )
        for letter, run in zip(_letters(runs), runs, strict=True)
    ]
    return html.Table(
        [html.Thead(html.Tr([html.Th(each) for each in head])), html.Tbody(rows)], className="runs-table compare-table"
    )
