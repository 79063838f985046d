"""The documents about the code name files and rooms that are there."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from pathlib import Path

import pytest

from mapelites import __version__

ROOT = Path(__file__).parents[2]
MOST_FILES = 22
PATH = re.compile(r"(?<![\w./])((?:[\w.]+/)+[\w.]*|[\w]+\.(?:py|md|toml))(?![\w/])")


def named_paths(text: str) -> set[str]:
    found = PATH.findall(text)
    return {path for path in found if not path.startswith(".venv")}


@pytest.mark.parametrize("document", ["ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_every_path_in_a_document_exists(document: str) -> None:
    paths = named_paths((ROOT / document).read_text())
    assert len(paths) > 10
    assert [path for path in sorted(paths) if not (ROOT / path).exists()] == []


def steps_of_a_run() -> list[str]:
    walk = (ROOT / "ARCHITECTURE.md").read_text().partition("## The way of a run\n")[2]
    return re.split(r"\n(?=\d+\. )", walk.strip())


def test_every_step_of_a_run_names_what_its_file_has() -> None:
    steps = steps_of_a_run()
    assert len(steps) > 10
    for step in steps:
        quoted = re.findall(r"`([^`]+)`", step)
        named = [each for each in quoted if "/" not in each and each != "queued"]
        code = "".join((ROOT / path).read_text() for path in quoted if "/" in path)
        assert [name for name in named if not all(re.search(rf"\b{part}\b", code) for part in name.split("."))] == [], (
            step
        )


def test_a_run_enters_no_file_twice_but_the_store() -> None:
    entered = Counter(path for step in steps_of_a_run() for path in re.findall(r"`([^`]+/[^`]+)`", step))
    assert [path for path, times in entered.items() if times > 1] == ["mapelites/runs/store.py"]


def test_the_citation_and_the_changelog_name_the_version() -> None:
    assert f"\nversion: {__version__}\n" in (ROOT / "CITATION.cff").read_text()
    assert f"## [{__version__}]" in (ROOT / "CHANGELOG.md").read_text()


def test_every_room_is_described() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    rooms = {room for contract in contracts for room in contract.get("layers", ())}
    text = (ROOT / "ARCHITECTURE.md").read_text()
    assert [room for room in sorted(rooms) if f"| `{room}` |" not in text] == []


def test_no_folder_has_more_files_than_one_can_overlook() -> None:
    roots = ("mapelites", "components", "server", "benchmarks", "tests", "tools")
    files = Counter(path.parent.relative_to(ROOT) for root in roots for path in (ROOT / root).rglob("*.py"))
    assert {str(folder): count for folder, count in files.items() if count > MOST_FILES} == {}
