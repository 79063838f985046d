"""What a notebook shows of an archive: a Plotly figure, and a piece of HTML that needs no script."""

from __future__ import annotations

import base64
import re
import sys
from xml.etree import ElementTree

import numpy as np
import pytest

from mapelites import Archive, InputError, Problem, Tolerances, illuminate
from mapelites.core.archive import Elites
from mapelites.core.nested_map import figure as page_figure
from mapelites.core.nested_map.usual import usual_colours, usual_view
from mapelites.core.problem import Constraint
from mapelites.problems import get

NASTY = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def archive() -> Archive:
    return illuminate(get("welded-beam"), search="paper-1", evaluations=5_000, seed=1)


def nasty_archive() -> Archive:
    problem = Problem(
        NASTY, np.zeros(1), np.ones(1), (Constraint(NASTY, "inequality"),), lambda x: (x[0], [x[0] - 0.5], []),
        variables=(NASTY,),
    )  # fmt: skip
    return Archive(problem, Tolerances.default(problem), Elites.empty(problem)).add([[0.2], [0.7]], 1, "initial")


def test_the_figure_has_the_cells_of_the_page_with_a_readout_and_a_legend(archive: Archive) -> None:
    found = archive.figure().to_dict()
    heatmap = found["data"][0]
    view = usual_view(archive)
    drawn = page_figure.content(archive, view, usual_colours(archive, view))
    page = page_figure.figure(archive, view, drawn, dark=False, narrow=False)
    assert heatmap["z"] == page["data"][0]["z"]
    assert heatmap["showscale"]
    assert len(heatmap["text"]) * len(heatmap["text"][0]) == 6**4
    assert heatmap["text"][0][0].count(" 0<br>") == 4
    assert [each["name"] for each in found["layout"]["shapes"]] == list(page_figure.SHAPES)
    assert found["layout"]["xaxis"]["ticktext"] == page["layout"]["xaxis"]["ticktext"]


def test_the_figure_follows_the_order_of_constraints_and_names_one_that_is_not_there(archive: Archive) -> None:
    names = archive.tolerances.names
    turned = archive.figure(order=names[::-1])
    assert turned.to_dict() != archive.figure().to_dict()
    with pytest.raises(InputError, match=r"a constraint must be one of .*, but it was 'g99'"):
        archive.figure(order=["g99"])


def test_without_plotly_the_figure_says_what_to_install(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "plotly", None)
    with pytest.raises(InputError, match="figure needs the package plotly, but it is missing: pip install plotly"):
        archive.figure()


def test_the_engine_alone_does_not_load_plotly() -> None:
    import subprocess

    script = "import sys, mapelites; sys.exit('plotly' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_a_notebook_shows_a_picture_of_the_map_and_the_best_designs_feasible_ones_first(archive: Archive) -> None:
    page = archive._repr_html_()
    assert "<script" not in page
    assert re.findall(r'(?:src|href)="(?!data:)', page) == []
    (source,) = re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', page)
    picture = ElementTree.fromstring(base64.b64decode(source))
    assert picture.tag.endswith("svg")
    rows = re.findall(r"<tr><td>(.*?)</td><td>(yes|no)</td>", page)
    assert 1 <= len(rows) <= 5
    assert [feasible for _, feasible in rows] == sorted((feasible for _, feasible in rows), reverse=True)
    assert all(f"<th>{name}</th>" in page for name in archive.problem.variables)
    assert len(page) < 100_000


def test_names_are_escaped_wherever_they_stand() -> None:
    page = nasty_archive()._repr_html_()
    (source,) = re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', page)
    assert "<script" not in page + base64.b64decode(source).decode()
    assert "&lt;script&gt;" in page


@pytest.mark.parametrize("name", ["C01", "C16", "pressure-vessel", "welded-beam", "speed-reducer"])
def test_maps_of_any_number_of_constraints_can_be_shown_and_empty_ones_too(name: str) -> None:
    problem = get(name)
    empty = Archive(problem, Tolerances.default(problem), Elites.empty(problem))
    assert "No design was found: the map is empty." in empty._repr_html_()
    assert empty.figure().data
    filled = empty.add(problem.lower + (problem.upper - problem.lower) * np.array([[0.3], [0.6]]), 1, "initial")
    assert "<table>" in filled._repr_html_()
    assert filled.figure().to_json()
