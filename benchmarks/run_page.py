"""How soon a map is there: after the press on the button, and when the page of a run is opened.

    python -m benchmarks.run_page [--repeats 5] [--problem tin-can] [--url http://127.0.0.1:8050]

A headless Chromium drives a dashboard, by default one of its own over an empty store. Of the press it tells by the
clock when the page has a map, and when its first cell is filled. Of an opened page it tells how long the main thread
worked until the map was drawn, in processor time as the browser's performance tools count it, so that what else the
machine does counts little, and by the clock. The medians of all repetitions are told, and the least and the most.
"""

from __future__ import annotations

import argparse
import logging
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from selenium import webdriver

sys.path.insert(0, str(Path(__file__).parents[1]))

from tools.screenshots import PHONE, WIDE, browser, dashboard

PATIENCE = 120.0  # seconds
MAP = "const gd = document.querySelector('#run-map .js-plotly-plot'); const map = gd && gd._fullData && gd.layout.meta;"
FILLED = "map && gd._fullData[0].z && [...gd._fullData[0].z].some(row => [...row].some(c => c > 1))"
# From the press on, at every frame: when there is a map, and when something is in it.
PRESS = f"""
window.seen = {{ pressed: performance.now() }};
const look = () => {{
  {MAP}
  if (map && !window.seen.map) {{ window.seen.map = performance.now(); }}
  if ({FILLED}) {{ window.seen.filled = performance.now(); return; }}
  requestAnimationFrame(look);
}};
document.getElementById("start-button").click();
requestAnimationFrame(look);
"""


def main() -> None:
    """Measure and tell."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--problem", default="tin-can")
    parser.add_argument("--url", help="a dashboard that runs already")
    options = parser.parse_args()
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    with served(options.url) as url, browser() as driver:
        driver.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
        presses = [press(driver, f"{url}/?problem={options.problem}") for _ in range(options.repeats + 1)][1:]
        run_id = driver.current_url.rpartition("/")[2].partition("?")[0]
        tell("press to a map", [each["map"] for each in presses])
        tell("press to its first cell", [each["filled"] for each in presses])
        for name, size in (("wide", WIDE), ("phone", PHONE)):
            opened = [opens(driver, f"{url}/run/{run_id}", f"{MAP} return Boolean({FILLED})", size) for _ in presses]
            tell(f"run page, {name}: main thread until the map", [each[0] for each in opened])
            tell(f"run page, {name}: clock until the map", [each[1] for each in opened])
        ready = (
            "return Boolean(document.querySelector('#page h1') && document.querySelector('#page a[href*=\"/run/\"]'))"
        )
        tell("/runs: main thread until the list", [opens(driver, f"{url}/runs", ready, WIDE)[0] for _ in presses])


@contextmanager
def served(url: str | None) -> Iterator[str]:
    """The dashboard that is named, or one of its own."""
    if url:
        yield url
        return
    with tempfile.TemporaryDirectory() as folder, dashboard(Path(folder)) as (_, own):
        yield own


def press(driver: webdriver.Chrome, url: str) -> dict[str, float]:
    """Seconds from a press on the button until there is a map, and until something is in it."""
    driver.get(url)
    wait(lambda: driver.execute_script("const b = document.getElementById('start-button'); return b && !b.disabled"))
    time.sleep(3)  # somebody reads
    driver.execute_script(PRESS)
    wait(lambda: driver.execute_script("return window.seen.filled"))
    over = "return document.querySelector('#run-state').textContent === 'finished'"
    wait(lambda: driver.execute_script(over))  # else the next one stands in line
    seen = driver.execute_script("return window.seen")
    return {name: (seen[name] - seen["pressed"]) / 1_000 for name in ("map", "filled")}


def opens(driver: webdriver.Chrome, url: str, ready: str, size: tuple[int, int]) -> tuple[float, float]:
    """How long the main thread works until a page is ready, and how long that takes by the clock."""
    metrics = {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    driver.get("about:blank")
    before, began = worked(driver), time.perf_counter()
    driver.get(url)
    wait(lambda: driver.execute_script(ready))
    return worked(driver) - before, time.perf_counter() - began


def worked(driver: webdriver.Chrome) -> float:
    """For how long the main thread has worked, in seconds of processor time."""
    told = driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
    return float(next(each["value"] for each in told if each["name"] == "TaskDuration"))


def wait(condition: Callable[[], Any]) -> None:
    """Wait until something is so."""
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"nothing came in {PATIENCE} s")
        time.sleep(0.03)


def tell(what: str, seconds: list[float]) -> None:
    """One line: the median, the least and the most."""
    print(f"{what:45} {statistics.median(seconds):6.2f} s  ({min(seconds):.2f} to {max(seconds):.2f})")


if __name__ == "__main__":
    main()
