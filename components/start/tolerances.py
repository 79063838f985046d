"""The form of tolerance levels: chips for every constraint or the same for all, what is hard, presets, and the bins.

Any page can hold one, under a prefix of its own:

    tolerances.layout("run", problem, levels)   # somewhere in the page's layout
    tolerances.register(app, "run")             # once, in the page's `register`
    Input(tolerances.value_id("run"), "data")   # changes with every edit, also to something wrong
    tolerances.read_tolerances(data)        # -> Tolerances, or an InputError in words

To give it the constraints of another problem, set `constraints_id(prefix)`'s `data` to what `described_problem` makes
of it.
To set it to other levels altogether, put a new `layout` in place.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import dash_mantine_components as dmc
from dash import ALL, ClientsideFunction, Dash, Input, Output, State, ctx, dcc, html, no_update, set_props
from dash.development.base_component import Component

from components.shared.format import count
from components.shared.notices import notice, show_notices
from components.start.chips import LevelRow, parse_levels, plain_text, texts_of, wrong_places
from mapelites.answers.suggestion import normalised_levels, suggested_levels
from mapelites.core.archive import Archive
from mapelites.core.constraint import LONGEST_MEANING, Constraint
from mapelites.core.errors import InputError, unknown
from mapelites.core.grouping import Places, grouping
from mapelites.core.levels import PERCENT_LEVELS, level_number, levels_by_default, percent_of
from mapelites.core.problem import Problem
from mapelites.core.terms import bin_text, named_limit
from mapelites.core.tolerances import MOST_CELLS, MOST_LEVELS, PAPER_LEVELS, Tolerances, default_levels, short

ALL_CONSTRAINTS = "=all"  # which no constraint can be called
DEPENDENT = "follow from each other and count as one negotiable thing"
DEFAULT_STEP, PERCENT_STEP = "1e-4", "2%"  # ε where nobody typed one: without a limit, and with one
STEPS = 5
MOST_FACTORS = 8  # that are spelled out one by one
MOST_WRONG = 3  # constraints whose levels are wrong that a notice tells of
OF_CONSTRAINT = ("name", "kind", "limit", "sense", "unit", "meaning", "scale", "estimated")
PRESETS = {
    "percent": ("Per cent of the limit", "0, 1, 2, 5 and 10 % of the limit or typical size"),
    "paper": ("The paper's", "0, 1e-4, 1e-2, 1"),
    "decades": ("Decades", "0, then powers of ten: 1e-3 to 10 % of the limit, or 1e-4 to 10 where there is none"),
    "steps": (
        "Steps of ε",
        "0, ε, 2ε, 3ε, 4ε, 5ε; ε is 2 % of the limit, or 1e-4 without one, unless you type it",
    ),
}
SEARCHED = {
    "suggested": ("Suggested", "Where the objective really changes, each step buying about the same"),
    "normalised": ("Normalised", "The paper's levels between the least and the largest violation known"),
}


class NotYetFoundError(InputError):
    """What a preset needs is searched for by a run, and will be there later; the text says so."""

    def __init__(self, words: str, run_id: str) -> None:
        super().__init__(words)
        self.run_id = run_id


Found = Callable[..., Archive]  # what a search has found, from the values of some states of a page


def value_id(prefix: str) -> str:
    """The id of the Store whose `data` is what the form says."""
    return f"{prefix}-tolerances"


def typed_texts(prefix: str) -> list[State]:
    """What stands in the form's fields, for `as_typed`: also what its value Store has not heard of yet."""
    return [
        State({"form": prefix, "row": ALL}, "value"),
        State({"form": prefix, "row": ALL}, "id"),
        State({"form": prefix, "hard": ALL}, "value"),
        State(constraints_id(prefix), "data"),
    ]


def searched_id(prefix: str) -> str:
    """The id of the Store whose `data` changes once what the preset pressed last needs has been found."""
    return f"{prefix}-searched"


def constraints_id(prefix: str) -> str:
    """The id of the Store whose `data` describes the constraints."""
    return f"{prefix}-constraints"


def described_problem(problem: Problem, tolerances: Tolerances | None = None) -> dict[str, Any]:
    """What the form has to know of a problem: its constraints, and the levels to begin with."""
    begin = tolerances or Tolerances.default(problem)
    axes = _with_notes(problem, begin.axes(problem))
    return {
        "constraints": [{name: getattr(each, name) for name in OF_CONSTRAINT} for each in axes],
        "chips": _chips_of(axes, begin),
        "hard": list(begin.hard),
    }


