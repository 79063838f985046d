"""How a person's browser sees the page of a run: the map's cells, the inspector's numbers, the timeline."""

from __future__ import annotations

from typing import Any

from mapelites.core.archive import Archive
from mapelites.core.nested_map.usual import usual_view
from tests.browser.conftest import Person, wait

PLOT = "const gd = document.querySelector('#run-map .js-plotly-plot'); "


def opens_run(person: Person, path: str) -> None:
    """Go to a run's page and wait for its map."""
    person.goes_to(path)
    map_is_drawn(person.driver)


def map_is_drawn(driver: Any) -> None:
    wait(lambda: driver.execute_script(PLOT + "return Boolean(gd && gd.layout && gd.layout.meta && gd._fullData)"))


def filled(person: Person) -> int:
    """How many cells of the drawn map hold an elite."""
    script = (
        PLOT + "return gd._fullData[0].z.map(row => Array.from(row).filter(c => c > 1).length).reduce((a, b) => a + b)"
    )
    return int(person.driver.execute_script(script))


def map_top(person: Person) -> float:
    """Where the map begins, in pixels from the top of the page."""
    script = "return document.getElementById('map-box').getBoundingClientRect().top + window.scrollY"
    return float(person.driver.execute_script(script))


def shape(person: Person) -> tuple[int, int]:
    """Rows and columns of the drawn map."""
    rows, columns = person.driver.execute_script(PLOT + "return [gd.layout.meta.rows, gd.layout.meta.columns]")
    return int(rows), int(columns)


def clicks_cell(person: Person, archive: Archive, cell: int) -> None:
    """Move the mouse to a cell and press it."""
    clicks_place(person, *usual_view(archive).fold(archive.tolerances).place(cell))


def clicks_place(person: Person, row: int, column: int) -> None:
    """Move the mouse to a place of the map and press it."""
    person.driver.execute_script("document.getElementById('map-box').scrollIntoView({block: 'center'})")
    script = PLOT + (
        "const box = gd.getBoundingClientRect(), x = gd._fullLayout.xaxis, y = gd._fullLayout.yaxis; "
        "return [box.left + x._offset + x.l2p(arguments[1]), box.top + y._offset + y.l2p(arguments[0])]"
    )
    x, y = person.driver.execute_script(script, row, column)
    for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
        event = {"type": kind, "x": x, "y": y, "button": "none" if kind == "mouseMoved" else "left", "clickCount": 1}
        person.driver.execute_cdp_cmd("Input.dispatchMouseEvent", event)


def exact_numbers(person: Person, table: int) -> list[list[float]]:
    """The numbers of one of the design's tables, row by row, in full precision."""
    script = (
        "const table = document.querySelectorAll('#inspector .inspector-table')[arguments[0]]; "
        "return Array.from(table.querySelectorAll('tbody tr'))"
        ".map(row => Array.from(row.querySelectorAll('[data-exact]')).map(each => each.dataset.exact))"
    )
    return [[float(text) for text in row] for row in person.driver.execute_script(script, table)]


def slides(person: Person, name: str, *keys: str) -> None:
    """Move the slider of a constraint with keys."""
    slider = person.sees(f".limit-slider[aria-label='Tolerance allowed on {name}']")
    person.driver.execute_script("arguments[0].focus()", slider)
    person.keys(*keys)


def exact_objective(person: Person) -> float:
    return float(person.asks("data-exact", "#inspector .objective-box [data-exact]"))
