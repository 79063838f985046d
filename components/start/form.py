"""The fields of a new run: what each asks, how its text is read, and what is wrong with it in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import dash_mantine_components as dmc
from dash.development.base_component import Component

from components.problems.chooser import preferred_dimension
from components.shared.format import count
from components.start import tolerances as tolerance_form
from mapelites.core.errors import InputError
from mapelites.core.grouping import grouping
from mapelites.core.settings import DEFAULT_SEARCH, RULES, SEARCHES, SLOW_SEARCH, Settings
from mapelites.core.tolerances import Tolerances, short
from mapelites.problems import get, names
from mapelites.runs import RunRequest
from mapelites.system.cores import usable_cores

DEFAULT_PROBLEM = "tin-can"
SECONDS_TO_WATCH = 10.0
SLOW_BUDGET = 5_000  # evaluations of a function without a kernel
MOST_DIMENSIONS = 30  # of the built-in problems
WATCH, FULL_SPEED = "watch", "full"
SEARCH_LABELS = {
    "directed": "Directed: operators that compete",
    "surrogate": "Surrogate: models, for slow functions",
    "paper-1": "Paper 1: mutation, σ = 0.1",
    "paper-2": "Paper 2: mutation, σ = 0.5",
    "paper-3": "Paper 3: σ = 0.1 and crossover",
}
RULE_LABELS = {
    "toroidal": "Toroidal: comes in at the other side",
    "saturate": "Saturate: stays at the bound",
    "bounce": "Bounce: is reflected at the bound",
}
YES_OR_NO = {"yes": True, "no": False}


@dataclass(frozen=True)
class FormField:
    """One field of the form: the setting it sets, its label, its help, and whether it is advanced.

    A slow one is for problems without a kernel, whose evaluations may take long.
    """

    name: str
    label: str
    help: str
    choices: Mapping[str, str] | None = None
    advanced: bool = False
    slow: bool = False

    @property
    def id(self) -> str:
        """The id of its input."""
        return f"start-{self.name}"


FIELDS = (
    FormField("dimension", "Dimension", "The number of variables"),
    FormField("search", "Search", "How new solutions are made",
              {name: SEARCH_LABELS.get(name, name) for name in SEARCHES}),
    FormField("evaluations", "Evaluations", "Solutions tried in all"),
    FormField("initial", "Initial samples", "Over the whole space first"),
    FormField("seed", "Seed", "Same seed, same map"),
    FormField("sigma", "Mutation step σ", "Standard deviation of a mutation", advanced=True),
    FormField("mutation_probability", "Mutation probability", "For each variable, from 0 to 1", advanced=True),
    FormField("crossover", "Crossover", "Mix two parents",
              {"": "As the search has it", "yes": "Yes", "no": "No"}, True),
    FormField("crossover_probability", "Crossover probability", "For each variable, from 0 to 1", advanced=True),
    FormField("distinct_parents", "Two different parents", "Never cross an elite with itself",
          {"": "As the search has it", "yes": "Yes", "no": "No"}, True),
    FormField("bounds", "At the bounds", "For a variable that leaves them",
          {rule: RULE_LABELS.get(rule, rule) for rule in RULES}, True),
    FormField("archive", "Cells of the search", "For many constraints, so many points may do better",
          {"grid": "The bins of the levels", "centroids": "The nearest of so many points"}, True),
    FormField("centroids", "Points", "Where the search's cells are points", advanced=True),
    FormField("workers", "Workers", "Processes that evaluate side by side", slow=True),
    FormField("time_limit", "Time limit", "Seconds for one evaluation, 0 for no limit", slow=True),
    FormField("retries", "Retries", "After a crash or the time limit", slow=True),
    FormField("batch", "Under way at one time", "Candidates; by the workers where it is empty", slow=True),
    FormField("start", "Your design", "Evaluated first: a number for each variable", slow=True),
)  # fmt: skip
SLOW = tuple(field.name for field in FIELDS if field.slow)
SETTINGS = tuple(field.name for field in FIELDS if field.name not in ("dimension", "search"))
LABELS = {field.name: field.label for field in FIELDS}
MOST_TOLD = 3  # wrong fields that a notice lists


def default_search(*, compiled: bool = True) -> str:
    """The search a new run has unless another is chosen: with models where the function has no kernel."""
    return DEFAULT_SEARCH if compiled else SLOW_SEARCH


def form_defaults(query: Mapping[str, str]) -> dict[str, str]:
    """The values the form opens with; a link from another page may name problem, dimension and search."""
    problem = query.get("problem", DEFAULT_PROBLEM)
    problem = problem if problem in names() else DEFAULT_PROBLEM
    dimension = query.get("dimension", str(preferred_dimension(problem)))
    try:
        found = get(problem, number_or_text(dimension))
    except InputError:
        dimension = str(preferred_dimension(problem))
        found = get(problem, int(dimension))
    search = query.get("search", "")
    search = search if search in SEARCHES else default_search(compiled=found.compiled)
    settings = usual_settings(search, found.dimension, found.compiled)
    return {
        "problem": problem,
        "dimension": dimension,
        "search": search,
        "evaluations": count(settings.evaluations),
        "initial": count(settings.initial),
        "seed": str(settings.seed),
        "bounds": settings.bounds,
        "archive": settings.archive,
        "workers": str(usable_cores()),
        "time_limit": short(settings.time_limit),
        "retries": str(settings.retries),
        "batch": "",
        "start": "",
        "crossover": "",
        "distinct_parents": "",
    }


def field_control(field: FormField, value: str, *, fixed: bool = False) -> Component:
    """The labelled input of a field."""
    common = {"id": field.id, "label": field.label, "description": field.help, "value": value, "readOnly": fixed}
    if field.choices is None:
        hint = "as the search has it" if field.advanced else None
        return dmc.TextInput(**common, placeholder=hint, autoComplete="off", inputProps={"inputMode": "decimal"})
    data = [{"value": key, "label": label} for key, label in field.choices.items()]
    return dmc.Select(**common, data=data, allowDeselect=False, comboboxProps={"shadow": "md"})


def number_or_text(text: Any) -> Any:
    """The number in a field's text (`200,000`, `2e5`), None where it is empty, the text where it is none."""
    if not isinstance(text, str):
        return text
    plain = text.strip().replace(",", "").replace(" ", "")
    if not plain:
        return None
    try:
        return int(plain)
    except ValueError:
        try:
            return float(plain)
        except ValueError:
            return text


