"""The answers' page: questions from a browser are checked, figures lead to elites, the report holds all it shows."""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import orjson
import pytest
from flask.testing import FlaskClient
from markupsafe import escape

from app import create_app
from components.answers import almost as answers_almost
from components.answers import relations as answers_relations
from components.answers.figures import band_curve, front_figure, moving_variables, pair_figure, price_curve
from components.answers.front import _knee
from components.answers.parts import design_button
from components.answers.price import _unmoved
from components.answers.state import as_data, read_question
from components.page_state.state import PageState
from components.page_state.view import ShownMap
from components.run import answers
from components.shared.context import Context
from components.shared.report_parts import command_line, problem_file
from mapelites import Settings, Tolerances
from mapelites.answers import (
    Bands,
    Designs,
    Price,
    PriceStep,
    almost_feasible,
    headline,
    largest_changes,
    price_of,
    read_margin,
    recognise_relations,
    relaxation_gains,
    trade_off_front,
)
from mapelites.commands.engine import add_search_options, parse_search
from mapelites.core.archive import Archive, Elites
from mapelites.core.errors import InputError
from mapelites.core.problem import Constraint, Problem, ProblemSource
from mapelites.problems import get, own_problems
from mapelites.problems.formulas import problem_of
from mapelites.problems.own.files import describe_problem
from mapelites.runs import Run, RunRequest, Store
from mapelites.search import Illumination
from mapelites.snapshot.snapshot import Snapshot
from mapelites.snapshot.spec import RunSpec
from tests.answers.known import corner_map, hiding_map, random_map

LEVELS = Tolerances.default(get("C17", 10))
REQUEST = RunRequest(RunSpec("C17", 10, LEVELS, Settings.of("paper-3", 10, evaluations=5_000, sigma=0.2)))


@pytest.fixture(scope="module")
def snapshot() -> Snapshot:
    search = REQUEST.begin()
    search.advance(5_000)
    return Snapshot.of(search, 1.0)


@pytest.fixture(scope="module")
def designs(snapshot: Snapshot) -> Designs:
    return Designs.of(snapshot.archive())


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    opened = Store(tmp_path_factory.mktemp("store"))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def run_id(store: Store, snapshot: Snapshot) -> str:
    return store.import_run(snapshot.to_bytes())


@pytest.fixture(scope="module")
def browser(store: Store) -> FlaskClient:
    return create_app(store).server.test_client()


def plain(violations: list[float], objectives: list[float], levels: tuple[float, ...]) -> Designs:
    """Designs of one variable that is the violation of the one constraint."""
    problem = Problem("plain", [0.0], [999.0], (Constraint("g1", "inequality"),), lambda x: (0.0, [x[0]], []))
    rows, number = np.array(violations)[:, None], len(violations)
    names = np.full(number, "random")
    found = Elites(rows, np.array(objectives), rows, np.empty((number, 0)), np.arange(1, number + 1), names)
    return Designs.of(Archive(problem, Tolerances(("g1",), (levels,)), found))


@pytest.mark.parametrize(
    ("last", "sentence"),
    [
        (553.1, "beyond it, the same violation buys less."),
        (12.57, "only far beyond it does it fall further, to 12.57 at violation 997."),
    ],
)
def test_what_is_said_of_the_knee_holds_for_the_rest_of_the_front(last: float, sentence: str) -> None:
    designs = plain([0.0, 0.01, 1.0, 1.5, 997.0], [553.6, 553.55, 553.21, 553.2, last], (0, 0.01, 1, 2))
    found = trade_off_front(designs)
    assert found.knee == 2
    words = "Up to the knee, at violation 1, the objective falls from 553.6 to 553.21; "
    assert _knee(designs, found) == words + sentence


@pytest.mark.parametrize(
    ("state", "words"), [("running", "come with the first elites"), ("failed", "ended before its first elite")]
)
def test_where_nothing_was_found_the_answers_say_whether_something_still_comes(
    store: Store, state: Any, words: str
) -> None:
    nothing = Archive(get("C17", 10), LEVELS, Elites.empty(get("C17", 10)), 0)
    shown = ShownMap(Run("none", REQUEST, state), None, None)
    asked = read_question({"view": "price"}, LEVELS)
    said = answers._body(Context(store, None, None), shown, Designs.of(nothing), asked, None, LEVELS.names, dark=False)
    assert words in str(said)


