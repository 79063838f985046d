"""What colours mean, also for values below zero and over many orders of magnitude."""

from __future__ import annotations

import numpy as np
import pytest

from components.map.colour import colouring
from mapelites import illuminate
from mapelites.core.archive import Archive, Elites
from mapelites.core.errors import InputError
from mapelites.core.nested_map.colour import FIRST, GAINS, LAST, VIRIDIS, automatic_scale, by_gain, symmetric_log
from mapelites.core.nested_map.usual import usual_colours
from mapelites.core.nested_map.view import FigureView
from mapelites.core.problem import Constraint, Problem
from mapelites.core.tolerances import Tolerances
from mapelites.problems import get


def archive_with(objectives: list[float]) -> Archive:
    """One elite per objective, in cells of ascending order."""
    count = len(objectives)
    problem = Problem("plain", [0.0], [1.0], (Constraint("g1", "inequality"),), lambda x: (0.0, [x[0]], []))
    rows = np.arange(count, dtype=float)
    found = Elites(np.zeros((count, 1)), np.array(objectives), rows[:, None], np.empty((count, 0)),
                   np.arange(1, count + 1), np.full(count, "random"))  # fmt: skip
    return Archive(problem, Tolerances(("g1",), (tuple(range(count)) or (0.0,),)), found)


@pytest.mark.parametrize("scale", ["auto", "linear", "log", "rank"])
@pytest.mark.parametrize(
    "objectives",
    [
        [1.0, 2.0, 3.0, 4.0],
        [1e-12, 1e-6, 1.0, 1e3],
        [-1e8, -3.0, -1e-7, 0.0, 1e-7, 5.0, 1e8],
        [-5.0, -4.0, -3.0],
        [1e-310, 1e300, 0.0],
    ],
)
def test_the_lower_the_objective_the_brighter_on_every_scale(scale: str, objectives: list[float]) -> None:
    colours = colouring(archive_with(objectives), FigureView(colour="objective", scale=scale), 1).colours.astype(int)
    order = np.argsort(objectives)
    assert (np.diff(colours[order]) <= 0).all()
    assert colours[order[0]] == LAST
    assert colours[order[-1]] == FIRST


@pytest.mark.parametrize("objectives", [[7.0], [3.0, 3.0], []])
def test_equal_values_and_single_ones_have_a_colour_and_at_most_one_label(objectives: list[float]) -> None:
    found = colouring(archive_with(objectives), FigureView(colour="objective", scale="auto"), 1)
    assert len(found.colours) == len(objectives)
    assert len(found.ticks) <= 1


@pytest.mark.parametrize(
    ("objectives", "scale"),
    [
        (np.linspace(3, 9, 40), "linear"),
        (np.linspace(-9, 9, 40), "linear"),
        (np.logspace(-7, 8, 40), "log"),
        (-np.logspace(-7, 8, 40), "log"),
        (np.r_[1e-15, 1 + np.arange(40) * 1e-6, 1e15], "rank"),
    ],
)
def test_the_scale_is_chosen_so_that_elites_can_be_told_apart(objectives: np.ndarray, scale: str) -> None:
    assert automatic_scale(objectives) == scale


def test_a_symmetric_logarithm_treats_both_signs_alike_and_keeps_zero() -> None:
    values = np.array([-100.0, -1.0, 0.0, 1.0, 100.0])
    assert symmetric_log(values, 1.0).tolist() == [-3.0, -1.0, 0.0, 1.0, 3.0]


def test_labels_of_a_logarithmic_scale_span_its_values() -> None:
    ticks = colouring(archive_with([1e-4, 1.0, 1e4]), FigureView(colour="objective", scale="log"), 1).ticks
    assert [tick.label for tick in ticks] == ["1e-4", "0.01", "1", "100", "10,000"]
    assert [tick.place for tick in ticks] == [1.0, 0.75, 0.5, 0.25, 0.0]


def test_the_end_of_a_log_scale_says_that_it_holds_all_that_lies_below() -> None:
    ticks = colouring(archive_with([1e-24, 1.0, 10.0]), FigureView(colour="objective", scale="log"), 1).ticks
    assert ticks[0].label == "≤1e-14"


