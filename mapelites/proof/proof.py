"""What was proven of a question: nobody is below this, and this is the best we know."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from mapelites.core.errors import unknown
from mapelites.core.problem import Array

Status = Literal["proven", "bound", "infeasible", "gave up"]
STATUSES: tuple[Status, ...] = get_args(Status)
TINY = 1e-12


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
        """By what share of an f that somebody knows nobody can be better than it; 0 where it is the bound."""
        if self.bound is None:
            return None
        return max(0.0, f - self.bound) / max(abs(f), TINY)

    def covers(self, tolerances: Array) -> bool:
        """Whether its bound holds for tolerances too: for all that are not wider than its own."""
        return bool(np.all(np.asarray(tolerances) <= self.tolerances))

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
