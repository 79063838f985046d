"""More constraints than a map shows: what the others allow, all pairs, parallel coordinates."""

from __future__ import annotations

import base64
from dataclasses import replace

import numpy as np
import pytest

from components.map import many_pairs, many_parallel
from components.map.figure import FigureView, content, figure
from components.map.ruler import ruler_place
from components.page_state.state import PageState
from components.page_state.view import read_cell
from components.shared.format import cell_for_browser
from mapelites.core.archive import Archive, Elites
from mapelites.core.errors import InputError
from mapelites.core.nested_map.colour import EMPTY, FIRST, by_objective
from mapelites.core.nested_map.fold import Fold
from mapelites.core.nested_map.thumbnail import thumbnail_png
from mapelites.core.nested_map.usual import axis_groups, gains_alone, steady_order, usual_order, usual_view
from mapelites.core.problem import Constraint, Problem
from mapelites.core.tolerances import Tolerances
from mapelites.problems import get

NAMES = tuple(f"g{i + 1}" for i in range(11))


@pytest.fixture(scope="module")
def archive() -> Archive:
    """Random violations of eleven constraints, many of them 0; f is what they are not."""
    constraints = tuple(Constraint(name, "inequality") for name in NAMES)
    problem = Problem("eleven", np.zeros(12), np.full(12, 9.0), constraints, lambda x: (x[0], list(x[1:] - 3.0), []))
    rng = np.random.default_rng(3)
    x = np.where(rng.random((3_000, 12)) < 0.6, 1.0, rng.uniform(0.0, 9.0, (3_000, 12)))
    x[:, 0] = rng.uniform(0.0, 9.0, 3_000)
    tolerances = Tolerances.same(problem, [0.0, 1.0, 3.0])
    return Archive(problem, tolerances, Elites.empty(problem)).add(x, np.arange(3_000), "random")


def brute_force(archive: Archive, shown: list[int], limits: list[float]) -> dict[tuple[int, ...], float]:
    """The best f for all bins of the shown constraints, over what violates the others by no more than the limits."""
    best: dict[tuple[int, ...], float] = {}
    found, others = archive.everything(), [i for i in range(11) if i not in shown]
    for f, violation, bins in zip(found.f, found.violations, archive.tolerances.bins(found.violations), strict=True):
        if all(violation[i] <= limits[i] for i in others):
            place = tuple(int(bins[i]) for i in shown)
            best[place] = min(float(f), best.get(place, np.inf))
    return best


LIMITS = ([np.inf] * 11, [0.0] * 11, [1.0, 3.0, np.inf, 3.0, 0.7, 0.0, np.inf, np.inf, np.inf, np.inf, 1.0])


@pytest.mark.parametrize("limits", LIMITS)
def test_a_place_shows_the_best_solution_over_what_the_others_allow(archive: Archive, limits: list[float]) -> None:
    order = ["g5", "g2", "g9", "g1"]
    fold = Fold.of(archive.tolerances, order, limits)
    shown = [NAMES.index(name) for name in order]
    at, f = fold.rows_of(archive), archive.everything().f
    best = brute_force(archive, shown, limits)
    assert (at >= 0).sum() == len(best) > 0
    bins = archive.tolerances.bins(archive.everything().violations)
    for row in at[at >= 0]:
        assert best[tuple(bins[row][shown])] == f[row]


def test_the_browser_is_told_which_cell_each_place_shows(archive: Archive) -> None:
    view = FigureView(limits=(0.0,) * 11)
    drawn = content(archive, view, 0)
    fold = view.fold(archive.tolerances)
    cells = np.frombuffer(base64.b64decode(drawn["cells"]), dtype="<i8").reshape(fold.shape)
    at = fold.rows_of(archive)
    own = archive.tolerances.cell(archive.tolerances.bins(archive.everything().violations))
    assert np.array_equal(cells[at >= 0], own[at[at >= 0]])
    assert (cells[at < 0] == -1).all()


def test_the_feasible_corner_is_only_drawn_where_the_others_are_kept(archive: Archive) -> None:
    for limits, corner in (((), False), ((0.0,) * 11, True), ((1.0,) * 11, False)):
        view = FigureView(limits=limits)
        drawn = figure(archive, view, content(archive, view, 0), dark=False, narrow=False)
        assert drawn["layout"]["meta"]["corner"] is corner


