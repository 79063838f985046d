"""The parts of the experiments page that can be looked at without a browser."""

import os

import numpy as np
import pytest
from flask import Flask

from app import create_app
from components.experiments import form as experiments_form
from components.experiments.answers import _words
from components.experiments.campaign import CampaignView, layout
from components.experiments.figures import (
    box_words,
    convergence,
    quartiles,
    reference_lines,
    reference_words,
    solution_boxes,
)
from components.experiments.files import take_run_in, taken_in
from components.experiments.form import read_campaign
from components.experiments.table import paper_table, published_notes
from components.experiments.words import (
    CampaignProgress,
    InstanceProgress,
    campaign_pace,
    campaign_title,
    shortened_list,
)
from components.runs.listing import name_cell
from components.shared.context import Context
from components.shared.queue import RunQueue
from mapelites import InputError
from mapelites.answers import Bands
from mapelites.campaign import Campaign, CampaignFolder, Instance
from mapelites.campaign.description import OWN
from mapelites.campaign.folder import CampaignStatus
from mapelites.campaign.process import campaigns_folder, folder_of
from mapelites.campaign.report.published import edeag_row, paper_row
from mapelites.campaign.report.table import CampaignReport, TableRow
from mapelites.campaign.statistics import FinalSolution, summarise_finals
from mapelites.campaign.task import execute_task, task_payload
from mapelites.core.problem import Constraint, Problem
from mapelites.runs import Store
from server.access import Access
from server.cache import open_memory
from server.limits import ClientLimits

NAN = float("nan")
FORM = {
    "problems": ["C07", "C01"], "dimensions": "10, 30", "searches": ["paper-3"], "runs": "5", "seed": "2",
    "evaluations": "", "levels": "", "scheduler": "",
}  # fmt: skip


def curve(*best):
    return np.array([(100.0 * 10**i, i + 1.0, value) for i, value in enumerate(best)])


def row(search, *finals):
    instance = Instance("C07", 10, search)
    given = tuple(FinalSolution(f"r{i}", 0, f, (v,)) for i, (f, v) in enumerate(finals))
    return TableRow(instance, summarise_finals(given), given, 0, paper_row(instance), edeag_row("C07", 10))


def test_quartiles_count_a_run_without_a_feasible_solution_as_the_worst():
    curves = [curve(NAN, 5.0), curve(4.0, 1.0), curve(NAN, NAN), curve(3.0, 2.0), curve(9.0, 4.0)]
    at, bands = quartiles(curves, 2)
    assert at.tolist() == [100.0, 1000.0]
    assert np.array_equal(bands, [[4.0, 2.0], [9.0, 4.0], [NAN, 5.0]], equal_nan=True)


def test_a_convergence_figure_has_a_median_an_area_and_reference_lines():
    figure = convergence(
        {"paper-1": [curve(9.0, 2.0)] * 3, "paper-3": []}, "objective", {"best known": 0.5}, dark=False
    )
    line, area, known = figure["data"]
    assert (line["y"], area["fill"], known["y"]) == ([9.0, 2.0], "toself", [0.5, 0.5])


def test_a_logarithmic_scale_leaves_out_references_it_cannot_show_and_the_words_have_them():
    figure = convergence({"paper-1": [curve(1e9, 2.0)]}, "objective", {"εDEag median": 0.0}, dark=True)
    assert figure["layout"]["yaxis"]["type"] == "log"
    assert len(figure["data"]) == 2
    words = reference_words([row("paper-1", (1.0, 0.0))], 0.0)
    assert words == "Published medians: the paper's paper-1 7.117e9 (0 violated); εDEag's 0 (0 violated); best known 0."


def test_without_a_feasible_run_the_figures_say_so():
    figure = convergence({"paper-1": [curve(NAN, NAN)]}, "objective", {"best known": 0.0}, dark=False)
    assert figure["layout"]["annotations"][0]["text"] == "No run has found a feasible solution"
    figure = solution_boxes([row("paper-1", (1.0, 0.5), (2.0, 0.7))], ["paper-1"], {"best known": 0.0}, dark=False)
    assert figure["layout"]["yaxis"]["title"]["text"] == "Mean violation, no run is feasible"
    assert figure["data"][0]["y"] == [0.5, 0.7]
    assert box_words(figure) == "Where the runs end; a click opens a run"


