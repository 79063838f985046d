"""Problems whose values an outside program computes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from mapelites.core.errors import InputError, ProgramError
from mapelites.evaluation.answer import RAISED
from mapelites.evaluation.member import evaluate
from mapelites.problems.own.library import ProblemLibrary
from mapelites.problems.own.program import exchange, program_problem
from mapelites.search import illuminate

TUTORIAL = Path(__file__).parents[2] / "docs" / "programs.md"
FORMULAS = "minimise mass\nsubject to\n strength: stress <= 250 [MPa]\n"


def tutorial(folder: Path) -> Path:
    """The two files of the tutorial, saved as it says; the problem's."""
    blocks = dict(re.findall(r"```(sh|text)\n(.*?)```", TUTORIAL.read_text("utf-8"), re.DOTALL))
    (folder / "beam.sh").write_text(blocks["sh"])
    (folder / "beam.sh").chmod(0o755)
    (folder / "beam.problem").write_text(blocks["text"])
    return folder / "beam.problem"


def problem_with(folder: Path, script: str, lines: str):
    """A problem of one variable x, whose program is a shell script."""
    (folder / "run.sh").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "run.sh").chmod(0o755)
    path = folder / "p.problem"
    path.write_text(f"problem P\nvariable x from 1 to 9\n{lines}\n{FORMULAS}")
    return program_problem(path)


def test_the_tutorial_makes_a_map_and_keeps_the_folders_of_failures(tmp_path):
    library = ProblemLibrary()
    library.watch([tutorial(tmp_path)])
    assert library.names() == ("beam-by-a-program",)
    problem = library.loaded(library.get("beam-by-a-program"))
    archive = illuminate(problem, evaluations=60, workers=2)
    best = archive.best(feasible=True)
    assert best is not None
    assert best.f == pytest.approx(0.785 * 6 * (60000 / 250 / 36) ** (2 / 3), rel=1e-3)
    kept = list((tmp_path / "beam-by-a-program.evaluations").iterdir())
    assert len(kept) == archive.refused
    assert all("buckles" in (folder / "output.txt").read_text() for folder in kept)


def test_what_is_typed_in_the_browser_names_no_program(tmp_path):
    library = ProblemLibrary()
    library.watch([], tmp_path)
    tutorial(tmp_path)
    [entry] = library.entries()
    assert entry.problems == ()
    assert "a program can only be named in a file that is given on the command line" in entry.error
    assert library.files() == [tmp_path / "beam.problem"]


def test_a_program_that_changed_since_a_run_began_is_not_mixed_with_the_old_one(tmp_path):
    library = ProblemLibrary()
    library.watch([tutorial(tmp_path)])
    problem = library.get("beam-by-a-program")
    (tmp_path / "beam.sh").write_text("#!/bin/sh\nexit 1\n")
    with pytest.raises(InputError, match="has changed since this run began"):
        library.loaded(problem)


@pytest.mark.parametrize(
    ("script", "lines", "said"),
    [
        ("echo first; echo the mesh is bad; exit 7", "",
         "it ended with code 7; it last said: first / the mesh is bad; kept in"),
        ("kill -9 $$", "", "it was killed by SIGKILL"),
        ("sleep 60 & sleep 60", "time limit 0.2", "it did not end within 0.2 s"),
        ("echo FAIL > $2", "", "it says FAIL"),
        ("true", "", "it wrote no results, in which mass, stress should be"),
        ("echo 1.5 mass > $2", "", "there is no stress in its results"),
        ("echo 1.5 1e+20 > $2", "failure from 1e20", "it says that it failed: stress is 1e\\+20; kept in"),
    ],
)  # fmt: skip
def test_a_program_that_fails_says_why(tmp_path, script, lines, said):
    problem = problem_with(
        tmp_path, script, f"evaluate with ./run.sh {{params}} {{results}}\noutputs mass, stress\n{lines}"
    )
    with pytest.raises(ProgramError, match=said):
        problem.values([[2.0]])
    answer = evaluate(problem, np.array([2.0]))
    assert (answer.status, np.isnan(answer.values).all()) == (RAISED, True)
    assert re.match(said, answer.words)


@pytest.mark.parametrize(
    ("script", "lines"),
    [
        ("echo 2 > $2; echo 300 >> $2", "evaluate with ./run.sh {params} {results}\noutputs mass, stress"),
        ("echo '{\"stress\": 300, \"mass\": 2.0}' > $1", "evaluate with ./run.sh {results}\noutputs mass, stress"),
        ("echo \"mass: $1 kg\"; echo 'S = 1'; echo 'S = 3.0D+02' > log",
         'evaluate with ./run.sh {x:.1f}\nread mass from output after "mass"\nread stress from log matching '
         '"S = (\\S+)"'),
        ("echo $(cat deck) $LOAD > $1; exit 3",
         "evaluate with ./run.sh {results}\noutputs mass\nread stress from deck after \"load\"\n"
         "fill deck.template as deck\nenvironment LOAD=mass\nreturn codes 0, 3"),
    ],
)  # fmt: skip
def test_outputs_are_read_by_order_name_and_pattern(tmp_path, script, lines):
    (tmp_path / "deck.template").write_text("{x} load 300 {not a variable}")
    if "deck" in lines:
        script = "grep -q '2.0 load 300 {not a variable}' deck || exit 9\necho \"2.0 $LOAD\" > $1; exit 3"
    assert problem_with(tmp_path, script, lines)([2.0]) == (2.0, [50.0], [])


