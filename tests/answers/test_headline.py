"""The sentence above a map: the largest gain first, pairs, ties, rounding, and never against the tables."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from components.run.limits import limit_rows
from mapelites.answers import Designs, almost_feasible, headline, relaxation_gains
from mapelites.core.archive import Archive, Elites
from mapelites.core.constraint import Constraint
from mapelites.core.nested_map.reading import rows_by_cell
from mapelites.core.problem import Problem, Relation
from mapelites.core.tolerances import Tolerances
from tests.answers.known import random_map

LIMITS = (100.0, 50.0, 20.0)
NAMES = ("shear", "fit", "load")


def designs_of(
    known: dict[tuple[float, ...], float], limits: tuple[float | None, ...] = LIMITS, levels: float = 10.0
) -> Designs:
    """Designs by how many per cent of each limit they are beyond it, with their objectives."""
    constraints = tuple(
        Constraint(name, "inequality", limit=limit, sense="<=" if limit else "", unit="psi" if limit else "")
        for name, limit in zip(NAMES, limits, strict=True)
    )
    problem = Problem("beam", [0.0], [1.0], constraints, lambda x: (0.0, [0.0] * 3, []))
    sizes = np.array([limit or 100.0 for limit in limits])
    g = np.array(list(known)) / 100 * sizes
    f = np.array(list(known.values()))
    found = Elites(
        np.zeros((len(f), 1)), f, g, np.empty((len(f), 0)), np.arange(1, len(f) + 1), np.full(len(f), "test")
    )
    tolerances = Tolerances(NAMES, tuple((0.0, size * levels / 200, size * levels / 100) for size in sizes.tolist()))
    return Designs.of(Archive(problem, tolerances, found))


BEAM = {(0, 0, 0): 1.725, (10, 0, 0): 1.673, (0, 10, 0): 1.7043, (0, 0, 10): 1.7044, (40, 0, 0): 0.01}


def test_the_largest_gain_within_the_allowances_comes_first_then_the_next() -> None:
    assert headline(designs_of(BEAM)) == (
        "Within 10 % of each limit, shear buys most: 1.725 → 1.673 (-3 %). Next: fit (-1.2 %), load (-1.2 %)."
    )


def test_it_says_so_far_while_the_run_goes_on_and_proven_where_it_is() -> None:
    far = headline(designs_of(BEAM), so_far=True)
    assert far.startswith("Within 10 % of each limit, shear buys most so far: 1.725")
    proven = headline(designs_of(BEAM), proven=lambda limits, f: f == 1.673)
    assert "shear buys most: 1.725 → 1.673 (-3 %), proven. Next: fit (-1.2 %), load" in proven


def test_it_says_no_more_than_what_is_found_tells() -> None:
    problem = designs_of(BEAM).problem
    empty = Archive(problem, designs_of(BEAM).tolerances, Elites.empty(problem))
    assert headline(Designs.of(empty), so_far=True) == ""
    only_feasible = designs_of({(0, 0, 0): 5.0, (40, 0, 0): 4.0})  # nothing within the allowances relaxes anything
    assert headline(only_feasible, so_far=True) == "The best feasible design so far: 5."


def test_a_pair_is_told_only_where_it_buys_clearly_more_than_its_parts() -> None:
    parts = {**BEAM, (10, 10, 0): 1.65}  # 0.075, and the parts 0.0727: not clearly more
    assert "together" not in headline(designs_of(parts))
    clear = headline(designs_of({**BEAM, (10, 10, 0): 1.6}))
    assert clear.startswith(
        "Within 10 % of each limit, shear and fit together buy most: 1.725 → 1.6 (-7.2 %). Alone, shear buys most: "
        "1.725 → 1.673 (-3 %). Next: fit"
    )
    less = headline(designs_of({**BEAM, (0, 10, 10): 1.675}))  # clearly more than its parts, less than shear alone
    assert less.startswith("Within 10 % of each limit, shear buys most: 1.725 → 1.673 (-3 %).")
    assert less.endswith("fit and load together buy clearly more than one by one: 1.725 → 1.675 (-2.9 %).")


def test_a_pair_buys_most_only_where_no_other_pair_buys_more() -> None:
    known = {
        (0, 0, 0): 100.0,
        (10, 0, 0): 90.0,
        (0, 10, 0): 91.0,
        (10, 10, 0): 81.0,
        (0, 0, 10): 99.5,
        (0, 10, 10): 88.0,
    }
    assert headline(designs_of(known)) == (  # shear and fit buy more than fit and load, but no more than one by one
        "Within 10 % of each limit, shear buys most: 100 → 90 (-10 %). Next: fit (-9 %), load (-0.5 %). "
        "fit and load together buy clearly more than one by one: 100 → 88 (-12 %)."
    )


def test_gains_that_read_alike_are_told_together() -> None:
    tie = headline(designs_of({(0, 0, 0): 2.0, (10, 0, 0): 1.9, (0, 0, 10): 1.9}))
    assert tie == "Within 10 % of each limit, shear and load each buy most: 2 → 1.9 (-5 %)."


def test_a_gain_that_nobody_would_see_is_next_to_nothing() -> None:
    said = headline(designs_of({(0, 0, 0): 5.0, (10, 0, 0): 5.0 - 1e-7, (0, 10, 0): 5.0}))
    assert said == "Within 10 % of each limit, relaxing buys next to nothing: the objective stays at 5."
    converged = headline(designs_of({(0, 0, 0): 4.3e-11, (10, 0, 0): 8.4e-13, (0, 10, 0): 150.0}))
    assert converged.endswith("relaxing buys next to nothing: the objective stays at 4.3e-11.")
    only_all = headline(designs_of({(0, 0, 0): 5.0, (10, 10, 10): 4.0}))
    assert only_all == (
        "Within 10 % of each limit, no one or two constraints buy anything, all of them together 5 → 4 (-20 %)."
    )


def test_allowances_that_differ_are_named_with_their_constraints() -> None:
    plain = designs_of(BEAM, limits=(100.0, 50.0, None))
    assert headline(plain).startswith("Within the allowances, shear (10 %) buys most: 1.725 → 1.673 (-3 %).")
    odd = replace(plain, tolerances=replace(plain.tolerances, levels=((0.0, 3.21717, 10.0), (0.0, 5.0), (0.0, 10.0))))
    assert headline(odd).startswith("Within the allowances, shear (10 %) buys most")  # whatever the levels below are
    all_known = designs_of(BEAM)
    in_percent = tuple(replace(each, unit="%") for each in all_known.problem.constraints)
    shares = replace(all_known, problem=replace(all_known.problem, constraints=in_percent))
    assert headline(shares).startswith("Within 10 % of each limit, shear buys most")
    bare = designs_of(BEAM, limits=(None, None, None))
    assert headline(bare).startswith("Allowing violations of up to 10, shear buys most: 1.725 → 1.673")


def test_where_the_sliders_moved_it_says_what_that_bought_and_what_comes_next() -> None:
    designs = designs_of({**BEAM, (5, 0, 0): 1.7, (5, 10, 0): 1.68})
    assert headline(designs, designs.limits({"shear": 5.0})) == (
        "With shear relaxed by 5 psi (5 %): 1.725 → 1.7 (-1.4 %). "
        "Within 10 % of each limit, shear buys most: 1.7 → 1.673 (-1.6 %). Next: fit (-1.2 %)."
    )
    assert headline(designs, designs.limits({"load": 1.0})).startswith(
        "With load relaxed by 1 psi (5 %): nothing is gained, the objective stays at 1.725."
    )


def test_without_a_feasible_design_it_says_what_there_is() -> None:
    within = headline(designs_of({(10, 0, 0): 1.673}), so_far=True)
    assert within == ("No feasible design was found so far. Within 10 % of each limit, the best objective is 1.673.")
    beyond = headline(designs_of({(40, 0, 0): 1.0}))
    assert beyond == (
        "No feasible design was found, nor one within the allowances. The one that relaxes least breaks shear by "
        "40 psi (40 %) to 140 psi."
    )
    bare = designs_of({(40, 0, 0): 1.0}, limits=(None, None, None))
    per_unit = replace(bare.problem, constraints=tuple(replace(each, unit="p.u.") for each in bare.problem.constraints))
    assert headline(replace(bare, problem=per_unit)).endswith("breaks shear by 40 p.u.")


def test_what_is_maximised_is_told_as_people_mean_it() -> None:
    designs = designs_of({(0, 0, 0): -100.0, (10, 0, 0): -110.0})
    profit = replace(designs, problem=replace(designs.problem, maximise=True))
    assert headline(profit) == "Within 10 % of each limit, shear buys most: 100 → 110 (+10 %)."


def test_constraints_that_follow_from_each_other_are_relaxed_together() -> None:
    pair = (Constraint("h1", "equality"), Constraint("h2", "equality"))
    problem = Problem(
        "pair", [0.0], [1.0], pair, lambda x: (0.0, [], [0.0] * 2), relations=(Relation("h1", "h2", 0.0),)
    )
    h = np.array([[0.0, 0.0], [1.0, -1.0]])
    found = Elites(np.zeros((2, 1)), np.array([4.0, 3.0]), np.empty((2, 0)), h, np.arange(1, 3), np.full(2, "test"))
    designs = Designs.of(Archive(problem, Tolerances.same(problem, (0, 1)), found))
    assert headline(designs) == "Allowing violations of up to 1, h1/h2 buys most: 4 → 3 (-25 %)."


@pytest.mark.parametrize("seed", range(12))
def test_it_never_contradicts_table_map_or_almost_feasible(seed: int) -> None:
    archive = random_map(seed, designs=200)
    designs = Designs.of(archive)
    gains, said = relaxation_gains(designs), headline(designs)
    table = limit_rows(designs, gains)["rows"]
    assert [row["name"] for row in table] == [designs.names[each.groups[0][0]] for each in gains.alone]
    if gains.start.f is None:
        assert said.startswith("No feasible design was found")
        return
    whole = rows_by_cell(archive, "up-to")
    f = np.append(archive.everything().f, np.inf)
    for each in gains.alone:
        (group,) = each.groups
        bins = [len(levels) - 1 if i in group else np.searchsorted(levels, designs.satisfied[i], side="right") - 1
                for i, levels in enumerate(archive.tolerances.levels)]  # fmt: skip
        at_cell = f[whole[tuple(bins)]]  # at levels below what counts as satisfied, the cell asks for more
        assert each.f is not None
        assert each.f <= at_cell
    told = [row for row in table if row["gain"]]
    if told:
        assert said.index(told[0]["label"]) == min(said.index(row["label"]) for row in told)
        assert f"({told[0]['gain']})" in said
    margin = np.array([levels[-1] for levels in archive.tolerances.levels])
    beaten = almost_feasible(designs, margin, 1) or ()
    visible = [row for row in beaten if gains.start.f - designs.f[row] > 1e-5 * abs(gains.start.f)]
    assert bool(visible) == bool(gains.told)
    if visible:
        assert designs.f[visible[0]] == gains.told[0].f
    for one, other in combinations(gains.alone, 2):  # no pair that is told buys less than another one that is clear
        assert gains.pair is None or gains.pair.gain is not None
        assert (one.gain or 0) >= (other.gain or 0)
