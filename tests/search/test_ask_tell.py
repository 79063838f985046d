"""Searches that are asked and told, that begin with what somebody knows, and that keep a log of their own."""

from __future__ import annotations

import numpy as np
import pytest

from mapelites import Constraint, Problem, Search, illuminate
from mapelites.core.errors import InputError
from mapelites.evaluation.known import KnownPoints
from mapelites.problems import get
from mapelites.search import Generator
from mapelites.snapshot.exports import elites_csv
from tests.evaluation import black_boxes as boxes
from tests.evaluation.black_boxes import counted, problem_of


def test_answers_may_come_in_any_order_in_part_or_as_failures():
    problem = get("himmelblau")
    search = Search(problem, evaluations=60, seed=3)
    while not search.done:
        x = search.ask(3)[[2, 0, 1]]
        found = problem.evaluate(x)
        f = np.where(x[:, 0] > 101.0, np.nan, found.f)
        search.tell(x[:2], f[:2], found.g[:2], found.h[:2])  # the third never comes
    archive = search.archive()
    assert search.evaluations == archive.evaluations == 60
    assert len(search.waiting) == 30
    assert archive.refused > 0
    best = archive.best(feasible=True)
    assert best is not None
    assert best.f == pytest.approx(problem.best_known, rel=0.05)
    assert best.operator in search.operators


def test_a_search_goes_on_from_its_state():
    problem = get("three-bar-truss")
    whole, first = Search(problem, evaluations=40), Search(problem, evaluations=40)

    def work(search, rounds):
        for _ in range(rounds):
            x = search.ask(2)
            found = problem.evaluate(x)
            search.tell(x, found.f, found.g, found.h)

    work(whole, 16)
    work(first, 9)
    waiting = first.ask(1)
    again = Search(problem, evaluations=40)
    again.restore(first.state())
    assert np.array_equal(again.waiting, waiting)
    found = problem.evaluate(waiting)
    again.tell(waiting, found.f, found.g, found.h)
    work(again, 6)
    assert again.evaluations == 31
    assert len(again.archive().elites) > 0


def test_wrong_shapes_and_points_are_refused_in_words():
    search = Search(get("three-bar-truss"), evaluations=20)
    with pytest.raises(InputError, match=r"tell: candidates must have shape \(k, 2\), but it was \(1, 3\)"):
        search.tell([[0.5, 0.5, 0.5]], [1.0], [[0.0] * 3])
    with pytest.raises(InputError, match=r"tell: g must have shape \(1, 3\), but it was \(1, 1\)"):
        search.tell([[0.5, 0.5]], [1.0], [[0.0]])
    with pytest.raises(InputError, match="a solution must lie within the bounds"):
        search.tell([[2.0, 0.5]], [1.0], [[0.0] * 3])
    with pytest.raises(InputError, match="ask: how many must be a whole number of at least 1, but it was 0"):
        search.ask(0)


def test_a_generator_speaks_in_names_and_a_missing_result_failed():
    problem = get("three-bar-truss")
    generator = Generator(Search(problem, evaluations=20))
    points = generator.suggest(4)
    assert all(set(point) == {"A1", "A2"} for point in points)
    for point in points[:3]:
        f, g, _ = problem(list(point.values()))
        generator.ingest([{**point, "volume": f, "first": g[0], "second": g[1], "third": g[2]}])
    generator.ingest([points[3]])
    assert generator.search.archive().refused == 1


def test_a_design_to_start_from_is_evaluated_first_and_known_points_never(tmp_path):
    calls = tmp_path / "calls"
    (tmp_path / "design.csv").write_text("x2,x1,x3\n-0.5,0.25,0.5\n")
    history = [[x1, x2, 0.5] for x1 in (-0.5, 0.0, 0.5) for x2 in (-0.6, 0.1)]
    rows = [(*x, x[0] + x[1], x[0] ** 2 + x[1] ** 2 - 1.0, 0.0) for x in history]
    table = "\n".join(["x1,x2,x3,f,g1,h1", *(",".join(map(repr, row)) for row in rows), "0.9,0.9,0.9,FAILED,,"])
    (tmp_path / "history.csv").write_text(table)
    problem = problem_of(counted(calls))
    archive = illuminate(problem, evaluations=20, start=tmp_path / "design.csv", known=tmp_path / "history.csv")
    made = [np.frombuffer(bytes.fromhex(line)).tolist() for line in calls.read_text().splitlines()]
    assert made[0] == [0.25, -0.5, 0.5]
    assert len(made) == 20
    assert not any(x in made for x in history)
    kept = {tuple(x) for x, at in zip(archive.elites.x, archive.elites.found_at, strict=True) if at <= 0}
    assert kept <= {tuple(x) for x in history}
    assert archive.evaluations == 20


