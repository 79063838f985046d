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


def test_every_package_and_what_it_needs_is_pinned_once_and_to_the_version_that_we_ask_for() -> None:
    lines = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
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
    assert all("-c " in each and "constraints.txt" in each for each in installs)