def _chips_of(axes: Sequence[Constraint], tolerances: Tolerances) -> list[list[str]]:
    """The chips of each row; of a hard constraint those by default, for when it is negotiable again."""
    rows = zip(axes, tolerances.levels, levels_by_default(axes), strict=True)
    return [texts_of(each, usual if each.name in tolerances.hard else levels) for each, levels, usual in rows]


def _with_notes(problem: Problem, axes: Sequence[Constraint]) -> list[Constraint]:
    """The constraints, those that depend on each other with a word about it behind their meaning."""
    notes: dict[str, str] = {}
    for group in problem.dependent:
        names = [problem.constraints[i].name for i in group]
        notes |= {name: f"{' and '.join(names)} {DEPENDENT}" for name in names if len(names) > 1}
    noted = ("; ".join(filter(None, (each.meaning, notes.get(each.name, ""))))[:LONGEST_MEANING] for each in axes)
    return [replace(each, meaning=meaning) for each, meaning in zip(axes, noted, strict=True)]


def layout(prefix: str, problem: Problem, tolerances: Tolerances) -> Component:
    """The form, filled with these levels."""
    known, axes = described_problem(problem, tolerances), _with_notes(problem, tolerances.axes(problem))
    same = _are_same(known["chips"], axes)
    return html.Div(
        [
            dcc.Store(id=constraints_id(prefix), data=known),
            dcc.Store(id=value_id(prefix), data=_data(tolerances)),
            dcc.Store(id=searched_id(prefix)),
            dcc.Store(id=f"{prefix}-pressed"),
            dcc.Store(id=f"{prefix}-written", data=[]),
            dcc.Store(id=f"{prefix}-heard"),
            _presets(prefix, same),
            html.Div(
                _rows(prefix, axes, known["chips"], tolerances.hard, same),
                id=f"{prefix}-rows",
                className="levels",
            ),
            html.Div(_sum(tolerances, axes), id=f"{prefix}-cells", className="cells", role="status"),
        ],
        className="tolerance-form",
        role="group",
        **{"aria-label": "Tolerance levels"},
    )


def read_tolerances(data: Any) -> Tolerances:
    """The tolerances in a value Store's data; an `InputError` says what is wrong with them."""
    if (
        not isinstance(data, dict)
        or not isinstance(data.get("names"), list)
        or not isinstance(data.get("levels"), list)
        or not isinstance(data.get("hard", []), list)
    ):
        raise InputError("tolerances: levels for every constraint are needed, but none came")
    wrong = data.get("wrong")
    if isinstance(wrong, list) and wrong:  # said by the rows, which know limits and units
        more = f"; and {len(wrong) - MOST_WRONG} more" if len(wrong) > MOST_WRONG else ""
        raise InputError(f"{'; '.join(map(str, wrong[:MOST_WRONG]))}{more}")
    names = tuple(str(name) for name in data["names"])
    constraints = [Constraint(name, "inequality") for name in names]
    try:
        levels = tuple(parse_levels(each, row).levels for each, row in zip(constraints, data["levels"], strict=False))
    except InputError as error:
        raise InputError(f"levels of {error}") from None
    found = Tolerances(names, levels, tuple(str(name) for name in data.get("hard", [])))
    if names and not found.negotiable:
        raise InputError("tolerances: at least one constraint must be negotiable, but all are hard")
    return found


def as_typed(values: list[Any], ids: list[Any], hard: Any, known: Any) -> Any:
    """A value Store's data from what stands in the fields."""
    constraints, names = _constraints(known), [str(each["row"]) for each in ids]
    rows = [_checked(name, value, constraints) for name, value in zip(names, values, strict=True)]
    return _whole(constraints, names, values, rows, _marked(hard))[0]


