"""The tutorial, followed step by step in an empty folder."""

from __future__ import annotations

import re
import shlex
from contextlib import chdir, redirect_stdout
from io import StringIO
from math import pi
from pathlib import Path

import pytest

from mapelites.__main__ import main
from mapelites.commands.engine import load_archive
from mapelites.problems import own_problems

TEXT = (Path(__file__).parents[2] / "docs" / "TUTORIAL.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(\w+) ?(\S*)\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
COMMAND = ["python", "-m", "mapelites"]


@pytest.fixture(scope="module")
def followed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder of somebody who did everything the tutorial says, and all that the terminal said."""
    folder, said = tmp_path_factory.mktemp("tutorial"), StringIO()
    with chdir(folder), redirect_stdout(said):
        for kind, name, text in BLOCKS:
            if kind != "sh":
                (folder / name).write_text(text)
                continue
            for line in text.splitlines():
                words = shlex.split(line)
                assert words[:3] == COMMAND
                assert main(words[3:]) == 0, line
    own_problems.watch([])
    return folder, said.getvalue()


def test_its_problems_are_listed(followed: tuple[Path, str]) -> None:
    assert re.search(r"^can +2 +2 inequality, 0 equality", followed[1], re.MULTILINE)
    assert re.search(r"^wooden-beam +3 +2 inequality, 0 equality", followed[1], re.MULTILINE)


def test_the_can_is_the_one_of_mathematics(followed: tuple[Path, str]) -> None:
    # With h = 4 r the volume is 4 pi r^3 = 1000 and the metal 10 pi r^2; freely, h = 2 r and 6 pi r^2.
    metal = 10 * pi * (1000 / (4 * pi)) ** (2 / 3)
    free = 6 * pi * (1000 / (2 * pi)) ** (2 / 3)
    best = load_archive(followed[0] / "can.npz").archive().best(feasible=True)  # the run carries the formulas
    assert best is not None
    assert best.f == pytest.approx(metal, rel=1e-6)
    assert f"close to {metal:.0f} cm²" in TEXT
    assert f"costs {metal / free - 1:.0%}".replace("%", " %") in TEXT


def test_the_beam_has_whole_planks_and_carries_its_load(followed: tuple[Path, str]) -> None:
    snapshot = load_archive(followed[0] / "beam.npz")
    best = snapshot.archive().best(feasible=True)
    assert best is not None
    width, height, planks = best.x
    assert planks == round(planks)
    assert 3000 * 6 / (planks * width * height**2) <= 10e6 * (1 + 1e-9)
    assert snapshot.get_problem().units == ("m", "m", "")


def test_batches_and_compiled_functions_are_searched_alike(followed: tuple[Path, str]) -> None:
    slow, fast = (load_archive(followed[0] / name).elites for name in ("slow.npz", "fast.npz"))
    assert slow.f.tolist() == fast.f.tolist()
    assert slow.x.tolist() == fast.x.tolist()
