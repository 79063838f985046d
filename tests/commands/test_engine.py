"""The engine from the terminal, as a person types it."""

import csv
import errno
import io
import json
import os
import pty
import signal
import stat
import subprocess
import sys
import time
from contextlib import suppress
from types import SimpleNamespace

import numpy as np
import pytest

from mapelites import Constraint, Illumination, InputError, Problem, Settings, Tolerances
from mapelites.__main__ import main
from mapelites.commands import engine
from mapelites.core.format import clock_time
from mapelites.core.levels import PAPER_LEVELS
from mapelites.problems import get, names
from mapelites.snapshot.snapshot import Snapshot
from mapelites.system.progress import ProgressLine


@pytest.fixture
def saved(tmp_path, capsys):
    out = tmp_path / "c16.npz"
    arguments = ["run", "C16", "--dim", "10", "--search", "paper-3", "--seed", "1", "--evaluations", "20000"]
    assert main([*arguments, "--out", str(out)]) == 0
    capsys.readouterr()
    return out


def test_problems_lists_all_of_them(capsys):
    assert main(["problems"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert {line[0] for line in lines if line} >= set(names())
    assert ["C16", "1", "to", "30", "2", "inequality,", "2", "equality", "0", "in", "10D,", "0", "in", "30D"] in lines
    assert ["pressure-vessel", "4", "4", "inequality,", "0", "equality", "6059.714335"] in lines


def test_a_run_is_saved_and_shown(saved, capsys):
    assert main(["show", str(saved)]) == 0
    shown = capsys.readouterr().out
    snapshot = Snapshot.from_bytes(saved.read_bytes())
    archive = snapshot.archive()
    assert "C16 10D · paper-3 · seed 1" in shown
    assert "20,000 of 20,000" in shown
    assert f"{len(archive)} of 625" in shown
    assert "of the 125 that can exist" in shown
    assert f"{archive.best().f:.4g}" in shown


def test_exported_numbers_are_the_stored_doubles(saved, capsys):
    archive = Snapshot.from_bytes(saved.read_bytes()).archive()
    assert main(["export", str(saved), "--csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    x = np.array([[float(row[f"x{i}"]) for i in range(1, 11)] for row in rows])
    again = get("C16", 10).evaluate(x)
    assert again.f.tolist() == [float(row["f"]) for row in rows] == archive.elites.f.tolist()
    assert again.h[:, 1].tolist() == [float(row["h2"]) for row in rows]
    assert main(["export", str(saved), "--json"]) == 0
    assert [each["f"] for each in json.loads(capsys.readouterr().out)] == archive.elites.f.tolist()


def test_levels_may_be_given_for_all_or_for_one(tmp_path):
    out = tmp_path / "a.npz"
    arguments = ["run", "C01", "--evaluations", "3000", "--levels", "0,0.5", "--levels", "g2=0,1,2", "--out", str(out)]
    assert main(arguments) == 0
    assert Snapshot.from_bytes(out.read_bytes()).spec.tolerances.levels == ((0.0, 0.5), (0.0, 1.0, 2.0))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "C19"], "the problem must be one of C01"),
        (["run", "C06", "--dim", "11"], "C06: the dimension must be 10 or 30, but it was 11"),
        (["run", "C01", "--search", "best"], "search must be one of paper-1"),
        (["run", "C01", "--evaluations", "0"], "evaluations must be from 1"),
        (["run", "C01", "--levels", "0,x"], "g1: a level must be a number, but one was 'x'"),
        (["run", "C01", "--levels", "h1=0,1"], "tolerances: C01 has constraints g1, g2, but not 'h1'"),
        (["run", "C01", "--out", "nowhere/a.npz"], "--out: there is no folder nowhere"),
        (["run", "C01", "--out", "."], "--out: it must be a file, but . is a folder"),
        (["show", "nothing.npz"], "nothing.npz: No such file or directory"),
    ],
)
def test_bad_input_gives_one_clear_line_and_exit_code_2(arguments, words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run"], "the following arguments are required: problem; `python -m mapelites run --help` tells more"),
        (["run", "C01", "--dim", "x"], "argument --dim: it must be a whole number, but it was 'x'; `python"),
        (["run", "C01", "--evaluations", "1.5"], "argument --evaluations: it must be a whole number, but it was '1.5'"),
        (["campaign", "--runs", "1e400"], "argument --runs: it must be a whole number, but it was '1e400'"),
        (["start", "C01", "--pace", "x"], "argument --pace: invalid float value: 'x'; `python -m mapelites start"),
        (["run", "C01", "a\nb"], "unrecognized arguments: a b; `python -m mapelites --help` tells more"),
        (["illuminate"], "argument command: invalid choice: 'illuminate'"),
        ([], "the following arguments are required: command; `python -m mapelites --help` tells more"),
    ],
)
def test_words_that_cannot_be_read_give_one_line_that_says_where_help_is(arguments, words, capsys):
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    said = capsys.readouterr().err
    assert ended.value.code == 2
    assert words in said
    assert said.count("\n") == 1


