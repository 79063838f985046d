"""Every package that is installed is pinned, those that our own packages need as well."""

from __future__ import annotations

import re
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]


def asked(name: str) -> list[Requirement]:
    """What a file of requirements names, and those that it includes."""
    found: list[Requirement] = []
    for line in (ROOT / name).read_text().splitlines():
        if line.startswith("-r "):
            found += asked(line.split()[1])
        elif line and not line.startswith("#"):
            found.append(Requirement(line))
    return found


def needed(asked_for: list[Requirement]) -> set[str]:
    """The names of these packages and of all that they need here."""
    names: set[str] = set()
    waiting, seen = list(asked_for), set()
    while waiting:
        each = waiting.pop()
        if str(each) in seen:
            continue
        seen.add(str(each))
        names.add(canonicalize_name(each.name))
        further = (Requirement(text) for text in metadata.distribution(each.name).requires or ())
        waiting += [
            one
            for one in further
            if one.marker is None or any(one.marker.evaluate({"extra": extra}) for extra in ("", *each.extras))
        ]
    return names


def pinned(name: str) -> list[str]:
    """The lines of a file that are not comments and name no other file."""
    return [line for line in (ROOT / name).read_text().splitlines() if not line.startswith(("#", "-"))]


def test_what_runs_has_a_newer_urllib3_than_the_tools_that_drive_a_browser() -> None:
    (line,) = pinned("constraints-run.txt")
    name, version = line.split("==")
    assert (name, int(version.split(".")[0]) >= 2) == ("urllib3", True)
    assert not [each for each in pinned("constraints.txt") if each.startswith("urllib3==")]
    assert "-c constraints-run.txt -r requirements.txt" in (ROOT / "Makefile").read_text()
    assert "-c /tmp/constraints-run.txt -r /tmp/${REQUIREMENTS}" in (ROOT / "Dockerfile").read_text()


def test_every_package_and_what_it_needs_is_pinned_once_and_to_the_version_that_we_ask_for() -> None:
    lines = pinned("constraints.txt") + [each for each in pinned("requirements-dev.txt") if "urllib3" in each]
    pins = dict(line.split("==") for line in lines)
    assert len(pins) == len(lines)
    requirements = asked("requirements-dev.txt")
    assert needed(requirements) - pins.keys() == set()
    assert {each.name: each.specifier.contains(pins[canonicalize_name(each.name)]) for each in requirements} == {
        each.name: True for each in requirements
    }


@pytest.mark.parametrize("name", ["Makefile", "Dockerfile"])
def test_whatever_is_installed_is_installed_with_the_pins(name: str) -> None:
    text = (ROOT / name).read_text().replace("\\\n", " ")
    installs = re.findall(r"pip install .*", text)
    assert installs
    assert all(re.search(r"-c \S*constraints(-run)?\.txt", each) for each in installs)