def test_boxes_hold_feasible_runs_only_and_name_each_for_the_click():
    rows = [row("paper-1", (1.0, 0.0), (2.0, 0.7), (3.0, 0.0))]
    figure = solution_boxes(rows, ["paper-1"], reference_lines(rows[0], 0.0), dark=False)
    box, published = figure["data"]
    assert (box["y"], box["customdata"], box["name"]) == ([1.0, 3.0], ["r0", "r2"], "paper-1<br>2 of 3")
    assert published["y"] == [7.117e9]
    assert box_words(figure) == "Where the runs end: the thick bar is the paper's median; a click opens a run"


@pytest.mark.parametrize(
    ("cell", "state", "words", "short"),
    [
        (InstanceProgress(25, 0, 0, 25), "done", "25 done", "25 done"),
        (InstanceProgress(7, 0, 1, 25), "running", "7 of 25, 1 running", "running 7/25"),
        (InstanceProgress(24, 1, 0, 25), "failed", "24 of 25, 1 failed", "1 failed, 24/25"),
        (InstanceProgress(7, 0, 0, 25), "waiting", "7 of 25", "7/25"),
        (InstanceProgress(0, 0, 0, 25), "waiting", "waiting", "waiting"),
    ],
)
def test_the_state_of_a_cell_is_a_word(cell, state, words, short):
    assert (cell.state, cell.words, cell.short) == (state, words, short)


def test_a_campaign_that_waits_for_a_worker_says_so():
    assert (
        campaign_pace(CampaignStatus(note="waiting for a worker"), CampaignProgress(3, 0, 0)) == "waiting for a worker"
    )


def test_a_campaign_is_named_by_what_it_runs():
    assert campaign_title(Campaign(("C01", "C07"), (10, 30), ("paper-1",))) == "C01 and C07 · 10D and 30D · paper-1"
    assert campaign_title(Campaign(("tin-can",), (10,), ("paper-1",))) == "Tin can · paper-1"
    assert shortened_list(["a", "b", "c", "d", "e"]) == "a, b, c and 2 more"


def test_the_form_describes_a_campaign_with_problems_in_their_order():
    campaign = read_campaign({**FORM, "evaluations": "5,000", "levels": "0, 0.5; 2"})
    assert (campaign.problems, campaign.dimensions, campaign.runs, campaign.seed) == (("C01", "C07"), (10, 30), 5, 2)
    assert campaign.tasks[0].spec.tolerances.levels[0] == (0.0, 0.5, 2.0)
    assert campaign.tasks[0].spec.settings.evaluations == 5_000


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"problems": []}, "problems: a campaign needs at least one"),
        ({"problems": "C01"}, "problems must be a list of names, but it was 'C01'"),
        ({"dimensions": "ten"}, "a dimension must be a whole number .*, but it was 'ten'"),
        ({"runs": "many"}, "runs must be a whole number from 1 to 1,000, but it was 'many'"),
        ({"levels": "1, a"}, "a level must be a number, but one was 'a'"),
        ({"evaluations": "lots"}, "evaluations must be a whole number, but it was 'lots'"),
    ],
)
def test_a_wrong_form_is_refused_in_words(change, message):
    with pytest.raises(InputError, match=message):
        read_campaign({**FORM, **change})


def test_the_form_takes_designs_of_the_gallery():
    campaign = read_campaign({**FORM, "problems": ["welded-beam"]})
    assert [(each.problem, each.dimension) for each in campaign.instances[:1]] == [("welded-beam", 4)]


def test_all_searches_stand_in_one_table_by_problem():
    campaign = Campaign(("C07", "C09"), (10,), ("paper-1", "directed"))
    finals = (FinalSolution("r", 0, 1.5, (0.0,)),) * 3
    rows = [TableRow(each, summarise_finals(finals), finals, 0, None, None) for each in campaign.instances[::3]]
    states = dict.fromkeys(campaign.instances, InstanceProgress(3, 0, 0, 3))
    shown = paper_table(CampaignReport(campaign, tuple(rows), (), (), ""), states, (10, "all"), "none", "/")
    names = [each.children[0].children for each in shown.children[1].children]
    assert names == ["C07 paper-1", "C07 directed", "C09 paper-1", "C09 directed"]
    assert CampaignView.of(campaign, {"search": "all"}).search == "all"