def usual_settings(search: str, dimension: int, compiled: bool) -> Settings:
    """The settings of a search; a function without a kernel gets a budget that it may live to see spent."""
    return Settings.of(search, dimension, evaluations=None if compiled or search == SLOW_SEARCH else SLOW_BUDGET)


def dependent_settings(search: Any, dimension: int, now: Mapping[str, Any], compiled: bool = True) -> dict[str, str]:
    """The budget and the initial samples that go with another search or dimension; what somebody typed stays.

    >>> dependent_settings("paper-3", 30, {"evaluations": "200,000", "initial": "77"})
    {'evaluations': '600,000'}
    """
    try:
        wanted = usual_settings(search, dimension, compiled)
    except (InputError, TypeError):
        return {}
    known = [usual_settings(each, n, True) for each in SEARCHES for n in range(1, MOST_DIMENSIONS + 1)]
    known += [usual_settings(each, dimension, False) for each in SEARCHES]
    changed = {}
    for name in ("evaluations", "initial"):
        value = count(getattr(wanted, name))
        if now.get(name) in [count(getattr(each, name)) for each in known] and now.get(name) != value:
            changed[name] = value
    return changed


def read_form(values: Mapping[str, Any], levels: Any, pace: Any) -> tuple[RunRequest | None, dict[str, str]]:
    """The run a form asks for, or None; and what is wrong with each field that is, in words."""
    errors: dict[str, str] = {}
    problem = _problem(values, errors)
    ignored = SLOW if problem is not None and problem.compiled else ()
    given = {name: value for name, value in values.items() if name not in ignored}
    settings = _settings(given, problem.dimension if problem else 10, problem is None or problem.compiled, errors)
    _check_start(settings, problem, errors)
    tolerances = _tolerances(levels, errors)
    if problem is None or settings is None or tolerances is None or errors:
        return None, errors
    if tolerances.names != grouping(problem).names:
        errors["tolerances"] = f"The levels were for {', '.join(tolerances.names)}, not for {problem.title}"
        return None, errors
    tolerances = tolerance_form.with_hard(problem, tolerances)
    watch = SECONDS_TO_WATCH if pace == WATCH else None
    request = RunRequest.of(problem, tolerances, settings, watch=watch)
    return replace(request, unseen=watch is not None), errors