def test_of_many_constraints_the_four_that_buy_most_are_the_axes_and_the_star_is_feasible(archive: Archive) -> None:
    view = usual_view(archive)
    gains = gains_alone(archive)
    assert [NAMES.index(name) for name in view.order] == sorted(range(11), key=lambda i: (-gains[i], i))
    fold = view.fold(archive.tolerances)
    assert fold.hidden == tuple(NAMES.index(name) for name in view.order[4:])
    drawn = content(archive, view, 0)
    row, column = drawn["feasible"]
    shown = archive.solution(int(fold.rows_of(archive)[row, column]))
    assert shown.feasible
    assert shown.f == archive.best(feasible=True).f  # type: ignore[union-attr]


def five(gains: tuple[float, ...]) -> Archive:
    """A map of five constraints, each of which buys so much alone."""
    names = tuple(Constraint(f"g{i + 1}", "inequality") for i in range(5))
    problem = Problem("five", np.zeros(6), np.full(6, 99.0), names, lambda x: (x[0], list(x[1:]), []))
    x = np.vstack([np.zeros(6), np.column_stack([-np.array(gains), np.eye(5)])]) + np.array([50.0, *[0.0] * 5])
    return Archive(problem, Tolerances.same(problem, [0.0, 1.0]), Elites.empty(problem)).add(x, np.arange(6), "known")


def test_while_a_run_goes_on_an_axis_changes_only_for_one_that_buys_clearly_more() -> None:
    first = steady_order(five((9.0, 8.0, 7.0, 6.0, 5.0)), ())
    assert first == ("g1", "g2", "g3", "g4", "g5")
    assert steady_order(five((9.0, 8.0, 7.0, 6.0, 7.4)), first) == first  # more, but not clearly
    assert steady_order(five((1.0, 8.0, 7.0, 6.0, 0.9)), first) == first  # the axes do not change places
    assert steady_order(five((9.0, 8.0, 0.1, 6.0, 0.2)), first) == first  # neither is worth an axis
    assert steady_order(five((9.0, 8.0, 7.0, 6.0, 7.6)), first) == ("g1", "g2", "g3", "g5", "g4")
    assert usual_order(five((9.0, 8.0, 7.0, 6.0, 7.4))) == ("g1", "g2", "g5", "g3", "g4")  # once it is over


def test_the_star_shows_a_feasible_design_or_nothing(archive: Archive) -> None:
    whole = usual_view(archive)
    for view in (whole, replace(whole, block=(0, 0)), replace(whole, block=(2, 2)), replace(whole, summary=True)):
        drawn, fold = content(archive, view, 0), view.fold(archive.tolerances)
        star, at = drawn["feasible"], fold.rows_of(archive)
        assert star is None or archive.solution(int(at[star[0], star[1]])).feasible
        assert (star is None) == (view.block == (2, 2))


def test_constraints_that_follow_from_each_other_are_one_axis() -> None:
    problem = get("C16", 10)
    archive = Archive(problem, Tolerances.default(problem), Elites.empty(problem))
    assert axis_groups(problem, archive.tolerances) == ((0,), (1,), (2, 3))
    assert usual_view(archive).order == ("g1", "g2", "h1", ";h2")
    fold = usual_view(archive).fold(archive.tolerances)
    assert (fold.hidden, fold.limits[3]) == ((3,), np.inf)
    inequality = get("C18", 10)  # g1 = -h1
    groups = axis_groups(inequality, Tolerances.default(inequality))
    assert [inequality.constraints[leader].kind for leader, *rest in groups if rest] == ["equality"]


@pytest.mark.parametrize("limits", LIMITS[:2])
def test_the_picture_of_a_pair_has_the_colours_of_the_best_over_the_others(
    archive: Archive, limits: list[float]
) -> None:
    chosen = by_objective(archive.everything().f, "auto")
    grid = many_pairs.pair_colours(archive, chosen, np.array(limits), "exact", 2, 7)
    best = brute_force(archive, [2, 7], limits)
    assert grid.shape == (4, 4)
    assert {(int(c), int(r)) for r, c in np.argwhere(grid != EMPTY)} == set(best)
    filled = sorted((f, -int(grid[r, c])) for (c, r), f in best.items())
    assert [shade for _, shade in filled] == sorted(shade for _, shade in filled)  # the better, the brighter
    assert min(-shade for _, shade in filled) >= FIRST