@pytest.mark.parametrize("text", ["3000", "3e3", "3_000"])
def test_a_whole_number_may_be_written_as_people_write_it(text, tmp_path):
    out = tmp_path / "a.npz"
    assert main(["run", "C01", "--evaluations", text, "--out", str(out)]) == 0
    assert Snapshot.from_bytes(out.read_bytes()).evaluations == 3_000


def disc(x):
    return x[0] + x[1], [x[0] ** 2 + x[1] ** 2 - 1.0], []


@pytest.fixture
def own_function(monkeypatch):
    """Has `run` search a problem whose function is given as that of the disc."""

    def use(function, search="paper-3"):
        problem = Problem("disc", [-2.0, -2.0], [2.0, 2.0], (Constraint("g1", "inequality"),), function)
        settings = Settings.of(search, 2, evaluations=5_000)
        monkeypatch.setattr(Snapshot, "get_problem", lambda self: problem)
        monkeypatch.setattr(
            engine, "parse_search", lambda options, out: Illumination(problem, Tolerances.default(problem), settings)
        )

    return use


@pytest.mark.parametrize("search", ["paper-3", "directed"])
def test_an_error_of_the_function_keeps_what_was_found_before(search, own_function, tmp_path, capsys):
    calls = 0

    def tiring(x):
        nonlocal calls
        calls += 1
        if calls > 2_500:
            raise RuntimeError("no licence\nis free")
        return disc(x)

    own_function(tiring, search)
    out = tmp_path / "a.npz"
    assert main(["run", "disc", "--out", str(out)]) == 1
    said = capsys.readouterr().err
    assert said.startswith(f"saved to {out} after RuntimeError: no licence (test_engine.py, line ")
    assert said.count("\n") == 1
    snapshot = Snapshot.from_bytes(out.read_bytes())
    assert 2_000 < snapshot.evaluations <= 2_500
    assert len(snapshot.archive()) > 1


def test_a_function_that_raises_at_once_leaves_the_file_of_before(own_function, tmp_path, capsys):
    own_function(lambda x: 1 / 0)
    out = tmp_path / "a.npz"
    out.write_bytes(b"before")
    assert main(["run", "disc", "--out", str(out)]) == 1
    assert capsys.readouterr().err.startswith("nothing was found, so nothing is saved after ZeroDivisionError")
    assert out.read_bytes() == b"before"


def test_a_function_that_takes_long_is_told_of_from_its_first_evaluation_on(own_function, monkeypatch, tmp_path):
    now, told = 0.0, []

    def slow(x):
        nonlocal now
        now += 0.05
        return disc(x)

    own_function(slow)
    monkeypatch.setattr(engine, "time", SimpleNamespace(perf_counter=lambda: now, thread_time=lambda: 0.0))
    monkeypatch.setattr(engine.ProgressLine, "update", lambda self, done, note: told.append(done))
    assert main(["run", "disc", "--out", str(tmp_path / "a.npz")]) == 0
    assert told == list(range(1, 5_001))


def test_an_interrupt_outside_of_a_search_is_told_in_a_line(monkeypatch, capsys):
    def interrupted(options):
        raise KeyboardInterrupt

    monkeypatch.setattr(engine, "list_problems", interrupted)
    assert main(["problems"]) == 130
    assert capsys.readouterr().err == "interrupted\n"


def test_a_saved_file_may_be_read_by_whoever_may_read_a_new_file(tmp_path):
    before = os.umask(0o027)
    try:
        engine.save_file(tmp_path / "a.npz", b"content")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a.npz").stat().st_mode) == 0o640


def test_what_cannot_be_saved_leaves_nothing_behind(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(InputError, match="No space left on device"):
        engine.save_file(tmp_path / "a.npz", b"content")
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_no_run_is_named(tmp_path, capsys):
    path = tmp_path / "a.npz"
    path.write_bytes(b"hello")
    assert main(["show", str(path)]) == 2
    assert f"{path}: not a run file, because" in capsys.readouterr().err


@pytest.mark.parametrize("told", [SystemError("a result with an exception set"), None], ids=["as an error", "not"])
def test_an_interrupt_that_compiled_code_tells_as_an_error_or_not_at_all_is_an_interrupt(
    tmp_path, monkeypatch, capsys, told
):
    advance, before = Illumination.advance, signal.getsignal(signal.SIGINT)

    def interrupted(self, evaluations):
        advance(self, evaluations)
        with suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        if told:
            raise told from None

    monkeypatch.setattr(Illumination, "advance", interrupted)
    assert main(["run", "C17", "--quiet", "--out", str(tmp_path / "one.npz")]) == 130
    assert "after an interrupt" in capsys.readouterr().out
    assert signal.getsignal(signal.SIGINT) is before


def test_an_interrupt_keeps_what_was_found(tmp_path):
    out = tmp_path / "long.npz"
    command = [sys.executable, "-m", "mapelites", "run", "C17", "--evaluations", "2000000000", "--out", str(out)]
    terminal, inside = pty.openpty()
    process = subprocess.Popen(command, stderr=inside, stdout=subprocess.PIPE, text=True, env={**os.environ})
    os.close(inside)
    drawn = ""
    while "feasible" not in drawn:  # the bar shows that the search is under way
        drawn += os.read(terminal, 4096).decode()
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=60)
    os.close(terminal)
    assert process.returncode == 130
    assert "after an interrupt" in said
    snapshot = Snapshot.from_bytes(out.read_bytes())
    assert 0 < snapshot.evaluations < 2_000_000_000
    assert len(snapshot.archive()) > 0
    for part in ("/2G", "/s", "left", "/125 cells"):
        assert part in drawn