def _problem(values: Mapping[str, Any], errors: dict[str, str]) -> Any:
    name, dimension = values.get("problem"), number_or_text(values.get("dimension"))
    if name not in names():
        errors["problem"] = "Choose a problem from the list"
        return None
    try:
        if isinstance(dimension, bool) or not isinstance(dimension, int):
            raise InputError(f"the dimension must be a whole number, but it was {values.get('dimension')!r}")
        return get(name, dimension)
    except InputError as error:
        errors["dimension"] = _words(error)
        return None


def _settings(values: Mapping[str, Any], dimension: int, compiled: bool, errors: dict[str, str]) -> Settings | None:
    search = values.get("search")
    given = {name: _setting(name, values.get(name)) for name in SETTINGS}
    try:
        Settings.of(search, dimension)  # type: ignore[arg-type]
    except (InputError, TypeError):
        errors["search"] = "Choose a search from the list"
        return None
    if given["initial"] == usual_settings(str(search), dimension, compiled).initial:
        given["initial"] = None  # nobody chose it, so it goes along with the budget
    wrong: dict[str, str] = {}
    for name, value in given.items():
        # `initial` is checked against `evaluations`, so it is looked at together with it where that is right.
        with_it = {"evaluations": given["evaluations"]} if name == "initial" and "evaluations" not in wrong else {}
        try:
            Settings.of(str(search), dimension, **{**with_it, name: value})
        except InputError as error:
            wrong[name] = _words(error, name)
    errors.update(wrong)
    return None if wrong else Settings.of(str(search), dimension, **given)


def _check_start(settings: Settings | None, problem: Any, errors: dict[str, str]) -> None:
    """Whether the design to begin with is one of the problem."""
    if settings is None or problem is None or not settings.start:
        return
    [design] = settings.start
    if len(design) != problem.dimension:
        wanted = f"{problem.dimension} numbers are needed, for {', '.join(problem.variables)}"
        errors["start"] = f"{LABELS['start']}: {wanted}, but there were {len(design)}"
        return
    for name, low, value, high in zip(problem.variables, problem.lower, design, problem.upper, strict=True):
        if not low <= value <= high:
            errors["start"] = f"{LABELS['start']}: {name} must be from {low:g} to {high:g}, but it was {value:g}"
            return


def _setting(name: str, value: Any) -> Any:
    if name == "start":
        words = value.replace(",", " ").split() if isinstance(value, str) else None
        return value if words is None else ((tuple(map(number_or_text, words)),) if words else None)
    if name in ("crossover", "distinct_parents"):
        return YES_OR_NO.get(value, value or None) if isinstance(value, str) else value
    if name in ("bounds", "archive"):
        return value or None
    return number_or_text(value)


def _tolerances(levels: Any, errors: dict[str, str]) -> Tolerances | None:
    try:
        return tolerance_form.read_tolerances(levels)
    except InputError as error:
        errors["tolerances"] = _words(error)
        return None


def in_order(errors: Mapping[str, str]) -> list[str]:
    """The wrong fields as they come on the page: the problem, the levels, the search."""
    page = ["problem", "dimension", "tolerances", *LABELS]
    return sorted(errors, key=page.index)


def errors_in_words(errors: Mapping[str, str]) -> list[str]:
    """What is wrong, a sentence for each of the first fields and the number of the others."""
    names = in_order(errors)
    more = len(names) - MOST_TOLD
    return [f"{errors[name]}." for name in names[:MOST_TOLD]] + ([f"And {more} more."] if more > 0 else [])


def _words(error: InputError, name: str = "") -> str:
    """An error as a sentence begins, with the field's label for the setting's name."""
    text = str(error)
    text = f"{LABELS[name]}{text.removeprefix(name)}" if name and text.startswith(f"{name} ") else text
    return text[:1].upper() + text[1:]
