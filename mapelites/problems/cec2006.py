"""The 24 problems of CEC 2006, g01 to g24, computed by the package pymoo where it is installed.

Definitions: J. J. Liang and others, "Problem definitions and evaluation criteria for the CEC 2006 special session on
constrained real-parameter optimization". pymoo 0.6.2 departs from the competition's own code in two of them, which is
put right here: g11's equality is declared as an inequality, and g17's objective counts x1 and x2 themselves where the
competition counts what its first two equalities say they are. g04's limits come in the competition's order.

`pip install -r requirements-suites.txt` brings the package.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from typing import Any

import numpy as np

from mapelites.errors import InputError
from mapelites.problem import Array, Constraint, Problem

NAMES = tuple(f"g{number:02}" for number in range(1, 25))
# The appendix of the report, where an equality may be off by 1e-4.
BEST = (
    -15.0, -0.8036191042, -1.0005001, -30665.5386717834, 5126.4967140071, -6961.8138755802, 24.3062090681,
    -0.0958250415, 680.6300573745, 7049.2480205286, 0.7499, -1.0, 0.0539415140, -47.7648884595, 961.7150222899,
    -1.9051552586, 8853.5396748064, -0.8660254038, 32.6555929502, 0.2049794002, 193.7245100700, 236.4309755040,
    -400.0551, -5.5080132716,
)  # fmt: skip
REFERENCE = "J. J. Liang and others, Problem definitions for the CEC 2006 special session (2006)"


def available() -> bool:
    """Whether the package that computes them is installed."""
    return find_spec("pymoo") is not None


class _Batch:
    """pymoo's function of a batch."""

    def __init__(self, name: str) -> None:
        from pymoo.problems.single import g

        self.name = name
        self.inner: Any = getattr(g, f"G{int(name[1:])}")()

    def __call__(self, x: Array) -> Any:
        """f, g and h of one solution."""
        values = self.rows(np.asarray(x)[None])[0]
        m = self.inequalities
        return float(values[0]), values[1 : 1 + m].tolist(), values[1 + m :].tolist()

    @property
    def inequalities(self) -> int:
        """How many of the constraints are inequalities."""
        return 0 if self.name == "g11" else int(self.inner.n_ieq_constr)

    def rows(self, points: Array) -> Array:
        """f, g and h of a batch side by side."""
        out = self.inner.evaluate(points, return_values_of=["F", "G", "H"])
        f, g, h = (np.asarray(part, dtype=np.float64).reshape(len(points), -1) for part in out)
        if self.name == "g17":
            f = _g17(points[:, 0], points[:, 1], h)[:, None]
        if self.name == "g04":
            g = g[:, [1, 0, 3, 2, 5, 4]]
        return np.concatenate([f, g, h], axis=1)


def _g17(first: Array, second: Array, h: Array) -> Array:
    """The cost of two flows; each has a price that rises with it in steps."""
    one = np.where(first < 300, 30.0, 31.0) * (first + h[:, 0])
    other = np.select([second < 100, second < 200], [28.0, 29.0], 30.0) * (second + h[:, 1])
    return np.asarray(one + other, dtype=np.float64)


@cache
def get(name: str) -> Problem:
    """One of the problems."""
    if not available():
        raise InputError(f"{name}: it needs the package pymoo: pip install -r requirements-suites.txt")
    batch = _Batch(name)
    inner, m = batch.inner, batch.inequalities
    p = int(inner.n_ieq_constr + inner.n_eq_constr) - m
    return Problem(
        name=name,
        lower=inner.xl,
        upper=inner.xu,
        constraints=tuple(
            [Constraint(f"g{i}", "inequality") for i in range(1, m + 1)]
            + [Constraint(f"h{i}", "equality") for i in range(1, p + 1)]
        ),
        function=batch,
        title=f"{name} (CEC 2006)",
        best_known=BEST[NAMES.index(name)],
        reference=REFERENCE,
    )