def test_the_bar_says_how_far_how_fast_and_how_long_still():
    progress = ProgressLine(200_000, quiet=True)
    words = " 25%  50k/200k  25 k/s  0:06 left  note"
    assert progress.line(50_000, 2.0, "note", 120) == "[======                  ] " + words
    assert progress.line(50_000, 2.0, "note", 51) == "[==       ] " + words
    assert progress.line(50_000, 2.0, "note", 41) == words
    assert [clock_time(7), clock_time(750), clock_time(3723)] == ["0:07", "12:30", "1:02:03"]


def test_candidates_that_came_to_nothing_are_told_by_kind(tmp_path, capsys):
    path, out = tmp_path / "mine.py", tmp_path / "out.npz"
    path.write_text(
        "from mapelites import problem\n@problem(bounds={'a': (0, 1)}, inequalities=['g'])\n"
        "def beam(x):\n    return 1 / (x[0] > 0.6), [0.5 - x[0]]\n"
    )
    words = ["run", "beam", "--problems", str(path), "--workers", "2", "--retries", "0", "--evaluations", "40"]
    assert main([*words, "--search", "directed", "--out", str(out), "--quiet"]) == 0
    said = capsys.readouterr()
    snapshot = Snapshot.from_bytes(out.read_bytes())
    assert snapshot.spec.settings.retries == 0
    kinds = ", ".join(f"{count} {kind}" for kind, (count, _) in snapshot.failures.items())
    assert f"refused        {snapshot.refused} candidates: {kinds}" in said.out
    assert set(snapshot.failures) <= {"raised", "not finite"}
    assert said.err.startswith("mine.py, line ")  # the warning of its check


def test_a_problem_that_is_not_known_since_its_file_is_broken_is_told_with_the_reason(tmp_path, capsys):
    path = tmp_path / "mine.py"
    path.write_text("from mapelites import problem\nbeam = problem(\n")
    assert main(["run", "beam", "--problems", str(path)]) == 2
    said = capsys.readouterr().err.splitlines()
    assert said[0].startswith("mine.py, line 2: this is not Python")
    assert said[1].startswith("the problem must be one of C01")


def test_levels_in_per_cent_and_hard_constraints_are_told_in_the_terms_of_the_problem(tmp_path, capsys):
    out = tmp_path / "beam.npz"
    levels = ["--levels", "shear=0,1%,680 psi", "--levels", "buckling=0,5%", "--hard", "fit,weld"]
    arguments = ["run", "welded-beam", "--evaluations", "4000", *levels, "--out", str(out), "--quiet"]
    assert main(arguments) == 0
    tolerances = Snapshot.from_bytes(out.read_bytes()).spec.tolerances
    assert (tolerances.levels[0], tolerances.levels[6]) == ((0.0, 136.0, 680.0), (0.0, 300.0))
    assert tolerances.hard == ("fit", "weld")
    capsys.readouterr()
    assert main(["show", str(out)]) == 0
    said = capsys.readouterr().out
    assert "shear ≤ 13,600 psi  shear stress in the weld" in said
    assert "fit (typical size 0.21 in)  the weld is not thicker than the bar  hard: satisfied everywhere" in said
    assert "within your allowances" in said
    assert "best overall" not in said
    assert main(["run", "welded-beam", "--levels", "shear=0,1 in", "--out", str(out)]) == 2
    assert "shear: its unit is psi, but a level was typed as '1 in'" in capsys.readouterr().err
    assert main(["run", "C01", "--levels", "0,5%", "--out", str(out)]) == 2
    assert "g1: 5% cannot be worked out" in capsys.readouterr().err


def test_levels_are_suggested_or_normalised_by_a_short_search_where_that_is_asked_for(capsys):
    problem = get("tin-can")
    asked = SimpleNamespace(levels=["suggested", "slim=normalised"], hard=[], group=[])
    found = engine.typed_tolerances(asked, problem, None, 1_000)
    volume, slim = found.levels
    assert (volume[0], volume[-1]) == (0.0, pytest.approx(100.0, rel=0.02))  # 10 % of a litre
    assert np.allclose(np.array(slim[1:]) / slim[-1], PAPER_LEVELS[1:], rtol=0.1)
    assert "normalised for slim: 0, " in capsys.readouterr().err
    grouped = SimpleNamespace(levels=["suggested"], hard=[], group=["both=volume,slim"])
    with pytest.raises(InputError, match="suggested cannot go together with --group"):
        engine.typed_tolerances(grouped, problem, None, 1_000)
