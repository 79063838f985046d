"""A suite, an emitter and an answer are each added with one file: written here into a folder, and seen to work."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from mapelites.core.emitters import EmitterDescription, check_descriptions
from mapelites.core.registry import Registry
from mapelites.problems.suites import Suite

ROOT = Path(__file__).parents[2]

SUITE = """
import numpy as np
from mapelites.core.problem import Constraint, Problem
from mapelites.problems.suites import Suite


def get(name):
    def disc(x):
        return float(x.sum()), [float(x @ x - 1.0)], []

    return Problem(name, np.full(2, -2.0), np.full(2, 2.0), (Constraint("g1", "inequality"),), disc)


SUITE = Suite(title="Added", order=99, names=("added-disc",), get=get)
"""

EMITTER = """
from mapelites.search.emitters import Emitter, fill
from mapelites.search.random import uniform


@fill
def scatter(state, m, x):
    for j in range(x.size):
        x[j] = m.lower[j] + (m.upper[j] - m.lower[j]) * uniform(state.rng)


EMITTER = Emitter(
    name="scatter", order=990, label="Samples of the whole space", operators={"scattered": "#aa4499"},
    share=0.3, slow_share=0.2, fill=scatter,
)
"""

ANSWER = """
from dash import html
from components.answers.answer import AnswerView

ANSWER = AnswerView(
    name="added", label="Added answer", order=99,
    draw=lambda question: [html.P(f"{len(question.designs)} designs")],
    controls=lambda data: [html.P("a control")],
)
"""


def run_with(folder: Path, package: str, file: str, code: str) -> str:
    """What a fresh process prints, with a file in a folder on the package's path."""
    folder.mkdir()
    (folder / "added.py").write_text(file)
    begin = f"from importlib import import_module\nimport_module({package!r}).__path__.append({str(folder)!r})\n"
    done = subprocess.run(
        [sys.executable, "-c", begin + dedent(code)], cwd=ROOT, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_suite_is_one_file(tmp_path: Path) -> None:
    said = run_with(tmp_path / "suites", "mapelites.problems.suites", SUITE, """
        from mapelites import illuminate
        from mapelites.problems import dimensions, get, names, suites
        print(suites()["Added"], "added-disc" in names(), dimensions("added-disc"))
        archive = illuminate(get("added-disc"), search="paper-1", evaluations=2_000)
        print(archive.best(feasible=True).f < -1.0)
        from components.problems.chooser import group_of
        print(group_of(get("added-disc")))
    """)  # fmt: skip
    assert said.splitlines() == ["('added-disc',) True (2,)", "True", "Added"]


def test_an_emitter_is_one_file(tmp_path: Path) -> None:
    folder = tmp_path / f"emitters-{tmp_path.name}"
    try:
        said = run_with(folder, "mapelites.search.emitters", EMITTER, """
            from mapelites import Illumination, Settings, Tolerances
            from mapelites.problems import get
            from components.map.colour import colouring
            from components.run.budget import table
            from mapelites.core.nested_map.view import FigureView
            problem = get("C17", 10)
            search = Illumination(problem, Tolerances.default(problem), Settings.of("directed", 10, evaluations=18_000))
            search.advance(18_000)  # the first 10,000 are for questions
            print(search.settings.emitters[-1], 600 < search.spent["scatter"] < 4_000)
            print("Samples of the whole space" in str(table(search.spent, {})))
            alone = Settings.of("directed", 10, evaluations=900, emitters=("scatter",))
            search = Illumination(problem, Tolerances.default(problem), alone)
            search.advance(900)
            archive = search.archive()
            print(search.spent["scatter"], "scattered" in archive.elites.operator)
            print(dict(colouring(archive, FigureView(colour="operator"), 900).legend()["kinds"])["scattered"])
            from mapelites.search.emitters import operators_of, slow_emitters
            print(operators_of(slow_emitters())[-1])
        """)  # fmt: skip
    finally:
        for left in (ROOT / "mapelites" / "__pycache__").glob(f"search-*/{folder.name}_*"):
            shutil.rmtree(left)
    assert said.splitlines() == ["scatter True", "True", "700 True", "#aa4499", "scattered"]


def test_a_run_from_before_an_emitter_goes_on_without_it(tmp_path: Path) -> None:
    folder = tmp_path / f"emitters-{tmp_path.name}"
    try:
        said = run_with(folder, "mapelites.search.emitters", EMITTER, """
            import numpy as np
            from mapelites import Illumination, Settings, Tolerances
            from mapelites.problems import get
            problem = get("C17", 10)
            old = Settings.of("directed", 10, evaluations=4_000).emitters[:-1]
            settings = Settings.of("directed", 10, evaluations=4_000, emitters=old)
            whole = Illumination(problem, Tolerances.default(problem), settings)
            whole.advance(2_000)
            state = whole.state()
            for name in ("spent", "passes", "credit"):
                state[f"directed_{name}"] = state[f"directed_{name}"][:-1]
            later = Illumination.restore(problem, Tolerances.default(problem), settings, state)
            for each in (whole, later):
                each.advance(2_000)
            print(np.array_equal(whole.elites().x, later.elites().x), later.spent["scatter"])
        """)  # fmt: skip
    finally:
        for left in (ROOT / "mapelites" / "__pycache__").glob(f"search-*/{folder.name}_*"):
            shutil.rmtree(left)
    assert said.split() == ["True", "0"]


def test_an_answer_is_one_file(tmp_path: Path) -> None:
    said = run_with(tmp_path / "answers", "components.answers", ANSWER, """
        from types import SimpleNamespace
        from mapelites import Tolerances, illuminate
        from mapelites.answers import Designs
        from mapelites.problems import get
        from components.run import answers as panel
        from components.answers.registry import tab_labels
        from components.page_state.state import PageState
        problem = get("C01", 10)
        archive = illuminate(problem, search="paper-1", evaluations=3_000)
        print(list(tab_labels().items())[-1])
        state = PageState.from_query({"view": "added"}, Tolerances.default(problem), problem)
        data, asked = state.as_data(), state.asked
        run = SimpleNamespace(id="k3x", request=SimpleNamespace(get_problem=lambda: problem))
        print("Added answer" in str(panel.layout(run, data)))
        print("a control" in str(panel.layout(run, data)))
        designs = Designs.of(archive, ())
        drawn = panel._body(None, SimpleNamespace(run=run), designs, asked, None, (), dark=False)
        print(drawn[0].children == f"{len(designs)} designs")
    """)  # fmt: skip
    assert said.splitlines() == ["('added', 'Added answer')", "True", "True", "True"]


def test_what_cannot_be_told_apart_is_refused() -> None:
    one = EmitterDescription(name="one", order=1, label="", operators={"one": "#112233"})
    with pytest.raises(ValueError, match="the colour of an operator must be its own, but '#112233' was registered"):
        check_descriptions([one, EmitterDescription(name="two", order=2, label="", operators={"two": "#112233"})])
    with pytest.raises(ValueError, match="the name of an emitter must be its own, but 'one' was registered twice"):
        check_descriptions([one, one])
    with pytest.raises(ValueError, match="the colour of two must be like #0072b2 and free, but it was '#999999'"):
        check_descriptions([EmitterDescription(name="two", order=2, label="", operators={"two": "#999999"})])


def test_what_is_registered_under_the_name_must_be_of_the_kind() -> None:
    with pytest.raises(TypeError, match=r"mapelites.problems.suites.cec2006: NAMES must be a Suite, not \('g01', .*"):
        Registry("mapelites.problems.suites", "NAMES", Suite).entries()
