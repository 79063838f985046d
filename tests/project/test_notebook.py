"""The notebook of the documents: its code cells are run in order, in plain Python without Jupyter, and none raises."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tools.notebook import NOTEBOOK, execute_notebook

LARGEST = 300_000  # bytes


@pytest.fixture(scope="module")
def stored() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(NOTEBOOK.read_text())
    return found


def shown(notebook: dict[str, Any]) -> list[list[set[str]]]:
    """For each code cell, the forms of what it shows."""
    return [
        [set(output.get("data", {"stream": ""})) for output in cell["outputs"]]
        for cell in notebook["cells"]
        if cell["cell_type"] == "code"
    ]


def printed(notebook: dict[str, Any]) -> list[str]:
    outputs = [output for cell in notebook["cells"] for output in cell.get("outputs", ())]
    return ["".join(output["text"]) for output in outputs if "text" in output]


def test_every_cell_runs_and_shows_what_is_stored(stored: dict[str, Any]) -> None:
    fresh = execute_notebook(stored)
    assert shown(fresh) == shown(stored)
    assert printed(fresh) == printed(stored), "python -m tools.notebook stores it anew"
    assert "A feasible design was found." in printed(fresh)[0]


def test_it_is_small_and_reads_well_where_nothing_is_executed(stored: dict[str, Any]) -> None:
    assert NOTEBOOK.stat().st_size < LARGEST
    forms = set().union(*(each for cell in shown(stored) for each in cell))
    assert {"text/html", "application/vnd.plotly.v1+json", "stream"} <= forms
    assert "https://cdn" not in NOTEBOOK.read_text()


def test_it_is_in_the_form_of_notebooks_version_4(stored: dict[str, Any]) -> None:
    assert (stored["nbformat"], stored["nbformat_minor"]) == (4, 5)
    ids = [cell["id"] for cell in stored["cells"]]
    assert len(set(ids)) == len(ids)
    assert {cell["cell_type"] for cell in stored["cells"]} == {"markdown", "code"}
