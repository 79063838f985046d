"""The list of runs and the comparison as a person uses them."""

from __future__ import annotations

import pytest
from selenium.webdriver import ActionChains
from selenium.webdriver.common.keys import Keys

from components.compare.maps import ComparedArchives
from components.runs.listing import PAGE
from mapelites.core.archive import Archive
from mapelites.core.format import number
from mapelites.core.nested_map.axes import full_bins
from mapelites.core.nested_map.fold import Fold
from mapelites.runs import Labels
from mapelites.snapshot.snapshot import Snapshot
from tests.browser.conftest import PHONE, WIDE, Dashboard, Person, wait

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("runs")]


@pytest.fixture(scope="module")
def pair(dashboard: Dashboard) -> tuple[str, str]:
    """Two finished runs of one problem with different searches."""
    first = dashboard.start("C17", evaluations=20_000)
    second = dashboard.start("C17", search="paper-1", evaluations=20_000)
    return dashboard.finished(first), dashboard.finished(second)


def tick(person: Person, *names: str) -> None:
    """Tick the rows with these texts."""
    script = "arguments[0].querySelector('input[type=checkbox]').click(); return true"
    for name in names:
        wait(lambda name=name: person.driver.execute_script(script, person.sees("#runs-rows tr", name)))


def test_an_empty_list_says_what_to_do(person: Person, dashboard: Dashboard) -> None:
    if dashboard.store.runs():
        pytest.fail("this test needs an empty store and must come first")
    person.goes_to("/runs")
    person.sees("#runs-empty", "No runs yet. Start the first one or import a run file.")


def test_runs_are_filtered_sorted_stopped_deleted_and_brought_back(
    person: Person, dashboard: Dashboard, pair: tuple[str, str]
) -> None:
    live = dashboard.start("C01", pace=500)
    person.goes_to("/runs")
    wait(lambda: len(person.all("#runs-rows tr")) == 3)
    person.sees("#runs-rows tr", "C01 10D")
    person.sees(".state-running", "running")
    person.types("#runs-filter", "c17 paper-1")
    wait(lambda: len(person.all("#runs-rows tr")) == 1)
    person.types("#runs-filter", "nothing like it")
    person.sees("#runs-empty", "No run matches the filter.")
    person.types("#runs-filter", " ")
    wait(lambda: len(person.all("#runs-rows tr")) == 3)
    person.presses("[aria-label='Sort by Run']")
    wait(lambda: "C01" in person.all("#runs-rows tr")[0].text)
    person.presses("[aria-label='Sort by Run']")
    wait(lambda: "C01" in person.all("#runs-rows tr")[2].text)
    person.sees("th[aria-sort=descending]", "Run")
    tick(person, live)
    person.sees("#runs-selected", "1 run selected")
    person.presses("#runs-stop:not([disabled])")
    person.sees(".mantine-Notification-root", "Stopping 1 run")
    person.sees(".state-stopped", "stopped")
    person.sees("#runs-selected", "1 run selected")
    person.presses("#runs-stop:not([disabled])")
    person.sees(".mantine-Notification-root", "Nothing to stop")
    person.presses("#runs-delete:not([disabled])")
    person.sees("#runs-undo", "Deleted 1 run.")
    wait(lambda: len(person.all("#runs-rows tr")) == 2)
    assert live not in [run.id for run in dashboard.store.runs()]
    person.presses("#runs-undo button", "Undo")
    wait(lambda: len(person.all("#runs-rows tr")) == 3)
    assert live in [run.id for run in dashboard.store.runs()]
    dashboard.store.delete(live)
    wait(lambda: len(person.all("#runs-rows tr")) == 2)


def test_a_run_is_named_starred_and_tagged_and_the_filter_lives_in_the_address(
    person: Person, dashboard: Dashboard, pair: tuple[str, str]
) -> None:
    first, second = pair
    person.goes_to("/runs")
    person.presses(f"[aria-label^='Star'][aria-label$='{second}']")
    person.sees(f"[aria-pressed=true][aria-label$='{second}']")
    person.presses(f"[aria-label^='Name, tags and note'][aria-label$='{first}']")
    person.types("#labels-name", "Final beam")
    person.types("#labels-tags", "thesis" + Keys.ENTER)
    person.types("#labels-note", "Ask Ann.")
    person.presses("#labels-save")
    person.sees("#runs-rows tr", "Final beam")
    assert dashboard.store.run(first).labels == Labels("Final beam", note="Ask Ann.", tags=("thesis",))
    person.presses(".run-tag", "#thesis")
    wait(lambda: len(person.all("#runs-rows tr")) == 1)
    assert person.path == "/runs?q=%23thesis"
    person.types("#runs-filter", " ")
    person.presses("label[for='runs-starred']")
    person.presses("[aria-label='Sort by Best feasible']")
    wait(lambda: person.path == "/runs?starred=yes&sort=best")
    person.goes_to(person.path)
    assert [row.text.count(second) for row in wait(lambda: person.all("#runs-rows tr"))] == [1]
    person.presses("label[for='runs-starred']")
    person.presses(f"[aria-label^='Name, tags and note'][aria-label$='{first}']")
    wait(lambda: person.asks("value", "#labels-name") == "Final beam")
    person.sees("#labels-name").send_keys(Keys.CONTROL + "a", Keys.DELETE)
    person.presses("#labels-save")
    wait(lambda: dashboard.store.run(first).labels.name == "")
    person.presses("#labels-undo button", "Undo")
    person.sees("#runs-rows tr", "Final beam")
    person.presses("#runs-rows a", "Final beam")
    wait(lambda: person.driver.title == "Final beam · Illuminate")
    dashboard.store.label(first, name="", note="", tags=())


