"""One search that can be advanced, looked at, put away and taken up again."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mapelites.core.archive import Archive, Elites, Integers
from mapelites.core.errors import InputError
from mapelites.core.problem import Array, Problem
from mapelites.core.question import Question, question_vector
from mapelites.core.settings import SEARCHES, SLOW_SEARCH, Settings, usual_search
from mapelites.core.tolerances import FINER, GridRule, Tolerances, searched_levels
from mapelites.evaluation.answer import RunServices
from mapelites.evaluation.known import KnownPoints, designs_of
from mapelites.evaluation.log_file import ScriptLog
from mapelites.evaluation.queue import QueueEntry
from mapelites.problems.own.scipy_form import scipy_problem
from mapelites.search.centroids import Centroids
from mapelites.search.emitters import slow_emitters
from mapelites.search.fidelity import LEAST_EVALUATIONS, check_cheap, promising_designs
from mapelites.search.method import method_for
from mapelites.search.outlook import Outlook
from mapelites.search.state import (
    CELL,
    EVALUATIONS,
    FOUND_AT,
    OCCUPIED,
    OPERATOR,
    REFUSED,
    State,
    grown,
    has_room,
    make_map,
    new_state,
    pack_state,
    slot_at,
    unpack_state,
)
from mapelites.search.synchronous import SynchronousMethod
from mapelites.system.progress import ProgressLine

LOOK_AFTER = 10  # evaluations, before anybody is told that all of them failed


class Illumination:
    """A search in progress. However it is cut into pieces, it ends in the same archive.

    It tells apart the cells of `searched`, of which those of its `tolerances` are made up. `grid` is the rule for that.

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
        self,
        problem: Problem,
        tolerances: Tolerances,
        settings: Settings,
        outside: RunServices | None = None,
        grid: GridRule = FINER,
    ) -> None:
        tolerances.check_for(problem)
        self.problem, self.tolerances, self.settings, self.grid = problem, tolerances, settings, grid
        searched = searched_levels(problem, tolerances, settings.search, grid)
        self.searched = searched.with_questions(settings.questions)
        self.centroids = None
        if settings.archive == "centroids":
            self.centroids = Centroids.of(self.searched, settings.centroids, settings.seed)
        state = new_state(problem, self.searched, settings.seed, self.centroids)
        self._map = make_map(problem, self.searched, self.centroids)
        self._method = method_for(
            problem, self._map, settings, state, outside or RunServices(), tolerances, self.searched
        )

    @classmethod
    def restore(
        cls,
        problem: Problem,
        tolerances: Tolerances,
        settings: Settings,
        state: Mapping[str, NDArray[Any]],
        outside: RunServices | None = None,
        grid: GridRule = FINER,
    ) -> Illumination:
        """A search at the point where `state` was taken out of it."""
        search = cls(problem, tolerances, settings, outside, grid)
        search._method.state = unpack_state(search._state, search._map.grid, state)
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

    @property
    def under_way(self) -> int:
        """How many evaluations are being done at this moment."""
        return self._method.under_way

    def queue(self) -> tuple[QueueEntry, ...]:
        """The evaluations under way and waiting, and those that ended lately."""
        return self._method.queue()

    def outlook(self) -> Outlook | None:
        """What the models expect of the map, where the search has any and enough is known."""
        return self._method.outlook()

    def take_known(self, known: KnownPoints) -> None:
        """Take in what was evaluated before this search, which has not begun; none of it counts as an evaluation."""
        if self.evaluations:
            raise InputError(f"known points come before the first evaluation, but there were {self.evaluations:,}")
        from mapelites.search.parallel.asked import tell  # compiled when it is first needed

        for x, values in zip(known.x, known.values, strict=True):
            if np.isfinite(values).all():
                if not has_room(self._state):
                    self._method.state = grown(self._state, self._map.grid)
                tell(self._state, self._map, np.zeros(1), x.copy(), values.copy(), 0)
        state = self._state
        state.tags[: 1 + self.occupied, FOUND_AT] -= self.evaluations  # they were found before the first
        state.counters[EVALUATIONS] = 0
        self._method.take_known(known)

    def start_from(self, designs: Array) -> None:
        """Have these solutions evaluated first."""
        if self.evaluations:
            raise InputError(f"designs come before the first evaluation, but there were {self.evaluations:,}")
        x = self.problem.rounded(np.atleast_2d(np.asarray(designs, dtype=np.float64)))
        if not ((x >= self.problem.lower) & (x <= self.problem.upper)).all():
            raise InputError(f"{self.problem.name}: a design to start from must lie within the bounds, but one did not")
        if isinstance(self._method, SynchronousMethod):
            self.take_known(KnownPoints(x, self.problem.values(x)))
        else:
            self._method.start_from(x)

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
        return {**pack_state(self._state), **self._method.memory()}

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
        return Archive(self.problem, self.tolerances, self.elites(), self.refused, self.evaluations)


