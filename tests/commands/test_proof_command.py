"""`prove` from the terminal, as a person types it."""

import json

import pytest

from mapelites.__main__ import main
from mapelites.proof import process

BEAM = ["prove", "welded-beam", "--levels", "shear=0,5%", "--hard", "bending,fit,cost,weld,deflection,buckling"]


def test_a_question_is_told_with_its_bound_its_design_and_what_the_proof_holds_for(capsys):
    assert main(["prove", "welded-beam", "--at", "shear=5%"]) == 0
    first, design, holds = capsys.readouterr().out.splitlines()
    assert first.startswith("Proven: 1.69")
    assert ", nobody below 1.69" in first
    assert design.startswith("  at h = 0.2057")
    assert holds.startswith("  Proven for limits wider by the solver's tolerance (shear 0.001 psi, ")


def test_prices_lattice_and_cells_are_proven_in_one_go(capsys):
    assert main([*BEAM, "--what", "prices", "--what", "lattice", "--what", "cells", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [row["status"] for row in told["prices"]] == ["proven", "proven"]
    assert (told["lattice"]["questions"], told["lattice"]["decided"]) == (2, 2)
    assert told["cells"]["occupied"] + told["cells"]["empty"] == told["cells"]["cells"] == 3


def test_relations_and_conflicts_are_told_in_sentences(tmp_path, capsys):
    (tmp_path / "tight.problem").write_text(
        "problem Tight\nvariable x from 0 to 9\nminimise x\nsubject to\nlow: x <= 2\nhigh: x >= 4\n"
    )
    arguments = ["prove", "tight", "--problems", str(tmp_path)]
    assert main([*arguments, "--what", "question", "--what", "relations"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "No solution can exist within these tolerances: proven."
    assert said[1].startswith("low and high cannot both hold; the least is high +50")
    assert said[2].startswith("low + high = 2, for every x (proven within ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["prove", "C01"], "C01 10D cannot be proven, because it is not written as formulas"),
        (["prove", "i-beam", "--what", "all"], "--what must be one of question, prices, lattice, cells, "),
        (["prove", "i-beam", "--at", "stress"], "--at must be NAME=LEVEL,..., such as shear=5%, but it was 'stress'"),
        (["prove", "i-beam", "--seconds", "0"], "--seconds must be a number above 0, but it was 0.0"),
    ],
)
def test_what_makes_no_sense_is_one_line_and_exit_code_2(arguments, message, capsys):
    assert main(arguments) == 2
    assert capsys.readouterr().err.startswith(message)


def test_without_the_solver_the_command_says_how_to_get_it(monkeypatch, capsys):
    monkeypatch.setattr(process, "available", lambda: False)
    assert main(["prove", "i-beam"]) == 2
    assert capsys.readouterr().err == f"{process.MISSING}\n"