def test_kinds_have_names_and_colours_of_their_own() -> None:
    archive = illuminate(get("C17", 10), evaluations=3_000)
    found = colouring(archive, FigureView(colour="operator", scale="auto"), 3_000)
    assert set(found.kinds) == set(archive.everything().operator.tolist())
    assert len(np.unique(found.colours)) == len(found.kinds)
    satisfied = colouring(archive, FigureView(colour="satisfied", scale="auto"), 3_000)
    assert satisfied.kinds == ("0 of 3", "1 of 3", "2 of 3", "3 of 3")
    assert len({colour for _, colour in satisfied.legend()["kinds"]}) == 4


def test_an_operator_keeps_its_colour_when_others_appear() -> None:
    early, late = (
        dict(colouring(illuminate(get("C17", 10), search="paper-3", evaluations=each),
                       FigureView(colour="operator"), each).legend()["kinds"])
        for each in (200, 2_100)
    )  # fmt: skip
    assert set(early) < set(late)
    assert all(late[name] == colour for name, colour in early.items())


def test_younger_elites_are_brighter() -> None:
    archive = illuminate(get("C17", 10), evaluations=3_000)
    colours = colouring(archive, FigureView(colour="age", scale="auto"), 3_000).colours
    assert colours[np.argmax(archive.everything().found_at)] == colours.max()


def test_an_unknown_colour_or_scale_is_refused_in_words() -> None:
    with pytest.raises(
        InputError, match="colour must be one of gain, objective, age, operator, satisfied, but it was 'taste'"
    ):
        colouring(archive_with([1.0]), FigureView(colour="taste", scale="auto"), 1)
    with pytest.raises(InputError, match="scale must be one of auto, linear, log, rank, but it was 'cubic'"):
        colouring(archive_with([1.0]), FigureView(colour="objective", scale="cubic"), 1)


def lightness(shade: str) -> float:
    """The grey that a colour is printed in, from 0 to 255."""
    red, green, blue = (int(shade[i : i + 2], 16) for i in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize(("dark", "empty"), [(False, "#f6f7f9"), (True, "#20242c")])
def test_the_best_cell_differs_from_an_empty_one_in_greyscale(dark: bool, empty: str) -> None:
    assert abs(lightness(VIRIDIS[-1]) - lightness(empty)) > 60
    assert abs(lightness(GAINS[dark][-1]) - lightness(empty)) > 60
    greys = [lightness(shade) for shade in GAINS[dark]]
    assert greys == sorted(greys, reverse=not dark)
    assert abs(greys[0] - lightness(empty)) > 25


def test_a_gain_is_in_per_cent_of_the_best_feasible_and_what_is_no_better_is_neutral() -> None:
    found = by_gain(np.array([100.0, 97.0, 90.0, 250.0]), 100.0)
    assert found.values.tolist() == pytest.approx([0.0, 3.0, 10.0, 0.0])
    assert (found.colours[0], found.colours[3], found.colours[2]) == (FIRST, FIRST, LAST)
    assert [tick.label for tick in sorted(found.ticks, key=lambda tick: tick.place)] == [
        "0 %", "-2.5 %", "-5 %", "-7.5 %", "-10 %"
    ]  # fmt: skip
    assert found.ends == ("no better", "better")
    negative = by_gain(np.array([-10.0, -12.0]), -10.0)
    assert negative.values.tolist() == pytest.approx([0.0, 20.0])


def test_what_lies_beyond_the_allowances_never_stretches_the_scale() -> None:
    archive = archive_with([10.0, 9.0, 8.0, -1e9])
    for colour in ("gain", "objective"):
        view = FigureView(colour=colour, scale="linear", reading="up-to")
        known = usual_colours(archive.rebin(Tolerances(("g1",), ((0, 1, 2),))), view)
        labels = {tick.label for tick in known.ticks}
        assert labels & {"8", "-20 %"}
        assert known.colours[2] == known.colours[3] == LAST


def test_the_scale_holds_still_while_a_run_is_replayed() -> None:
    early, late = archive_with([50.0, 20.0, 9.0]), archive_with([10.0, 9.0, 8.0])
    view = FigureView(colour="gain", scale="auto", reading="up-to")
    then, now = usual_colours(early, view, late), usual_colours(late, view)
    assert then.ticks == now.ticks
    assert "-20 %" in {tick.label for tick in now.ticks}
    # What was better than anything is now has the last colour, and its own gain at that moment.
    assert (then.colours[2], then.values[2]) == (LAST, pytest.approx(82.0))
