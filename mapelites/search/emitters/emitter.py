"""What an emitter is: a description, and how it makes candidates in the one search and in the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from mapelites.core.emitters import EmitterDescription
from mapelites.core.kernels import VECTOR, compiled_for
from mapelites.core.problem import Array, Problem
from mapelites.search.state import MAP_TYPE, STATE_TYPE

if TYPE_CHECKING:
    from mapelites.search.directed.loop import Directed
    from mapelites.search.parallel.method import ParallelMethod

FILL_TYPE = types.FunctionType(types.void(STATE_TYPE, MAP_TYPE, VECTOR))
# A turn takes the search, up to which evaluation it may go, and the operator that makes the candidates.
Step = Callable[["Directed", int, int], None]
# A proposal takes the search, the rows to fill and an operator; it returns the operators that made the candidates.
Propose = Callable[["ParallelMethod", Array, int], NDArray[np.int64]]


class FillFunction:
    """A function `fill(state, m, x)` that fills `x` with one candidate, compiled when it is first needed."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.__doc__ = function.__doc__

    @cached_property
    def compiled(self) -> Any:
        """The function for the compiled loop."""
        return compiled_for(STATE_TYPE, MAP_TYPE, VECTOR)(self.function)


def fill(function: Callable[..., Any]) -> FillFunction:
    """Mark a function `fill(state, m, x)` that makes one candidate from the archive. It must not make arrays."""
    return FillFunction(function)


@dataclass(frozen=True, kw_only=True)
class Emitter(EmitterDescription):
    """One emitter.

    With `fill`, a candidate comes from the archive alone, and the function serves both searches. Otherwise `step` and
    `propose` return the function of the directed search and that of the search for slow functions: what they import
    is compiled when it is first needed. `memory(n, constraints, questions)` makes arrays that an emitter has for
    itself between its turns; checkpoints keep them. `stands_for` names the emitters in whose place slow functions have
    this one. One with `corner` works on the feasible corner alone, and gives part of its budget to the others while
    that does not improve. One with `begins` has every turn until it says how eager it is. One with `suits` has a part
    of the budget only on problems that it says yes to.
    """

    slow_share: float = 0.0
    corner: bool = False
    begins: bool = False
    suits: Callable[[Problem], bool] | None = None
    fill: FillFunction | None = None
    step: Callable[[], Step] | None = None
    propose: Callable[[], Propose] | None = None
    memory: Callable[[int, int, int], NamedTuple] | None = None
    stands_for: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.share > 0.0 and self.fill is None and self.step is None:
            raise ValueError(f"{self.name}: a part of the directed search needs fill or step, but there was neither")
        if self.slow_share > 0.0 and self.fill is None and self.propose is None:
            raise ValueError(f"{self.name}: a part of the search for slow functions needs fill or propose")

    def load_step(self) -> Step:
        """A turn of the directed search, compiled."""
        if self.step is not None:
            return self.step()
        from mapelites.search.directed.filling import filling_step  # compiled when it is first needed

        assert self.fill is not None
        return filling_step(self.fill)

    def load_propose(self) -> Propose:
        """A candidate of the search for slow functions, compiled."""
        if self.propose is not None:
            return self.propose()
        assert self.fill is not None
        from mapelites.search.parallel.asked import fill_rows  # compiled when it is first needed

        compiled = self.fill.compiled

        def filled(search: ParallelMethod, rows: Array, made_by: int) -> NDArray[np.int64]:
            fill_rows(compiled, search.state, search.map, rows)
            return np.full(len(rows), made_by)

        return filled
