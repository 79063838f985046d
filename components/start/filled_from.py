"""What the form opens with: everything of a run that somebody wants to vary, or the levels used last for a problem."""

from __future__ import annotations

from dataclasses import fields, replace

from components.shared.format import count
from components.start.chips import texts_of
from components.start.form import SETTINGS, form_defaults
from mapelites.core.errors import InputError
from mapelites.core.levels import read_level
from mapelites.core.problem import Problem
from mapelites.core.settings import LARGEST_SEED, Settings
from mapelites.core.tolerances import FINER, Tolerances, short
from mapelites.problems import get, names
from mapelites.runs import Run, Store

QUERY = "from"  # of the address of the start page: the id of the run to fill the form from
MOST_LOOKED_AT = 500  # runs, for the levels used last
COUNTED = ("evaluations", "initial")


def filled_form_address(run_id: str) -> str:
    """Where the form opens filled from this run."""
    return f"/?{QUERY}={run_id}"


def run_named(store: Store, run_id: str | None) -> Run | None:
    """The run that an address names, if it is there and its problem still is."""
    if not run_id:
        return None
    try:
        run = store.run(run_id)
        get(run.request.problem, run.request.dimension)
    except InputError:
        return None
    return run


def values_of(run: Run) -> dict[str, str]:
    """The fields as the run had them, with the next seed."""
    request, settings = run.request, run.request.settings
    values = form_defaults({"problem": request.problem, "dimension": str(request.dimension), "search": settings.search})
    plain = Settings.of(settings.search, request.dimension)
    for each in fields(Settings):
        if each.name in SETTINGS:
            value, usual = getattr(settings, each.name), getattr(plain, each.name)
            if value != usual or each.name in values:
                values[each.name] = _text(each.name, value, usual)
    values["seed"] = str(min(settings.seed + 1, LARGEST_SEED))
    return values


def tolerances_of(run: Run, problem: Problem) -> Tolerances | None:
    """The levels of a run, where its problem still has the same constraints."""
    try:
        run.request.tolerances.check_for(problem)
    except InputError:
        return None
    return run.request.tolerances


def remembered_levels(store: Store, problem: Problem) -> Tolerances | None:
    """The levels of the newest run of a problem; None where it has none.

    Runs of version 0.1 do not count: their levels are those that it had for everything.
    """
    if problem.name not in names():
        return None
    for run in store.runs()[:MOST_LOOKED_AT]:
        if run.request.problem == problem.name and run.request.spec.grid == FINER:
            found = tolerances_of(run, problem)
            if found is not None:
                return _with_new_limits(found, run.request.get_problem(), problem)
    return None


def _with_new_limits(levels: Tolerances, before: Problem, now: Problem) -> Tolerances:
    """The same levels, but the same per cent of a limit or size that has changed since: 5 % typed stays 5 %."""
    pairs = zip(levels.axes(before), levels.axes(now), levels.levels, strict=True)
    kept = [
        own
        if old.reference == new.reference or None in (old.reference, new.reference)
        else tuple(sorted({read_level(new, text) for text in texts_of(old, own)}))
        for old, new, own in pairs
    ]
    return replace(levels, levels=tuple(kept))


def _text(name: str, value: object, usual: object) -> str:
    if isinstance(value, bool):
        return "" if value == usual else "yes" if value else "no"
    if name in COUNTED:
        return count(int(str(value)))
    return short(value) if isinstance(value, float) else str(value)
