"""One's own problem in the browser: typed as formulas and found to its published best, and from a file that changes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest
from selenium.webdriver.common.keys import Keys

from components.problems import page
from components.problems.page import files_mark
from components.shared.follow import PERIOD
from mapelites import Settings, Tolerances
from mapelites.problems import get, own_problems
from mapelites.runs import RunRequest, Store
from mapelites.runs.supervisor import start_supervisor
from tests.browser.conftest import PATIENCE, Dashboard, Person, serve, wait

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("own")]

VESSEL = """problem My vessel
variable x1 from 0.0625 to 6.1875 step 0.0625 [in] "shell"
variable x2 from 0.0625 to 6.1875 step 0.0625 [in] "head"
variable x3 from 10 to 200 [in]
variable x4 from 10 to 200 [in]
minimise 0.6224*x1*x3*x4 + 1.7781*x2*x3^2 + 3.1661*x1^2*x4 + 19.84*x1^2*x3
subject to 0.0193*x3 - x1 <= 0
0.00954*x3 - x2 <= 0
pi*x3^2*x4 + 4/3*pi*x3^3 >= 1296000
x4 <= 240
"""
BEAM = """from mapelites import problem


@problem(bounds={"width": (0.1, 2.0), "height": (0.1, 10.0)}, inequalities=["stress"], units={"width": "m"})
def beam(x):
    return x[0] * x[1], [1 - x[0] * x[1] ** 2]
"""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("problems") / "mine.py"
    path.write_text(BEAM)
    return path


@pytest.fixture(scope="module")
def dashboard(tmp_path_factory: pytest.TempPathFactory, file: Path) -> Iterator[Dashboard]:
    """A dashboard that was started with a file."""
    store = Store(tmp_path_factory.mktemp("store"))
    running = Dashboard(store, start_supervisor(store.path, problems=[file]), serve(store, problems=[file]))
    yield running
    running.server.shutdown()
    running.server.server_close()
    running.supervisor.terminate()
    running.supervisor.wait(PATIENCE)
    store.close()
    own_problems.watch([])


def request(name: str) -> RunRequest:
    """What the start page asks for."""
    problem = get(name)
    settings = Settings.of("directed", problem.dimension, evaluations=2_000)
    return RunRequest.of(problem, Tolerances.default(problem), settings)


def replaces(person: Person, text: str) -> None:
    """Type a whole text into the editor."""
    area = person.sees("#editor-text")
    area.send_keys(Keys.CONTROL + "a")
    area.send_keys(text)


def test_the_pressure_vessel_is_typed_run_and_found(person: Person, dashboard: Dashboard) -> None:
    person.goes_to("/problems")
    person.presses("a", "Write a problem")
    person.sees("#editor-preview math")
    replaces(person, VESSEL.replace("x3^2 +", "x3^2 + sqr(x1) +"))
    person.sees("#editor-error .error-text", "'sqr' is not a function: did you mean sqrt?")
    shown = person.reads("#editor-error pre").split("\n")
    assert shown[1].index("▲") == shown[0].index("sqr")
    assert not person.sees("#editor-use").is_enabled()
    person.presses("#editor-go")
    at = person.driver.execute_script("return document.getElementById('editor-text').selectionStart")
    assert person.asks("value", "#editor-text")[at : at + 3] == "sqr"

    replaces(person, VESSEL)
    person.sees("#editor-error", "Ready. 4 variables, 4 inequalities: g1, g2, g3, g4")
    person.sees("#editor-preview", "in steps of 0.0625")
    person.sees("#editor-preview math")
    person.presses("#editor-use")
    person.sees("#start-details", "0.0625 to 6.1875 in")
    assert person.asks("value", "#start-dimension") == "4"
    person.sees("#start-cells", "1,296 cells")
    person.presses("#start-pace label", "Full speed")
    person.presses("#start-button")
    wait(lambda: person.path.startswith("/run/"))
    run = dashboard.store.runs()[0]
    dashboard.finished(run.id)
    snapshot = dashboard.store.snapshot(run.id)
    assert snapshot is not None
    best = snapshot.archive().best(feasible=True)
    assert best is not None
    published = get("pressure-vessel").best_known
    assert best.f == pytest.approx(published, rel=1e-6)
    assert best.x[:2].tolist() == [0.8125, 0.4375]

    person.goes_to(f"/run/{run.id}")
    person.sees("#inspector", "feasible")
    person.sees(f"#inspector .objective-box [data-exact='{best.f!r}']")
    person.sees("#inspector .variables", "0.8125 in")


def test_an_edited_file_is_seen_and_a_broken_one_says_where(
    person: Person, dashboard: Dashboard, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        page, "files_mark", lambda: Event().wait(1.1 * PERIOD / 1000) or files_mark()
    )  # slower than its looks
    person.goes_to("/problems")
    person.sees(".problem-card", "from mine.py")
    first = dashboard.finished(dashboard.store.create(request("beam")))
    heavier = BEAM.replace('["stress"]', '["stress", "weight"]')
    file.write_text(heavier.replace("x[1] ** 2]", "x[1] ** 2, 1 / 0]"))
    person.sees(".problem-files", "mine.py, line 6: ZeroDivisionError")
    person.sees(".problem-files", "The version before it is still used.")
    file.write_text(heavier.replace("x[1] ** 2]", "x[1] ** 2, x[0] - 1.5]"))
    person.sees(".problem-card", "2 inequalities: stress, weight")
    person.sees_no(".problem-files")
    second = dashboard.finished(dashboard.store.create(request("beam")))
    assert dashboard.store.run(second).request.tolerances.names == ("stress", "weight")
    person.goes_to(f"/run/{first}")
    person.sees("h1", "Beam")
    person.sees("#inspector .variables", " m")
