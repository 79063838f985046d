"""An archive in a script: its table and the one design to take."""

import sys

import numpy as np
import pytest

from mapelites import Archive, Constraint, InputError, Problem, Tolerances
from mapelites.core.archive import Elites
from mapelites.snapshot.exports import elite_record


def disc(x):
    return x[0] + x[1], [x[0] ** 2 + x[1] ** 2 - 1.0], [x[0] - x[1]]


PROBLEM = Problem("disc", [-2.0] * 2, [2.0] * 2, (Constraint("g1", "inequality"), Constraint("f", "equality")), disc)
EMPTY = Archive(PROBLEM, Tolerances.default(PROBLEM), Elites.empty(PROBLEM), evaluations=0)


def test_the_table_has_the_columns_and_values_of_an_exported_file():
    pytest.importorskip("pandas")
    archive = EMPTY.add(np.random.default_rng(1).uniform(-2, 2, (200, 2)), 1, "random")
    table = archive.to_pandas()
    assert table.to_dict("records") == [elite_record(archive, elite) for elite in archive]
    assert {"cell", "f", "constraint_f", "violation_g1", "bin_g1", "x1", "feasible"} <= set(table.columns)


def test_without_pandas_it_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(InputError, match="to_pandas needs the package pandas, but it is missing: pip install pandas"):
        EMPTY.to_pandas()


def test_the_result_is_the_best_feasible_design():
    result = EMPTY.add([[-0.5, -0.5], [0.0, 0.0], [-2.0, -2.0]], 1, "random").result()
    assert (result.success, result.fun, result["x"].tolist(), result.nfev) == (True, -1.0, [-0.5, -0.5], 3)
    assert result.message == "A feasible design was found."


def test_without_a_feasible_one_it_is_the_one_that_breaks_least():
    result = EMPTY.add([[1.0, 1.0], [-2.0, -2.0]], 1, "random").result()
    assert (result.success, result.x.tolist(), result.violations.tolist()) == (False, [1.0, 1.0], [1.0, 0.0])
    assert "No feasible design was found" in result.message
    assert EMPTY.result().x is None
