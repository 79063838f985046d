"""The pictures of README and docs: a dashboard of its own with a few runs, and a look at every view of it."""

from __future__ import annotations

import base64
import logging
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.support.ui import WebDriverWait
from werkzeug.serving import make_server

from app import create_app
from mapelites import Settings, Tolerances
from mapelites.problems import get
from mapelites.runs import RunRequest, Store
from mapelites.runs.supervisor import start_supervisor
from mapelites.snapshot.spec import RunSpec

PICTURES = Path(__file__).parent.parent / "docs" / "pictures"
WIDE, PHONE = (1440, 900), (390, 844)
SETTLED = 2.5  # seconds until what a page has is drawn
PATIENCE = 120  # seconds until a page has everything
# Nothing is being fetched, and every graph and formula that shows is drawn. The report is no page of Dash's.
QUIET = """
const shown = [...document.querySelectorAll('.dash-graph')].filter(each => each.offsetParent);
return document.readyState === 'complete'
    && !document.querySelector('[data-dash-is-loading=true], ._dash-loading')
    && shown.every(each => each.querySelector('.main-svg'));
"""


def main() -> None:
    """Make all pictures."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    PICTURES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, dashboard(Path(folder)) as (store, url), browser() as driver:
        first, second, vessel, related, beam = runs(store)
        driver.get(url)
        driver.execute_script("localStorage.setItem('nesting-explained', 'yes')")
        views = {
            "start": "/",
            "run": f"/run/{beam}?allow=shear:680,buckling:120",
            "runs": "/runs",
            "compare": f"/compare/{first}+{second}",
            "difference": f"/compare/{first}+{second}?view=difference",
            "experiments": "/experiments",
            "problems": "/problems",
            "editor": "/problems/new?from=pressure-vessel",
        }
        for name, path in views.items():
            take_picture(driver, url + path, name)
        take_picture(driver, url + views["run"], "run-dark", scheme="dark")
        take_picture(driver, url + f"/run/{beam}", "run-phone", size=PHONE)
        take_picture(driver, url + "/", "start-phone", size=PHONE)
        answers = {
            "price": (f"/run/{vessel}?view=price", (1440, 1300)),
            "whatif": (f"/run/{vessel}?view=whatif&need=5800", (1440, 1500)),
            "almost": (f"/run/{vessel}?view=almost", (1440, 900)),
            "front": (f"/run/{vessel}?view=front", (1440, 1300)),
            "relations": (f"/run/{related}?view=relations", (1440, 1400)),
            "report": (f"/run/{vessel}/report.html", (900, 1300)),
        }
        for name, (path, size) in answers.items():
            take_picture(driver, url + path, f"answers-{name}", size=size)


@contextmanager
def dashboard(folder: Path) -> Iterator[tuple[Store, str]]:
    """A dashboard with a worker, over an empty store."""
    store = Store(folder)
    supervisor = start_supervisor(folder)
    server = make_server("127.0.0.1", 0, create_app(store).server, threaded=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield store, f"http://localhost:{server.server_port}"
    finally:
        server.shutdown()
        supervisor.terminate()
        supervisor.wait()
        store.close()


@contextmanager
def browser() -> Iterator[webdriver.Chrome]:
    """A browser without a window."""
    options = Options()
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars"):
        options.add_argument(argument)
    driver = webdriver.Chrome(options=options)
    try:
        yield driver
    finally:
        driver.quit()


def runs(store: Store) -> tuple[str, str, str, str, str]:
    """A few finished runs and one that goes on; returns those that are looked at: two of C17, a vessel, C16, a beam."""
    wanted = [
        ("C17", "directed", 1),
        ("C17", "paper-1", 1),
        ("pressure-vessel", "directed", 1),
        ("C16", "paper-3", 1),
        ("welded-beam", "directed", 1),
        ("tin-can", "directed", 1),
        ("C02", "directed", 3),
    ]
    made = [create(store, name, search, seed) for name, search, seed in wanted]
    while any(store.run(run_id).state in ("queued", "running") for run_id in made):
        time.sleep(0.2)
    create(store, "C01", "paper-3", 1, pace=2_000.0)
    time.sleep(SETTLED)
    return made[0], made[1], made[2], made[3], made[4]


def create(store: Store, name: str, search: str, seed: int, pace: float | None = None) -> str:
    """One run with the paper's levels and budget."""
    problem = get(name, 10 if name.startswith("C") else None)
    settings = Settings.of(search, problem.dimension, seed=seed)
    return store.create(RunRequest(RunSpec(name, problem.dimension, Tolerances.default(problem), settings), pace))


def wait(driver: webdriver.Chrome, condition: Callable[[], bool]) -> None:
    """Wait until something is so."""
    WebDriverWait(driver, PATIENCE, poll_frequency=0.2).until(lambda _: condition())


def take_picture(
    driver: webdriver.Chrome, url: str, name: str, size: tuple[int, int] = WIDE, scheme: str = "light"
) -> None:
    """One picture of one page."""
    metrics = {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    feature = {"name": "prefers-color-scheme", "value": scheme}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    driver.get(url)
    wait(driver, lambda: driver.execute_script(QUIET))
    time.sleep(SETTLED)
    wait(driver, lambda: driver.execute_script(QUIET))
    picture = driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})
    path = PICTURES / f"{name}.png"
    path.write_bytes(base64.b64decode(picture["data"]))
    sys.stdout.write(f"{path.relative_to(PICTURES.parent.parent)}\n")


if __name__ == "__main__":
    main()