def register(app: Dash, prefix: str, found: Found | None = None, states: Sequence[State] = ()) -> None:
    """Presets and the same-for-all switch rewrite the rows; every edit checks them.

    `found` gives what a search has found, from the values of `states`, for the presets that need it.
    """

    @app.callback(
        Output(f"{prefix}-rows", "children"),
        Output(f"{prefix}-same", "checked"),
        Input(f"{prefix}-same", "checked"),
        Input({"form": prefix, "preset": ALL}, "n_clicks"),
        Input(constraints_id(prefix), "data"),
        Input(searched_id(prefix), "data"),
        State(f"{prefix}-pressed", "data"),
        State(f"{prefix}-step", "value"),
        State({"form": prefix, "row": ALL}, "value"),
        State({"form": prefix, "row": ALL}, "id"),
        State({"form": prefix, "hard": ALL}, "value"),
        State(value_id(prefix), "data"),
        *states,
        prevent_initial_call=True,
    )
    def rewrite(
        same: bool, presses: list[Any], known: Any, found_in: Any, pressed: Any, step: Any, values: list[Any],
        ids: list[Any], hard: Any, old: Any, *of_page: Any,
    ) -> Any:  # fmt: skip
        constraints, now = _constraints(known), _rows_now(values, ids)
        marked = [name for name in _marked(hard) if name in {each.name for each in constraints}]
        if isinstance(ctx.triggered_id, dict) or ctx.triggered_id == searched_id(prefix):
            key = pressed
            if isinstance(ctx.triggered_id, dict):
                key = ctx.triggered_id["preset"] if any(presses) else None
                set_props(f"{prefix}-pressed", {"data": key})
            if key is None:
                return no_update, no_update
            try:
                chips = _preset(str(key), constraints, step, found, of_page)
            except NotYetFoundError as later:
                set_props(f"{prefix}-awaited", {"data": later.run_id})
                set_props(f"{prefix}-look", {"disabled": False})
                show_notices(notice("Levels come soon", str(later), "hint", key=f"{prefix}-preset"))
                return no_update, no_update
            except InputError as error:
                show_notices(notice("No levels from this preset", str(error), "error", key=f"{prefix}-preset"))
                return no_update, no_update
            alike = same and _are_same(chips, constraints)
            return _rows(prefix, constraints, chips, marked, alike), alike if alike != same else no_update
        if ctx.triggered_id == constraints_id(prefix):
            chips, marked = _going_along(constraints, now, known, old, marked)
            alike = _are_same(chips, constraints)
            return _rows(prefix, constraints, chips, marked, alike), alike if alike != same else no_update
        first = next(iter(now.values()), ["0"])
        chips = [now.get(each.name, now.get(ALL_CONSTRAINTS, first)) for each in constraints]
        return _rows(prefix, constraints, chips, marked, same), no_update

    @app.callback(
        Output(f"{prefix}-written", "data"),
        Output({"form": prefix, "row": ALL}, "error"),
        Output({"form": prefix, "row": ALL}, "className"),
        Output({"form": prefix, "bins": ALL}, "children"),
        Output(f"{prefix}-cells", "children"),
        Output(value_id(prefix), "data"),
        Input(f"{prefix}-heard", "data"),
        *typed_texts(prefix),
        State(value_id(prefix), "data"),
        prevent_initial_call=True,
    )
    def check(heard: Any, values: list[Any], ids: list[Any], hard: Any, known: Any, before: Any) -> Any:
        constraints, marked = _constraints(known), _marked(hard)
        rows = [_checked(str(each["row"]), value, constraints) for each, value in zip(ids, values, strict=True)]
        written = [[each, value, list(row.texts)] for each, value, (row, _) in zip(ids, values, rows, strict=True)
                   if row is not None and value != list(row.texts)]  # fmt: skip
        names = [str(each["row"]) for each in ids]
        bins = [_bins(name, row, constraints, marked) for name, (row, _) in zip(names, rows, strict=True)]
        data, total = _whole(constraints, names, values, rows, marked)
        classes = [_row_class(name, value, constraints, marked) for name, value in zip(names, values, strict=True)]
        errors = [error for _, error in rows]
        return written, errors, classes, bins, total, no_update if data == before else data

    app.clientside_callback(
        ClientsideFunction("levels", "hear"),
        Output(f"{prefix}-heard", "data"),
        Input({"form": prefix, "row": ALL}, "value"),
        Input({"form": prefix, "hard": ALL}, "value"),
        State({"form": prefix, "row": ALL}, "id"),
        State(f"{prefix}-heard", "data"),
        State(f"{prefix}-written", "data"),
        prevent_initial_call=True,
    )
    app.clientside_callback(
        ClientsideFunction("levels", "write"),
        Input(f"{prefix}-written", "data"),
        State({"form": prefix, "row": ALL}, "value"),
        State({"form": prefix, "row": ALL}, "id"),
        prevent_initial_call=True,
    )


