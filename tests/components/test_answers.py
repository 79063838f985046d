"""The answers' page: questions from a browser are checked, figures lead to elites, the report holds all it shows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from flask.testing import FlaskClient

from app import create_app
from components.answers import shortest
from components.answers_figures import front_figure, moving, pair_figure, price_curve
from components.answers_report import command
from components.answers_state import as_data, from_query, read
from mapelites import Settings, Tolerances
from mapelites.answers import Designs, changes, front, price, ranking
from mapelites.answers.words import worth
from mapelites.archive import Archive, Elites
from mapelites.commands.engine import parse_search
from mapelites.errors import InputError
from mapelites.problem import Constraint, Problem
from mapelites.problems import get
from mapelites.runs import RunRequest, Store
from mapelites.snapshot import Snapshot

LEVELS = Tolerances.default(get("C17", 10))
REQUEST = RunRequest("C17", 10, LEVELS, Settings.of("paper-3", 10, evaluations=5_000, sigma=0.2))


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


@pytest.mark.parametrize(
    ("objectives", "sentence"),
    [
        ([0.5, 0.25, 1e7], "Relaxing g1 from 0 to 1 lowers the objective from 0.5 to 0.25 (-50 %)."),
        ([7.2435e-19, 9.7e-23, 1e7],
         "Relaxing any one constraint buys next to nothing: the objective stays at about 7.244e-19."),
        ([5.0, 5.0 - 1e-7, 9.0], "Relaxing any one constraint buys next to nothing: the objective stays at about 5."),
    ],
)  # fmt: skip
def test_the_shortest_answer_calls_a_gain_that_nobody_would_see_next_to_nothing(
    objectives: list[float], sentence: str
) -> None:
    problem = Problem("plain", [0.0], [9.0], (Constraint("g1", "inequality"),), lambda x: (0.0, [x[0]], []))
    rows = np.arange(3.0)[:, None]
    found = Elites(rows, np.array(objectives), rows, np.empty((3, 0)), np.arange(1, 4), np.full(3, "random"))
    assert shortest(Designs.of(Archive(problem, Tolerances(("g1",), ((0, 1),)), found))) == sentence


def test_a_question_survives_the_way_through_an_address() -> None:
    query = {
        "view": "whatif", "about": "h1", "allow": "g1:0.01,h1:any", "hard": "g2", "need": "1,200", "margin": "5 %",
        "most": "2", "measure": "mean", "pair": "objective,g1",
    }  # fmt: skip
    data = from_query(query, LEVELS)
    assert data["allow"] == {"g1": "0.01", "h1": "any"}
    assert as_data(read(data, LEVELS)) == data
    assert from_query({}, LEVELS)["view"] == "map"


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"view": "future"}, "view must be one of map, price, whatif, almost, front, relations, but it was 'future'"),
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
        from_query(query, LEVELS)


def test_every_point_of_every_figure_leads_to_an_elite(designs: Designs) -> None:
    curve = price(designs, 2, designs.satisfied)
    columns = (designs.f, designs.violations[:, 0])
    figures: list[dict[str, Any]] = [
        price_curve(designs, curve, 1e-4, None, dark=False),
        moving(designs, curve, changes(designs, curve), dark=True),
        front_figure(designs, front(designs), "total", int(designs.cells[0]), dark=False),
        pair_figure(designs, columns, ("objective", "g1"), None, dark=True),
    ]
    cells = set(designs.cells.tolist())
    for figure in figures:
        assert figure["data"]
        for trace in figure["data"]:
            assert len(trace["customdata"]) == len(trace["x"])
            assert {cell for cell in trace["customdata"] if cell is not None} <= cells


def test_the_selected_design_is_marked_in_a_figure(designs: Designs) -> None:
    found = front(designs)
    row = found.rows[1]
    figure = front_figure(designs, found, "total", int(designs.cells[row]), dark=False)
    sizes = figure["data"][1]["marker"]["size"]
    assert [size == max(sizes) for size in sizes] == [each == row for each in found.rows]


def test_a_report_holds_the_answer_and_everything_it_shows(browser: FlaskClient, run_id: str, designs: Designs) -> None:
    answer = browser.get(f"/run/{run_id}/report.html")
    text = answer.get_data(as_text=True)
    assert answer.status_code == 200
    best = ranking(designs, designs.satisfied)[0]
    assert worth(designs.names[best.constraint], best) in text
    curves = [price(designs, i, designs.satisfied).rows for i in range(len(designs.names))]
    assert text.count("<svg") == 2 + sum(bool(rows) for rows in curves)
    assert re.findall(r"(?:src|href)=[\"'](?!data:)", text) == []
    assert "<script" not in text
    assert "@import" not in text
    assert text.count("<h2>") == 6


def test_a_report_of_other_levels_says_so_and_a_wrong_address_why_not(browser: FlaskClient, run_id: str) -> None:
    text = browser.get(f"/run/{run_id}/report.html?levels=0,1;0,1;0,1&hard=g1").get_data(as_text=True)
    assert "its elites were binned anew" in text
    assert "Hard: g1." in text
    assert browser.get(f"/run/{run_id}/report.html?levels=0").status_code == 404
    assert browser.get("/run/nobody/report.html").status_code == 404


def test_the_command_of_a_report_repeats_the_run(store: Store, run_id: str, snapshot: Snapshot) -> None:
    import argparse
    import shlex

    from mapelites.commands.engine import add_search_options

    parser = argparse.ArgumentParser()
    add_search_options(parser)
    words = shlex.split(command(store.run(run_id)))
    assert words[:4] == ["python", "-m", "mapelites", "run"]
    search = parse_search(parser.parse_args(words[4:]))
    search.advance(5_000)
    assert search.elites().f.tolist() == snapshot.elites.f.tolist()