def illuminate(
    problem: Problem | Callable[[Array], float],
    tolerances: Tolerances | None = None,
    search: str | None = None,
    evaluations: int | None = None,
    seed: int = 1,
    *,
    bounds: Any = None,
    constraints: Any = None,
    start: Any = None,
    known: Any = None,
    cheap: Problem | None = None,
    log: str | Path | None = None,
    progress: bool | None = None,
    questions: Iterable[Question] = (),
    **settings: Any,
) -> Archive:
    """Run one search from beginning to end and return its archive.

    Where no search is named, it is `surrogate` for a few thousand evaluations of a plain function, and else `directed`.
    Instead of a problem there may be a function with `bounds` and `constraints` as SciPy's optimisers take them.
    With a problem, `bounds` is the setting of that name: what happens to a variable that leaves them. `questions` are
    the tolerances that matter most, as `Archive.answer` takes them; `directed` works on them first.

    `start` are designs to begin with, an array or a CSV file with a column for each variable. `known` are evaluations
    of before, a CSV file, the log of an earlier search, or a pair of solutions and values, which are taken in and not
    made again. With `log` every evaluation is kept in that file, and the same call after a crash goes on from there.
    Of a plain function the progress is shown, unless `progress` is false.

    `cheap` is the same problem with a function that is quick and nearly right, such as a coarse mesh: it is searched
    first, and its best designs are the first to be evaluated truly.

    >>> from mapelites.problems import get
    >>> len(illuminate(get("C01", 10), search="paper-1", evaluations=4_000)) > 0
    True
    """
    if not isinstance(problem, Problem):
        problem = scipy_problem(problem, bounds, constraints)
    elif constraints is not None:
        raise InputError(f"constraints belong to a function, but {problem.name} is a problem that has its own")
    else:
        settings["bounds"] = bounds
    search = search or usual_search(compiled=problem.compiled, evaluations=evaluations)
    settings["questions"] = tuple(tuple(question_vector(problem, each, "questions").tolist()) for each in questions)
    chosen = Settings.of(search, problem.dimension, evaluations=evaluations, seed=seed, **settings)
    kept = RunServices(ScriptLog(Path(log), problem)) if log is not None else RunServices()
    run = Illumination(problem, tolerances or Tolerances.default(problem), chosen, kept)
    try:
        if known is not None:
            run.take_known(KnownPoints.of(problem, known))
        designs = [] if start is None or (isinstance(start, tuple) and not start) else [designs_of(problem, start)]
        if cheap is not None:
            check_cheap(cheap, problem)
            most = max(chosen.evaluations, LEAST_EVALUATIONS)
            there = illuminate(cheap, run.tolerances, SLOW_SEARCH, most, seed, progress=False)
            designs.append(promising_designs(there))
        if designs:
            run.start_from(np.concatenate(designs))
        _advance_to_end(run, shown=not problem.compiled if progress is None else progress)
    finally:
        run.close()
    return run.archive()


def _advance_to_end(run: Illumination, *, shown: bool) -> None:
    """Spend the budget, with a line about the progress on a terminal, and a word where everything fails."""
    said = ProgressLine(run.settings.evaluations, quiet=not shown)
    warned = False
    with said:
        while not run.done:
            run.advance(1 if shown else run.settings.evaluations)
            if not warned and run.evaluations >= LOOK_AFTER and run.refused == run.evaluations:
                kinds = "; ".join(f"{kind}: {words}" for kind, (_, words) in run.failures.items())
                warned = True
                warnings.warn(f"none of {run.evaluations} evaluations gave finite numbers. {kinds}", stacklevel=3)
            best = run.best_feasible
            said.update(run.evaluations, "nothing feasible yet" if best is None else f"best {best:.6g}")


def compile_searches(problem: Problem) -> None:
    """Have every search ready to run. One that was never compiled on this machine takes a while; it is kept on disk."""
    from mapelites.search.parallel import asked  # noqa: F401 (compiled when it is imported)

    for emitter in slow_emitters():
        emitter.load_propose()
    for name in SEARCHES:
        Illumination(problem, Tolerances.default(problem), Settings.of(name, problem.dimension))
