"""The form of tolerance levels: chips for every constraint or the same for all, presets, and the bins they make.

Any page can hold one, under a prefix of its own:

    tolerance_form.layout("run", tolerances)        # somewhere in the page's layout
    tolerance_form.register(app, "run")             # once, in the page's `register`
    Input(tolerance_form.value_id("run"), "data")   # changes with every edit, also to something wrong
    tolerance_form.read(data)                       # -> Tolerances, or an InputError in words

To give it the constraints of another problem, set `constraints_id(prefix)`'s `data` to their names; levels
of constraints that are still there stay. To set it to other levels altogether, put a new `layout` in place.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import dash_mantine_components as dmc
from dash import ALL, Dash, Input, Output, State, ctx, dcc, html, no_update
from dash.development.base_component import Component

from components.format import count
from mapelites.errors import InputError, unknown
from mapelites.tolerances import MOST_CELLS, MOST_LEVELS, PAPER_LEVELS, Tolerances, check_levels, default_levels, short

ALL_CONSTRAINTS = "=all"  # which no constraint can be called
DEFAULT_STEP = 1e-4
MOST_FACTORS = 8  # that are spelled out one by one
MOST_FAULTS = 5  # that are named
PRESETS: dict[str, tuple[str, str, Callable[[float], tuple[float, ...]]]] = {
    "paper": ("The paper's", "0, 1e-4, 1e-2, 1", lambda _: PAPER_LEVELS),
    "decades": ("Decades", "0, then 1e-4 to 10 in powers of ten", lambda _: (0.0, *(10.0**k for k in range(-4, 2)))),
    "steps": ("Steps of ε", "0, ε, 2ε, 3ε, 4ε, 5ε", lambda step: tuple(_round(k * step) for k in range(6))),
}


def value_id(prefix: str) -> str:
    """The id of the Store whose `data` is what the form says."""
    return f"{prefix}-tolerances"


def constraints_id(prefix: str) -> str:
    """The id of the Store whose `data` is the list of the constraints' names."""
    return f"{prefix}-constraints"


def layout(prefix: str, tolerances: Tolerances) -> Component:
    """The form, filled with these levels."""
    same = len(set(tolerances.levels)) == 1
    return html.Div(
        [
            dcc.Store(id=constraints_id(prefix), data=list(tolerances.names)),
            dcc.Store(id=value_id(prefix), data=_data(tolerances)),
            _presets(prefix, same),
            html.Div(_rows(prefix, tolerances.names, tolerances.levels, same), id=f"{prefix}-rows", className="levels"),
            html.Div(_sum(tolerances), id=f"{prefix}-cells", className="cells", role="status"),
        ],
        className="tolerance-form",
        role="group",
        **{"aria-label": "Tolerance levels"},
    )


def read(data: Any) -> Tolerances:
    """The tolerances in a value Store's data; an `InputError` says what is wrong with them."""
    if (
        not isinstance(data, dict)
        or not isinstance(data.get("names"), list)
        or not isinstance(data.get("levels"), list)
    ):
        raise InputError("tolerances: levels for every constraint are needed, but none came")
    names = tuple(str(name) for name in data["names"])
    try:
        levels = tuple(parse(name, each) for name, each in zip(names, data["levels"], strict=False))
    except InputError as error:
        raise InputError(f"levels of {error}") from None
    return Tolerances(names, levels)


def parse(name: str, levels: Any) -> tuple[float, ...]:
    """The levels of one row of chips, sorted and checked; an `InputError` says what is wrong with each."""
    if not isinstance(levels, list):
        raise InputError(f"{name}: levels must be a list, but they were {levels!r}")
    faults = [_fault(name, [level]) for level in levels]
    right = sorted(check_levels(name, [level])[-1] for level, fault in zip(levels, faults, strict=True) if not fault)
    wrong = list(dict.fromkeys(filter(None, [*faults, _fault(name, right)])))
    if wrong:
        more = [] if len(wrong) <= MOST_FAULTS else [f"and {len(wrong) - MOST_FAULTS} more"]
        raise InputError(f"{name}: {'; '.join([*wrong[:MOST_FAULTS], *more])}")
    return check_levels(name, right)


def _fault(name: str, levels: list[Any]) -> str | None:
    """What is wrong with levels, one by itself or all that are right by themselves."""
    try:
        check_levels(name, levels)
    except InputError as error:
        return str(error).removeprefix(f"{name}: ")
    return None


