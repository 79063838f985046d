"""The one design that a search is asked for, in the words of SciPy's optimisers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mapelites.core.problem import Array

if TYPE_CHECKING:
    from mapelites.core.archive import Elite


@dataclass(frozen=True, eq=False)
class Result:
    """The best feasible design, or where there is none the one that breaks its constraints least.

    `nfev` is None where nobody counted the evaluations. Every field can be asked for by its name as well.
    """

    x: Array | None
    fun: float | None
    success: bool
    message: str
    nfev: int | None
    violations: Array | None
    elite: Elite | None

    def __getitem__(self, name: str) -> Any:
        return vars(self)[name]