def _presses_corner(person: Person, on_map: int) -> str:
    """Press the lower left cell of the first map or the upper right one of the second; what is told of it."""
    area = wait(lambda: person.all("#compare-maps .nsewdrag")[on_map])
    person.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", area)
    width, height = area.size["width"], area.size["height"]
    place = (width - 5, 5) if on_map else (5, height - 5)
    before = [each.text for each in person.all(".compare-cells .is-pressed")]
    ActionChains(person.driver).move_to_element_with_offset(area, *place).click().perform()
    return str(wait(lambda: next((t for each in person.all(".is-pressed") if (t := each.text) not in before), None)))


def test_two_runs_are_compared_side_by_side_as_a_difference_and_by_their_curves(
    person: Person, pair: tuple[str, str]
) -> None:
    person.goes_to("/runs")
    for run_id in pair:
        person.types("#runs-filter", run_id)
        wait(lambda: len(person.all("#runs-rows tr")) == 1)
        tick(person, run_id)
    person.sees("#runs-selected", "2 runs selected, 1 not shown")
    person.presses("#runs-compare:not([disabled])")
    wait(lambda: person.path.startswith("/compare/"))
    wait(lambda: len(person.all("#compare-maps .hm")) == 2)
    wait(lambda: len(person.all("#compare-curves .scatterlayer .trace")) >= 2)
    told = [_presses_corner(person, on_map) for on_map in (0, 1, 0)]
    assert told[0] == told[2] != told[1], "the cell told of is the one pressed last, whichever map it is on"
    person.resizes(PHONE)
    person.sees("#compare-maps .annotation-text", "1e-4–0.01")  # labels of an open page become short enough
    person.resizes(WIDE)
    person.sees("#compare-maps .annotation-text", "1e-4 to 0.01")
    person.presses("#compare-view label", "Difference")
    person.sees(".compare-counts", "A is better in")
    wait(lambda: len(person.all("#compare-maps .hm")) == 1)
    assert person.reads(".compare-cells .is-pressed") == told[2]
    wait(lambda: person.path.endswith("?view=difference"))
    link = person.path
    person.resizes(PHONE)
    person.prefers("dark")
    person.goes_to(link)
    person.sees(".compare-counts", "A is better in")
    assert person.sideways() <= 0


def test_the_maps_compared_are_read_and_their_cells_pressed_by_keyboard_alone(
    person: Person, dashboard: Dashboard, pair: tuple[str, str]
) -> None:
    one, two = (_archive(dashboard, run_id) for run_id in pair)
    fold, common = Fold.of(one.tolerances), {elite.cell for elite in one} & {elite.cell for elite in two}
    cell = max(each for each in common if fold.place(each)[1] < fold.shape[1] - 1)
    a, b = (f"objective {number(archive.elites.f[archive.elites.cell == cell][0])}" for archive in (one, two))
    names, (bins,) = one.tolerances.names, one.tolerances.bins_of([cell])
    place = ", ".join(f"{name} {full_bins(fold, one.problem, i)[bins[i]]}" for i, name in enumerate(names))
    row, column = fold.place(cell)

    person.goes_to(f"/compare/{'+'.join(pair)}")
    wait(lambda: len(person.all("#compare-maps .hm")) == 2)
    _tabs_to(person, "Map of A")
    person.sees("#compare-readout", "g1 0, g2 0, h1 0: A ")
    person.keys(*[Keys.ARROW_RIGHT] * column, *[Keys.ARROW_UP] * row)
    wait(lambda: person.reads("#compare-readout").startswith(f"{place}: A {a}"))
    person.sees("#compare-readout", f"; B {b}")
    wait(lambda: len([each for each in person.all("#compare-maps .map-cursor") if each.is_displayed()]) == 2)
    person.keys(Keys.ENTER)
    person.sees(".compare-cells .is-pressed", number(one.elites.f[one.elites.cell == cell][0]))
    person.keys(Keys.ARROW_RIGHT)
    ground = "return document.querySelector('.compare-box .js-plotly-plot').layout.plot_bgcolor"
    light = person.driver.execute_script(ground)
    person.prefers("dark")
    wait(lambda: person.driver.execute_script(ground) != light)  # the maps are drawn anew
    person.keys(Keys.ARROW_LEFT)
    wait(lambda: person.reads("#compare-readout").startswith(f"{place}: A {a}"))
    person.keys(Keys.ESCAPE)
    person.sees_no(".compare-cells .is-pressed")
    person.presses("#compare-view label", "Difference")
    wait(lambda: len(person.all("#compare-maps .hm")) == 1)
    _tabs_to(person, "Map of the difference")
    told = ComparedArchives.of(*(dashboard.store.snapshot(run_id) for run_id in pair))
    f, g = (archive.elites.f[archive.elites.cell == cell][0] for archive in (one, two))
    expected = f"{place}: objective A {number(f)}, B {number(g)}, {told.gap_words(f, g)}"
    wait(lambda: person.reads("#compare-readout") == expected)


