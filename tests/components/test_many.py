"""More constraints than a map shows: which bins of the others count, all pairs, parallel coordinates."""

from __future__ import annotations

import base64

import numpy as np
import pytest

from components import many_pairs, many_parallel
from components.inspector_parts import ruler_place
from components.many_rest import ANY, bins_of, check, choices, within_tolerance
from components.map_colour import EMPTY, FIRST
from components.map_figure import View, content, figure
from components.map_fold import Fold
from components.map_thumbnail import thumbnail_png
from components.run_view import cell_for_browser, from_query, read_cell
from mapelites.archive import Archive, Elites
from mapelites.errors import InputError
from mapelites.problem import Constraint, Problem
from mapelites.tolerances import Tolerances

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


def brute_force(archive: Archive, shown: list[int], rest: list[str]) -> dict[tuple[int, ...], float]:
    """The best f for all bins of the shown constraints, over the elites whose other bins count."""
    best: dict[tuple[int, ...], float] = {}
    for elite in archive:
        others = [i for i in range(11) if i not in shown]
        if all(elite.bins[i] in bins_of(rest[i], archive.tolerances, i) for i in others):
            place = tuple(elite.bins[i] for i in shown)
            best[place] = min(elite.f, best.get(place, np.inf))
    return best


@pytest.mark.parametrize(
    "rest", [[ANY] * 11, ["w0"] * 11, ["w1", "b2", ANY, "w2", "b1", "w0", ANY, ANY, ANY, ANY, "w1"]]
)
def test_a_place_shows_the_best_elite_over_the_bins_that_count(archive: Archive, rest: list[str]) -> None:
    order = ["g5", "g2", "g9", "g1"]
    fold = Fold.of(archive.tolerances, order, check(rest, archive.tolerances))
    shown = [NAMES.index(name) for name in order]
    at = fold.rows_of_elites(archive)
    best = brute_force(archive, shown, rest)
    assert (at >= 0).sum() == len(best) > 0
    for elite in (archive.at(int(archive.elites.cell[row])) for row in at[at >= 0]):
        assert elite is not None
        assert best[tuple(elite.bins[i] for i in shown)] == elite.f
        assert archive.at(fold.cell_at(archive, *fold.place(elite.cell))).f == elite.f  # type: ignore[union-attr]


def test_the_browser_is_told_which_cell_each_place_shows(archive: Archive) -> None:
    view = View(rest=("w0",) * 11)
    drawn = content(archive, view, 0)
    fold = Fold.of(archive.tolerances, view.order, view.rest)
    cells = np.frombuffer(base64.b64decode(drawn["cells"]), dtype="<i8").reshape(fold.shape)
    at = fold.rows_of_elites(archive)
    assert np.array_equal(cells[at >= 0], archive.elites.cell[at[at >= 0]])
    assert (cells[at < 0] == -1).all()
    best = min(brute_force(archive, [0, 1, 2, 3], ["w0"] * 11).values())
    row, column = drawn["best"]
    assert archive.at(int(cells[row, column])).f == best  # type: ignore[union-attr]


def test_the_feasible_corner_is_only_drawn_where_the_others_are_kept(archive: Archive) -> None:
    for rest, corner in (((), False), (("w0",) * 11, True), (("w1",) * 11, False)):
        view = View(rest=rest)
        drawn = figure(archive, view, content(archive, view, 0), dark=False, narrow=False)
        assert drawn["layout"]["meta"]["corner"] is corner


def test_every_choice_of_bins_has_words_and_reads_back(archive: Archive) -> None:
    words = choices(archive.tolerances, 0)
    assert words == {
        "any": "any", "w0": "within 0", "w1": "within 1", "w2": "within 3",
        "b1": "only (0, 1]", "b2": "only (1, 3]", "b3": "only (3, ∞)",
    }  # fmt: skip
    assert [bins_of(word, archive.tolerances, 0) for word in words] == [
        range(4), range(1), range(2), range(3), range(1, 2), range(2, 3), range(3, 4)
    ]  # fmt: skip
    assert within_tolerance(archive.tolerances, archive.problem.feasible_up_to.tolist()) == ("w0",) * 11


