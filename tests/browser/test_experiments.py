"""Somebody starts a campaign, watches it, opens the run behind a number, and takes the tables along."""

from __future__ import annotations

import csv

import pytest
from selenium.webdriver.common.keys import Keys

from components.experiments.form import read_campaign
from mapelites.campaign.folder import list_campaigns
from mapelites.campaign.process import campaigns_folder, launch_campaign, stop_campaign
from tests.browser.conftest import PHONE, Dashboard, Person, wait

pytestmark = pytest.mark.browser
PATIENCE = 120.0


def test_a_campaign_from_the_form_to_the_run_behind_a_number(person: Person, dashboard: Dashboard) -> None:
    person.goes_to("/experiments")
    person.sees("#campaign-sum", "60 runs, 12,000,000 evaluations.")
    person.types("#campaign-runs", "none")
    person.sees("#campaign-sum .error-text", "Runs must be a whole number from 1 to 1,000, but it was 'none'.")
    assert person.asks("disabled", "#campaign-start")
    person.types("#campaign-runs", "2")
    person.sees("#campaign-sum", "24 runs, 4,800,000 evaluations.")  # and nothing moves any more
    person.presses("summary", "Advanced")
    person.types("#campaign-evaluations", "4000")
    person.sees("#campaign-sum", "24 runs, 96,000 evaluations.")
    person.sees("#campaign-evaluations").send_keys(Keys.ENTER)

    person.sees("h1", "C01, C07, C16 and C17 · 10D · paper-1, paper-2 and paper-3")
    wait(lambda: "24 of 24 runs" in person.reads("#campaign-progress"), PATIENCE)
    person.sees(".state-finished", "finished")
    assert len(person.all(".overview-done")) == 12
    person.sees_no(".overview-waiting")

    assert "view=price" in person.asks("href", "#campaign-price-table td a")
    person.sees("#campaign-price .main-svg .points")
    space = (
        "const box = (selector) => document.querySelector(selector).getBoundingClientRect();"
        "return box('#campaign-price-table').top - box('#campaign-price .main-svg').bottom"
    )
    assert person.driver.execute_script(space) >= 0  # the table lies below its figure

    person.presses(".overview-cell[title^='C17 10D paper-3']")
    person.sees("#campaign-figures-title", "C17 10D")
    assert "problem=C17" in person.path
    assert "search=paper-3" in person.path
    person.sees("#campaign-boxes .trace.boxes")
    charts = "[...document.querySelectorAll('.js-plotly-plot')]"
    named = f"return {charts}.every(each => each.closest('[role=figure][aria-label]'))"
    assert person.driver.execute_script(named), "every chart has a name for screen readers"
    person.presses("#campaign-beside label", "Beside the paper")
    person.sees(".statistics-theirs")
    person.sees(".verdict", "Feasibility: ")

    person.presses("#campaign-search label", "All searches")
    person.sees(".statistics th", "C17 paper-2")

    person.presses("#campaign-download")
    person.presses(".menu-link", "CSV")
    file = wait(lambda: next((each for each in person.downloads if each.suffix == ".csv"), None))
    with file.open() as text:
        assert len(list(csv.DictReader(text))) == 12

    folder = list_campaigns(campaigns_folder(dashboard.store.path))[0]
    link = person.sees(".statistics-link")
    name = link.get_attribute("href").rsplit("/", 1)[1]
    person.presses(".statistics-link")
    wait(lambda: person.path.startswith("/run/"))
    person.sees("#page", name.split("-")[0])
    run = dashboard.store.run(person.path.removeprefix("/run/").split("?")[0])
    assert run.request.settings.seed == folder.results()[name].seed
    person.presses("#run-head a", "its campaign")
    wait(lambda: person.path == f"/experiments/{folder.id}")


def test_a_campaign_is_stopped_and_goes_on_and_fits_a_phone(person: Person, dashboard: Dashboard) -> None:
    form = {"problems": ["C17"], "dimensions": "10", "searches": ["paper-3"], "runs": "3", "seed": "5"}
    folder = launch_campaign(dashboard.store.path, read_campaign({**form, "evaluations": "1,000,000,000"}))
    person.resizes(PHONE)
    person.prefers("dark")
    person.goes_to(f"/experiments/{folder.id}")
    person.sees(".overview-running", "running")
    person.presses("#campaign-button button", "Stop")
    person.sees("#campaign-button button", "Go on")
    person.sees(".state-stopped", "stopped")
    assert not folder.working()
    assert person.sideways() <= 0
    person.presses("#campaign-button button", "Go on")
    person.sees("#campaign-button button", "Stop")
    person.goes_to("/experiments")
    person.sees(".experiments-entry", "0 of 3 runs")
    assert person.sideways() <= 0
    stop_campaign(folder)
    person.sees(".experiments-entry .state-stopped")
