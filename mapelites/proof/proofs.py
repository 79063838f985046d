"""Many proofs together: what follows from them for a question that was never asked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from mapelites.core.problem import Array
from mapelites.core.tolerances import Tolerances
from mapelites.proof.proof import Proof

# A proof for wider tolerances holds for narrower ones too: what nobody can do with more room, nobody can with less.


@dataclass(frozen=True)
class Proofs:
    """Proofs of one problem's questions.

    >>> wide = Proof((1.0, 1.0), "proven", 1.6, 1.6, None, (0.0, 0.0), 0.1, 1)
    >>> Proofs((wide,)).bound(np.array([0.5, 0.0]))
    1.6
    """

    each: tuple[Proof, ...] = ()
    _wide: Array = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        width = len(self.each[0].tolerances) if self.each else 0
        rows = np.array([proof.tolerances for proof in self.each]).reshape(len(self.each), width)
        object.__setattr__(self, "_wide", rows)

    def __len__(self) -> int:
        return len(self.each)

    def and_(self, further: Iterable[Proof]) -> Proofs:
        """These, and further ones; of two about the same question what they say together."""
        found = {proof.tolerances: proof for proof in self.each}
        for later in further:
            earlier = found.get(later.tolerances)
            found[later.tolerances] = later if earlier is None else earlier.and_(later)
        return Proofs(tuple(found.values()))

    def by_axis(self, tolerances: Tolerances) -> Proofs:
        """Proofs of a map's axes: one holds where all constraints of an axis are within its tolerances."""
        found = []
        for proof in self.each:
            narrowest = -tolerances.largest(-np.array([proof.tolerances]))[0]
            margins = tolerances.largest(np.array([proof.margins]))[0]
            found.append(replace(proof, tolerances=tuple(map(float, narrowest)), margins=tuple(map(float, margins))))
        return Proofs(tuple(found))

    def covering(self, tolerances: Array) -> list[Proof]:
        """The proofs that hold for tolerances: those of questions that are not narrower."""
        if not self.each:
            return []
        rows = np.flatnonzero(np.all(self._wide >= np.asarray(tolerances), axis=1))
        return [self.each[row] for row in rows]

    def bound(self, tolerances: Array, f: float = np.inf) -> float | None:
        """The highest bound that holds for tolerances; None where nothing is proven.

        A bound that a solution with this f refutes is left out.
        """
        bounds = (proof.bound for proof in self.covering(tolerances))
        return max((bound for bound in bounds if bound is not None and bound <= f), default=None)

    def bounds(self, tolerances: Array) -> Array:
        """The highest bound that holds for each row of tolerances, (batch, constraints); NaN where nothing is proven.

        >>> wide = Proof((1.0, 1.0), "proven", 1.6, 1.6, None, (0.0, 0.0), 0.1, 1)
        >>> Proofs((wide,)).bounds(np.array([[0.5, 0.0], [2.0, 0.0]]))
        array([1.6, nan])
        """
        found = np.full(len(tolerances), np.nan)
        told = sorted((proof.bound, row) for row, proof in enumerate(self.each) if proof.bound is not None)
        for bound, row in told:
            found[np.all(tolerances <= self._wide[row], axis=1)] = bound
        return found

    def infeasible(self, tolerances: Array) -> bool:
        """Whether it is proven that no solution is within tolerances."""
        return any(proof.status == "infeasible" for proof in self.covering(tolerances))

    def gap(self, tolerances: Array, f: float) -> float | None:
        """By what share of f a solution within tolerances could still be better than f; None where nobody knows."""
        proofs = [proof.gap_to(f) for proof in self.covering(tolerances)]
        return min((gap for gap in proofs if gap is not None), default=None)
