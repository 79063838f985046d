"""One search that can be advanced, looked at, put away and taken up again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mapelites.archive import Archive, Elites, Integers
from mapelites.errors import InputError
from mapelites.problem import Problem
from mapelites.search.centroids import Centroids
from mapelites.search.method import method_for
from mapelites.search.settings import DEFAULT_SEARCH, SEARCHES, Settings
from mapelites.search.state import (
    CELL,
    EVALUATIONS,
    FOUND_AT,
    OCCUPIED,
    OPERATOR,
    REFUSED,
    State,
    make_map,
    new_state,
    packed,
    slot_at,
    unpacked,
)
from mapelites.slow.answer import Outside
from mapelites.tolerances import Tolerances


class Illumination:
    """A search in progress. However it is cut into pieces, it ends in the same archive.

    >>> from mapelites.problems import get
    >>> problem = get("C01", 10)
    >>> search = Illumination(problem, Tolerances.default(problem), Settings.of("paper-1", 10, evaluations=3_000))
    >>> search.advance(1_000)
    >>> later = Illumination.restore(search.problem, search.tolerances, search.settings, search.state())
    >>> later.advance(2_000)
    >>> later.done
    True
    """

    def __init__(
        self, problem: Problem, tolerances: Tolerances, settings: Settings, outside: Outside | None = None
    ) -> None:
        names = tuple(constraint.name for constraint in problem.constraints)
        if tolerances.names != names:
            raise InputError(
                f"tolerances: {problem.title or problem.name} has constraints {', '.join(names)}, "
                f"but the levels were for {', '.join(tolerances.names)}"
            )
        self.problem, self.tolerances, self.settings = problem, tolerances, settings
        self.centroids = None
        if settings.archive == "centroids":
            self.centroids = Centroids.of(tolerances, settings.centroids, settings.seed)
        state = new_state(problem, tolerances, settings.seed, self.centroids)
        self._map = make_map(problem, tolerances, self.centroids)
        self._method = method_for(problem, self._map, settings, state, outside or Outside())

    @classmethod
    def restore(
        cls,
        problem: Problem,
        tolerances: Tolerances,
        settings: Settings,
        state: Mapping[str, NDArray[Any]],
        outside: Outside | None = None,
    ) -> Illumination:
        """A search at the point where `state` was taken out of it."""
        search = cls(problem, tolerances, settings, outside)
        search._method.state = unpacked(search._state, search._map.grid, state)
        search._method.remember(state)
        return search

    @property
    def _state(self) -> State:
        return self._method.state

    @property
    def evaluations(self) -> int:
        """How many solutions have been evaluated."""
        return int(self._state.counters[EVALUATIONS])

    @property
    def occupied(self) -> int:
        """How many cells hold an elite."""
        return int(self._state.counters[OCCUPIED])

    @property
    def refused(self) -> int:
        """How many candidates had a value that is not a finite number."""
        return int(self._state.counters[REFUSED])

    @property
    def best_feasible(self) -> float | None:
        """The objective of the best feasible solution so far."""
        f = float(self._state.values[0, 0])
        return f if np.isfinite(f) else None

    @property
    def done(self) -> bool:
        """Whether the budget is spent."""
        return self.evaluations >= self.settings.evaluations

    @property
    def spent(self) -> dict[str, int]:
        """How many evaluations each emitter of the search has had."""
        return self._method.spent

    @property
    def failures(self) -> dict[str, tuple[int, str]]:
        """How many evaluations by workers came to nothing, by kind, and what was said of the last one."""
        return self._method.failures

    def settle(self, seconds: float) -> None:
        """Wait at most so long for evaluations that are under way, without beginning others."""
        self._method.settle(seconds)

    def close(self) -> None:
        """End the processes that evaluate, where there are any."""
        self._method.close()

    def advance(self, evaluations: int) -> None:
        """Spend so many more evaluations, or what is left of the budget.

        A search whose steps take several evaluations ends the one it has begun, so it may spend a few more; what
        it finds does not depend on where it was interrupted.
        """
        self._method.advance(min(self.evaluations + evaluations, self.settings.evaluations))

    def state(self) -> dict[str, NDArray[Any]]:
        """Everything needed to go on from here, as arrays; copies."""
        return {**packed(self._state), **self._method.memory()}

    def elites(self) -> Elites:
        """Copies of the elites, and of the best feasible solution where it is not one of them."""
        used: slice | Integers = slice(1, 1 + self.occupied)
        return self._copies(np.r_[1 : 1 + self.occupied, 0] if self._best_is_apart else used)

    def found_since(self, evaluations: int) -> tuple[Integers, Elites]:
        """Copies of the elites that were found after so many evaluations, and their places among all `elites`.

        The best feasible solution is one of them wherever it is not an elite, because its place moves.
        """
        slots = 1 + np.flatnonzero(self._state.tags[1 : 1 + self.occupied, FOUND_AT] > evaluations)
        places = slots - 1
        if self._best_is_apart:
            slots, places = np.append(slots, 0), np.append(places, self.occupied)
        return places, self._copies(slots)

    @property
    def solutions(self) -> int:
        """How many solutions `elites` returns."""
        return self.occupied + self._best_is_apart

    @property
    def best(self) -> float | None:
        """The lowest objective of all elites."""
        return float(self._state.values[1 : 1 + self.occupied, 0].min()) if self.occupied else None

    @property
    def _best_is_apart(self) -> bool:
        """Whether the best feasible solution is not an elite."""
        state = self._state
        if not np.isfinite(state.values[0, 0]):
            return False
        slot = slot_at(state, self._map.grid, state.tags[0, CELL])
        return bool(state.tags[slot, FOUND_AT] != state.tags[0, FOUND_AT])

    def _copies(self, slots: slice | Integers) -> Elites:
        state, m = self._state, self.problem.inequalities
        x, values, tags = state.x[slots], state.values[slots], state.tags[slots]
        x = self.problem.rounded(x) if len(self._map.steps) else x
        operator = np.array(self._method.operators)[tags[:, OPERATOR]]
        for array in (x, operator):
            array.flags.writeable = array.base is state.x  # what is a copy already needs no other
        return Elites(x, values[:, 0], values[:, 1 : 1 + m], values[:, 1 + m :], tags[:, FOUND_AT], operator)

    def archive(self) -> Archive:
        """The map as it is now; later steps do not change it."""
        return Archive(self.problem, self.tolerances, self.elites(), self.refused)


def illuminate(
    problem: Problem,
    tolerances: Tolerances | None = None,
    search: str = DEFAULT_SEARCH,
    evaluations: int | None = None,
    seed: int = 1,
    **settings: Any,
) -> Archive:
    """Run one search from beginning to end and return its archive.

    >>> from mapelites.problems import get
    >>> len(illuminate(get("C01", 10), search="paper-1", evaluations=4_000)) > 0
    True
    """
    chosen = Settings.of(search, problem.dimension, evaluations=evaluations, seed=seed, **settings)
    run = Illumination(problem, tolerances or Tolerances.default(problem), chosen)
    try:
        run.advance(chosen.evaluations)
    finally:
        run.close()
    return run.archive()


def compile_searches(problem: Problem) -> None:
    """Have every search ready to run. One that was never compiled on this machine takes a while; it is kept on disk."""
    from mapelites.search import asked  # noqa: F401 (compiled when it is imported)

    for name in SEARCHES:
        Illumination(problem, Tolerances.default(problem), Settings.of(name, problem.dimension))
