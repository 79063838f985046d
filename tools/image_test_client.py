"""Does in a browser what a person does first with a freshly started dashboard: open the link that it printed, press
the button, see the map fill. Without the token nothing is shown.
"""

import re
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support import expected_conditions as expected
from selenium.webdriver.support.ui import WebDriverWait

PATIENCE = 240.0


def until_healthy(address: str) -> float:
    """Seconds until the health endpoint says that web, store and worker live."""
    started = time.monotonic()
    while time.monotonic() - started < PATIENCE:
        try:
            with urllib.request.urlopen(f"{address}/healthz", timeout=5) as answer:
                if answer.status == 200:
                    return time.monotonic() - started
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.2)
    raise SystemExit(f"{address}/healthz did not answer well within {PATIENCE:.0f} s")


def link(log: str) -> str:
    """What the server said to open."""
    found = re.search(r"Illuminate runs at (\S+\?token=\S+)", Path(log).read_text())
    if found is None:
        raise SystemExit("it printed no link with a token")
    return found[1]


def is_closed(address: str) -> bool:
    """Whether somebody without the token is refused."""
    try:
        urllib.request.urlopen(f"{address}/runs", timeout=5)
    except urllib.error.HTTPError as error:
        return error.code == 401
    return False


def run(address: str) -> tuple[str, float]:
    """Start the run that the form offers and wait for its end; its id, and the seconds until its map was there."""
    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1440,900"):
        options.add_argument(argument)
    browser = webdriver.Chrome(options=options)
    try:
        wait = WebDriverWait(browser, PATIENCE)
        browser.get(address)
        wait.until(expected.presence_of_element_located((By.CSS_SELECTOR, "#start-details > *")))
        wait.until(lambda _: browser.execute_script("return document.readyState") == "complete")
        wait.until(expected.element_to_be_clickable((By.ID, "start-button"))).click()
        pressed = time.monotonic()
        wait.until(expected.url_contains("/run/"))
        wait.until(expected.presence_of_element_located((By.CSS_SELECTOR, ".js-plotly-plot .heatmaplayer image")))
        seconds = time.monotonic() - pressed
        wait.until(lambda _: "finished" in browser.find_element(By.TAG_NAME, "body").text)
        return browser.current_url.rsplit("/", 1)[-1].partition("?")[0], seconds
    finally:
        browser.quit()


if __name__ == "__main__":
    place, log, soon = sys.argv[1:]
    sys.stdout.write(f"healthy after {until_healthy(place):.1f} s\n")
    if not is_closed(place):
        raise SystemExit("it lets somebody in who has no token")
    run_id, waited = run(link(log))
    sys.stdout.write(f"run {run_id} finished; its map was there {waited:.1f} s after the press of the button\n")
    if waited > float(soon):
        raise SystemExit(f"the first map must be there within {soon} s")
