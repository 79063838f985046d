"""What a campaign runs: problems, dimensions, searches, and the seed from which every run's seed derives."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np

from mapelites.core.errors import InputError, unknown
from mapelites.core.problem import BY_NAME, Problem, ProblemSource
from mapelites.core.settings import LARGEST_SEED, Settings
from mapelites.core.tolerances import Tolerances, check_levels
from mapelites.problems import dimensions, find_problem, get
from mapelites.problems.formulas import problem_of
from mapelites.problems.suites import suite_of
from mapelites.snapshot.spec import RunSpec
from mapelites.system.files import json_of

MOST_RUNS = 1_000
MOST_TASKS = 100_000
NUMBER_ALONE = re.compile(
    r"[\s\d.eE+-]*|(?:(?!nan|inf).)*(nan|inf).*", re.IGNORECASE
)  # a level that has no unit and is no per cent
BUDGETS = ("", "competition")
OWN = 0  # the table of problems that have one number of variables, each its own
ALL_CONSTRAINTS = ""  # the name under which levels for every constraint stand


@dataclass(frozen=True, order=True)
class Instance:
    """One row of a table: a problem in so many dimensions, and the search applied to it."""

    problem: str
    dimension: int
    search: str

    def __str__(self) -> str:
        return f"{self.problem} {self.dimension}D {self.search}"

    @property
    def table(self) -> int:
        """The number of variables that its table is for, or OWN where each problem of the table has its own."""
        return OWN if suite_of(self.problem) is None or own_dimension(self.problem) else self.dimension


@dataclass(frozen=True)
class CampaignTask:
    """One run of a campaign, complete: whoever has it can do it, anywhere, with the same result."""

    spec: RunSpec
    index: int  # 1 to the campaign's number of runs

    @cached_property
    def instance(self) -> Instance:
        """The row of the table that it counts in."""
        return Instance(self.spec.problem, self.spec.dimension, self.spec.settings.search)

    @property
    def name(self) -> str:
        """What the run is called inside the campaign, and the name of its file."""
        place = self.instance
        return f"{place.problem}-{place.dimension}d-{place.search}-{self.index:02}"

    @property
    def command(self) -> str:
        """The command that repeats this run alone."""
        place, plain = self.instance, Settings.of(self.instance.search, self.instance.dimension)
        words = [f"python -m mapelites run {place.problem} --dim {place.dimension} --search {place.search}"]
        words.append(f"--seed {self.spec.settings.seed}")
        for name in ("evaluations", "initial", "sigma", "bounds"):
            value = getattr(self.spec.settings, name)
            if value != getattr(plain, name):
                words.append(f"--{name} {value!r}" if not isinstance(value, str) else f"--{name} {value}")
        tolerances, default = self.spec.tolerances, Tolerances.default(self.spec.get_problem())
        for name, levels, usual in zip(tolerances.names, tolerances.levels, default.levels, strict=True):
            if levels != usual and name not in tolerances.hard:
                words.append(f"--levels {name}={','.join(repr(level) for level in levels)}")
        words += [f"--hard {','.join(tolerances.hard)}"] if tolerances.hard else []
        return " ".join(words)


@dataclass(frozen=True)
class Campaign:
    """Every problem in every dimension with every search, so many times each.

    `levels` holds tolerance levels by constraint, in its unit or in per cent of its limit; those under the empty name
    are for every constraint that is not named. `hard` names constraints that are never relaxed. `changes` are settings
    other than those of the named searches, the budget among them. With the `budget` "competition" every run has what
    the competition of its problem gives. A problem that has one number of variables is run with that, whatever the
    `dimensions` are, and stands in a table of its own kind. `sources` holds the texts of typed problems, so that the
    campaign stays the same when these change.

    >>> Campaign(("C01",), (10,), ("paper-1",), runs=2, changes={"evaluations": 5_000}).evaluations
    10000
    """

    problems: tuple[str, ...]
    dimensions: tuple[int, ...]
    searches: tuple[str, ...]
    runs: int = 25
    seed: int = 1
    levels: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    changes: Mapping[str, Any] = field(default_factory=dict)
    hard: Sequence[str] = ()
    budget: str = ""
    sources: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("problems", "dimensions", "searches"):
            object.__setattr__(self, name, _distinct(name, getattr(self, name)))
        object.__setattr__(self, "sources", self._typed())
        _check_whole("runs", self.runs, 1, MOST_RUNS)
        _check_whole("seed", self.seed, 0, LARGEST_SEED)
        levels = {name: _levels(name or "levels", each) for name, each in sorted(self.levels.items())}
        object.__setattr__(self, "levels", levels)
        object.__setattr__(self, "hard", tuple(sorted(set(self.hard))))
        changes = {name: value for name, value in sorted(self.changes.items()) if value is not None}
        object.__setattr__(self, "changes", changes)
        if self.count > MOST_TASKS:
            raise InputError(f"a campaign holds at most {MOST_TASKS:,} runs, but this one would have {self.count:,}")
        if self.budget not in BUDGETS:
            raise unknown("budget", self.budget, BUDGETS[1:])
        self._check_names()

    def _check_names(self) -> None:
        """Every problem, dimension, search, level and setting is known; errors come from those who know them."""
        known: set[str] = set()
        for problem in self._problems.values():
            known |= {constraint.name for constraint in problem.constraints}
            self._tolerances(problem)
        for name in (*self.levels, *self.hard):
            if name not in known | {ALL_CONSTRAINTS}:
                raise InputError(f"levels: no problem of this campaign has a constraint {name!r}")
        for instance in self.instances:
            self._settings(instance)

    def _typed(self) -> dict[str, Any]:
        """The texts of the problems that no suite has, those of now where none is given."""
        typed = [name for name in self.problems if suite_of(name) is None]
        found = {name: self.sources.get(name) or get(name).source.as_value() for name in sorted(typed)}
        for name, value in found.items():
            if ProblemSource.from_value(value).kind != "formulas":
                raise InputError(
                    f"problems: a campaign takes those of suites and typed ones, but {name} is a function in a file"
                )
        return found

    def own_dimension(self, problem: str) -> int:
        """The number of variables of a problem that has only one, else 0."""
        if problem in self.sources:
            return problem_of(ProblemSource.from_value(self.sources[problem]).text).dimension
        return own_dimension(problem)

    @property
    def id(self) -> str:
        """A short name that belongs to exactly this description."""
        return "c" + sha256(self.to_json().encode()).hexdigest()[:10]

    @property
    def command(self) -> str:
        """The command that runs it."""
        words = [
            f"python -m mapelites campaign --problems {','.join(self.problems)}",
            f"--dims {','.join(map(str, self.dimensions))} --searches {','.join(self.searches)}",
            f"--runs {self.runs} --seed {self.seed}",
            *(f"--{name} {value}" for name, value in self.changes.items()),
            *(f"--levels {name}{'=' if name else ''}{','.join(map(str, v))}" for name, v in self.levels.items()),
            *([f"--hard {','.join(self.hard)}"] if self.hard else []),
            *([f"--budget {self.budget}"] if self.budget else []),
        ]
        return " ".join(words)

    @property
    def instances(self) -> list[Instance]:
        """The rows of its tables: by dimension, then search, then problem."""
        every = [(table, search) for table in self.tables for search in self.searches]
        rows = (self.instance_of(problem, *place) for place in every for problem in self.problems)
        return [row for row in rows if row is not None]

    @cached_property
    def tables(self) -> tuple[int, ...]:
        """The numbers of variables that have tables; OWN for all problems that have only one number of them."""
        several = any(not self.own_dimension(problem) for problem in self.problems)
        own = any(self.own_dimension(problem) for problem in self.problems)
        return (*(self.dimensions if several else ()), *((OWN,) if own else ()))

    def instance_of(self, problem: str, table: int, search: str) -> Instance | None:
        """The row of a problem in a table, or None where it is in another one."""
        own = self.own_dimension(problem)
        if bool(own) != (table == OWN):
            return None
        return Instance(problem, own or table, search)

    @property
    def evaluations(self) -> int:
        """How many evaluations all runs together make."""
        return sum(self._settings(each).evaluations for each in self.instances) * self.runs

    @property
    def count(self) -> int:
        """How many runs it has."""
        return len(self.instances) * self.runs

    @cached_property
    def tasks(self) -> tuple[CampaignTask, ...]:
        """All runs: the first of every instance, then the second, so that every row of the table grows evenly."""
        return tuple(self.task(instance, index) for index in range(1, self.runs + 1) for instance in self.instances)

    def task(self, instance: Instance, index: int) -> CampaignTask:
        """One run."""
        problem = self._problems[instance.problem, instance.dimension]
        settings = self._settings(instance, seed=seed_of(self.seed, instance, index))
        return CampaignTask(RunSpec.of(problem, self._tolerances(problem), settings), index)

    def _settings(self, instance: Instance, **others: int) -> Settings:
        changes = {**self.changes, **others}
        suite = suite_of(instance.problem)
        if self.budget and suite is not None and suite.budget is not None:
            changes["evaluations"] = suite.budget(instance.problem, instance.dimension)
        return Settings.of(instance.search, instance.dimension, **changes)

    def _tolerances(self, problem: Problem) -> Tolerances:
        names = [constraint.name for constraint in problem.constraints]
        everywhere = dict.fromkeys(names, self.levels[ALL_CONSTRAINTS]) if ALL_CONSTRAINTS in self.levels else {}
        own = {name: levels for name, levels in self.levels.items() if name in names}
        return Tolerances.of(problem, {**everywhere, **own}, [name for name in self.hard if name in names])

    @cached_property
    def _problems(self) -> dict[tuple[str, int], Problem]:
        places = {(each.problem, each.dimension) for each in self.instances}
        found = {name: ProblemSource.from_value(value) for name, value in self.sources.items()}
        return {(name, n): find_problem(name, n, found.get(name, BY_NAME)) for name, n in sorted(places)}

    def problem(self, name: str, dimension: int) -> Problem:
        """One of its problems, as it was when the campaign was described."""
        return self._problems[name, dimension]

    def to_json(self) -> str:
        """The description as a JSON table, the same text for the same campaign."""
        table = {
            "problems": list(self.problems),
            "dimensions": list(self.dimensions),
            "searches": list(self.searches),
            "runs": self.runs,
            "seed": self.seed,
            "levels": {name: list(levels) for name, levels in self.levels.items()},
            "changes": dict(self.changes),
            **({"hard": list(self.hard)} if self.hard else {}),
            **({"budget": self.budget} if self.budget else {}),
            **({"sources": dict(self.sources)} if self.sources else {}),
        }
        return json.dumps(table, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Campaign:
        """The campaign that `to_json` described; an `InputError` where the text is something else."""
        try:
            return cls(**json_of(text))
        except InputError:
            raise
        except (ValueError, TypeError, AttributeError) as error:
            raise InputError(f"a campaign's description must be a JSON table of its parts, but {error}") from None


def own_dimension(problem: str) -> int:
    """The number of variables of a problem that has only one, else 0."""
    possible = dimensions(problem)
    return possible[0] if len(possible) == 1 else 0


def table_words(table: int) -> str:
    """What a table is called."""
    return f"{table}D" if table != OWN else "own dimensions"


def _levels(name: str, levels: Sequence[Any]) -> tuple[Any, ...]:
    """Levels that are numbers, checked; those in per cent or in a unit wait for the limit of each problem."""
    try:
        return check_levels(name, levels)
    except InputError:
        if any(isinstance(each, str) and not NUMBER_ALONE.fullmatch(each) for each in levels):
            return tuple(each if isinstance(each, str) else float(each) for each in levels)
        raise


def seed_of(campaign_seed: int, instance: Instance, index: int) -> int:
    """The seed of one run: it depends on nothing but the campaign's seed and the run's own place.

    53 bits, so that it survives every program that keeps numbers as floating point.
    """
    names = (int.from_bytes(sha256(name.encode()).digest()[:8], "big") for name in (instance.problem, instance.search))
    sequence = np.random.SeedSequence([campaign_seed, *names, instance.dimension, index])
    return int(sequence.generate_state(1, np.uint64)[0] >> np.uint64(11))


def _distinct(name: str, values: Iterable[Any]) -> tuple[Any, ...]:
    given = tuple(dict.fromkeys(values))
    if not given:
        raise InputError(f"{name}: a campaign needs at least one, but there was none")
    if name == "dimensions":
        for value in given:
            _check_whole("a dimension", value, 1, 10**6)
    return given


def _check_whole(name: str, value: Any, least: int, most: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise InputError(f"{name} must be a whole number from {least:,} to {most:,}, but it was {value!r}")