def test_a_table_of_simulations_has_the_engineers_numbers_and_our_own_exports_raw_ones(tmp_path):
    problem = get("welded-beam")
    first = illuminate(problem, search="surrogate", evaluations=40)
    (tmp_path / "export.csv").write_text(elites_csv(first))
    again = Search(problem, evaluations=40, known=tmp_path / "export.csv")
    assert again.archive().best(feasible=True).f == first.best(feasible=True).f
    names = [*problem.variables, problem.objective, *(f"value_{each.name}" for each in problem.constraints)]
    elite = first.best(feasible=True)
    numbers = [each.value(raw) for each, raw in zip(problem.constraints, elite.g, strict=True)]
    assert None in numbers  # fit and buckling have no limit, so these are raw
    names = [name.removeprefix("value_") for name in names]
    numbers = [raw if number is None else number for number, raw in zip(numbers, elite.g, strict=True)]
    with_names = dict(zip(names, [*elite.x, elite.f, *numbers], strict=True))
    if problem.objective == "cost":  # a constraint has that name too
        with_names["f"] = elite.f
        with_names["cost"] = numbers[3]
    (tmp_path / "table.csv").write_text(
        ",".join(with_names) + "\n" + ",".join(map(repr, map(float, with_names.values())))
    )
    found = Search(problem, evaluations=40, known=tmp_path / "table.csv").archive().best(feasible=True)
    assert found.g == pytest.approx(elite.g, abs=1e-9)


@pytest.mark.parametrize(
    "table",
    [
        "g,f,n,w [m]\n-0.5,1.5,3,0.5\n",
        "w (m);n;f;g\n0,5;3;1,5;-0,5\n",
        'note\tw\tn\tf\tg\n"a, b"\t0.5\t3\t1.5\t-0.5\n',
    ],
)
def test_a_table_may_have_units_behind_names_and_its_own_separator(tmp_path, table):
    problem = Problem(
        "p", [0, 1], [1, 9], (Constraint("g", "inequality"),), None, variables=("w", "n"), units=("m", "")
    )
    (tmp_path / "table.csv").write_text(table)
    known = KnownPoints.of(problem, tmp_path / "table.csv")
    assert (known.x.tolist(), known.values.tolist()) == ([[0.5, 3.0]], [[1.5, -0.5]])
    (tmp_path / "table.csv").write_text("w [mm],n,f,g\n500,3,1.5,-0.5\n")
    with pytest.raises(InputError, match=r"w is in \[m\] here, but the table has w \[mm\]"):
        KnownPoints.of(problem, tmp_path / "table.csv")
    (tmp_path / "table.csv").write_text("w,n,f,g\n500,3,1.5,-0.5\n0.5,3,1.5,-0.5\n")
    with pytest.warns(UserWarning, match="known: 1 of 2 solutions lie beyond the bounds, left out"):
        assert len(KnownPoints.of(problem, tmp_path / "table.csv").x) == 1


def test_a_script_with_a_log_goes_on_where_it_broke_off(tmp_path):
    calls, log = tmp_path / "calls", tmp_path / "kept" / "disc.log"

    def breaks(x):
        if calls.exists() and len(calls.read_text().splitlines()) == 12:
            raise KeyboardInterrupt
        return boxes.disc(x)

    with pytest.raises(KeyboardInterrupt):
        illuminate(problem_of(counted(calls, breaks)), evaluations=25, log=log)
    archive = illuminate(problem_of(counted(calls)), evaluations=25, log=log)
    assert archive.evaluations == 25
    assert len(calls.read_text().splitlines()) == 26  # one was broken off
    assert len(set(calls.read_text().splitlines())) == 25


def test_a_log_serves_a_larger_budget_and_another_search_as_known_points(tmp_path):
    calls, log = tmp_path / "calls", tmp_path / "disc.log"
    illuminate(problem_of(counted(calls)), evaluations=20, log=log)
    illuminate(problem_of(counted(calls)), evaluations=40, log=log)
    again = illuminate(problem_of(counted(calls)), evaluations=40, log=log)
    lines = calls.read_text().splitlines()
    assert len(lines) == len(set(lines)) < 60
    assert again.evaluations == 40
    search = Search(problem_of(None), evaluations=40, known=log)
    assert len(search.archive().everything().f) > 0
    assert search.evaluations == 0
    with pytest.raises(InputError, match=f"log: {tmp_path}: Is a directory"):
        illuminate(problem_of(boxes.disc), evaluations=20, log=tmp_path)


def test_a_script_says_when_everything_fails():
    problem = Problem("broken", [0.0], [1.0], (Constraint("g", "inequality"),), boxes.raises)
    with pytest.warns(
        UserWarning, match=r"none of 10 evaluations gave finite numbers\. raised: ArithmeticError: the solver"
    ):
        illuminate(problem, evaluations=12, progress=True)


def test_a_function_that_takes_batches_is_given_batches():
    sizes = []

    class Batch:
        def rows(self, x):
            sizes.append(len(x))
            return np.column_stack([x.sum(axis=1), 1.0 - x[:, 0] - x[:, 1]])

    problem = Problem("batch", [0, 0], [1, 1], (Constraint("g", "inequality"),), Batch())
    illuminate(problem, evaluations=24, batch=8)
    assert sizes[0] == 8
    assert sum(sizes) == 24
