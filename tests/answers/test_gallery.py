"""The gallery at its default levels, against re-solves that know nothing of our searches, and against hand work."""

from __future__ import annotations

from functools import cache
from itertools import combinations

import numpy as np
import pytest

from mapelites import illuminate
from mapelites.answers import Designs, least_relaxations, price_of
from mapelites.answers.words import none_within, relaxation_sentence
from mapelites.core.problem import Problem
from mapelites.core.terms import percent_of_reference
from mapelites.problems import get
from mapelites.problems.suites.gallery import NAMES
from tests.answers.by_hand import BY_HAND, HUNDRED
from tests.tools.resolve import optimum, recorded

EVALUATIONS = 200_000  # what a run has by default
TIE = 1e-3  # of the best feasible objective


@cache
def designs_of(name: str) -> Designs:
    return Designs.of(illuminate(get(name), evaluations=EVALUATIONS, seed=1))


def gains(designs: Designs, level: int) -> dict[str, float]:
    """By constraint, what relaxing it alone to one of its levels buys, as a share of the best feasible objective."""
    found = {}
    for i, name in enumerate(designs.names):
        steps = price_of(designs, i, designs.satisfied).steps
        wanted = designs.tolerances.levels[i][level]
        start, end = (next(each.f for each in steps if each.tolerance >= t) for t in (designs.satisfied[i], wanted))
        assert start is not None
        assert end is not None
        found[name] = (start - end) / abs(start)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_the_default_levels_rank_the_constraints_as_independent_re_solves_do(name: str) -> None:
    designs, truth = designs_of(name), recorded()[name]
    for level in range(1, 5):
        ours = gains(designs, level)
        theirs = {each: (f[0] - f[level]) / abs(f[0]) for each, f in truth.items()}
        for one, other in combinations(designs.names, 2):
            apart = theirs[one] - theirs[other]
            assert abs(apart) <= TIE or apart * (ours[one] - ours[other]) > 0, (level, one, other)


@pytest.mark.parametrize(("name", "constraint"), [("welded-beam", 0), ("tension-spring", 1), ("reactor-network", 2)])
def test_what_is_recorded_of_the_re_solves_is_found_again(name: str, constraint: int) -> None:
    problem, truth = get(name), recorded()[name]
    tolerances = problem.feasible_up_to.copy()
    tolerances[constraint] = designs_of(name).tolerances.levels[constraint][-1]
    f, x = optimum(problem, tolerances, starts=6)
    assert f == pytest.approx(truth[problem.constraints[constraint].name][-1], rel=1e-6)
    assert (problem.evaluate(x[None]).violations[0] <= tolerances + 1e-6 * np.maximum(tolerances, 1.0)).all()


@pytest.mark.parametrize("name", BY_HAND)
def test_every_number_that_is_told_of_a_design_is_what_hand_work_gives(name: str) -> None:
    designs, problem = designs_of(name), get(name)
    limits = designs.satisfied
    rows = {row for i in range(len(designs.names)) for row in price_of(designs, i, limits).rows}
    rows |= {way.row for way in least_relaxations(designs, goal(designs))}
    assert len(rows) > 3
    for row in rows:
        f, raw = BY_HAND[name](designs.found.x[row])
        assert designs.f[row] == pytest.approx(f, rel=1e-9)
        scale = np.array(HUNDRED[name])
        assert designs.values[row] / scale == pytest.approx(np.array(raw) / scale, rel=1e-7, abs=1e-9)
        for constraint, value, hundred in zip(problem.constraints, raw, HUNDRED[name], strict=True):
            told = percent_of_reference(constraint, max(value, 0.0))
            assert told == pytest.approx(100 * max(value, 0.0) / hundred, rel=0.06)  # a typical size is two digits


def goal(designs: Designs) -> float:
    """An objective 2 % below the best feasible one."""
    best = designs.best(designs.satisfied)
    assert best is not None
    return float(designs.f[best]) - 0.02 * abs(float(designs.f[best]))


def hand_cost(problem: Problem, name: str, x: np.ndarray) -> tuple[bool, float]:
    """Whether a design is within 10 % of every limit, and its per cent of the limits in all, by hand."""
    _, raw = BY_HAND[name](x)
    shares = [max(value, 0.0) / (each.reference or 1.0) for value, each in zip(raw, problem.constraints, strict=True)]
    return max(shares) <= 0.1 * (1 + 1e-9), sum(shares)


@pytest.mark.parametrize("name", BY_HAND)
def test_the_least_to_relax_goes_by_per_cent_of_limits_and_stays_within_the_allowances_first(name: str) -> None:
    designs, problem = designs_of(name), get(name)
    need = goal(designs)
    ways = least_relaxations(designs, need)
    costs = [hand_cost(problem, name, designs.found.x[way.row]) for way in ways]
    assert [within for within, _ in costs] == [way.within for way in ways]
    assert costs == sorted(costs, key=lambda each: (not each[0], each[1]))
    good = [hand_cost(problem, name, designs.found.x[row]) for row in np.flatnonzero(designs.f < need)]
    assert costs[0][1] == pytest.approx(min(cost for within, cost in good if within is costs[0][0]))
    assert none_within(ways) == ""
    far = least_relaxations(designs, float(designs.f.min()) + 1e-9 * abs(float(designs.f.min())))
    assert not far[0].within
    assert none_within(far) == "None of them stays within your allowances, the last levels of the constraints."


def test_shear_buys_most_of_the_welded_beam_and_the_sentence_says_so_in_its_unit() -> None:
    designs = designs_of("welded-beam")
    constraints = designs.problem.constraints
    most = max(gains(designs, 4), key=lambda each: gains(designs, 4)[each])
    assert most == "shear"
    curve = price_of(designs, 0, designs.satisfied)
    said = relaxation_sentence(constraints[0], curve.steps[0], curve.steps[4])
    assert said == "Relaxing shear from 0 psi to 1,360 psi (10 %) lowers the objective from 1.725 to 1.672 (-3.1 %)."
