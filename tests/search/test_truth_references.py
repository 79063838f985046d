"""The references of the truth benchmark: solutions that are kept, and their worth when re-evaluated."""

import numpy as np
import pytest

from benchmarks.truth import References, asked
from mapelites.problems import get
from mapelites.problems.suites import gallery

NAMES = ("pressure-vessel", "welded-beam", "tension-spring", "speed-reducer", "reactor-network", "haverly-pooling")


@pytest.mark.parametrize("name", NAMES)
def test_every_question_of_a_design_has_a_reference_and_looser_ones_are_never_worse(name):
    problem = get(name)
    _, lattice, places = asked(problem)
    tolerances = lattice.tolerances_of(places)
    truth = References().truth(name, problem, tolerances)
    assert name in gallery.NAMES
    assert np.isfinite(truth).all()
    assert truth[0] <= problem.best_known + 1e-3 * abs(problem.best_known)
    assert (truth <= truth[0]).all()


def test_only_what_is_better_is_learned_and_only_within_the_tolerances(tmp_path):
    problem = get("three-bar-truss")
    kept, tolerances = References(tmp_path / "truth.json.gz"), np.zeros((1, 3))
    assert not np.isfinite(kept.truth("truss", problem, tolerances)).any()
    assert kept.learn("truss", problem, tolerances, [[1.0, 1.0], [0.01, 0.01], None]) == 1
    assert kept.truth("truss", problem, tolerances)[0] == problem.evaluate([[1.0, 1.0]]).f[0]
    assert kept.learn("truss", problem, tolerances, [[1.0, 1.0]]) == 0
    kept.save()
    assert References(tmp_path / "truth.json.gz").kept == kept.kept
