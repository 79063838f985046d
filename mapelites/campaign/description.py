"""What a campaign runs: problems, dimensions, searches, and the seed from which every run's seed derives."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np

from mapelites.errors import InputError
from mapelites.problem import Problem
from mapelites.problems import get
from mapelites.search.settings import LARGEST_SEED, Settings
from mapelites.tolerances import Tolerances, check_levels, default_levels

MOST_RUNS = 1_000
MOST_TASKS = 100_000
ALL_CONSTRAINTS = ""  # the name under which levels for every constraint stand


@dataclass(frozen=True, order=True)
class Instance:
    """One row of a table: a problem in so many dimensions, and the search applied to it."""

    problem: str
    dimension: int
    search: str

    def __str__(self) -> str:
        return f"{self.problem} {self.dimension}D {self.search}"


@dataclass(frozen=True)
class Task:
    """One run of a campaign, complete: whoever has it can do it, anywhere, with the same result."""

    instance: Instance
    index: int  # 1 to the campaign's number of runs
    tolerances: Tolerances
    settings: Settings

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
        words.append(f"--seed {self.settings.seed}")
        for name in ("evaluations", "initial", "sigma", "bounds"):
            value = getattr(self.settings, name)
            if value != getattr(plain, name):
                words.append(f"--{name} {value!r}" if not isinstance(value, str) else f"--{name} {value}")
        for name, levels in zip(self.tolerances.names, self.tolerances.levels, strict=True):
            if levels != default_levels(len(self.tolerances.names)):
                words.append(f"--levels {name}={','.join(repr(level) for level in levels)}")
        return " ".join(words)


@dataclass(frozen=True)
class Campaign:
    """Every problem in every dimension with every search, so many times each.

    `levels` holds tolerance levels by constraint; those under the empty name are for every constraint that
    is not named. `changes` are settings other than those of the named searches, the budget among them.

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

    def __post_init__(self) -> None:
        for name in ("problems", "dimensions", "searches"):
            object.__setattr__(self, name, _distinct(name, getattr(self, name)))
        _check_whole("runs", self.runs, 1, MOST_RUNS)
        _check_whole("seed", self.seed, 0, LARGEST_SEED)
        levels = {name: check_levels(name or "levels", each) for name, each in sorted(self.levels.items())}
        object.__setattr__(self, "levels", levels)
        changes = {name: value for name, value in sorted(self.changes.items()) if value is not None}
        object.__setattr__(self, "changes", changes)
        if self.count > MOST_TASKS:
            raise InputError(f"a campaign holds at most {MOST_TASKS:,} runs, but this one would have {self.count:,}")
        self._check_names()

    def _check_names(self) -> None:
        """Every problem, dimension, search, level and setting is known; errors come from those who know them."""
        known: set[str] = set()
        for problem in self._problems.values():
            known |= {constraint.name for constraint in problem.constraints}
            self._tolerances(problem)
        for name in self.levels:
            if name not in known | {ALL_CONSTRAINTS}:
                raise InputError(f"levels: no problem of this campaign has a constraint {name!r}")
        for dimension in self.dimensions:
            for search in self.searches:
                Settings.of(search, dimension, **self.changes)

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
            *(f"--levels {name}{'=' if name else ''}{','.join(map(repr, v))}" for name, v in self.levels.items()),
        ]
        return " ".join(words)

    @property
    def instances(self) -> list[Instance]:
        """The rows of its tables: by dimension, then search, then problem."""
        return [Instance(p, d, s) for d in self.dimensions for s in self.searches for p in self.problems]

    @property
    def evaluations(self) -> int:
        """How many evaluations all runs together make: a search has one budget for all problems of a dimension."""
        budgets = [Settings.of(s, d, **self.changes).evaluations for d in self.dimensions for s in self.searches]
        return sum(budgets) * len(self.problems) * self.runs

    @property
    def count(self) -> int:
        """How many runs it has."""
        return len(self.problems) * len(self.dimensions) * len(self.searches) * self.runs

    @cached_property
    def tasks(self) -> tuple[Task, ...]:
        """All runs: the first of every instance, then the second, so that every row of the table grows evenly."""
        return tuple(self.task(instance, index) for index in range(1, self.runs + 1) for instance in self.instances)

    def task(self, instance: Instance, index: int) -> Task:
        """One run."""
        problem = self._problems[instance.problem, instance.dimension]
        settings = Settings.of(
            instance.search, instance.dimension, **{**self.changes, "seed": seed_of(self.seed, instance, index)}
        )
        return Task(instance, index, self._tolerances(problem), settings)

    def _tolerances(self, problem: Problem) -> Tolerances:
        default = self.levels.get(ALL_CONSTRAINTS, default_levels(len(problem.constraints)))
        return Tolerances.of(problem, {c.name: self.levels.get(c.name, default) for c in problem.constraints})

    @cached_property
    def _problems(self) -> dict[tuple[str, int], Problem]:
        return {(name, n): get(name, n) for name in self.problems for n in self.dimensions}

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
        }
        return json.dumps(table, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Campaign:
        """The campaign that `to_json` described; an `InputError` where the text is something else."""
        try:
            return cls(**json.loads(text))
        except InputError:
            raise
        except (ValueError, TypeError, AttributeError) as error:
            raise InputError(f"a campaign's description must be a JSON table of its parts, but {error}") from None


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
