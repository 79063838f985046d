"""Why nothing is feasible: the smallest sets of limits that conflict, and the least that makes room."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from mapelites.core.levels import short
from mapelites.core.problem import Array, Problem
from mapelites.core.question import Question, question_vector
from mapelites.proof.process import GaveUpError
from mapelites.proof.proof import CONTRADICTED
from mapelites.proof.prover import Prover
from mapelites.proof.region import Aim, Effort, Region
from mapelites.proof.solved import Solved

MOST_SETS = 6
LEAST_SECONDS = 0.1
PERCENT = 100.0
MORE = (1e-6, 1e-4, 1e-2)  # beyond the least, in shares of it, where a solution is looked for
CLOSE, TINY_SHARE = 0.01, 1e-6  # what is reached within this of the least, and so much of a limit, is called the least


@dataclass(frozen=True)
class Conflict:
    """Limits that cannot all hold, while any of them alone can be left out; `smallest` where that is proven too."""

    constraints: tuple[int, ...]
    smallest: bool


@dataclass(frozen=True)
class Relaxation:
    """The least by which constraints have to be wider, all by the same share of their limits, for a solution to exist.

    It is at least `bound`, and `reached` is a share at which we have evaluated a solution; None where none was found.
    With a constraint that has no limit to count from (`absolute`) the number is in that constraint's unit.
    """

    constraints: tuple[int, ...]
    bound: float
    reached: float | None
    absolute: bool = False

    @property
    def is_met(self) -> bool:
        """Whether a solution was evaluated at all but the least."""
        beyond = 0.0 if self.absolute else TINY_SHARE
        return self.reached is not None and self.reached <= self.bound * (1.0 + CLOSE) + beyond

    @property
    def says_something(self) -> bool:
        """Whether it is a number that helps: the least itself, or more than nothing."""
        return self.is_met or self.bound > 0


@dataclass(frozen=True)
class WhyNot:
    """Why no solution is within tolerances. `feasible` is None where that was not decided.

    `complete` says whether there are no further sets that conflict.
    """

    tolerances: tuple[float, ...]
    feasible: bool | None
    conflicts: tuple[Conflict, ...] = ()
    alone: tuple[Relaxation, ...] = ()
    together: Relaxation | None = None
    complete: bool = True

    @property
    def places(self) -> set[int]:
        """Every constraint that it speaks of."""
        together = () if self.together is None else (self.together,)
        conflicting = {i for each in self.conflicts for i in each.constraints}
        return conflicting | {i for each in (*self.alone, *together) for i in each.constraints}

    def as_value(self) -> dict[str, Any]:
        """What stands for it in JSON; a tolerance without limit is None."""
        value = asdict(self)
        return {**value, "tolerances": [each if math.isfinite(each) else None for each in self.tolerances]}

    @classmethod
    def from_value(cls, value: Mapping[str, Any]) -> WhyNot:
        """What `as_value` put down."""

        def relaxation(each: Mapping[str, Any]) -> Relaxation:
            reached = None if each["reached"] is None else float(each["reached"])
            return Relaxation(_places(each), float(each["bound"]), reached, bool(each["absolute"]))

        def _places(each: Mapping[str, Any]) -> tuple[int, ...]:
            return tuple(int(i) for i in each["constraints"])

        return cls(
            tuple(math.inf if each is None else float(each) for each in value["tolerances"]),
            None if value["feasible"] is None else bool(value["feasible"]),
            tuple(Conflict(_places(each), bool(each["smallest"])) for each in value["conflicts"]),
            tuple(relaxation(each) for each in value["alone"]),
            None if value["together"] is None else relaxation(value["together"]),
            bool(value.get("complete", True)),
        )


@dataclass
class _ConflictSearch:
    """What is known while sets of constraints are tried."""

    prover: Prover
    region: Region
    effort: Effort
    until: float
    verdicts: dict[frozenset[int], bool | None] = field(default_factory=dict)
    contradicted: bool = False  # whether the solver was found to be wrong about some of the limits

    def conflicting(self, kept: frozenset[int]) -> bool | None:
        """Whether the limits of these cannot all hold, whatever becomes of the others; None where that is open."""
        for known, verdict in self.verdicts.items():
            if (verdict is True and known <= kept) or (verdict is False and known >= kept):
                return verdict
        if kept not in self.verdicts:
            self.verdicts[kept] = self._ask(kept)
        return self.verdicts[kept]

    def _ask(self, kept: frozenset[int]) -> bool | None:
        region = self.region.without(set(range(len(self.region.high))) - kept)
        if self.prover.best(region) is not None:
            return False
        left = self.until - time.monotonic()
        if left < LEAST_SECONDS or self.prover.cancelled():
            return None
        try:
            solved = self.prover.ask(
                region, Aim("feasibility"), replace(self.effort, seconds=min(left, self.effort.seconds))
            )
        except GaveUpError as error:
            self.contradicted |= str(error) == CONTRADICTED
            return None
        if self.prover.best(region) is not None:
            return False
        return True if solved.infeasible else None


def why_not(
    prover: Prover,
    tolerances: Question,
    effort: Effort,
    *,
    seconds: float = 60.0,
    report: Callable[[str], None] = lambda doing: None,
) -> WhyNot:
    """Find out why no solution is within tolerances, if so: what conflicts, and the least that makes room."""
    vector = question_vector(prover.problem, tolerances, "prove")
    search = _ConflictSearch(prover, Region.up_to(vector), effort, time.monotonic() + seconds)
    everything = frozenset(range(vector.size))
    verdict = search.conflicting(everything)
    found = tuple(map(float, vector))
    if verdict is not True:
        return WhyNot(found, None if verdict is None else True)
    report("which limits conflict")
    conflicts, complete = _all_conflicts(search, everything)
    if search.contradicted:
        return WhyNot(found, None)
    report("the least that makes room")
    involved = tuple(sorted({i for conflict in conflicts for i in conflict.constraints}))
    single = [_least(search, vector, (i,)) for i in involved]
    alone = tuple(sorted((each for each in single if each is not None), key=lambda each: each.bound))
    together = _least(search, vector, involved) if len(involved) > 1 else None
    return WhyNot(found, False, conflicts, alone, together, complete)


def _all_conflicts(search: _ConflictSearch, everything: frozenset[int]) -> tuple[tuple[Conflict, ...], bool]:
    """Smallest sets, each found by deletion, the next without a member of those before; and whether that is all."""
    found: dict[frozenset[int], Conflict] = {}
    waiting, tried = [everything], set[frozenset[int]]()
    undecided = False
    while waiting and len(found) < MOST_SETS:
        kept = waiting.pop(0)
        if kept in tried:
            continue
        tried.add(kept)
        verdict = search.conflicting(kept)
        undecided |= verdict is None
        if verdict is not True:
            continue
        conflict = next((each for known, each in found.items() if known <= kept), None) or _smallest(search, kept)
        found[frozenset(conflict.constraints)] = conflict
        waiting += [kept - {i} for i in conflict.constraints]
    sets = tuple(sorted(found.values(), key=lambda each: (len(each.constraints), each.constraints)))
    return sets, not (undecided or any(search.conflicting(kept) is not False for kept in waiting))


def _smallest(search: _ConflictSearch, kept: frozenset[int]) -> Conflict:
    """Leave out one constraint after the other for as long as the rest still conflicts."""
    sure = True
    for i in sorted(kept):
        verdict = search.conflicting(kept - {i})
        if verdict is True:
            kept = kept - {i}
        sure &= verdict is not None
    return Conflict(tuple(sorted(kept)), sure)


def _least(search: _ConflictSearch, vector: Array, constraints: tuple[int, ...]) -> Relaxation | None:
    """The least by which these must be wider; None where they alone do not make room, or where that stays open."""
    problem, prover = search.prover.problem, search.prover
    references = [problem.constraints[i].reference for i in constraints]
    absolute = any(each is None for each in references)
    if absolute and len(constraints) > 1:
        return None  # shares of different things cannot be told from each other
    weights = np.zeros(vector.size)
    weights[list(constraints)] = 1.0 if absolute else references
    left = search.until - time.monotonic()
    if left < LEAST_SECONDS or prover.cancelled():
        return None
    effort = replace(search.effort, seconds=min(left, search.effort.seconds))
    unit = _unit(prover, weights)
    try:
        solved = prover.ask(search.region, Aim("relaxation", weights=tuple(weights * unit)), effort)
    except GaveUpError:
        return None
    if solved.infeasible or solved.bound is None:
        return None
    bound = max(0.0, solved.bound * unit)
    _keep_reached(prover, vector, weights, solved, unit)
    return Relaxation(constraints, bound, _reached(prover, vector, weights), absolute)


def _unit(prover: Prover, weights: Array) -> float:
    """The relaxation that the solver takes for 1: next to its tolerance small ones would be lost."""
    widened = weights > 0
    return float(min(1.0, np.max(np.array(prover.sizes.constraints)[widened] / weights[widened])))


def _keep_reached(prover: Prover, vector: Array, weights: Array, solved: Solved, unit: float) -> None:
    """Bring the solver's points within limits that are wider by little more than the least, as we evaluate them."""
    least, value = (unit * each for each in (solved.bound or 0.0, solved.value or 0.0))
    for share in (least, value):
        for more in MORE:
            wider = vector + weights * (max(0.0, share) + more * max(share, unit))
            if prover.keep_inside(Region.up_to(wider), solved):
                return


