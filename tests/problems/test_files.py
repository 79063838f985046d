"""Problems in Python files: what kinds of functions they are, what is wrong with them in words, and reloading."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mapelites import InputError, Tolerances, illuminate, problem
from mapelites.core.problem import ProblemSource
from mapelites.problems.own.files import (
    AbsentError,
    FileError,
    answer_known,
    load_problems,
    problem_from_description,
)
from mapelites.problems.own.inspection import inspect_file
from mapelites.problems.own.library import ProblemLibrary
from mapelites.problems.own.trial import try_problem

HEAD = "from mapelites import problem\n"
DECLARED = '@problem(bounds={"a": (0.5, 2), "n": (1, 9)}, inequalities=["limit"], integers=["n"], units={"a": "mm"})\n'
BEAM = HEAD + DECLARED + "def beam(x):\n    '''A beam.'''\n    return x[0] * x[1], [1 - x[0]], []\n"


def written(folder: Path, text: str, name: str = "mine.py") -> Path:
    """A file that differs from the one before it also where the clock is coarse."""
    path = folder / name
    path.write_text(text)
    stamp = (folder / ".stamp").stat().st_size if (folder / ".stamp").exists() else 0
    (folder / ".stamp").write_text("x" * (stamp + 1))
    os.utime(path, (1_000_000_000 + stamp, 1_000_000_000 + stamp))
    return path


def test_plain_functions_batches_and_compiled_ones_give_the_same_values() -> None:
    from numba import njit

    declared = problem(bounds={"a": (0.5, 2.0), "n": (1, 9)}, inequalities=["low", "high"], equalities=["sum"],
                       integers=["n"])  # fmt: skip

    @declared
    def plain(x):  # type: ignore[no-untyped-def]
        return x[0] * x[1], [1 - x[0], x[1] - 5], [x[0] + x[1] - 4]

    @declared
    def batch(x):  # type: ignore[no-untyped-def]
        a, n = x[:, 0], x[:, 1]
        return a * n, np.stack([1 - a, n - 5], axis=1), [a + n - 4]

    @declared
    @njit
    def tuples(x):  # type: ignore[no-untyped-def]
        return x[0] * x[1], (1 - x[0], x[1] - 5), (x[0] + x[1] - 4,)

    @declared
    @njit
    def arrays(x):  # type: ignore[no-untyped-def]
        return x[0] * x[1], np.array([1 - x[0], x[1] - 5]), np.array([x[0] + x[1] - 4])

    points = np.random.default_rng(3).uniform(plain.lower, plain.upper, (50, 2))
    whole = np.rint(points[:, 1])
    expected = np.stack([points[:, 0] * whole, 1 - points[:, 0], whole - 5, points[:, 0] + whole - 4], axis=1)
    for each in (plain, batch, tuples, arrays):
        assert np.array_equal(each.values(points), expected)
    assert [each.compiled for each in (plain, batch, tuples, arrays)] == [False, False, True, True]
    assert (plain.function.batch, batch.function.batch) == (False, True)  # type: ignore[attr-defined]


def test_a_function_that_fails_at_first_is_still_recognised_as_one_of_batches() -> None:
    @problem(bounds={"a": (0.0, 1.0)}, inequalities=["g"])
    def picky(x):  # type: ignore[no-untyped-def]
        if (x[:, 0] > 0.9).any():
            raise ValueError("too large")
        return x[:, 0], [x[:, 0] - 0.5]

    with pytest.raises(IndexError):
        picky.values([[0.95]])
    assert picky.values([[0.5], [0.25]]).tolist() == [[0.5, 0.0], [0.25, -0.25]]
    with pytest.raises(ValueError, match="too large"):
        picky.values([[0.95]])


def test_no_process_evaluates_a_candidate_twice(tmp_path: Path) -> None:
    calls = tmp_path / "calls"

    @problem(bounds={"a": (0.0, 1.0), "b": (0.0, 1.0)}, inequalities=["g"])
    def slow(x):  # type: ignore[no-untyped-def]
        with calls.open("a") as file:
            file.write(f"{x.tobytes().hex()}\n")
        return x[0], [0.5 - x[1]]

    illuminate(slow, search="directed", evaluations=40, initial=20, workers=3, retries=0)
    asked = calls.read_text().splitlines()
    assert (len(asked), len(set(asked))) == (40, 40)


@pytest.mark.parametrize(
    ("body", "batch"), [("x[0], [1 - x[0]]", False), ("x[:, 0], [1 - x[:, 0]]", True)], ids=["one", "batch"]
)
def test_what_kind_a_function_is_goes_with_its_description(tmp_path: Path, body: str, batch: bool) -> None:
    counting = "calls = []\n" + DECLARED + "def beam(x):\n    calls.append(len(x.shape))\n    return "
    library = ProblemLibrary()
    library.watch([written(tmp_path, HEAD + counting + body)])
    found = library.get("beam")
    assert found is not None
    loaded = library.loaded(found)
    assert loaded.values([[1.0, 2.0]]).tolist() == [[1.0, 0.0]]
    assert loaded.function.function.__globals__["calls"] == [1 + batch]  # type: ignore[attr-defined]


@pytest.mark.parametrize("search", ["paper-3", "directed"])
def test_a_whole_variable_is_whole_in_every_elite_and_each_evaluates_to_itself(search: str) -> None:
    from numba import njit

    def rule(x):  # type: ignore[no-untyped-def]
        return (x[0] - 1.3) ** 2 + (x[1] - 3.3) ** 2, (1 - x[0], x[1] - 5)

    declared = problem(bounds={"a": (0.5, 2.0), "n": (1, 9)}, inequalities=["low", "high"], integers=["n"])
    for function in (rule, njit(rule)):
        made = declared(function)
        archive = illuminate(made, Tolerances.default(made), search=search, evaluations=3_000, seed=2)
        elites = archive.elites
        assert np.array_equal(elites.x[:, 1], np.rint(elites.x[:, 1]))
        assert np.array_equal(made.evaluate(elites.x).f, elites.f)
        best = archive.best(feasible=True)
        assert best is not None
        assert best.x[1] == 3.0
        assert best.f == pytest.approx(0.09, abs=1e-3)


def test_a_whole_variable_is_a_whole_number_whatever_its_bounds() -> None:
    @problem(bounds={"n": (0.5, 4.5)}, inequalities=["g"], integers=["n"])
    def small(x):  # type: ignore[no-untyped-def]
        return x[0], [0.0]

    assert (small.lower.tolist(), small.upper.tolist()) == ([1.0], [4.0])
    assert small.rounded([[0.5], [1.4], [4.5]]).tolist() == [[1.0], [1.0], [4.0]]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("def f(:", "mine.py, line 1: this is not Python"),
        ("x = 1\ny = x / 0", "mine.py, line 2: ZeroDivisionError"),
        ("import no_such_module", "mine.py, line 1: ModuleNotFoundError: No module named 'no_such_module'"),
        ("raise SystemExit(3)", "mine.py, line 1: SystemExit: 3"),
        ("x = 1", "mine.py: there is no problem in it: write @problem(...) above a function"),
        (HEAD + '@problem(bounds={"a": (2, 1)}, inequalities=["g"])\ndef f(x): ...',
         "mine.py, line 2: f: the bounds of a must be finite and ascending, but they were [2, 1]"),
        (HEAD + '@problem(bounds={"a": (0, 1)})\ndef f(x): ...', "a problem needs at least one constraint"),
        (HEAD + '@problem(bounds={"a": (0, 1)}, inequalities=["g"], integers=["b"])\ndef f(x): ...',
         "integers: the variables are a, but 'b' is not among them"),
        (HEAD + '@problem(bounds={"a": (0.2, 1.8)}, inequalities=["g"], integers=["a"])\ndef f(x): ...',
         "integers: two whole numbers or more must lie within the bounds of a, but they were [0.2, 1.8]"),
        (HEAD + "@problem\ndef f(x): ...",
         "mine.py, line 2: @problem needs parentheses: write @problem(bounds={...}, inequalities=[...])"),
        (HEAD + '@problem(bounds=[(0, 1)], inequalities=["g"])\ndef f(x): ...',
         'mine.py, line 2: bounds must be by variable, such as {"width": (0.1, 2)}, but they were [(0, 1)]'),
        (HEAD + '@problem(bounds={"a": 3}, inequalities=["g"])\ndef f(x): ...',
         "bounds: a must have a lower and an upper number, such as (0, 1), but it had 3"),
        (HEAD + '@problem(bounds={"a": "01"}, inequalities=["g"])\ndef f(x): ...', "such as (0, 1), but it had '01'"),
        (HEAD + '@problem(bounds={"a": (0, "b")}, inequalities=["g"])\ndef f(x): ...', "but it had (0, 'b')"),
        (HEAD + "from numba import njit\n" + DECLARED + "@njit\ndef f(x):\n    return y, (1.0,)",
         "mine.py, line 3: f: numba cannot compile it: NameError: name 'y' is not defined"),
        (HEAD + "from numba import njit\n" + DECLARED + "@njit\ndef f(x):\n    return x.most(), (1.0,)",
         "f: numba cannot compile it: Unknown attribute 'most' of type array(float64, 1d, C) (line 6)"),
        (HEAD + '@problem(bounds={"a": (0, 1)}, inequalities="g1")\ndef f(x): ...',
         "inequalities must be a list of names, but it was 'g1'"),
        (HEAD + DECLARED + "def beam(x):\n    return x[0], [1, 2], []",
         "mine.py, line 2: it must return one f, 1 inequalities and 0 equalities, but it returned 1, 2 and 0"),
        (HEAD + DECLARED + "def beam(x):\n    return x[0]", "it must return f, the list of g and the list of h"),
        (HEAD + DECLARED + "def beam(x):\n    y = 1\n    return x[9], [0], []",
         "mine.py, line 5: IndexError: index 9 is out of bounds"),
        (HEAD + DECLARED + "def beam(x):\n    return float('nan'), [0], []",
         "mine.py, line 2: beam gives no finite number for f at a = 1.25, n = 5"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_file_line_and_what_to_change(tmp_path: Path, text: str, words: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(FileError) as caught:
        [try_problem(each, path) for each in load_problems(path)]
    assert words in str(caught.value)


def test_points_at_which_a_function_fails_are_a_warning_only(tmp_path: Path) -> None:
    path = written(tmp_path, HEAD + DECLARED + "def beam(x):\n    return 1 / int(x[0] > 1.3), [0], []")
    warning = try_problem(load_problems(path)[0], path).warning
    assert warning.startswith("mine.py, line 4: ZeroDivisionError")
    assert "of 9 points" in warning


@pytest.mark.parametrize("compiled", [False, True])
def test_a_description_carries_everything_but_the_code(tmp_path: Path, compiled: bool) -> None:
    fast = BEAM.replace("def beam", "@njit\ndef beam").replace("[1 - x[0]], []", "(1 - x[0],), ()")
    real = load_problems(written(tmp_path, "from numba import njit\n" + fast if compiled else BEAM))[0]
    stand_in = problem_from_description(real.source.text)
    assert stand_in.compiled == real.compiled == compiled
    for name in ("name", "title", "difficulty", "variables", "units", "constraints", "dimension"):
        assert getattr(stand_in, name) == getattr(real, name)
    assert (stand_in.title, stand_in.difficulty, stand_in.units) == ("Beam", "A beam.", ("mm", ""))
    for name in ("lower", "upper", "steps"):
        assert np.array_equal(getattr(stand_in, name), getattr(real, name))
    with pytest.raises(AbsentError, match=r"beam is in mine.py, and only the worker executes that file"):
        stand_in.values([[1.0, 1.0]])


@pytest.mark.parametrize("source", ["{", "{}", '{"file": 1}', '{"constraints": [["a", "b"]]}', '{"constraints": 3}'])
def test_a_description_that_is_none_is_refused(source: str) -> None:
    with pytest.raises(InputError):
        problem_from_description(source)


def test_a_file_that_kills_its_process_or_hangs_harms_nobody(tmp_path: Path) -> None:
    killer = written(tmp_path, "print('hello')\nimport os, signal\nos.kill(os.getpid(), signal.SIGKILL)")
    assert inspect_file(killer).error == "mine.py: it ended the process that looked at it, with signal 9"
    sleeper = written(tmp_path, "import time\ntime.sleep(600)")
    assert inspect_file(sleeper, seconds=3.0).error == "mine.py: it must be executed within 3 s, but it took longer"


@pytest.mark.parametrize(
    ("trouble", "words"),
    [
        ("os.kill(os.getpid(), signal.SIGSEGV)", "beam ended its process by SIGSEGV at a = 1.25, n = 5; so it was"),
        ("os._exit(4)", "beam ended its process with code 4 at a = 1.25, n = 5; so it was"),
        ("raise SystemExit('enough')", "SystemExit: enough (in beam, at a = 1.25, n = 5); so it was at 2 of 9"),
    ],
)
def test_a_function_that_ends_its_process_is_warned_of_and_can_be_used(
    tmp_path: Path, trouble: str, words: str
) -> None:
    body = f"def beam(x):\n    if x[0] < 1.3:\n        {trouble}\n    return x[0], [0], []"
    found = inspect_file(written(tmp_path, HEAD + "import os, signal\n" + DECLARED + body))
    assert (found.error, len(found.sources)) == ("", 1)
    assert found.warnings[0].startswith("mine.py, line ")
    assert words in found.warnings[0]


def test_a_function_that_takes_longer_than_its_check_is_warned_of_and_can_be_used(tmp_path: Path) -> None:
    path = written(tmp_path, HEAD + "import time\n" + DECLARED + "def beam(x):\n    time.sleep(600)")
    tried = try_problem(load_problems(path)[0], path, seconds=0.2)
    assert tried.warning == "mine.py, line 3: beam gave no answer within 0.2 s at a = 1.25, n = 5"
    assert tried.batch is None


def test_a_changed_file_is_read_again_and_a_broken_one_leaves_the_old_version(tmp_path: Path) -> None:
    library = ProblemLibrary()
    path = written(tmp_path, BEAM)
    library.watch([path])
    assert library.names() == ("beam",)
    first = library.get("beam")
    assert first is not None
    assert library.get("beam") is first  # not looked at again
    assert library.loaded(first).values([[1.0, 2.4]]).tolist() == [[2.0, 0.0]]

    written(tmp_path, BEAM.replace("1 - x[0]", "1 - y"))
    assert library.entries()[0].error.startswith("mine.py, line 5: NameError: name 'y' is not defined")
    assert library.get("beam") is first
    with pytest.raises(AbsentError, match=r"mine.py, or what it imports, has changed since this run began"):
        library.loaded(first)

    written(tmp_path, BEAM.replace("x[0] * x[1]", "3 * x[0] * x[1]"))
    second = library.get("beam")
    assert second is not None
    assert library.entries()[0].error == ""
    assert second.source != first.source
    assert library.loaded(second).values([[1.0, 2.0]])[0, 0] == 6.0
    with pytest.raises(AbsentError, match="run it again to search the new beam"):
        library.loaded(first)
    path.unlink()
    assert library.names() == ()
    with pytest.raises(AbsentError, match=r"beam is in the file mine.py, which is not here: start with --problems"):
        library.loaded(second)


def test_a_helper_beside_a_file_belongs_to_it(tmp_path: Path) -> None:
    path = written(tmp_path, "import helper\n" + BEAM.replace("1 - x[0]", "helper.limit(x)"))
    helper = "def limit(x):\n    return {} - x[0]\n"
    written(tmp_path, helper.format(1), "helper.py")
    library = ProblemLibrary()
    library.watch([path])
    first = library.get("beam")
    assert first is not None
    assert library.loaded(first).values([[1.0, 2.0]]).tolist() == [[2.0, 0.0]]

    written(tmp_path, helper.format(2), "helper.py")
    with pytest.raises(AbsentError, match=r"mine.py, or what it imports, has changed since this run began"):
        library.loaded(first)
    second = library.get("beam")
    assert second is not None
    assert second.source != first.source
    assert library.loaded(second).values([[1.0, 2.0]]).tolist() == [[2.0, 1.0]]

    written(tmp_path, "def limit(:", "helper.py")
    assert "this is not Python" in library.entries()[0].error
    written(tmp_path, helper.format(1), "helper.py")
    assert library.get("beam").source == first.source  # type: ignore[union-attr]
    assert library.entries()[0].error == ""


def test_a_folder_holds_both_kinds_and_a_taken_name_is_said(tmp_path: Path) -> None:
    text = "problem {}\nvariable x from 0 to 1\nminimise x\nsubject to x >= 0.5\n"
    written(tmp_path, text.format("First one"), "a.problem")
    written(tmp_path, text.format("Pressure vessel"), "b.problem")
    written(tmp_path, text.replace("x >= 0.5", "x > 0.5").format("Third"), "c.problem")
    written(tmp_path, "print('never read')", "notes.txt")
    library = ProblemLibrary()
    library.watch([tmp_path])
    assert library.names() == ("first-one",)
    assert [entry.error for entry in library.entries()] == [
        "",
        "b.problem: the name pressure-vessel is taken by a built-in problem: choose another one",
        "c.problem, line 4, column 14: a constraint needs <=, >= or = here, but there was '>': write >= instead",
    ]


def test_code_in_the_folder_of_typed_problems_is_never_read(tmp_path: Path) -> None:
    written(tmp_path, BEAM)
    library = ProblemLibrary()
    library.watch([], tmp_path)
    assert library.files() == []


@pytest.mark.parametrize(
    ("name", "words"), [("none.py", "there is no file or folder"), ("notes.txt", "must end in .py or .problem")]
)
def test_a_path_that_cannot_be_read_is_said(tmp_path: Path, name: str, words: str) -> None:
    written(tmp_path, "", "notes.txt")
    with pytest.raises(InputError, match=words):
        ProblemLibrary().watch([tmp_path / name])


def test_what_a_slow_function_answered_when_its_file_was_looked_at_is_not_asked_again(tmp_path: Path) -> None:
    path, calls = tmp_path / "slow.py", tmp_path / "calls"
    path.write_text(
        "import time\nfrom mapelites import problem\n\n\n"
        '@problem(bounds={"a": (0, 2), "b": (0, 2)}, inequalities=["sum"])\ndef slow(x):\n'
        f"    with open({str(calls)!r}, 'a') as file:\n        print(list(x), file=file)\n    time.sleep(0.25)\n"
        "    return x[0] + x[1], [1.5 - x[0] - x[1]], []\n"
    )
    library = ProblemLibrary()
    library.watch([path])
    found = library.get("slow")
    assert found is not None
    slow = library.loaded(found)
    assert len(calls.read_text().splitlines()) == 1
    log = tmp_path / "log"
    archive = illuminate(slow, evaluations=6, progress=False, log=log)
    assert archive.evaluations == len(set(calls.read_text().splitlines())) == len(calls.read_text().splitlines()) == 6
    again = illuminate(slow, evaluations=6, progress=False, log=log)
    assert len(calls.read_text().splitlines()) == 6
    assert (again.elites.x == archive.elites.x).all()
    forged = json.dumps({**json.loads(slow.source.text), "answered": [1.0, "many"]})
    assert answer_known(replace(slow, source=ProblemSource("file", forged))) is None
