"""Proves how good an answer can be: a lower bound from a global solver, and a solution that we have evaluated."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from mapelites.core.archive import Elites
from mapelites.core.errors import InputError
from mapelites.core.problem import Array, Problem
from mapelites.core.question import Question, question_vector
from mapelites.problems.formulas.document import read_document
from mapelites.problems.formulas.tree import ProblemDocument
from mapelites.proof.process import GaveUpError, ask_solver
from mapelites.proof.proof import CONTRADICTED, Proof, Status
from mapelites.proof.region import Aim, Effort, Region, Sizes, sampled, typical_sizes
from mapelites.proof.restore import best_inside
from mapelites.proof.solved import Solved

OPERATOR = "proof"  # of the elites that the solver finds
NOT_FORMULAS = "cannot be proven, because it is not written as formulas"
FIRST_NODES = 1  # of the search for a first solution, where none is known
MOST_LOOKS = 5  # at one question, each with a better size of f
CUTOFF_GAP, SLACK = 0.25, 1e-5  # how far above the best known f the solver still looks: of the gap, and of f's size
SMALL, LARGE = 0.2, 20.0  # where f at the best differs by this from its typical size, the solver is asked again
ROUNDING = 1e-12


def document_of(problem: Problem) -> ProblemDocument:
    """The checked formulas of a problem, or an error where it has none."""
    if not problem.formulas:
        raise InputError(f"{problem.title or problem.name} {NOT_FORMULAS}")
    return read_document(problem.formulas)


class Prover:
    """Puts questions to the solver about one problem, and checks what it says against what is known.

    `known` are solutions that exist; a bound above one of them is refused. The solver's own solutions join them.
    """

    def __init__(
        self, problem: Problem, known: Elites | None = None, cancelled: Callable[[], bool] = lambda: False
    ) -> None:
        self.problem, self.document = problem, document_of(problem)
        self.known = known if known is not None else Elites.empty(problem)
        self.found, self.evaluations = Elites.empty(problem), 0
        self.cancelled = cancelled
        self.sizes = typical_sizes(problem)
        self._samples = sampled(problem)
        self._leaves_nobody_out: bool | None = None

    def prove(self, tolerances: Question, effort: Effort) -> Proof:
        """What can be proven of one question."""
        vector = question_vector(self.problem, tolerances, "prove")
        started = time.monotonic()
        try:
            solved = self._solve(Region.up_to(vector), effort)
        except GaveUpError as error:
            return self._proof(vector, None, time.monotonic() - started, str(error))
        return self._proof(vector, solved, time.monotonic() - started)

    def _solve(self, region: Region, effort: Effort) -> Solved:
        """Ask for the least f. A solution that is known tells the solver where nobody has to look any more.

        Where none is known, a first look finds one: the solver's first node. An answer counts only where f was told in
        its own size: the solver's tolerances are absolute, and its bound is wrong where all of f is small to it.
        """
        sizes, is_look = self._sizes_near(region), self.best(region) is None
        spent = Solved.nothing()
        left: Effort | None = effort
        for _ in range(MOST_LOOKS):
            if left is None:
                break
            now = replace(left, nodes=FIRST_NODES) if is_look else left
            solved = self.ask(region, self._aim(region, effort.gap, sizes), now, sizes).after(spent)
            left, spent = effort.after(solved), solved.without_answer()
            if solved.infeasible:
                return self._confirmed(region, left).after(spent) if left is not None else spent
            better = self._better_sizes(solved, sizes)
            if better is None and not (
                is_look and left is not None and not self._is_closed(region, solved, effort.gap)
            ):
                return solved
            sizes, is_look = better or self._sizes_near(region), False
        return spent

    def _confirmed(self, region: Region, effort: Effort) -> Solved:
        """Nobody is in the region even where nothing is made small."""
        return self.ask(region, Aim("feasibility"), effort).without_bound()

    def _is_closed(self, region: Region, solved: Solved, gap: float) -> bool:
        best = self.best(region)
        return best is not None and solved.bound is not None and best[0] - solved.bound <= gap * abs(best[0])

    def _aim(self, region: Region, gap: float, sizes: Sizes) -> Aim:
        """The least f, looked for up to a little above the best that is known: that one is still found."""
        best = self.best(region)
        if best is None:
            return Aim()
        return Aim(cutoff=best[0] + max(CUTOFF_GAP * gap * abs(best[0]), SLACK * sizes.objective))

    def ask(self, region: Region, aim: Aim, effort: Effort, sizes: Sizes | None = None) -> Solved:
        """One question to the solver; its points that lie in the region, as we see it, are kept."""
        solved = ask_solver(self.problem, self.document, region, aim, sizes or self.sizes, effort, self.cancelled)
        self.keep_inside(region, solved)
        self._refuse_wrong(solved, region, aim)
        if solved.infeasible:
            self._refuse_empty_space(effort)
        return solved

    def keep_inside(self, region: Region, solved: Solved) -> bool:
        """Keep the best of the solver's points, each brought within a region; whether there was one."""
        inside = best_inside(self.problem, map(np.array, solved.points), region, self.sizes, self._count)
        if inside is not None:
            self.add(inside[0])
        return inside is not None

    def _refuse_wrong(self, solved: Solved, region: Region, aim: Aim) -> None:
        """The solver computes with rounded numbers: samples of the whole space tell where it went wrong altogether."""
        f = self._samples.f[region.holds(self._samples.violations)]
        below = aim.kind == "objective" and solved.bound is not None and bool((f < solved.bound).any())
        if below or (solved.infeasible and f.size):
            raise GaveUpError(CONTRADICTED)

    def _refuse_empty_space(self, effort: Effort) -> None:
        """Where points have values, the solver must not say that nobody is left even without any limit; asked once."""
        if self._leaves_nobody_out is None:
            anywhere = Region.up_to(np.full(len(self.problem.constraints), np.inf))
            solved = ask_solver(
                self.problem, self.document, anywhere, Aim("feasibility"), self.sizes, effort, self.cancelled
            )
            self._leaves_nobody_out = not (solved.infeasible and self._samples.f.size)
        if not self._leaves_nobody_out:
            raise GaveUpError(CONTRADICTED)

    def _count(self, evaluations: int) -> None:
        self.evaluations += evaluations

    def add(self, x: Array) -> None:
        """Keep a solution that the solver found, evaluated by us."""
        values = self.problem.evaluate(x[None])
        operator = np.array([OPERATOR], dtype="U16")
        one = Elites(x[None], values.f, values.g, values.h, np.zeros(1, dtype=np.int64), operator)
        self.found, self.known = self.found.and_(one), self.known.and_(one)

    def best(self, region: Region) -> tuple[float, Array] | None:
        """The best known solution in a region: its f and x."""
        rows = np.flatnonzero(region.holds(self.known.violations))
        if not rows.size:
            return None
        row = rows[np.argmin(self.known.f[rows])]
        return float(self.known.f[row]), self.known.x[row]

    def _sizes_near(self, region: Region) -> Sizes:
        best = self.best(region)
        usable = best is not None and abs(best[0]) > ROUNDING * self.sizes.objective
        return replace(self.sizes, objective=abs(best[0])) if best is not None and usable else self.sizes

    def _better_sizes(self, solved: Solved, used: Sizes) -> Sizes | None:
        """The size of f at the best where that is far from what the solver was told; of the bound where none is."""
        value = solved.bound if solved.value is None else solved.value
        if value is None:
            return None
        share = abs(value) / used.objective
        return None if share < ROUNDING or SMALL < share < LARGE else replace(used, objective=abs(value))

    def _proof(self, vector: Array, solved: Solved | None, seconds: float, reason: str = "") -> Proof:
        """A proof of what the solver said, unless it contradicts a solution that exists."""
        best = self.best(Region.up_to(vector))
        bound = solved.bound if solved is not None else None
        infeasible = solved is not None and solved.infeasible
        status: Status = "bound" if bound is not None else "gave up"
        if best is not None and (infeasible or (bound is not None and best[0] < bound)):
            status, bound, reason = "gave up", None, CONTRADICTED
        elif infeasible:
            status = "infeasible"
        elif status == "gave up":
            reason = reason or "the solver found no bound in its time"
        nodes = solved.nodes if solved is not None else 0
        f, x = best if best is not None else (None, None)
        point = None if x is None else tuple(map(float, x))
        margins = tuple(map(float, self.sizes.margins))
        return Proof(tuple(map(float, vector)), status, bound, f, point, margins, seconds, nodes, reason)


def prove(
    problem: Problem,
    tolerances: Question,
    seconds: float = 20.0,
    *,
    gap: float = 1e-4,
    nodes: int | None = None,
    seed: int = 0,
    known: Elites | None = None,
) -> Proof:
    """What can be proven of the best f within tolerances, in so many seconds at most.

    They are numbers, "680 psi" or "5%" by the constraints' names, where one that is not named has to be satisfied, or
    one number for each.
    With the same seed and a number of nodes that is reached before the seconds are over, the same is proven each time.

    >>> from mapelites.problems import get
    >>> proof = prove(get("three-bar-truss"), {})
    >>> proof.status, round(proof.f, 3)
    ('proven', 263.896)
    """
    effort = Effort(seconds, nodes, gap, seed)
    proof = Prover(problem, known).prove(tolerances, effort)
    return within_gap(proof, gap)


def within_gap(proof: Proof, gap: float) -> Proof:
    """The proof, called proven where its bound is that near to its solution."""
    reached = proof.status == "bound" and proof.gap is not None and proof.gap <= gap
    return replace(proof, status="proven") if reached else proof


def check_provable(problem: Problem) -> None:
    """An error in words where a problem cannot be proven at all, found without the solver's process."""
    document_of(problem)
