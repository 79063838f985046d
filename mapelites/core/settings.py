"""How a run searches: every number of the method, checked, with the paper's values as defaults."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from mapelites.core.emitters import emitter_names
from mapelites.core.errors import InputError, unknown

SEARCHES: dict[str, dict[str, Any]] = {
    "paper-1": {"sigma": 0.1, "crossover": False},
    "paper-2": {"sigma": 0.5, "crossover": False},
    "paper-3": {"sigma": 0.1, "crossover": True},
    "directed": {"sigma": 0.1, "crossover": True, "initial": 200},
    "surrogate": {"sigma": 0.1, "crossover": True, "initial": 200},
}
DEFAULT_SEARCH = "directed"
SLOW_SEARCH = "surrogate"  # for functions that are not compiled and are to be called this often at most
SLOW_EVALUATIONS = 3_000
SURROGATE_EVALUATIONS = 500  # where nobody chose
RULES = ("toroidal", "saturate", "bounce")  # what happens to a variable that leaves its bounds
ARCHIVES = ("grid", "centroids")
MOST_CENTROIDS = 5_000
MOST_WORKERS = 256
MOST_SECONDS = 7 * 86_400.0
MOST_RETRIES = 10
MOST_QUESTIONS = 200
MOST_DESIGNS = 200
MOST_BATCH = 4_096
LONGEST_ADDRESS = 200
MOST_EVALUATIONS = 10**12
LARGEST_SEED = 2**63 - 1
LARGEST_REAL = sys.float_info.max  # a whole number may be larger


@dataclass(frozen=True)
class Settings:
    """One search: which method, how long, from which seed, and the numbers of its operators.

    >>> Settings.of("paper-3", dimension=10).evaluations
    200000
    """

    search: str = "paper-3"
    evaluations: int = 200_000  # I of Algorithm 1
    initial: int = 2_000  # G of Algorithm 1
    seed: int = 1
    sigma: float = 0.1
    mutation_probability: float = 0.5
    crossover: bool = True
    crossover_probability: float = 0.5
    distinct_parents: bool = True
    bounds: str = "toroidal"
    emitters: tuple[str, ...] = field(default_factory=emitter_names)  # of the directed search
    archive: str = "grid"  # cells by the levels, or so many centroids
    centroids: int = 1_000
    workers: int = 0  # processes that evaluate a function without a kernel; 0 for the search's own
    time_limit: float = 0.0  # seconds for one evaluation by a worker; 0 for as long as it takes
    retries: int = 1  # of an evaluation that took too long or whose process died
    scheduler: str = ""  # the address of a Dask cluster whose workers evaluate; none for processes on this machine
    questions: tuple[tuple[float, ...], ...] = ()  # that matter most: tolerances, one for each constraint
    start: tuple[tuple[float, ...], ...] = ()  # designs that are evaluated first
    batch: int = 0  # candidates on their way at one time; 0 for twice the workers

    @classmethod
    def of(cls, search: str, dimension: int, **changes: Any) -> Settings:
        """The settings of a named search, with the paper's budget for the dimension, and changes."""
        if search not in SEARCHES:
            raise unknown("search", search, SEARCHES)
        budget = 200_000 if dimension <= 10 else 20_000 * dimension
        if search == SLOW_SEARCH:
            budget = SURROGATE_EVALUATIONS
        settings = cls(search=search, evaluations=budget, **SEARCHES[search])
        known = {each.name for each in fields(cls)}
        for name in changes:
            if name not in known:
                raise unknown("a setting", name, sorted(known))
        given = {name: value for name, value in changes.items() if value is not None}
        if "initial" not in given:
            evaluations = _whole("evaluations", given.get("evaluations", budget))
            filling = space_filling(dimension, evaluations)
            most = {SLOW_SEARCH: filling, DEFAULT_SEARCH: max(filling, evaluations // 4)}.get(search, evaluations)
            given["initial"] = min(settings.initial, most, evaluations)
        return replace(settings, **given)

    def __post_init__(self) -> None:
        if self.search not in SEARCHES:
            raise unknown("search", self.search, SEARCHES)
        self._check_whole("evaluations", 1, MOST_EVALUATIONS)
        self._check_whole("initial", 1, self.evaluations)
        self._check_whole("seed", 0, LARGEST_SEED)
        self._check_real("sigma", 0.0, 1e6, open_below=True)
        self._check_real("mutation_probability", 0.0, 1.0)
        self._check_real("crossover_probability", 0.0, 1.0)
        for name in ("crossover", "distinct_parents"):
            if not isinstance(getattr(self, name), bool):
                raise InputError(f"{name} must be true or false, but it was {getattr(self, name)!r}")
        if self.bounds not in RULES:
            raise unknown("bounds", self.bounds, RULES)
        if self.archive not in ARCHIVES:
            raise unknown("archive", self.archive, ARCHIVES)
        self._check_whole("centroids", 1, MOST_CENTROIDS)
        self._check_whole("workers", 0, MOST_WORKERS)
        self._check_real("time_limit", 0.0, MOST_SECONDS)
        self._check_whole("retries", 0, MOST_RETRIES)
        self._check_whole("batch", 0, MOST_BATCH)
        if not isinstance(self.scheduler, str) or len(self.scheduler) > LONGEST_ADDRESS:
            raise InputError(f"scheduler must be the address of a Dask scheduler, but it was {self.scheduler!r}")
        self._check_emitters()
        object.__setattr__(self, "questions", _questions(self.questions))
        object.__setattr__(self, "start", _designs(self.start))

    @property
    def on_the_way(self) -> int:
        """How many candidates may be made before the first of them is answered."""
        return self.batch or 2 * max(self.workers, 1)

    def _check_emitters(self) -> None:
        if isinstance(self.emitters, str) or not self.emitters:
            raise InputError(f"emitters must be a list of at least one name, but it was {self.emitters!r}")
        known = emitter_names()
        for name in self.emitters:
            if name not in known:
                raise unknown("an emitter", name, known)
        object.__setattr__(self, "emitters", tuple(name for name in known if name in self.emitters))

    def _check_whole(self, name: str, least: int, most: int) -> None:
        value = _whole(name, getattr(self, name))
        if not least <= value <= most:
            raise InputError(f"{name} must be from {least:,} to {most:,}, but it was {value:,}")
        object.__setattr__(self, name, value)

    def _check_real(self, name: str, least: float, most: float, *, open_below: bool = False) -> None:
        value = getattr(self, name)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) <= LARGEST_REAL:
            raise InputError(f"{name} must be a number, but it was {value!r}")
        if not least <= value <= most or (open_below and value == least):
            span = f"above {least:g} and at most" if open_below else f"from {least:g} to"
            raise InputError(f"{name} must be {span} {most:,.10g}, but it was {value:g}")
        object.__setattr__(self, name, float(value))

    def as_dict(self) -> dict[str, Any]:
        """The settings as plain values for a file."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Settings:
        """Settings from plain values; an unknown name is an error."""
        known = {each.name for each in fields(cls)}
        for name in values:
            if name not in known:
                raise unknown("a setting", name, sorted(known))
        return cls(**values)


def space_filling(dimension: int, evaluations: int) -> int:
    """How many points a search with models begins with.

    >>> space_filling(4, 200), space_filling(10, 60), space_filling(30, 20)
    (10, 15, 20)
    """
    return max(1, min(2 * dimension + 2, max(dimension + 2, evaluations // 4), evaluations))


def usual_search(*, compiled: bool, evaluations: int | None) -> str:
    """The search for a problem where nobody chose one: with models for few evaluations of a plain function."""
    few = evaluations is not None and evaluations <= SLOW_EVALUATIONS
    return SLOW_SEARCH if few and not compiled else DEFAULT_SEARCH


def _questions(given: Any) -> tuple[tuple[float, ...], ...]:
    try:
        rows = tuple(tuple(float(each) for each in row) for row in given)
    except (TypeError, ValueError):
        raise InputError(f"questions must be lists of tolerances, but they were {given!r:.80}") from None
    if len(rows) > MOST_QUESTIONS:
        raise InputError(f"questions: at most {MOST_QUESTIONS} can matter most, but there were {len(rows)}")
    if not all(0.0 <= each <= LARGEST_REAL for row in rows for each in row) or len({len(row) for row in rows}) > 1:
        raise InputError(
            "questions: each must have a finite tolerance from 0 on for each constraint, but one had "
            f"{next(row for row in rows if len(row) != len(rows[0]) or not all(0 <= t <= LARGEST_REAL for t in row))}"
        )
    return rows


def _designs(given: Any) -> tuple[tuple[float, ...], ...]:
    try:
        rows = tuple(tuple(float(each) for each in row) for row in given)
    except (TypeError, ValueError):
        raise InputError(f"start must be lists of values, one for each variable, but it was {given!r:.80}") from None
    if len(rows) > MOST_DESIGNS:
        raise InputError(f"start: there can be at most {MOST_DESIGNS} designs, but there were {len(rows)}")
    if len({len(row) for row in rows}) > 1 or not all(abs(each) <= LARGEST_REAL for row in rows for each in row):
        raise InputError(f"start: each design must have a number for each variable, but they were {rows!r:.80}")
    return rows


def _whole(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value // 1:
        raise InputError(f"{name} must be a whole number, but it was {value!r}")
    return int(value)