def test_an_address_or_a_browser_that_asks_for_the_unknown_gets_the_first_there_is():
    campaign = Campaign(("C01", "C07"), (10, 30), ("paper-1", "paper-3"))
    assert CampaignView.of(campaign, {"dimension": "30", "problem": "C07"}) == CampaignView(
        30, "paper-1", "C07", "none"
    )
    assert CampaignView.of(campaign, {"dimension": [1], "search": "<b>", "beside": 3}) == CampaignView(
        10, "paper-1", "C01", "none"
    )
    mixed = Campaign(("tin-can", "C01"), (10,), ("paper-1",))
    assert CampaignView.of(mixed, None).dimension == OWN, "the table beside the figures has their problem"
    assert CampaignView.of(campaign, None) == CampaignView(10, "paper-1", "C01", "none")


def test_to_follow_a_link_to_a_run_of_a_campaign_changes_nothing_and_a_button_opens_it(tmp_path):
    campaign = Campaign(("C01",), (10,), ("paper-1",), runs=1, changes={"evaluations": 300})
    store = Store(tmp_path / "store")
    folder = CampaignFolder.create(folder_of(store.path, campaign), campaign)
    (task,) = campaign.tasks
    folder.keep(task, execute_task(task_payload(task)))
    browser, address = create_app(store).server.test_client(), f"/experiments/{folder.id}/run/{task.name}"
    asked = browser.get(f"{address}?view=price")
    assert (asked.status_code, store.runs(), "Open it" in asked.text) == (200, [], True)
    opened = browser.post(f"{address}?view=price")
    (run,) = store.runs()
    assert (opened.status_code, opened.location) == (303, f"/run/{run.id}?view=price")
    assert browser.get(address).location == f"/run/{run.id}"
    assert browser.get(f"/experiments/{folder.id}/run/none").status_code == 404


def test_a_run_is_taken_into_the_store_once_and_again_when_it_is_gone(tmp_path):
    campaign = Campaign(("C01",), (10,), ("paper-1",), runs=1, changes={"evaluations": 300})
    folder, store = CampaignFolder.create(tmp_path / "c", campaign), Store(tmp_path / "store")
    task = campaign.tasks[0]
    with pytest.raises(InputError, match="the run C01-10d-paper-1-01 has no result yet"):
        take_run_in(RunQueue(store), folder, task.name)
    folder.keep(task, execute_task(task_payload(task)))
    run_id = take_run_in(RunQueue(store), folder, task.name)
    assert (store.run(run_id).state, store.run(run_id).request.settings.seed) == ("finished", task.spec.settings.seed)
    assert take_run_in(RunQueue(store), folder, task.name) == run_id
    assert store.run(run_id).labels.campaign == folder.id
    assert f"href='/experiments/{folder.id}'" in str(name_cell(store.run(run_id), ""))
    store.delete(run_id)
    assert taken_in(store, folder, task.name) is None, "which does not bring it back"
    assert take_run_in(RunQueue(store), folder, task.name) == run_id
    assert taken_in(store, folder, task.name) == run_id
    assert store.run(run_id).deleted is None
    for torn in ("", '{"C01-10d', "[]"):
        (folder.path / "opened.json").write_text(torn)
        again = take_run_in(RunQueue(store), folder, task.name)
        assert take_run_in(RunQueue(store), folder, task.name) == again
        assert store.run(again).state == "finished"
    store.close()


def beside_the_paper(problem, changes):
    """What stands beside the paper's row where ours is worse, and above it."""
    instance = Instance(problem, 10, "paper-1")
    finals = (FinalSolution("r", 0, 1e30, (0.0,)),) * 25
    found = TableRow(instance, summarise_finals(finals), finals, 0, paper_row(instance), None)
    report = CampaignReport(Campaign((problem,), (10,), ("paper-1",), changes=changes), (found,), (), (), "")
    place = (10, "paper-1")
    shown = paper_table(report, {instance: InstanceProgress(25, 0, 0, 25)}, place, "paper", "/")
    return (str(each) for each in (shown, published_notes(report, place, "paper")))