def test_there_is_a_picture_for_every_pair_and_it_is_a_button_with_words(archive: Archive) -> None:
    rows = many_pairs.pair_pictures(archive, np.full(11, np.inf), "up-to", dark=False)
    assert [len(row) for row in rows] == list(range(1, 11))
    drawn = str(many_pairs.layout(NAMES, rows))
    assert drawn.count("Show ") == 55
    assert "Show g1 and g2 on the map" in drawn


def test_lines_of_parallel_coordinates_lie_at_the_places_of_their_elites(archive: Archive) -> None:
    found = many_parallel.parallel_lines(archive)
    places = np.frombuffer(base64.b64decode(found["places"]), dtype="<f4").reshape(-1, 12)
    cells = np.frombuffer(base64.b64decode(found["cells"]), dtype="<i8")
    assert (found["drawn"], found["total"]) == (len(cells), len(archive))
    assert [axis["name"] for axis in found["axes"]] == [*NAMES, "objective"]
    for row in (0, 17, len(cells) - 1):
        elite = archive.at(int(cells[row]))
        assert elite is not None
        wanted = [ruler_place(float(v), archive.tolerances.levels[0]) for v in elite.violations]
        assert np.allclose(places[row, :11], wanted, atol=1e-6)
    objectives = [archive.at(int(cell)).f for cell in cells]  # type: ignore[union-attr]
    assert objectives == sorted(objectives)
    assert (np.diff(places[:, 11]) >= 0).all()


def test_of_very_many_elites_some_are_drawn_evenly_over_their_ranks(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(many_parallel, "MOST_LINES", 100)
    found = many_parallel.parallel_lines(archive)
    assert (found["drawn"], found["total"]) == (100, len(archive))
    assert archive.best() is not None
    assert np.frombuffer(base64.b64decode(found["cells"]), dtype="<i8")[0] == archive.best().cell  # type: ignore[union-attr]


def test_brushes_travel_in_the_address_and_earlier_choices_of_bins_are_sliders(archive: Archive) -> None:
    query = {"rest": "w1,b3,any," + ",".join(["w0"] * 8), "brush": "0:0-.25;11:0.1-0.5", "axes": "g7,g2"}
    view = PageState.from_query(query, archive.tolerances, archive.problem).as_data()
    assert (view["allow"], view["brush"]) == ({"g1": "1", "g2": "any", "g3": "any"}, [[0, 0.0, 0.25], [11, 0.1, 0.5]])
    assert view["overview"] == "parallel"
    assert PageState.from_query({}, archive.tolerances, archive.problem).overview == "pairs"
    for wrong in ("12:0-1", "0:1-0", "0", "a:0-1", "0:0-2", "0:0-1;"):
        with pytest.raises(InputError, match=r"brush: it must be like 0:0-.25;11:0-.1, but it was"):
            PageState.from_query({"brush": wrong}, archive.tolerances, archive.problem)
    with pytest.raises(InputError, match="rest: words such as any, w1 and b2 are needed, but one was 'x'"):
        PageState.from_query({"rest": "x"}, archive.tolerances, archive.problem)


def test_the_number_of_a_cell_beyond_what_browsers_hold_travels_as_text(archive: Archive) -> None:
    tolerances = Tolerances(tuple(f"g{i}" for i in range(27)), ((0, 1e-4, 1e-2, 1),) * 27)
    cell = 5**27 - 2
    assert cell_for_browser(cell) == str(cell)
    assert read_cell(str(cell), tolerances) == cell
    assert PageState.from_query({"cell": str(cell)}, tolerances, archive.problem).as_data()["cell"] == str(cell)
    assert cell_for_browser(7) == 7
    with pytest.raises(InputError, match="cell: the map has cells 0 to"):
        read_cell(str(5**27), tolerances)


def test_a_map_of_eleven_constraints_has_a_small_picture(archive: Archive) -> None:
    assert thumbnail_png(archive).startswith(b"\x89PNG")