def _tabs_to(person: Person, name: str) -> None:
    """Press Tab until something with this name has the focus."""
    for _ in range(60):
        person.keys(Keys.TAB)
        focus = person.driver.execute_script("return document.activeElement.ariaLabel")
        if (focus or "").startswith(name):
            return
    pytest.fail(f"the keyboard does not come to {name}")


def test_several_runs_are_exported_and_come_back(person: Person, dashboard: Dashboard, pair: tuple[str, str]) -> None:
    person.goes_to("/runs")
    tick(person, *pair)
    person.presses("#runs-export:not([disabled])")
    (file,) = wait(lambda: person.downloads)
    assert file.name == "runs.zip"
    before = {run.id for run in dashboard.store.runs()}
    wait(lambda: person.all("#runs-import input[type=file][aria-label='Import runs']")[0]).send_keys(str(file))
    person.sees(".mantine-Notification-root", "Imported 2 runs")
    wait(lambda: len(person.all("#runs-rows tr")) == len(before) + 2)
    new = [run.id for run in dashboard.store.runs() if run.id not in before]
    same = [
        (_elites(dashboard, one), _elites(dashboard, two))
        for one, two in zip(sorted(_found(dashboard, new)), sorted(_found(dashboard, pair)), strict=True)
    ]
    assert all(one == two for one, two in same)
    wrong = file.with_name("wrong.txt")
    wrong.write_bytes(b"no run at all")
    wait(lambda: person.all("#runs-import input[type=file]")[0]).send_keys(str(wrong))
    person.sees(".mantine-Notification-root", "wrong.txt was not imported")
    person.sees(".mantine-Notification-root", "ot a run file, because it is not an .npz file")


def test_a_long_list_has_pages_and_select_all_means_all_of_them(person: Person, dashboard: Dashboard) -> None:
    for run in dashboard.store.runs():
        dashboard.store.delete(run.id)
    for _ in range(PAGE + 2):
        dashboard.store.stop(dashboard.start("C01", pace=500))
    person.goes_to("/runs")
    wait(lambda: len(person.all("#runs-rows tr")) == PAGE)
    tick(person, "C01 10D")
    person.sees("#runs-selected", "1 run selected")
    person.presses("#runs-page button", "2")
    wait(lambda: len(person.all("#runs-rows tr")) == 2)
    person.sees("#runs-selected", "1 run selected, 1 not shown")
    person.driver.execute_script("document.getElementById('runs-every').click()")
    person.sees("#runs-selected", f"{PAGE + 2} runs selected, {PAGE} not shown")
    person.presses("[aria-label='Sort by Started']")
    wait(lambda: len(person.all("#runs-rows input:checked")) == PAGE)
    person.sees("#runs-page [aria-current=page]", "1")
    person.driver.execute_script("document.getElementById('runs-every').click()")
    person.sees("#runs-selected", "Nothing selected")
    person.driver.execute_script("document.getElementById('runs-every').click()")
    person.presses("#runs-delete:not([disabled])")
    person.sees("#runs-undo", f"Deleted {PAGE + 2} runs.")
    person.sees("#runs-empty", "No runs yet.")
    assert dashboard.store.runs() == []


def _found(dashboard: Dashboard, run_ids: object) -> list[tuple[str, str]]:
    return [(dashboard.store.run(run_id).request.settings.search, run_id) for run_id in run_ids]  # type: ignore[attr-defined]


def _elites(dashboard: Dashboard, found: tuple[str, str]) -> list[float]:
    return [elite.f for elite in _archive(dashboard, found[1])]


def _archive(dashboard: Dashboard, run_id: str) -> Archive:
    snapshot = dashboard.store.snapshot(run_id)
    assert isinstance(snapshot, Snapshot)
    return snapshot.archive()
