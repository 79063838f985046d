"""The 24 problems of CEC 2006, g01 to g24.

J. J. Liang and others, "Problem definitions and evaluation criteria for the CEC 2006 special session on constrained
real-parameter optimization" (2006). Formulas are in `../data/cec2006.json`. No feasible point of g20 is known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np

from mapelites.core.errors import unknown
from mapelites.core.on_demand import KernelOnDemand
from mapelites.core.problem import Problem
from mapelites.problems.suites.cec2006 import earlier, processes
from mapelites.problems.suites.suite import Suite
from mapelites.problems.suites.texts import constraints_of, data_file

NAMES = tuple(f"g{number:02}" for number in range(1, 25))
# The appendix of the report, where an equality may be off by 1e-4.
BEST = (
    -15.0, -0.8036191042, -1.0005001, -30665.5386717834, 5126.4967140071, -6961.8138755802, 24.3062090681,
    -0.0958250415, 680.6300573745, 7049.2480205286, 0.7499, -1.0, 0.0539415140, -47.7648884595, 961.7150222899,
    -1.9051552586, 8853.5396748064, -0.8660254038, 32.6555929502, 0.2049794002, 193.7245100700, 236.4309755040,
    -400.0551, -5.5080132716,
)  # fmt: skip
NOTES = {"g20": "slightly infeasible; no feasible point is known"}
BOUNDS: Mapping[str, tuple[Sequence[float], Sequence[float]]] = {
    "g01": ([0] * 13, [1] * 9 + [100] * 3 + [1]),
    "g02": ([0] * 20, [10] * 20),
    "g03": ([0] * 10, [1] * 10),
    "g04": ([78, 33, 27, 27, 27], [102, 45, 45, 45, 45]),
    "g05": ([0, 0, -0.55, -0.55], [1200, 1200, 0.55, 0.55]),
    "g06": ([13, 0], [100, 100]),
    "g07": ([-10] * 10, [10] * 10),
    "g08": ([0, 0], [10, 10]),
    "g09": ([-10] * 7, [10] * 7),
    "g10": ([100, 1000, 1000] + [10] * 5, [10000] * 3 + [1000] * 5),
    "g11": ([-1, -1], [1, 1]),
    "g12": ([0] * 3, [10] * 3),
    "g13": ([-2.3, -2.3, -3.2, -3.2, -3.2], [2.3, 2.3, 3.2, 3.2, 3.2]),
    "g14": ([0] * 10, [10] * 10),
    "g15": ([0] * 3, [10] * 3),
    "g16": ([704.4148, 68.6, 0, 193, 25], [906.3855, 288.88, 134.75, 287.0966, 84.1988]),
    "g17": ([0, 0, 340, 340, -1000, 0], [400, 1000, 420, 420, 1000, 0.5236]),
    "g18": ([-10] * 8 + [0], [10] * 8 + [20]),
    "g19": ([0] * 15, [10] * 15),
    "g20": ([0] * 24, [10] * 24),
    "g21": ([0, 0, 0, 100, 6.3, 5.9, 4.5], [1000, 40, 40, 300, 6.7, 6.4, 6.25]),
    "g22": (
        [0] * 7 + [100, 100, 100.01, 100, 100, 0, 0, 0, 0.01, 0.01] + [-4.7] * 5,
        [20000, 1e6, 1e6, 1e6, 4e7, 4e7, 4e7, 299.99, 399.99, 300, 400, 600, 500, 500, 500, 300, 400] + [6.25] * 5,
    ),
    "g23": ([0] * 8 + [0.01], [300, 300, 100, 200, 100, 300, 100, 200, 0.03]),
    "g24": ([0, 0], [3, 4]),
}
REFERENCE = "J. J. Liang and others, Problem definitions for the CEC 2006 special session (2006)"


@cache
def get(name: str) -> Problem:
    """One of the problems."""
    if name not in NAMES:
        raise unknown("the problem", name, NAMES)
    told = data_file("cec2006.json")["problems"][name]
    lower, upper = (np.array(each, dtype=np.float64) for each in BOUNDS[name])
    kernel: KernelOnDemand = getattr(processes if hasattr(processes, name) else earlier, name)
    return Problem(
        name=name,
        lower=lower,
        upper=upper,
        constraints=constraints_of(told["constraints"]),
        function=kernel,
        title=f"{name} {told['title']}",
        formula=told["formula"],
        definitions=tuple(told["definitions"]),
        difficulty=told["about"],
        best_known=BEST[NAMES.index(name)],
        best_known_note=NOTES.get(name, ""),
        reference=REFERENCE,
    )


def budget(name: str, n: int) -> int:
    """The evaluations of a run in the competition; results were recorded at 5,000 and 50,000 too."""
    return 500_000


SUITE = Suite(title="CEC 2006", order=30, names=NAMES, get=get, budget=budget)