def test_a_question_survives_the_way_through_an_address() -> None:
    query = {
        "view": "whatif", "about": "h1", "allow": "g1:0.01,h1:any", "hard": "g2", "need": "1,200", "margin": "5 %",
        "most": "2", "measure": "mean", "pair": "objective,g1", "behind": "yes",
    }  # fmt: skip
    data = as_data(PageState.from_query(query, LEVELS, get("C17", 10)).asked)
    assert data["allow"] == {"g1": "0.01", "h1": "any"}
    assert as_data(read_question(data, LEVELS)) == data
    assert PageState.from_query({}, LEVELS, get("C17", 10)).asked.view == "map"


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"view": "future"}, "view must be one of map, whatif, almost, front, price, relations, but it was 'future'"),
        ({"about": "g9"}, "about: a constraint must be one of g1, g2, h1, but it was 'g9'"),
        ({"allow": "g9:1"}, "allow: a constraint must be one of g1, g2, h1, but it was 'g9'"),
        ({"allow": "g1:much"}, "allow: the tolerance of g1 must be a number, but it was 'much'"),
        ({"allow": "g1:-1"}, "allow: the tolerance of g1 must not be negative, but it was -1"),
        ({"hard": "g1,x"}, "hard: a constraint must be one of g1, g2, h1, but it was 'x'"),
        ({"measure": "least"}, "measure must be one of total, mean, maximal, relative, but it was 'least'"),
        ({"pair": "g1"}, r"pair: two names are needed, but it was \['g1'\]"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused_in_words(query: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        PageState.from_query(query, LEVELS, get("C17", 10))


def test_every_point_of_every_figure_leads_to_an_elite(designs: Designs) -> None:
    curve = price_of(designs, 2, designs.satisfied)
    columns = (designs.f, designs.violations[:, 0])
    figures: list[dict[str, Any]] = [
        price_curve(designs, curve, 1e-4, None, dark=False),
        moving_variables(designs, curve, largest_changes(designs, curve), None, dark=True),
        front_figure(designs, trade_off_front(designs), "total", 0, dark=False),
        pair_figure(designs, columns, ("objective", "g1"), None, dark=True),
    ]
    cells = set(designs.cells.tolist())
    for figure in figures:
        assert figure["data"]
        for trace in figure["data"]:
            assert len(trace["customdata"]) == len(trace["x"])
            assert {cell for cell in trace["customdata"] if cell is not None} <= cells


def test_prices_over_many_runs_are_drawn_by_orders_of_magnitude_where_they_span_many() -> None:
    quartiles = np.array([[np.nan, 9e3, 7e2], [np.nan, 9e3, 8e3], [np.nan, 2e7, 9e3]])
    h1 = Constraint("h1", "equality")
    band = Bands((0.0, 1e-4, np.inf), quartiles, np.zeros((3, 3), dtype=np.int64), np.array([0, 4, 4]), 4)
    axis = band_curve(band, h1, dark=False)["layout"]["yaxis"]
    assert axis["type"] == "log"
    near = replace(band, quartiles=quartiles * [1, 1, 12] - [[0], [0], [2e7 - 9e3]])
    assert band_curve(near, h1, dark=False)["layout"]["yaxis"]["type"] != "log"


def test_the_selected_design_is_marked_in_a_figure(designs: Designs) -> None:
    found = trade_off_front(designs)
    row = found.rows[1]
    figure = front_figure(designs, found, "total", row, dark=False)
    sizes = figure["data"][1]["marker"]["size"]
    assert [size == max(sizes) for size in sizes] == [each == row for each in found.rows]
    curve = price_of(designs, 2, designs.satisfied)
    lines = moving_variables(designs, curve, largest_changes(designs, curve), curve.rows[-1], dark=False)["data"]
    for line in lines:
        sizes = line["marker"]["size"]
        assert [size == max(sizes) for size in sizes] == [step.row == curve.rows[-1] for step in curve.steps]


def test_the_selected_design_is_drawn_where_there_are_too_many_to_draw_all() -> None:
    many = Designs.of(random_map(0, designs=4_000, constraints=6))
    columns = (many.f, many.violations[:, 0])
    assert len(many) > 5
    with patch("components.answers.figures.MOST_POINTS", 5):
        for row in range(len(many)):
            (points,) = pair_figure(many, columns, ("objective", "c0"), row, dark=False)["data"]
            at = [size == max(points["marker"]["size"]) for size in points["marker"]["size"]].index(True)
            assert points["customdata"][at] == many.cells[row]


def test_a_design_that_an_elite_hides_is_named_apart_from_it() -> None:
    hiding = Designs.of(hiding_map())
    row = hiding.best(hiding.satisfied)
    assert row == hiding.hidden
    cell = int(hiding.cells[row])
    elite = hiding.row_of(cell)
    assert elite is not None
    assert (hiding.f[elite] < hiding.f[row], hiding.behind(cell), hiding.behind(cell + 1)) == (True, row, None)
    one, other = (
        design_button(hiding, row, row).to_plotly_json()["props"],
        design_button(hiding, elite, row).to_plotly_json()["props"],
    )
    assert (one["data-cell"], one["data-behind"], one["aria-pressed"]) == (str(cell), "true", "true")
    assert (other["data-cell"], other.get("data-behind"), other["aria-pressed"]) == (str(cell), None, "false")
    points = front_figure(hiding, trade_off_front(hiding), "total", None, dark=False)["data"][1]["customdata"]
    assert points[0] == f"{cell}*"


def test_what_does_not_move_is_told_as_far_as_it_is_known() -> None:
    def said(*rows: int | None) -> str:
        return _unmoved(Price(0, tuple(PriceStep(float(i), row) for i, row in enumerate(rows))))

    assert said(1, 1, 1) == "One design serves at every tolerance."
    assert said(None, 1, 1) == "One design serves wherever any was found."
    assert said(1, 2) == "The design changes, but no variable moves by more than 0.5 % of its range."
    assert said(None, None) == "No design was found along this curve."


def offers(content: Any) -> dict[str, str]:
    """What is offered about the axes of the map: words, and the constraint meant."""
    text = orjson.dumps(content, default=lambda each: each.to_plotly_json()).decode()
    return dict(re.findall(r'"children":"([^"]*)"[^{}]*"data-away":"([^"]*)"', text))


def designs_of(problem: Problem, number: int = 60) -> Designs:
    points = np.random.default_rng(1).uniform(problem.lower, problem.upper, (number, problem.dimension))
    return Designs.of(Archive(problem, Tolerances.default(problem), Elites.empty(problem)).add(points, 0, "random"))


def test_a_constraint_that_follows_from_another_can_be_taken_off_the_map_and_put_back() -> None:
    designs = designs_of(get("C16", 10))
    asked = read_question({"view": "relations"}, designs.tolerances)
    related = recognise_relations(designs, 64)
    assert offers(answers_relations.relation_parts(designs, asked, related, (), None, dark=False)) == {
        "Take h2 off the map": "h2"
    }
    without = answers_relations.relation_parts(designs, asked, related, ("g2", ";h2"), None, dark=False)
    assert offers(without) == {"Put it back": "h2"}


def test_a_margin_that_is_too_small_says_which_would_do() -> None:
    designs = Designs.of(corner_map())
    tight = read_question({"view": "almost", "margin": "1e-9"}, designs.tolerances)
    words = str(answers_almost.almost_feasible_parts(designs, tight, None))
    found = re.search(r"breaking one constraint takes a margin of ([0-9.e-]+)\. Or allow two of them above\.", words)
    assert found is not None
    margin = found[1]
    assert almost_feasible(designs, read_margin(margin, designs), 1)
    assert not almost_feasible(designs, read_margin(margin, designs) * 0.99, 1)
    share = read_question({"view": "almost", "margin": "1e-9 %", "most": 2}, designs.tolerances)
    words = str(answers_almost.almost_feasible_parts(designs, share, None))
    found = re.search(r"breaking one or two constraints takes a margin of ([0-9.e-]+ %)\.'", words)
    assert found is not None
    assert almost_feasible(designs, read_margin(found[1], designs), 2)


def test_a_report_holds_the_answer_and_everything_it_shows(browser: FlaskClient, run_id: str, designs: Designs) -> None:
    answer = browser.get(f"/run/{run_id}/report.html")
    text = answer.get_data(as_text=True)
    assert answer.status_code == 200
    assert str(escape(headline(designs))) in text
    for each in relaxation_gains(designs).told:
        assert f"<th scope='row'>{designs.names[each.groups[0][0]]}</th>" in text
    curves = [price_of(designs, i, designs.satisfied).rows for i in range(len(designs.names))]
    assert text.count("<svg") == 2 + sum(bool(rows) for rows in curves)
    assert re.findall(r"(?:src|href)=[\"'](?!data:)", text) == []
    assert "<script" not in text
    assert "@import" not in text
    assert text.count("<h2>") == 7


def test_a_report_of_other_levels_says_so_and_a_wrong_address_why_not(browser: FlaskClient, run_id: str) -> None:
    text = browser.get(f"/run/{run_id}/report.html?levels=0,1;0,1;0,1&hard=g1").get_data(as_text=True)
    assert "they changed after the search" in text
    assert "Hard: g1." in text
    assert browser.get(f"/run/{run_id}/report.html?levels=0").status_code == 404
    assert browser.get("/run/nobody/report.html").status_code == 404


def test_a_report_says_from_where_each_of_its_tables_counts(browser: FlaskClient, run_id: str) -> None:
    text = browser.get(f"/run/{run_id}/report.html?allow=g1:0.5").get_data(as_text=True)
    assert "buys</h2><p class='quiet'>One at a time, all others satisfied." in text
    assert "Level by level</h2><p class='quiet'>One at a time, from g1 up to 0.5, the others satisfied." in text


def repeated(run: Run) -> Illumination:
    """The search that the command of a report describes."""
    parser = argparse.ArgumentParser()
    add_search_options(parser)
    words = shlex.split(command_line(run), comments=True)
    assert words[:4] == ["python", "-m", "mapelites", "run"]
    return parse_search(parser.parse_args(words[4:]))


def test_the_command_of_a_report_repeats_the_run(store: Store, run_id: str, snapshot: Snapshot) -> None:
    search = repeated(store.run(run_id))
    search.advance(5_000)
    assert search.elites().f.tolist() == snapshot.elites.f.tolist()


CAN = """problem Can
variable r from 1 to 20 [cm] "radius"
variable h from 1 to 40 [cm]
minimise 2*pi*r^2 + 2*pi*r*h
subject to volume: pi*r^2*h >= 1000
           slim: h >= 4*r
"""


def test_the_report_of_ones_own_formulas_holds_all_that_its_command_needs(
    store: Store, browser: FlaskClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    can = problem_of(CAN)
    settings = Settings.of("paper-3", 2, evaluations=500, archive="centroids", centroids=20)
    tolerances = Tolerances.of(can, {}, hard=["slim"])
    search = RunRequest.of(can, tolerances, settings).begin()
    search.advance(500)
    run = store.run(store.import_run(Snapshot.of(search, 1.0).to_bytes()))
    text = browser.get(f"/run/{run.id}/report.html").get_data(as_text=True)
    assert str(escape(CAN.strip())) in text
    assert f"--problems {problem_file(run)}" in text
    for told in ("<th scope='col'>unit</th>", "<td>cm</td>", "<td>radius</td>", "<td>40</td>"):
        assert told in text
    monkeypatch.chdir(tmp_path)
    Path(problem_file(run)).write_text(CAN, "utf-8")
    try:
        again = repeated(run)
    finally:
        own_problems.watch([])
    again.advance(500)
    assert (again.settings, again.tolerances) == (settings, tolerances)
    assert again.elites().f.tolist() == search.elites().f.tolist()


def test_a_report_takes_names_for_text_whatever_they_look_like(store: Store, browser: FlaskClient) -> None:
    name = "<svg><script>alert(1)</script>"
    evil = Problem("evil", [0.0], [2.0], (Constraint(name, "inequality"),), lambda x: (float(x[0]), [1 - x[0]], []))
    evil = replace(evil, source=ProblemSource("file", describe_problem(evil, "<b>.py", "0" * 64, {})))
    search = RunRequest.of(evil, Tolerances.default(evil), Settings.of("paper-3", 1, evaluations=200)).begin(
        problem=evil
    )
    search.advance(200)
    run_id = store.import_run(Snapshot.of(search, 1.0).to_bytes())
    text = browser.get(f"/run/{run_id}/report.html").get_data(as_text=True)
    assert "<script" not in text
    assert "<b>" not in text
    assert text.count(str(escape(name))) >= 3


def test_the_map_of_a_report_has_what_keeps_the_hard_constraints(browser: FlaskClient, run_id: str) -> None:
    maps = [
        re.search(r"<h2>The map\..*?<image href=(\S+)", browser.get(f"/run/{run_id}/report.html{query}").text)
        for query in ("", "?hard=g1", "?reading=up-to")
    ]
    assert all(maps)
    assert len({found[1] for found in maps if found}) == 3


def test_a_report_lists_every_constraint(store: Store, browser: FlaskClient) -> None:
    problem = get("speed-reducer")
    search = RunRequest.of(problem, Tolerances.default(problem), Settings.of("paper-3", 7, evaluations=500)).begin()
    search.advance(500)
    run_id = store.import_run(Snapshot.of(search, 1.0).to_bytes())
    text = browser.get(f"/run/{run_id}/report.html").get_data(as_text=True)
    assert len(problem.constraints) > 10
    for constraint in problem.constraints:
        assert text.count(f"<th scope='row'>{constraint.name}</th>") >= 2
    hard = ",".join(constraint.name for constraint in problem.constraints)
    text = browser.get(f"/run/{run_id}/report.html?hard={hard}").get_data(as_text=True)
    assert "satisfies all that is marked hard" in text