def _reached(prover: Prover, vector: Array, weights: Array) -> float | None:
    """The least share with a solution that we have evaluated."""
    widened = weights > 0
    rows = prover.known.violations
    rows = rows[np.all(rows[:, ~widened] <= vector[~widened], axis=1)]
    if not len(rows):
        return None
    shares = np.max((rows[:, widened] - vector[widened]) / weights[widened], axis=1)
    return float(max(0.0, shares.min()))


def why_not_sentence(problem: Problem, why: WhyNot) -> str:
    """What a person is told: what conflicts, and the least that makes room.

    "shear and cost cannot both hold; the least is shear +2.1 % or cost +3.4 %."
    """
    if why.feasible is None:
        return "Whether a solution exists within these tolerances was not decided in the time."
    if why.feasible:
        return "A solution exists within these tolerances."
    said = "; ".join(_conflict_words(problem, each) for each in why.conflicts)
    said += "" if why.complete else "; there may be further sets that conflict"
    least = [_relaxation_words(problem, each) for each in why.alone if each.says_something]
    if least:
        return f"{said}; the least is {' or '.join(least)}."
    if why.together is not None and why.together.says_something and not why.alone:
        return f"{said}; none of them alone makes room, the least is {_relaxation_words(problem, why.together)}."
    return f"{said}."