def _constraints(known: Any) -> list[Constraint]:
    """The constraints that a Store describes."""
    listed = known.get("constraints") if isinstance(known, dict) else None
    if not isinstance(listed, list) or not listed or not all(isinstance(each, dict) for each in listed):
        raise InputError(f"tolerances: the constraints must be described, but they were {known!r}")
    try:
        return [Constraint(**{name: each[name] for name in OF_CONSTRAINT}) for each in listed]
    except (KeyError, TypeError) as error:
        raise InputError(f"tolerances: a constraint is described wrongly ({error})") from None


def _rows_now(values: Sequence[Any], ids: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    rows = [value if isinstance(value, list) else [] for value in values]
    return {str(each["row"]): row for each, row in zip(ids, rows, strict=True)}


def _marked(hard: Any) -> list[str]:
    """The constraints that are marked hard, from the one group of chips that there is."""
    group = hard[0] if isinstance(hard, list) and hard else []
    return [str(name) for name in group] if isinstance(group, list) else []


def _going_along(
    constraints: Sequence[Constraint], now: Mapping[str, list[Any]], known: Mapping[str, Any], old: Any,
    marked: list[str],
) -> tuple[list[list[Any]], list[str]]:  # fmt: skip
    """The chips for the constraints of another problem: those it comes with, or what somebody typed before.

    What was typed goes along only where no limit is known: 680 psi say nothing of a spring.
    """
    begin = [list(map(str, each)) for each in known.get("chips", [])]
    hard = [str(name) for name in known.get("hard", [])]
    if len(begin) != len(constraints):
        begin, hard = [[short(each) for each in default_levels(len(constraints))] for _ in constraints], []
    same_names = isinstance(old, dict) and old.get("names") == [each.name for each in constraints]
    limited = any(each.reference is not None for each in constraints)
    if not now or _untouched(old) or (limited and not same_names):
        return begin, hard
    first = next(iter(now.values()))
    kept = [now.get(each.name, now.get(ALL_CONSTRAINTS, first)) for each in constraints]
    return (kept, marked) if _fit(kept) else (begin, hard)


def _untouched(data: Any) -> bool:
    """Whether the form still says what it said when it opened, for a problem without limits."""
    try:
        tolerances = read_tolerances(data)
    except InputError:
        return False
    return set(tolerances.levels) == {default_levels(len(tolerances.names))} and not tolerances.hard


def _fit(levels: Sequence[Any]) -> bool:
    """Whether a map has room for so many cells; levels that are wrong are for the form to say."""
    return math.prod(len(each) + 1 for each in levels) <= MOST_CELLS


def _preset(
    key: str, constraints: Sequence[Constraint], step: Any, found: Found | None, of_page: Sequence[Any]
) -> list[list[str]]:
    """The chips of every constraint."""
    if key in SEARCHED and found is not None:
        levels = (suggested_levels if key == "suggested" else normalised_levels)(found(*of_page))
        return _chips_of(constraints, levels)
    if key not in PRESETS:
        raise unknown("preset", key, PRESETS)
    return [_plain_preset(key, each, step) for each in constraints]


def _plain_preset(key: str, constraint: Constraint, step: Any) -> list[str]:
    if key == "percent" and constraint.reference is not None:
        return ["0", *(f"{short(percent)}%" for percent in PERCENT_LEVELS[0] if percent)]
    if key == "decades" and constraint.reference is not None:
        return ["0", *(f"{short(10.0**k)}%" for k in range(-3, 2))]
    if key == "decades":
        return ["0", *(short(10.0**k) for k in range(-4, 2))]
    if key == "steps":
        usual = DEFAULT_STEP if constraint.reference is None else PERCENT_STEP
        size, sign = _step(usual if step is None or not str(step).strip() else step)
        levels = [_round(k * size) for k in range(STEPS + 1)]
        if sign:
            percent_of(constraint, size)
        return ["0", *(f"{short(level)}{sign}" for level in levels[1:])]
    return [short(level) for level in PAPER_LEVELS]


def _step(value: Any) -> tuple[float, str]:
    """ε, and whether it is in per cent."""
    text = str(value).strip()
    sign = "%" if text.endswith("%") else ""
    try:
        step = level_number("ε", text.removesuffix("%"))
    except InputError:
        raise InputError(f"ε must be a number, but it was {value!r}") from None
    if not 0 < step < 1e300:
        raise InputError(f"ε must be above 0, but it was {step:g}")
    return step, sign


def _round(value: float) -> float:
    """A multiple without the rounding error in its last digits: 3 · 1e-4 is 3e-4."""
    return float(f"{value:.12g}")


def _whole(
    constraints: Sequence[Constraint], names: Sequence[str], values: Sequence[Any],
    checked: Sequence[tuple[LevelRow | None, str | None]], hard: Sequence[str],
) -> Any:  # fmt: skip
    """What the form says in all: the value Store's data, and the number of cells in words."""
    by_row = dict(zip(names, values, strict=True))
    chips = [by_row.get(each.name, by_row.get(ALL_CONSTRAINTS, [])) for each in constraints]
    data: dict[str, Any] = {"names": [each.name for each in constraints], "levels": chips, "hard": list(hard)}
    wrong = [(name, error) for name, (_, error) in zip(names, checked, strict=True) if error]
    if wrong:
        told = [f"levels of {'all' if name == ALL_CONSTRAINTS else name}: {_lowered(error)}" for name, error in wrong]
        return {**data, "wrong": told}, dmc.Text("No map yet: a level is wrong.", size="sm", c="dimmed")
    try:
        rows = [parse_levels(each, row) for each, row in zip(constraints, chips, strict=True)]
        data["levels"] = [list(row.levels) for row in rows]
        return data, _sum(read_tolerances(data), constraints)
    except InputError as error:
        text = str(error).removeprefix("tolerances: ")
        return {**data, "wrong": [text]}, dmc.Text(text[:1].upper() + text[1:], size="sm", className="error-text")


def _lowered(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]


def _of_row(name: str, constraints: Sequence[Constraint]) -> list[Constraint]:
    """The constraints that a row is for."""
    return [each for each in constraints if name in (each.name, ALL_CONSTRAINTS)]


def _checked(name: str, value: Any, constraints: Sequence[Constraint]) -> tuple[LevelRow | None, str | None]:
    """A row's levels, as those of the first constraint it is for, or what is wrong with them."""
    try:
        rows = [parse_levels(each, value) for each in _of_row(name, constraints)]
    except InputError as error:
        text = str(error)
        for each in _of_row(name, constraints)[:1]:
            text = text.removeprefix(f"{each.name}: ")
        return None, text[:1].upper() + text[1:]
    return (rows[0], None) if rows else (None, "This constraint is not one of the problem's")


def _presets(prefix: str, same: bool) -> Component:
    buttons = [
        dmc.Tooltip(
            dmc.Button(label, id={"form": prefix, "preset": key}, size="compact-sm", variant="default"), label=levels
        )
        for key, (label, levels) in {**PRESETS, **SEARCHED}.items()
    ]
    step = dmc.TextInput(
        value="",
        id=f"{prefix}-step",
        size="xs",
        w=110,
        placeholder=f"{PERCENT_STEP} or {DEFAULT_STEP}",
        leftSection="ε",
        **{"aria-label": "ε, the step between levels"},
    )
    switch = dmc.Switch(label="The same for all", id=f"{prefix}-same", checked=same, size="sm")
    return dmc.Group([dmc.Group([*buttons, step], gap=6), switch], justify="space-between", gap="xs")


def _are_same(chips: Sequence[Sequence[Any]], constraints: Sequence[Constraint]) -> bool:
    """Whether one row would say it all: the same chips, of constraints whose limits are all known or all not."""
    known = {each.reference is None for each in constraints}
    return len({tuple(each) for each in chips}) == 1 and len(known) == 1


def _rows(
    prefix: str, constraints: Sequence[Constraint], chips: Sequence[Any], hard: Sequence[str], same: bool
) -> list[Component]:
    group = html.Div(
        [
            html.Span("Hard, never relaxed:", className="hard-words"),
            dmc.ChipGroup(
                [dmc.Chip(each.name, value=each.name, size="xs", variant="outline") for each in constraints],
                id={"form": prefix, "hard": "all"},
                multiple=True,
                value=list(hard),
            ),
        ],
        className="hard-marks",
        role="group",
        **{"aria-label": "Hard constraints"},
    )
    if same:
        names = ", ".join(map(named_limit, constraints))
        label = f"All constraints ({names})"
        notes = "; ".join(dict.fromkeys(each.meaning for each in constraints if each.meaning.endswith(DEPENDENT)))
        return [_row(prefix, ALL_CONSTRAINTS, (label, notes), chips[0], constraints, hard), group]
    rows = [
        _row(prefix, each.name, (named_limit(each), each.meaning), own, constraints, hard)
        for each, own in zip(constraints, chips, strict=True)
    ]
    return [*rows, group]


def _row(
    prefix: str, name: str, words: tuple[str, str], typed: Any, constraints: Sequence[Constraint], hard: Sequence[str]
) -> Component:
    values = [_plain(each, constraints, name) for each in typed] if isinstance(typed, list) else []
    row, error = _checked(name, values, constraints)
    return html.Div(
        [
            dmc.TagsInput(
                id={"form": prefix, "row": name},
                label=words[0],
                description=words[1] or None,
                value=list(row.texts) if row else values,
                error=error,
                allowDuplicates=True,
                splitChars=[";"],  # and at commas by `split_chip`, which leaves 1,360 psi alone
                placeholder="add a level",
                className=_row_class(name, values, constraints, hard),
            ),
            html.Div(_bins(name, row, constraints, hard), id={"form": prefix, "bins": name}, className="bins"),
        ],
        className="level-row",
    )


def _plain(chip: Any, constraints: Sequence[Constraint], name: str) -> str:
    try:
        return plain_text(_of_row(name, constraints)[0], chip)
    except (InputError, IndexError):
        return str(chip)


def _row_class(name: str, levels: Any, constraints: Sequence[Constraint], hard: Sequence[str]) -> str:
    """The class of a row; it names the chips that are wrong, which `assets/start/levels.css` marks."""
    found = {place for each in _of_row(name, constraints) for place in wrong_places(each, levels)}
    places = {min(place, MOST_LEVELS + 1) for place in found}
    classes = ["level-chips", *(["hard-row"] if name in hard else [])]
    return " ".join([*classes, *(f"wrong-{place}" for place in sorted(places))])


def _bins(name: str, row: LevelRow | None, constraints: Sequence[Constraint], hard: Sequence[str]) -> list[Component]:
    if name in hard:
        return [html.Span("hard: satisfied everywhere, no axis", className="bin")]
    if row is None:
        return []
    return [html.Span(label, className="bin") for label in _bin_labels(row, _of_row(name, constraints))]


def _bin_labels(row: LevelRow, constraints: Sequence[Constraint]) -> Sequence[str]:
    """The bins of a row: where limits are known in unit and per cent, of several constraints as they are typed."""
    if constraints[0].reference is None:
        return Tolerances((ALL_CONSTRAINTS,), (row.levels,)).labels(0)
    if len(constraints) == 1:
        return [bin_text(constraints[0], row.levels, place) for place in range(len(row.levels) + 1)]
    return ["satisfied", *(f"up to {text}" for text in row.texts[1:]), f"more than {row.texts[-1]}"]


def _sum(tolerances: Tolerances, constraints: Sequence[Constraint]) -> Component:
    shape = [tolerances.shape[i] for i in tolerances.negotiable]
    product = f"{' × '.join(map(str, shape))} bins"
    if len(shape) > MOST_FACTORS and len(set(shape)) == 1:
        product = f"{shape[0]} bins for each of {len(shape)} constraints"
    cells = dmc.Text(f"{count(tolerances.cells)} cells", span=True, fw=650)
    hard = f"; {len(tolerances.hard)} hard" if tolerances.hard else ""
    return dmc.Text([cells, f" = {product}{hard}{_fewer(tolerances, constraints)}"], size="sm")


def _fewer(tolerances: Tolerances, constraints: Sequence[Constraint]) -> str:
    """A word about levels that are fewer than the paper's because there is no room for these."""
    default = default_levels(len(tolerances.names))
    limited = any(each.reference is not None for each in constraints)
    if limited or default == PAPER_LEVELS or set(tolerances.levels) != {default}:
        return ""
    return ". The paper's four levels would make more cells than a map has room for."


def _data(tolerances: Tolerances) -> dict[str, Any]:
    levels = [list(levels) for levels in tolerances.levels]
    return {"names": list(tolerances.names), "levels": levels, "hard": list(tolerances.hard)}


def with_hard(problem: Problem, tolerances: Tolerances, places: Places | None = None) -> Tolerances:
    """The tolerances that a form said, with what a problem counts as satisfied for those that are hard.

    The form has a row for each axis: those of the problem by itself, or those with these constraints.
    """
    places = grouping(problem).places if places is None else places
    plain = replace(tolerances, hard=(), places=places)
    plain.check_for(problem)
    return plain.with_hard(problem, tolerances.hard)
