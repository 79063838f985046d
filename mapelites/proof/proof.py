"""What was proven of a question: nobody is below this, and this is the best we know."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np

from mapelites.core.errors import unknown
from mapelites.core.problem import Array

Status = Literal["proven", "bound", "infeasible", "gave up"]
STATUSES: tuple[Status, ...] = get_args(Status)
TINY = 1e-12
CONTRADICTED = "the solver's bound was above a solution that exists, so it is not to be relied on here"


@dataclass(frozen=True)
class Proof:
    """What is known of the best f within tolerances, one for each constraint.

    `bound`: no solution within `tolerances` has a lower f. It holds for tolerances that are wider by `margins`.
    `f` is what our own evaluation says of `x`, whose violations are within the tolerances; both are None where no such
    solution is known. `status` says whether the two are within the gap that was asked for (proven), whether there is a
    bound at least, whether no solution can exist (infeasible), or that nothing was proven (gave up, with a reason).
    """

    tolerances: tuple[float, ...]
    status: Status
    bound: float | None
    f: float | None
    x: tuple[float, ...] | None
    margins: tuple[float, ...]
    seconds: float
    nodes: int
    reason: str = ""

    def __post_init__(self) -> None:
        if self.status not in STATUSES:
            raise unknown("the status of a proof", self.status, STATUSES)

    @property
    def gap(self) -> float | None:
        """By what share of f the bound may be too low; None without a bound or a solution."""
        return None if self.f is None else self.gap_to(self.f)

    def gap_to(self, f: float) -> float | None:
        """By what share of an f that somebody knows nobody can be better than it; None where it refutes the bound."""
        if self.bound is None or f < self.bound:
            return None
        return (f - self.bound) / max(abs(f), TINY)

    def covers(self, tolerances: Array) -> bool:
        """Whether its bound holds for tolerances too: for all that are not wider than its own."""
        return bool(np.all(np.asarray(tolerances) <= self.tolerances))

    def is_refuted_by(self, f: float) -> bool:
        """Whether a solution with this f, within its tolerances, shows that it is wrong."""
        return self.status == "infeasible" or (self.bound is not None and f < self.bound)

    def refuted(self, f: float | None, x: tuple[float, ...] | None) -> Proof:
        """It with nothing proven, because of a solution that it says cannot be."""
        return replace(self, status="gave up", bound=None, f=f, x=x, reason=CONTRADICTED)

    def and_(self, later: Proof) -> Proof:
        """What this and a later proof of the same question say together: the best of both, unless they disagree."""
        if later.reason == CONTRADICTED or self.says_nothing:
            return later
        if later.says_nothing:
            return self
        best = min((each for each in (self, later) if each.f is not None), key=_f, default=self)
        if best.f is not None and any(each.is_refuted_by(best.f) for each in (self, later)):
            return later.refuted(best.f, best.x)
        if "infeasible" in (self.status, later.status):
            return self if self.status == "infeasible" else later
        stronger = max(self, later, key=lambda each: -np.inf if each.bound is None else each.bound)
        status: Status = "proven" if "proven" in (self.status, later.status) else stronger.status
        return replace(stronger, status=status, f=best.f, x=best.x)

    @property
    def says_nothing(self) -> bool:
        """Whether nothing was proven, and nothing was found to be wrong either."""
        return self.status == "gave up" and self.reason != CONTRADICTED

    def as_value(self) -> dict[str, Any]:
        """What stands for it in JSON; a tolerance without limit is None."""
        return {
            "tolerances": [each if np.isfinite(each) else None for each in self.tolerances],
            "status": self.status,
            "bound": self.bound,
            "f": self.f,
            "x": None if self.x is None else list(self.x),
            "margins": list(self.margins),
            "seconds": self.seconds,
            "nodes": self.nodes,
            "reason": self.reason,
        }

    @classmethod
    def from_value(cls, value: Mapping[str, Any]) -> Proof:
        """What `as_value` put down."""
        x = value["x"]
        return cls(
            tuple(np.inf if each is None else float(each) for each in value["tolerances"]),
            value["status"],
            None if value["bound"] is None else float(value["bound"]),
            None if value["f"] is None else float(value["f"]),
            None if x is None else tuple(map(float, x)),
            tuple(map(float, value["margins"])),
            float(value["seconds"]),
            int(value["nodes"]),
            str(value["reason"]),
        )


def _f(proof: Proof) -> float:
    return np.inf if proof.f is None else proof.f
