"""Tables of elites come in pieces: a map of any size needs no more memory than a small one."""

from __future__ import annotations

import csv
import io
import json
import tracemalloc
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from mapelites import Archive, Tolerances, illuminate
from mapelites.core.archive import Elites
from mapelites.core.problem import Array, Constraint, Problem
from mapelites.problems import get
from mapelites.snapshot.exports import csv_pieces, elite_record, elites_csv, elites_json, json_pieces
from tests.answers.known import hiding_map

CONSTRAINTS = 40


def many(elites: int) -> Archive:
    """A map with an elite in each of so many cells."""

    def values(x: Array) -> tuple[float, list[float], list[float]]:
        return float(x.sum()), [-1.0] * CONSTRAINTS, []

    constraints = tuple(Constraint(f"g{i}", "inequality") for i in range(CONSTRAINTS))
    problem = Problem("many", [0.0], [1.0], constraints, values)
    tolerances = Tolerances(tuple(each.name for each in constraints), ((0.0,),) * CONSTRAINTS)
    bits = (np.arange(elites)[:, None] >> np.arange(CONSTRAINTS)) & 1
    g = np.where(bits == 1, 0.5, -1.0 / 3.0)
    found = Elites(
        np.linspace(0.0, 1.0, elites)[:, None], np.linspace(0.0, 1.0, elites), g, np.empty((elites, 0)),
        np.arange(elites) + 1, np.full(elites, "line"),
    )  # fmt: skip
    archive = Archive(problem, tolerances, found)
    assert len(archive) == elites
    return archive


def test_the_pieces_are_the_table_that_each_elite_has_on_its_own() -> None:
    archive = many(2_000)
    records = [elite_record(archive, elite) for elite in archive]
    assert len(list(csv_pieces(archive))) > 2
    assert json.loads(elites_json(archive)) == records
    assert elites_json(archive) == json.dumps(records, indent=1) + "\n"
    rows = list(csv.DictReader(io.StringIO(elites_csv(archive))))
    assert rows == [{name: str(value) for name, value in record.items()} for record in records]


def test_a_table_tells_value_limit_violation_and_unit_as_the_engineer_states_them() -> None:
    archive = illuminate(get("welded-beam"), evaluations=3_000)
    for row in csv.DictReader(io.StringIO(elites_csv(archive))):
        told = {name: float(text) for name, text in row.items() if name.endswith(("shear", "fit", "buckling"))
                and not name.startswith(("bin_", "unit_"))}  # fmt: skip
        assert (row["unit_shear"], row["unit_fit"], row["unit_buckling"]) == ("psi", "in", "lb")
        assert (told["limit_shear"], told["limit_buckling"], "limit_fit" in told) == (13600.0, 6000.0, False)
        assert told["value_shear"] == pytest.approx(13600.0 + told["shear"])
        assert told["value_buckling"] == pytest.approx(6000.0 - told["buckling"])
        assert told["violation_fit"] == max(told["fit"], 0.0)
        assert told["percent_fit"] == pytest.approx(100 * told["violation_fit"] / told["scale_fit"])
        assert told["percent_shear"] == pytest.approx(told["violation_shear"] / 136.0)


def test_read_up_to_the_best_feasible_solution_is_in_the_table_though_an_elite_of_its_cell_hides_it() -> None:
    archive = hiding_map()
    best = archive.best(feasible=True)
    assert best is not None
    exact, up_to = (
        [float(row["f"]) for row in csv.DictReader(io.StringIO("".join(csv_pieces(archive, reading))))]
        for reading in ("exact", "up-to")
    )
    assert exact == archive.elites.f.tolist()
    assert best.f not in exact
    assert up_to == archive.everything().f.tolist()
    assert best.f in up_to


def test_an_empty_map_is_an_empty_table() -> None:
    archive = many(1)
    empty = Archive(archive.problem, archive.tolerances, Elites.empty(archive.problem))
    assert (elites_csv(empty), elites_json(empty)) == ("cell,f\n", "[]\n")


@pytest.mark.parametrize("pieces", [csv_pieces, json_pieces])
def test_a_table_of_four_times_as_many_elites_needs_no_more_memory(pieces: Callable[[Archive], Iterator[str]]) -> None:
    def peak(archive: Archive) -> int:
        tracemalloc.start()
        for _ in pieces(archive):
            pass
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    peak(many(10))
    assert peak(many(4_000)) < 1.3 * peak(many(1_000))
