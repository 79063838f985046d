"""A run file whose numbers are not those of its solutions is no run file."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mapelites.core.errors import InputError
from mapelites.evaluation.answer import Answer
from mapelites.problems import get
from mapelites.runs import Store
from mapelites.runs.evaluations import EvaluationLog
from mapelites.snapshot.snapshot import pack, unpack
from tests.runs.test_store import begin, finish
from tests.runs.tools import assert_true_to_itself, request

Arrays = dict[str, Any]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "data")


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A run with a history and a checkpoint, as a file."""
    store = Store(tmp_path_factory.mktemp("data"))
    content = store.export(begin(store, request(evaluations=5_000_000)))
    store.close()
    return content


def opened(part: Any) -> tuple[dict[str, Any], Arrays]:
    """A part of a run file that is a file itself."""
    return unpack(zlib.decompress(part.tobytes()))


def closed(about: dict[str, Any], arrays: Arrays) -> Any:
    return np.frombuffer(zlib.compress(pack(about, arrays)), dtype=np.uint8)


def other(array: Any, place: Any, value: float) -> Any:
    changed = array.copy()
    changed[place] = value
    return changed


@pytest.mark.parametrize(
    ("name", "place", "value", "words"),
    [
        ("f", 0, -7.0, r"solution 1 has f = \S+, but the file says -7$"),
        ("h", (2, 1), 0.0, r"solution 3 has h2 = \S+, but the file says 0$"),
        ("x", (1, 0), 3.0, r"solution 2 has f = \S+, but the file says \S+$"),
        ("x", (1, 0), 1e6, r"solution 2 lies outside of the bounds$"),
        ("x", (0, 0), np.nan, r"solution 1 lies outside of the bounds$"),
        ("g", (0, 0), np.inf, r"solution 1 has a value that is not a finite number$"),
        ("found_at", 0, 10**9, r"an elite was not found within [\d,]+ evaluations$"),
        ("curve", (-1, 2), -1e9, r"its curve does not end in the numbers of its map$"),
        ("curve", (0, 0), 1e9, r"its curve does not go forward up to the moment it is of$"),
    ],
)
def test_a_file_with_a_number_that_is_not_so_is_refused(
    store: Store, exported: bytes, name: str, place: Any, value: float, words: str
) -> None:
    about, arrays = unpack(exported)
    arrays[name] = other(arrays[name], place, value)
    with pytest.raises(InputError, match=f"^not a run file, because {words}"):
        store.import_run(pack(about, arrays))
    assert store.runs() == []


def test_a_moment_of_the_history_is_held_to_the_same(store: Store, exported: bytes) -> None:
    about, arrays = unpack(exported)
    name = f"history_{about['history'][2][0]}"
    said, inside = opened(arrays[name])
    arrays[name] = closed(said, {**inside, "f": inside["f"] - 1.0})
    with pytest.raises(InputError, match=r"^not a run file, because solution 1 has f = \S+, but the file says"):
        store.import_run(pack(about, arrays))


def test_a_checkpoint_is_held_to_the_same(store: Store, exported: bytes) -> None:
    about, arrays = unpack(exported)
    said, inside = opened(arrays["checkpoint"])
    arrays["checkpoint"] = closed(said, {**inside, "values": inside["values"] - 1.0})
    with pytest.raises(InputError, match=r"^not a run file, because solution 1 has f = \S+, but the file says"):
        store.import_run(pack(about, arrays))


def test_logged_evaluations_are_held_to_the_same(store: Store, exported: bytes, tmp_path: Path) -> None:
    problem, asked = get("C16", 10), request()
    x = (problem.lower + problem.upper) / 3
    true = problem.values([x])[0]
    about, arrays = unpack(exported)
    for number, values in ((1, true), (2, true + 1.0)):
        log = EvaluationLog(tmp_path / "logs" / f"{number}.log", asked)
        log.add(number, x, 0, Answer(values))
        log.add(number + 1, x, 0, Answer.without_values(len(true), 1, "it came to nothing"))
        arrays["evaluations"] = np.frombuffer(zlib.compress(log.path.read_bytes()), np.uint8)
        if number == 1:
            store.import_run(pack(about, arrays))
    with pytest.raises(InputError, match=r"^not a run file, because solution 1 has f = \S+, but the file says"):
        store.import_run(pack(about, arrays))


def test_how_far_a_run_is_and_what_it_found_its_map_says_and_not_its_record(store: Store, exported: bytes) -> None:
    about, arrays = unpack(exported)
    lies = {"evaluations": 4, "occupied": 99_999, "best": -1e9, "best_feasible": -1e9, "refused": 7, "seconds": 1e9}
    about["history"] = [[version, 4, 1e9, 1, -1e9, size] for version, *_, size in about["history"]]
    run = store.import_run(pack({**about, "run": {**about["run"], **lies}}, arrays))
    found, snapshot = store.run(run), store.snapshot(run)
    assert snapshot is not None
    assert (found.evaluations, found.seconds) == (snapshot.evaluations, snapshot.seconds)
    numbers = snapshot.archive().statistics
    assert (found.occupied, found.best) == (numbers.occupied, numbers.best)
    last = store.history(run)[-1]
    assert (last.evaluations, last.occupied) == (found.evaluations, found.occupied)
    assert {found.best_feasible, last.best_feasible} == {numbers.best_feasible}
    assert_true_to_itself(snapshot.archive())


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda about, arrays: arrays.pop("checkpoint"), "its checkpoint is missing"),
        (lambda about, arrays: arrays.pop(f"history_{about['history'][0][0]}"), r"its moment \d+ is missing"),
        (lambda about, arrays: about["history"].pop(), r"its newest moment \d+ is missing"),
        (lambda about, arrays: about.pop("history"), r"its history cannot be used \('history'\)"),
        (lambda about, arrays: about["history"].reverse(), "its moments do not come one after the other"),
        (lambda about, arrays: about.update(refused=-1), r"it counts -1 refused of [\d,]+ evaluations"),
        (
            lambda about, arrays: about.update(failures={"died": [10**30, ""]}),
            r"it counts 1[0,]+ died of [\d,]+ evaluations",
        ),
        (lambda about, arrays: about.update(seconds=-1.0), r"it says that it took -1\.0 s"),
        (lambda about, arrays: about["run"].update(snapshot=None), "its record knows of no map, but there is one"),
    ],
)
def test_a_file_without_a_part_that_it_says_it_has_is_refused(
    store: Store, exported: bytes, change: Callable[[dict[str, Any], Arrays], Any], words: str
) -> None:
    about, arrays = unpack(exported)
    change(about, arrays)
    with pytest.raises(InputError, match=f"^not a run file, because {words}$"):
        store.import_run(pack(about, arrays))


def test_a_file_from_a_machine_that_rounds_otherwise_is_taken_in(store: Store) -> None:
    about, arrays = unpack(store.export(finish(store, request(evaluations=3_000))))
    name = f"history_{about['run']['snapshot']}"
    said, inside = opened(arrays[name])
    for part in (arrays, inside):
        part["g"] = np.nextafter(part["g"], np.inf)
    store.import_run(pack(about, {**arrays, name: closed(said, inside)}))