@pytest.mark.parametrize("word", ["w3", "b4", "x", "w", "b-1", ""])
def test_bins_that_do_not_exist_are_refused_in_words(archive: Archive, word: str) -> None:
    with pytest.raises(InputError, match="rest: the bins of g1 must be any, w0 to w2 or b0 to b3, but they were"):
        check([word, *[ANY] * 10], archive.tolerances)
    with pytest.raises(InputError, match="rest: 11 words are needed, one per constraint, but there were 2"):
        check(["w0", "w0"], archive.tolerances)


@pytest.mark.parametrize("rest", [[ANY] * 11, ["w0"] * 11])
def test_the_picture_of_a_pair_has_the_colours_of_the_best_over_the_others(archive: Archive, rest: list[str]) -> None:
    bins = archive.tolerances.bins_of(archive.elites.cell)
    grid = many_pairs.grid(archive, bins, rest, 2, 7)
    best = brute_force(archive, [2, 7], rest)
    assert grid.shape == (4, 4)
    assert {(int(c), int(r)) for r, c in np.argwhere(grid != EMPTY)} == set(best)
    filled = sorted((f, -int(grid[r, c])) for (c, r), f in best.items())
    assert [shade for _, shade in filled] == sorted(shade for _, shade in filled)  # the better, the brighter
    assert min(-shade for _, shade in filled) >= FIRST


def test_there_is_a_picture_for_every_pair_and_it_is_a_button_with_words(archive: Archive) -> None:
    rows = many_pairs.pictures(archive, [ANY] * 11, dark=False)
    assert [len(row) for row in rows] == list(range(1, 11))
    drawn = str(many_pairs.layout(NAMES, rows))
    assert drawn.count("Show ") == 55
    assert "Show g1 and g2 on the map" in drawn


def test_lines_of_parallel_coordinates_lie_at_the_places_of_their_elites(archive: Archive) -> None:
    found = many_parallel.lines(archive)
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
    found = many_parallel.lines(archive)
    assert (found["drawn"], found["total"]) == (100, len(archive))
    assert archive.best() is not None
    assert np.frombuffer(base64.b64decode(found["cells"]), dtype="<i8")[0] == archive.best().cell  # type: ignore[union-attr]


def test_brushes_and_choices_travel_in_the_address(archive: Archive) -> None:
    query = {"rest": ",".join(["w1"] * 11), "brush": "0:0-.25;11:0.1-0.5", "axes": "g7,g2"}
    view = from_query(query, archive.tolerances)
    assert (view["rest"], view["brush"]) == (["w1"] * 11, [[0, 0.0, 0.25], [11, 0.1, 0.5]])
    assert view["overview"] == "parallel"
    assert from_query({}, archive.tolerances)["overview"] == "pairs"
    for wrong in ("12:0-1", "0:1-0", "0", "a:0-1", "0:0-2", "0:0-1;"):
        with pytest.raises(InputError, match=r"brush: it must be like 0:0-.25;11:0-.1, but it was"):
            from_query({"brush": wrong}, archive.tolerances)


def test_the_number_of_a_cell_beyond_what_browsers_hold_travels_as_text() -> None:
    tolerances = Tolerances(tuple(f"g{i}" for i in range(27)), ((0, 1e-4, 1e-2, 1),) * 27)
    cell = 5**27 - 2
    assert cell_for_browser(cell) == str(cell)
    assert read_cell(str(cell), tolerances) == cell
    assert from_query({"cell": str(cell)}, tolerances)["cell"] == str(cell)
    assert cell_for_browser(7) == 7
    with pytest.raises(InputError, match="cell: the map has cells 0 to"):
        read_cell(str(5**27), tolerances)


def test_a_map_of_eleven_constraints_has_a_small_picture(archive: Archive) -> None:
    assert thumbnail_png(archive).startswith(b"\x89PNG")
