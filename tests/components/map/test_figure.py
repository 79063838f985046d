"""The nested heatmap as a figure, and as a small picture."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
import pytest

from components.map.figure import SHAPES, FigureView, content, figure, patch
from mapelites import Tolerances, illuminate
from mapelites.core.archive import Archive, Elites
from mapelites.core.nested_map.axes import full_bins, short_bins
from mapelites.core.nested_map.colour import EMPTY, FIRST, IMPOSSIBLE
from mapelites.core.nested_map.fold import Fold
from mapelites.core.nested_map.thumbnail import thumbnail, thumbnail_png
from mapelites.core.nested_map.words import bin_words, short_bin_words
from mapelites.core.problem import Constraint
from mapelites.core.terms import unit_words
from mapelites.problems import get
from mapelites.proof.proof import Proof
from mapelites.proof.proofs import Proofs


@pytest.fixture(scope="module", params=["C07", "C01", "C17", "C16"])
def archive(request: pytest.FixtureRequest) -> Archive:
    """Maps of one to four constraints."""
    return illuminate(get(request.param, 10), evaluations=20_000)


def unpacked(packed: dict[str, Any]) -> np.ndarray:
    rows, columns = map(int, packed["shape"].split(","))
    kind = {"u1": np.uint8, "f4": np.float32, "f8": np.float64}[packed["dtype"]]
    return np.frombuffer(base64.b64decode(packed["bdata"]), kind).reshape(rows, columns)


def drawn(archive: Archive, view: FigureView = FigureView(), **look: bool) -> dict[str, Any]:  # noqa: B008
    looks = {"dark": False, "narrow": False, **look}
    return figure(archive, view, content(archive, view, 20_000), **looks)


def test_every_elite_is_drawn_at_its_place_and_nothing_else_is(archive: Archive) -> None:
    colours = unpacked(content(archive, FigureView(), 20_000)["z"])
    values = unpacked(content(archive, FigureView(), 20_000)["values"])
    fold = Fold.of(archive.tolerances)
    for elite in archive:
        assert colours[fold.place(elite.cell)] >= FIRST
        assert values[fold.place(elite.cell)] == elite.f
    assert (colours >= FIRST).sum() == len(archive)
    empty = colours == EMPTY
    impossible = colours == IMPOSSIBLE
    assert empty.sum() + len(archive) == archive.possible.sum()
    assert (impossible == (fold.impossible(archive) & (colours < FIRST))).all()


def test_the_best_overall_is_outlined_in_red_and_the_best_feasible_has_a_star(archive: Archive) -> None:
    found = drawn(archive)
    fold = Fold.of(archive.tolerances)
    best, feasible = archive.best(), archive.best(feasible=True)
    within = archive.best_within_allowance() or best
    assert best is not None
    assert within is not None
    row, column = fold.place(within.cell)
    box = found["layout"]["shapes"][SHAPES.index("best")]
    # Within the cell: the outline of the feasible corner may run along the same edge.
    assert column - 0.5 < box["x0"] < column < box["x1"] < column + 0.5
    assert row - 0.5 < box["y0"] < row < box["y1"] < row + 0.5
    assert box["visible"]
    star = (found["data"][1]["y"][0], found["data"][1]["x"][0])
    assert star == (fold.place(feasible.cell) if feasible else (None, None))
    own = {"best": str(best.cell), "feasible": str(feasible.cell) if feasible else None}
    assert found["layout"]["meta"]["own"] == own


def test_the_readout_gets_what_the_colours_stand_for_where_that_is_not_the_objective(archive: Archive) -> None:
    assert content(archive, FigureView(), 20_000)["shown"] is None
    fold = Fold.of(archive.tolerances)
    ages = unpacked(content(archive, FigureView(colour="age"), 20_000)["shown"])
    found = content(archive, FigureView(colour="operator"), 20_000)
    kinds, names = unpacked(found["shown"]), [name for name, _ in found["legend"]["kinds"]]
    for elite in archive:
        assert ages[fold.place(elite.cell)] == elite.found_at
        assert names[int(kinds[fold.place(elite.cell)])] == elite.operator


def test_every_constraint_is_named_and_every_outer_bin_labelled(archive: Archive) -> None:
    for narrow in (False, True):
        layout = drawn(archive, narrow=narrow)["layout"]
        texts = [each["text"] for each in layout["annotations"]]
        for name in archive.tolerances.names:
            assert any(f"<b>{name}" in text for text in texts)
        fold = Fold.of(archive.tolerances)
        for axis, ticks in ((fold.x, layout["xaxis"]["ticktext"]), (fold.y, layout["yaxis"]["ticktext"])):
            for constraint in axis.constraints:
                known = {*full_bins(fold, archive.problem, constraint), *short_bins(fold, archive.problem, constraint)}
                assert len(known & {*texts, *ticks}) >= len(archive.tolerances.levels[constraint]) + 1


def test_a_change_of_elites_reaches_a_drawn_figure_as_a_patch_of_the_same_content(archive: Archive) -> None:
    view = FigureView(colour="age")
    fresh = content(archive, view, 20_000)
    whole = figure(archive, view, fresh, dark=True, narrow=False)
    change = patch(fresh, dark=True)
    heatmap, marks = whole["data"]
    assert {**heatmap, **change["heatmap"]} == heatmap
    assert {**marks, **change["marks"]} == marks
    best = whole["layout"]["shapes"][SHAPES.index("best")]
    assert {**best, **change["best"]} == best
    assert {**whole["layout"]["meta"], **change["meta"]} == whole["layout"]["meta"]
    assert set(change["heatmap"]) == {"z", "customdata", "colorscale"}


def test_zoom_is_kept_while_the_shape_is_the_same_and_dropped_when_it_is_not(archive: Archive) -> None:
    revision = drawn(archive)["layout"]["uirevision"]
    assert drawn(archive, dark=True, view=FigureView(colour="age"))["layout"]["uirevision"] == revision
    other = archive.rebin(Tolerances.same(archive.problem, [0, 1]))
    assert drawn(other)["layout"]["uirevision"] != revision


def test_a_large_map_draws_no_lines_between_its_inner_bins_and_sends_one_byte_per_colour() -> None:
    problem = get("C04", 10)
    tolerances = Tolerances.same(problem, [0, *np.logspace(-6, 3, 18)])
    archive = Archive(problem, tolerances, Elites.empty(problem))
    found = drawn(archive)
    assert len(found["data"][0]["z"]["bdata"]) < 1.4 * 400 * 400
    assert len(found["layout"]["shapes"][SHAPES.index("inner")]["path"]) < 2_000
    assert found["data"][0]["customdata"]["dtype"] == "f4"
    assert found["layout"]["xaxis"]["ticktext"] == []


def test_inner_bins_without_room_for_labels_are_told_in_words() -> None:
    problem = get("C16", 10)
    for bins, labels in ((8, 64), (9, 0)):  # 30 rows have room, and 64 columns
        tolerances = Tolerances.same(problem, tuple(float(k) for k in range(bins - 1)))
        layout = drawn(Archive(problem, tolerances, Elites.empty(problem)))["layout"]
        assert (len(layout["xaxis"]["ticktext"]), len(layout["yaxis"]["ticktext"])) == (labels, 0)
        texts = [each["text"] for each in layout["annotations"]]
        assert "<b>g2</b> ↑, in it <b>h2</b> ↑" in texts
        assert ("in each of these, from 0 to >7" in texts) == (labels == 0)


def test_labels_stay_short_where_levels_have_many_digits() -> None:
    plain = Constraint("g1", "inequality")
    tolerances = Tolerances(("g1",), ((0, 1 / 3, 123456.789),))
    assert short_bin_words(plain, tolerances, 0, "up-to") == ("0", "≤0.333", "≤1.23e5", "any")
    assert short_bin_words(plain, tolerances, 0, "exact") == ("0", "0–0.333", "0.333–1.23e5", ">1.23e5")


def test_levels_are_per_cents_of_the_limit_where_all_of_them_are() -> None:
    shear = Constraint("shear", "inequality", limit=13_600.0, unit="psi")
    percents = Tolerances(("shear",), ((0, 136, 680),))
    assert bin_words(shear, percents, 0, "up-to") == ("0", "≤ 1 %", "≤ 5 %", "any")
    assert bin_words(shear, percents, 0, "exact") == ("0", "0 to 1 %", "1 to 5 %", "> 5 %")
    assert unit_words(shear, percents.levels[0]) == ""
    odd = Tolerances(("shear",), ((0, 136.123, 680),))
    assert bin_words(shear, odd, 0, "up-to") == ("0", "≤ 136", "≤ 680", "any")
    assert unit_words(shear, odd.levels[0]) == "psi"


def test_a_thumbnail_is_a_png_that_differs_with_the_scheme_and_with_the_elites(archive: Archive) -> None:
    picture = thumbnail_png(archive, size=64)
    assert picture.startswith(b"\x89PNG")
    assert thumbnail(archive, size=64) == "data:image/png;base64," + base64.b64encode(picture).decode()
    empty = Archive(archive.problem, archive.tolerances, Elites.empty(archive.problem))
    assert thumbnail_png(empty, size=64) != picture
    assert thumbnail_png(empty, dark=True, size=64) != thumbnail_png(empty, size=64)


def test_a_place_that_is_proven_best_is_marked_and_told_and_one_with_a_wide_gap_only_told() -> None:
    problem = get("tin-can")
    archive = illuminate(problem, evaluations=3_000)
    view = FigureView(reading="up-to")
    fold = view.fold(archive.tolerances)
    best = archive.everything().f[fold.rows_of(archive)[0]]  # of the lowest row
    levels = archive.tolerances.levels
    proofs = Proofs(
        tuple(
            Proof((wide, 0.0), "bound", float(f) * share, None, None, (0.0, 0.0), 0.1, 1)
            for wide, f, share in ((levels[0][0], best[0], 0.9999), (levels[0][2], best[2], 0.9))
        )
    )
    found = content(archive, view, 3_000, proofs=proofs)
    bounds = unpacked(found["bounds"])[0]
    assert bounds[:3].tolist() == [best[0] * 0.9999, best[2] * 0.9, best[2] * 0.9]
    assert np.isnan(bounds[3:]).all()
    assert np.isnan(unpacked(found["bounds"])[1:]).all()
    assert found["ticks"].count("M") == 1
    assert found["ticks"].startswith("M0.150,0.5")
    exact = content(archive, FigureView(reading="exact"), 3_000, proofs=proofs)
    assert (exact["bounds"], exact["ticks"]) == (None, "M0,0Z")


def test_the_tolerances_of_a_place_are_the_upper_ends_of_its_bins() -> None:
    problem = get("three-bar-truss")
    tolerances = Tolerances.of(problem, {problem.constraints[0].name: [0.1]}, hard=(problem.constraints[2].name,))
    fold = FigureView(reading="up-to").fold(tolerances)
    found = fold.tolerances_at(problem.feasible_up_to)
    rows, columns = fold.shape
    for row in range(rows):
        for column in range(columns):
            bins = fold.bins_at(row, column)
            uppers = [(*tolerances.levels[i], np.inf)[bins[i]] for i in range(2)]
            assert found[row, column].tolist() == [*uppers, 0.0]
