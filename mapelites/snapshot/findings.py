"""What was found out about a run after its search, or beside it: proofs, and better solutions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from mapelites.core.archive import Elites
from mapelites.core.errors import InputError
from mapelites.core.problem import Problem
from mapelites.core.tolerances import Tolerances
from mapelites.proof.cells import EmptyCells
from mapelites.proof.conflicts import WhyNot
from mapelites.proof.proof import Proof
from mapelites.proof.proofs import Proofs
from mapelites.proof.relations import FoundRelation
from mapelites.snapshot.snapshot import ELITE_ARRAYS, Snapshot, pack, unpack

FORMAT = 1
MOST_ELITES = 50_000
LONGEST_TEXT = 32 * 2**20  # bytes of JSON: proofs of 20,000 questions


@dataclass(frozen=True)
class Findings:
    """Solutions that join a run's elites, what they took to find, and everything that is proven.

    `evaluations` counts those of each operator, `sharpen` and `proof`. Of empty cells and of reasons why nothing is
    feasible there is one for each set of levels or tolerances that was asked for.
    """

    elites: Elites
    evaluations: Mapping[str, int] = field(default_factory=dict)
    proofs: Proofs = field(default_factory=Proofs)
    empty: tuple[EmptyCells, ...] = ()
    why_not: tuple[WhyNot, ...] = ()
    relations: tuple[FoundRelation, ...] = ()

    @classmethod
    def none(cls, problem: Problem) -> Findings:
        """Nothing yet."""
        return cls(Elites.empty(problem))

    @property
    def is_nothing(self) -> bool:
        """Whether there is nothing in it."""
        return not (
            len(self.elites) or self.evaluations or self.proofs.each or self.empty or self.why_not or self.relations
        )

    def and_(self, later: Findings) -> Findings:
        """These, and what was found later; solutions that were there already are not there twice."""
        empty = {each.tolerances: each for each in (*self.empty, *later.empty)}
        why_not = {each.tolerances: each for each in (*self.why_not, *later.why_not)}
        relations = {(each.first, each.second): each for each in (*self.relations, *later.relations)}
        names = {**self.evaluations, **later.evaluations}
        counts = {name: self.evaluations.get(name, 0) + later.evaluations.get(name, 0) for name in names}
        return Findings(
            _distinct(self.elites.and_(later.elites)), counts, self.proofs.and_(later.proofs.each),
            tuple(empty.values()), tuple(why_not.values()), tuple(relations.values()),
        )  # fmt: skip

    def by_axis(self, tolerances: Tolerances) -> Findings:
        """The same with proofs of the map's axes: where constraints share one, it is as wide as its narrowest."""
        return replace(self, proofs=self.proofs.by_axis(tolerances)) if tolerances.places else self

    def joined(self, snapshot: Snapshot) -> Snapshot:
        """A snapshot whose elites are joined by these, and that knows which cells are proven empty."""
        empty = {each.tolerances: each.as_blocks() for each in self.empty}
        both = snapshot.elites.and_(self.elites) if len(self.elites) else snapshot.elites
        return replace(snapshot, elites=both, proven_empty=empty)

    def to_bytes(self) -> bytes:
        """Everything as the content of an `.npz` file."""
        about = {
            "format": FORMAT,
            "evaluations": dict(self.evaluations),
            "proofs": [each.as_value() for each in self.proofs.each],
            "empty": [each.as_value() for each in self.empty],
            "why_not": [each.as_value() for each in self.why_not],
            "relations": [vars(each) for each in self.relations],
        }
        return pack(about, {name: getattr(self.elites, name) for name in ELITE_ARRAYS})

    @classmethod
    def from_bytes(cls, content: bytes, problem: Problem) -> Findings:
        """What `to_bytes` made, of this problem; an `InputError` says why where it is not."""
        about, arrays = unpack(content, LONGEST_TEXT)
        try:
            if about["format"] != FORMAT:
                raise InputError(f"its format is {about['format']}, but this version reads {FORMAT}")
            found = cls(
                Elites(*(arrays[name] for name in ELITE_ARRAYS)),
                {str(name): int(count) for name, count in about["evaluations"].items()},
                Proofs(tuple(Proof.from_value(each) for each in about["proofs"])),
                tuple(EmptyCells.from_value(each) for each in about["empty"]),
                tuple(WhyNot.from_value(each) for each in about["why_not"]),
                tuple(FoundRelation(**each) for each in about["relations"]),
            )
            found._check(problem)
        except KeyError as missing:
            raise InputError(f"no findings of a run, because they have no {missing.args[0]!r}") from None
        except (InputError, ValueError, TypeError, OverflowError, AttributeError, IndexError) as error:
            raise InputError(f"no findings of a run, because {error}") from None
        return found

    def _check(self, problem: Problem) -> None:
        count = len(problem.constraints)
        self.elites.check_for(problem)
        widths = [len(each.tolerances) for each in self.proofs.each]
        widths += [len(each.tolerances) for each in self.why_not]
        widths += [sum(map(len, each.tolerances.places)) or len(each.tolerances.names) for each in self.empty]
        places = {i for each in self.why_not for i in each.places}
        if any(width != count for width in widths) or any(not 0 <= i < count for i in places):
            raise InputError(f"what is proven must be of {count} constraints, but some of it was not")


def _distinct(elites: Elites) -> Elites:
    """Every solution once, the first that was found, and no more than there is room for."""
    if not len(elites):
        return elites
    _, first = np.unique(elites.x, axis=0, return_index=True)
    return elites.rows(np.sort(first)[:MOST_ELITES])