def register(app: Dash, prefix: str) -> None:
    """Presets and the same-for-all switch rewrite the rows; every edit checks them."""

    @app.callback(
        Output(f"{prefix}-rows", "children"),
        Input(f"{prefix}-same", "checked"),
        Input({"form": prefix, "preset": ALL}, "n_clicks"),
        Input(constraints_id(prefix), "data"),
        State(f"{prefix}-step", "value"),
        State({"form": prefix, "row": ALL}, "value"),
        State({"form": prefix, "row": ALL}, "id"),
        State(value_id(prefix), "data"),
        prevent_initial_call=True,
    )
    def rewrite(same: bool, _: list[int], names: Any, step: Any, values: list[Any], ids: list[Any], old: Any) -> Any:
        names = _names(names)
        if isinstance(ctx.triggered_id, dict):
            if not any(_):
                return no_update
            preset = str(ctx.triggered_id["preset"])
            if preset not in PRESETS:
                raise unknown("preset", preset, PRESETS)
            levels = PRESETS[preset][2](_step(step))
            return _rows(prefix, names, [levels] * len(names), same)
        rows = [value if isinstance(value, list) else [] for value in values]
        now = {str(each["row"]): value for each, value in zip(ids, rows, strict=True)}
        default = default_levels(len(names))
        first = next(iter(now.values()), _texts(default))
        kept = [now.get(name, now.get(ALL_CONSTRAINTS, first)) for name in names]
        if ctx.triggered_id == constraints_id(prefix) and (_untouched(old) or not _fit(kept)):
            kept = [_texts(default)] * len(names)
        return _rows(prefix, names, kept, same)

    @app.callback(
        Output({"form": prefix, "row": ALL}, "value"),
        Output({"form": prefix, "row": ALL}, "error"),
        Output({"form": prefix, "row": ALL}, "className"),
        Output({"form": prefix, "bins": ALL}, "children"),
        Output(f"{prefix}-cells", "children"),
        Output(value_id(prefix), "data"),
        Input({"form": prefix, "row": ALL}, "value"),
        State({"form": prefix, "row": ALL}, "id"),
        State(constraints_id(prefix), "data"),
        State(value_id(prefix), "data"),
        prevent_initial_call=True,
    )
    def check(values: list[Any], ids: list[Any], names: Any, before: Any) -> Any:
        rows = [_checked(str(each["row"]), value) for each, value in zip(ids, values, strict=True)]
        texts = [_texts(row) if not error and value != _texts(row) else no_update
                 for (row, error), value in zip(rows, values, strict=True)]  # fmt: skip
        bins = [_bins(row) if not error else [] for row, error in rows]
        data, total = _whole(_names(names), [str(each["row"]) for each in ids], values, rows)
        classes = [_row_class(value) for value in values]
        return texts, [error for _, error in rows], classes, bins, total, no_update if data == before else data


def _untouched(data: Any) -> bool:
    """Whether the form still says what it said when it opened."""
    try:
        tolerances = read(data)
    except InputError:
        return False
    return set(tolerances.levels) == {default_levels(len(tolerances.names))}


def _fit(levels: Sequence[Any]) -> bool:
    """Whether a map has room for so many cells; levels that are wrong are for the form to say."""
    return math.prod(len(each) + 1 for each in levels) <= MOST_CELLS


def _whole(names: Sequence[str], rows: Sequence[str], values: Sequence[Any], checked: Sequence[Any]) -> Any:
    """What the form says in all: the value Store's data, and the number of cells in words."""
    if any(error for _, error in checked):
        by_row = dict(zip(rows, values, strict=True))
        total: Any = dmc.Text("No map yet: a level is wrong.", size="sm", c="dimmed")
    else:
        by_row = {row: list(levels) for row, (levels, _) in zip(rows, checked, strict=True)}
    levels = [by_row.get(name, by_row.get(ALL_CONSTRAINTS, [])) for name in names]
    data = {"names": list(names), "levels": levels}
    if not any(error for _, error in checked):
        try:
            total = _sum(read(data))
        except InputError as error:
            total = dmc.Text(str(error).removeprefix("tolerances: "), size="sm", className="error-text")
    return data, total


def _checked(name: str, value: Any) -> tuple[tuple[float, ...], str | None]:
    try:
        return parse(name, value), None
    except InputError as error:
        text = str(error).removeprefix(f"{name}: ")
        return (), text[:1].upper() + text[1:]