@pytest.mark.parametrize(
    ("script", "lines"),
    [
        ("cat $1; echo; echo 2 300", "results in output"),
        ("echo the mesh has 12 cells; echo '2.0e0, 3.0d2'", "results in output"),
        ("echo 2 300 > answer.txt", "results in answer.txt"),
        ("echo step 1; echo 9 iterations; echo 7 7; echo 2 300; echo took 4 s", "results in output"),
        ("echo step 1; echo 9 iterations; echo stress: 300 MPa; echo 2", "results in output"),
        ("echo 2 response_1 > answer.txt; echo 300 response_2 >> answer.txt", "results in answer.txt"),
    ],
)
def test_a_program_may_read_a_line_of_values_and_print_one(tmp_path, script, lines):
    script = f'test "$(cat $1)" = 2.0 || exit 9\n{script}'
    lines = f"evaluate with ./run.sh {{params}}\nparameters as values\noutputs mass, stress\n{lines}"
    assert problem_with(tmp_path, script, lines)([2.0]) == (2.0, [50.0], [])


def test_a_program_that_prints_fewer_values_has_failed(tmp_path):
    lines = "evaluate with ./run.sh\noutputs mass, stress\nresults in output"
    with pytest.raises(ProgramError, match="there is no stress in its results; it last said: 2"):
        problem_with(tmp_path, "echo 2", lines).values([[2.0]])
    with pytest.raises(ProgramError, match=r"it wrote no answer\.txt, in which mass, stress should be"):
        problem_with(tmp_path, "echo 2", lines.replace("in output", "in answer.txt")).values([[2.0]])


@pytest.mark.parametrize("printed", ["step 1; echo step 2", "1 2 3; echo 2", "1; echo 2; echo 300"])
def test_numbers_among_other_words_are_no_results(tmp_path, printed):
    lines = "evaluate with ./run.sh\noutputs mass, stress\nresults in output"
    with pytest.raises(ProgramError, match=r"there is no|3 lines of its results have a number, but there are 2"):
        problem_with(tmp_path, f"echo {printed}", lines).values([[2.0]])


def test_a_program_finds_its_files_in_its_folder_and_counts_as_whole_numbers(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "table").write_text("2 300")
    (tmp_path / "mesh").write_text("{x}")
    script = 'test "$(cat mesh) $1 $(cat $2)" = "{x} 4 4" && cat data/table'
    lines = "evaluate with ./run.sh {x} {params}\nparameters as values\noutputs mass, stress\ncopy mesh, data"
    problem = problem_with(tmp_path, script, f"results in output\n{lines}")
    with pytest.raises(ProgramError, match="it ended with code 1"):
        problem.values([[4.0]])
    (tmp_path / "p.problem").write_text((tmp_path / "p.problem").read_text().replace("to 9\n", "to 9 integer\n"))
    assert program_problem(tmp_path / "p.problem")([4.2]) == (2.0, [50.0], [])
    lines = "evaluate with ./run.sh\noutputs mass\ncopy ../secret"
    with pytest.raises(InputError, match="what is copied lies beside this file or in a folder there"):
        problem_with(tmp_path, "true", lines)


def test_no_more_run_at_once_than_is_said(tmp_path):
    script = 'mkdir "$3/one" || exit 5; sleep 0.05; rmdir "$3/one"; echo 1 mass > $2; echo 1 stress >> $2'
    lines = "evaluate with ./run.sh {params} {results} {folder}\noutputs mass, stress\nat most 1 at once"
    archive = illuminate(problem_with(tmp_path, script, lines), evaluations=12, workers=4)
    assert archive.refused == 0


def test_parameters_are_written_as_dakota_writes_them():
    text = exchange.standard_parameters({"h": 0.5, "b": 2.0}, ["mass"], "7")
    assert text.splitlines()[:4] == [
        f"{'2':>24} variables", f"{'5.0000000000000000e-01':>24} h", f"{'2.0000000000000000e+00':>24} b",
        f"{'1':>24} functions",
    ]  # fmt: skip
    assert json.loads(exchange.json_parameters({"h": 0.5}, ["mass"], "7"))["variables"] == [
        {"label": "h", "value": 0.5}
    ]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("evaluate with ./run.sh", "a program needs outputs: write outputs mass, stress"),
        (
            "evaluate with ./run.sh\noutputs mass, 2nd",
            "an output needs a name of letters, digits and _, but one was '2nd'",
        ),
        ("evaluate with ./run.sh\noutputs mass\ntime limit soon", "line 5: this cannot be read: time limit soon"),
        ("evaluate with ./run.sh\nevaluate with ./run.sh", "there must be one program, and this is a second one"),
        ('evaluate with ./run.sh\nread mass from log matching "S"', "a pattern needs one group"),
        (
            "evaluate with ./run.sh\noutputs mass, stress\nfailure from -1",
            "line 5: what says that it failed must be a number above 0, but it was '-1'",
        ),
    ],
)
def test_a_file_that_says_it_wrong_is_refused_with_its_line(tmp_path, lines, said):
    with pytest.raises(InputError, match=re.escape(said)):
        problem_with(tmp_path, "true", lines)