def test_beside_the_paper_a_difference_names_the_faults_of_the_problem_and_those_of_all():
    rows, above = beside_the_paper("C07", {})
    assert "Fault of the paper's code: the Rosenbrock term" in rows
    assert "change the archived parent in place" in above
    assert "other conditions" not in above
    rows, _ = beside_the_paper("C18", {})
    assert "the faults on all problems remain" in rows


def test_under_other_conditions_a_difference_from_the_paper_is_no_fault_of_its_code():
    rows, above = beside_the_paper("C07", {"evaluations": 4_000})
    assert "Objective: ours is worse." in rows
    assert "Fault" not in rows + above
    assert "this campaign has evaluations 4,000. So the rows need not agree." in above


def test_the_papers_negative_mean_violations_are_said_to_be_signed():
    rows, _ = beside_the_paper("C16", {})
    assert "-4.585e6 (signed)" in rows
    assert "3, 1, 0" in rows


VIEW = {"dimension": 10, "search": "paper-1", "problem": "C01", "beside": "none"}


class Page:
    """A campaign's page as its browser keeps it: what it saw last, and what the next answer brings."""

    def __init__(self, store, campaign_id):
        self.store, self.browser = store, create_app(store).server.test_client()
        self.known = next(
            each for each in self.browser.get("/_dash-dependencies").json if "campaign-pairs.children" in each["output"]
        )
        self.values = {"campaign-seen": None, "campaign-drawn": None, "campaign-id": campaign_id}

    def asks(self, view=VIEW, *, number=1, whole=False):
        """The parts of the page that the answer to one question changes."""
        cell = {"campaign-cell": "C01|10|paper-1"}
        names = [name.rpartition(".")[::2] for name in self.known["output"].strip(".").split("...")]
        values = {**self.values, "campaign-asked": {"number": number, "view": view, "whole": whole}}
        body = {
            "output": self.known["output"],
            "outputs": [
                [{"id": cell, "property": name}] if "ALL" in place else {"id": place, "property": name}
                for place, name in names
            ],
            "inputs": [{**each, "value": values[each["id"]]} for each in self.known["inputs"]],
            "state": [
                *({**each, "value": values[each["id"]]} for each in self.known["state"][:-1]),
                [{"id": cell, "property": "id", "value": cell}],
            ],
            "changedPropIds": ["campaign-asked.data"],
        }
        answer = self.browser.post("/_dash-update-component", json=body).json["response"]
        for name in ("campaign-seen", "campaign-drawn"):
            if name in answer:
                self.values[name] = answer[name]["data"]
        assert answer.pop("campaign-answered") == {"data": number}
        return answer


@pytest.fixture
def followed(tmp_path):
    """The page of a campaign of one run, and its folder."""
    store = Store(tmp_path / "store")
    folder = CampaignFolder.create(campaigns_folder(store.path) / "c1", Campaign(("C01",), (10,), ("paper-1",), runs=1))
    yield Page(store, "c1"), folder
    store.close()


def test_a_page_that_shows_all_there_is_is_sent_nothing_but_the_answer(followed):
    page, _ = followed
    assert {"campaign-table", "campaign-pairs", "campaign-progress"} <= set(page.asks())
    assert page.asks(number=2) == {}


def test_another_view_brings_its_table_whoever_asks_for_it(followed):
    page, _ = followed
    page.asks()
    assert "campaign-table" in page.asks({**VIEW, "beside": "paper"})


def test_a_page_that_gave_up_on_an_answer_is_sent_the_whole(followed):
    page, _ = followed
    first = page.asks()
    assert set(page.asks(whole=True)) | {"campaign-drawn"} == set(first)