def _presets(prefix: str, same: bool) -> Component:
    buttons = [
        dmc.Tooltip(
            dmc.Button(label, id={"form": prefix, "preset": key}, size="compact-sm", variant="default"), label=levels
        )
        for key, (label, levels, _) in PRESETS.items()
    ]
    step = dmc.TextInput(
        value=short(DEFAULT_STEP),
        id=f"{prefix}-step",
        size="xs",
        w=76,
        leftSection="ε",
        **{"aria-label": "ε, the step between levels"},
    )
    switch = dmc.Switch(label="The same for all", id=f"{prefix}-same", checked=same, size="sm")
    return dmc.Group([dmc.Group([*buttons, step], gap=6), switch], justify="space-between", gap="xs")


def _rows(prefix: str, names: Sequence[str], levels: Sequence[Any], same: bool) -> list[Component]:
    if same and names:
        return [_row(prefix, ALL_CONSTRAINTS, f"All constraints ({', '.join(names)})", levels[0])]
    return [_row(prefix, name, name, each) for name, each in zip(names, levels, strict=True)]


def _row(prefix: str, name: str, label: str, levels: Any) -> Component:
    given = levels if isinstance(levels, list) else []
    values = _texts(levels) if isinstance(levels, tuple) else [str(level) for level in given]
    row, error = _checked(name, values)
    return html.Div(
        [
            dmc.TagsInput(
                id={"form": prefix, "row": name},
                label=label,
                value=values,
                error=error,
                allowDuplicates=True,
                splitChars=[",", " ", ";"],
                placeholder="add a level",
                className=_row_class(values),
            ),
            html.Div(_bins(row) if not error else [], id={"form": prefix, "bins": name}, className="bins"),
        ],
        className="level-row",
    )


def _row_class(levels: Any) -> str:
    """The class of a row; it names the chips that are wrong, which `assets/levels.css` marks."""
    places = {min(place, MOST_LEVELS + 1) for place in wrong_places(levels)}
    return " ".join(["level-chips", *(f"wrong-{place}" for place in sorted(places))])


def wrong_places(levels: Any) -> list[int]:
    """Which chips of a row are wrong, counted from 1: of two alike the later one, of too many the last ones.

    >>> wrong_places(["0", "-1", "1", "abc", "1.0"])
    [2, 4, 5]
    """
    wrong: list[int] = []
    seen: set[float] = set()
    for place, level in enumerate(levels if isinstance(levels, list) else [], start=1):
        try:
            value = check_levels("", [level])[-1]
        except InputError:
            wrong.append(place)
            continue
        too_many = value > 0 and len(seen - {0.0}) >= MOST_LEVELS - 1  # 0 is always there
        if value in seen or too_many:
            wrong.append(place)
        seen.add(value)
    return wrong


def _bins(levels: tuple[float, ...]) -> list[Component]:
    labels = Tolerances((ALL_CONSTRAINTS,), (levels,)).labels(0)
    return [html.Span(label, className="bin") for label in labels]


def _sum(tolerances: Tolerances) -> Component:
    product = f"{' × '.join(map(str, tolerances.shape))} bins"
    if len(tolerances.shape) > MOST_FACTORS and len(set(tolerances.shape)) == 1:
        product = f"{tolerances.shape[0]} bins for each of {len(tolerances.shape)} constraints"
    cells = dmc.Text(f"{count(tolerances.cells)} cells", span=True, fw=650)
    return dmc.Text([cells, f" = {product}{_fewer(tolerances)}"], size="sm")


def _fewer(tolerances: Tolerances) -> str:
    """A word about levels that are fewer than the paper's because there is no room for these."""
    default = default_levels(len(tolerances.names))
    if default == PAPER_LEVELS or set(tolerances.levels) != {default}:
        return ""
    return ". The paper's four levels would make more cells than a map has room for."


def _texts(levels: Sequence[float]) -> list[str]:
    return [short(level) for level in levels]


def _data(tolerances: Tolerances) -> dict[str, Any]:
    return {"names": list(tolerances.names), "levels": [list(levels) for levels in tolerances.levels]}


def _names(names: Any) -> list[str]:
    if not isinstance(names, list) or not names:
        raise InputError(f"tolerances: the constraints must be a list of names, but they were {names!r}")
    return [str(name) for name in names]


def _step(value: Any) -> float:
    try:
        step = float(value)
    except (TypeError, ValueError):
        raise InputError(f"ε must be a number, but it was {value!r}") from None
    if not 0 < step < 1e300:
        raise InputError(f"ε must be above 0, but it was {step:g}")
    return step


def _round(value: float) -> float:
    """A multiple without the rounding error in its last digits: 3 · 1e-4 is 3e-4."""
    return float(f"{value:.12g}")