def _conflict_words(problem: Problem, conflict: Conflict) -> str:
    names = [problem.constraints[i].name for i in conflict.constraints]
    if not names:
        return "the formulas have no value anywhere within the bounds of the variables"
    if len(names) == 1:
        return f"{names[0]} cannot hold"
    both = "both" if len(names) == 2 else "all"
    return f"{', '.join(names[:-1])} and {names[-1]} cannot {both} hold"


def _relaxation_words(problem: Problem, relaxation: Relaxation) -> str:
    """The names with the number: the least itself where a solution meets it, and else what it is at least."""
    names = [problem.constraints[i].name for i in relaxation.constraints]
    unit = problem.constraints[relaxation.constraints[0]].unit
    factor, unit = (1.0, unit) if relaxation.absolute else (PERCENT, "%")
    if relaxation.is_met and relaxation.reached is not None:
        by = f"+{_rounded_up(factor * relaxation.reached)} {unit}".rstrip()
    else:
        by = f"at least +{_rounded_down(factor * relaxation.bound)} {unit}".rstrip()
    if len(names) == 1:
        return f"{names[0]} {by}"
    return f"{', '.join(names[:-1])} and {names[-1]} each {by}"


def _rounded_up(value: float) -> str:
    """Three digits, upwards, so that what is said is enough.

    >>> _rounded_up(2.1301), _rounded_up(22463.9)
    ('2.14', '22500')
    """
    return _with_digits(value, lambda scaled: math.ceil(scaled - 1e-6))


def _rounded_down(value: float) -> str:
    """Three digits, downwards, so that it is at least what is said.

    >>> _rounded_down(2.1399), _rounded_down(22463.9)
    ('2.13', '22400')
    """
    return _with_digits(value, lambda scaled: math.floor(scaled + 1e-6))


def _with_digits(value: float, rounded: Callable[[float], int]) -> str:
    if value <= 0:
        return "0"
    digits = 2 - math.floor(math.log10(value))
    return short(round(rounded(value * 10.0**digits) / 10.0**digits, max(0, digits)))