def test_while_a_campaign_runs_only_the_parts_that_changed_are_sent_again(followed):
    """A part that is sent again loses its focus and what is selected in it."""
    page, folder = followed
    descriptor = folder.acquire()
    page.asks()
    folder.say(CampaignStatus(("C01-10d-paper-1-01",), 1e6, 60.0))
    news = page.asks()
    assert set(news) == {"campaign-progress", "campaign-table", "campaign-seen", '{"campaign-cell":"C01|10|paper-1"}'}
    title = news['{"campaign-cell":"C01|10|paper-1"}']["title"]
    assert title == "C01 10D paper-1: 0 of 1, 1 running. A click shows its table and figures."
    folder.say(CampaignStatus(("C01-10d-paper-1-01",), 2e6, 30.0))
    assert set(page.asks()) == {"campaign-progress", "campaign-seen"}
    os.close(descriptor)


def test_a_page_is_laid_out_with_what_it_shows_so_that_the_first_answer_repeats_nothing(followed):
    page, _ = followed
    laid_out = layout(
        Context(page.store, open_memory(Flask("test"), page.store.path / "figures"), RunQueue(page.store)), {}, "c1"
    )
    for name in ("campaign-seen", "campaign-drawn"):
        page.values[name] = laid_out[name].data
    assert page.asks() == {}


def pressed(browser, **values):
    """The answer to the form's button."""
    (known,) = [
        each
        for each in browser.get("/_dash-dependencies").json
        if [part["id"] for part in each["inputs"]] == ["campaign-start"]
    ]
    parts = {name: [{**each, "value": values.get(each["id"])} for each in known[name]] for name in ("inputs", "state")}
    place, prop = known["output"].rsplit(".", 1)
    body = {"output": known["output"], "outputs": {"id": place, "property": prop}, **parts}
    return browser.post("/_dash-update-component", json={**body, "changedPropIds": ["campaign-start.n_clicks"]})


def test_the_form_connects_to_the_schedulers_it_was_started_with_and_to_no_other(tmp_path, monkeypatch):
    connected, launched = [], []
    monkeypatch.setattr(experiments_form, "check_scheduler", connected.append)
    monkeypatch.setattr(
        experiments_form,
        "launch_campaign",
        lambda path, campaign, where: launched.append(where) or CampaignFolder(tmp_path / "c"),
    )
    store = Store(tmp_path / "store")
    access = Access(limits=ClientLimits(per_minute=2), schedulers=("tcp://named.example:8786",))
    browser = create_app(store, access=access).server.test_client()
    form = {f"campaign-{name}": value for name, value in FORM.items()} | {"campaign-start": 1}

    def start(where):
        return pressed(browser, **{**form, "campaign-scheduler": where}).text

    assert "cheduler must be one that the dashboard was started with" in start("tcp://evil.example:8786")
    assert (connected, launched) == ([], [])
    start("here")
    start("tcp://named.example:8786")
    assert connected == ["tcp://named.example:8786"]
    assert launched == [None, "tcp://named.example:8786"]
    assert "t most 2 runs, imports and campaigns" in start("tcp://named.example:8786")
    assert len(connected) == 1  # nobody is spoken to for a client that is not admitted
    store.close()


def test_the_form_offers_the_schedulers_it_was_started_with_or_says_how_to_name_one():
    offered = experiments_form._where(["tcp://named.example:8786"])
    assert [each["value"] for each in offered.data] == ["here", "tcp://named.example:8786"]
    assert "--scheduler" in experiments_form._where([]).description


def test_the_price_over_many_runs_is_told_up_to_the_allowance_in_unit_and_as_the_objective_is_meant() -> None:
    profit = Problem(
        "profit", [0.0], [1.0], (Constraint("load", "inequality", limit=20.0, sense="<=", unit="t"),), abs,
        objective="profit", objective_unit="€", maximise=True,
    )  # fmt: skip
    middle = [-400.0, -400.0, -440.0, -900.0]
    found = Bands((0.0, 0.2, 2.0, np.inf), np.array([middle] * 3), np.zeros((3, 4), int), np.full(4, 2), 2)
    assert _words(found, profit.constraints[0], profit) == (
        "load up to 0 t: a median profit of 400 € over 2 runs; up to 2 t (10 %), 440 € (+10 %)."
    )
    flat = Bands((0.0, np.inf), np.full((3, 2), -400.0), np.zeros((3, 2), int), np.full(2, 2), 2)
    assert _words(flat, profit.constraints[0], profit).endswith("over 2 runs; at no further tolerance is it better.")
