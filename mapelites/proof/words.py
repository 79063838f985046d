"""What was proven, as people read it."""

from __future__ import annotations

import math

import numpy as np

from mapelites.core.problem import Array, Problem
from mapelites.proof.cells import EmptyCells
from mapelites.proof.proof import Proof
from mapelites.proof.proofs import Proofs

DIGITS = 5
MOST_DIGITS = 9
PERCENT = 100.0
PROVEN = 1e-3  # the gap within which an answer is called proven


def with_bound(problem: Problem, f: float, proofs: Proofs, tolerances: Array) -> str:
    """An answer with what is proven of it, or an empty text where nothing is.

    "1.6730, nobody below 1.6722 (0.05 %)"
    """
    bound, gap = proofs.bound(tolerances, f), proofs.gap(tolerances, f)
    return "" if bound is None or gap is None else bound_words(problem, f, bound, gap)


def bound_of(problem: Problem, f: float | None, proofs: Proofs, tolerances: Array) -> str:
    """What is proven of an answer that is told beside it, or that there is none; empty where nothing is."""
    if f is None:
        return "no solution can exist" if proofs.infeasible(tolerances) else ""
    bound, gap = proofs.bound(tolerances, f), proofs.gap(tolerances, f)
    return "" if bound is None or gap is None else nobody_words(problem, f, bound, gap)


def bound_words(problem: Problem, f: float, bound: float, gap: float) -> str:
    """An f with a bound below it; where the problem says maximise, both with their sign turned and a bound above."""
    shown = _rounded(-f if problem.maximise else f, _digits(f, bound))
    return f"{shown}, {nobody_words(problem, f, bound, gap)}"


def nobody_words(problem: Problem, f: float, bound: float, gap: float) -> str:
    """The bound alone, for a table that has the f beside it: "nobody below 1.6722 (0.05 %)"."""
    sign, side = (-1.0, "above") if problem.maximise else (1.0, "below")
    limit = _rounded(sign * bound, _digits(f, bound), up=problem.maximise, down=not problem.maximise)
    return f"nobody {side} {limit} ({percent(gap)})"


def is_proven(proofs: Proofs, tolerances: Array, f: float, gap: float = PROVEN) -> bool:
    """Whether nobody can be better than an answer by more than a gap: then a sentence may say "proven"."""
    found = proofs.gap(tolerances, f)
    return found is not None and found <= gap


def proof_sentence(problem: Problem, proof: Proof) -> str:
    """What one proof says, with what it holds for."""
    if proof.status == "infeasible":
        return "No solution can exist within these tolerances: proven."
    if proof.bound is None:
        return f"Nothing was proven: {proof.reason}."
    if proof.f is None or proof.gap is None:
        sign, side = (-1.0, "above") if problem.maximise else (1.0, "below")
        return f"Nobody {side} {_rounded(sign * proof.bound, DIGITS)}; no solution within these tolerances is known."
    word = "Proven" if proof.status == "proven" else "Bound only"
    return f"{word}: {bound_words(problem, proof.f, proof.bound, proof.gap)}."


def margin_sentence(problem: Problem, proof: Proof) -> str:
    """Within what the solver's own tolerance lies: what is proven holds for limits that are wider by so much."""
    shares = [
        f"{each.name} {margin:.1g} {each.unit}".rstrip()
        for each, margin in zip(problem.constraints, proof.margins, strict=True)
    ]
    return (
        f"Proven for limits wider by the solver's tolerance ({', '.join(shares)}), so it holds for the limits as well."
    )


def coverage_sentence(empty: EmptyCells) -> str:
    """How much of the map is filled, told against the cells that can exist.

    "35 of the 35 cells that can exist are filled; 90 of 125 are proven empty."
    """
    said = f"{empty.occupied:,} of the {empty.possible:,} cells that can exist are filled"
    if empty.open:
        said = f"{empty.occupied:,} of at most {empty.possible:,} cells that can exist are filled"
    but = f", {len(empty.rims):,} of them but for a rim that the solver cannot tell from an edge" if empty.rims else ""
    return f"{said}; {empty.cells:,} of {empty.tolerances.cells:,} are proven empty{but}."


def percent(share: float) -> str:
    """A gap in per cent with one or two digits, never rounded down.

    >>> percent(0.00048), percent(0.0), percent(0.0123), percent(0.1234)
    ('0.05 %', '0 %', '1.3 %', '13 %')
    """
    if share <= 0:
        return "0 %"
    value = share * PERCENT
    digits = min(6, -math.floor(math.log10(value)) + (value >= 0.1)) if value < 1 else int(value < 10)
    step = 10.0**-digits
    return f"{math.ceil(value / step - 1e-9) * step:.{digits}f} %"


def _digits(f: float, bound: float) -> int:
    """As many digits as tell the two apart, from five on."""
    if f == bound or f == 0:
        return DIGITS
    apart = math.log10(max(abs(f), abs(bound)) / abs(f - bound))
    return min(MOST_DIGITS, max(DIGITS, math.ceil(apart) + 1))


def _rounded(value: float, digits: int, *, up: bool = False, down: bool = False) -> str:
    """A number with so many digits, rounded to one side where that matters."""
    if value == 0 or not np.isfinite(value):
        return f"{value:g}"
    places = digits - 1 - math.floor(math.log10(abs(value)))
    scaled = value * 10.0**places
    whole = math.ceil(scaled - 1e-9) if up else math.floor(scaled + 1e-9) if down else round(scaled)
    return f"{whole / 10.0**places:,.{max(0, places)}f}"
