"""What the run page makes of words that no browser of ours would send: an answer in words, never a crash."""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from flask.testing import FlaskClient

from app import create_app
from components.page_state.state import PageState
from components.page_state.view import Maps, levels_from_text, levels_text, read_axes, read_levels
from components.run import head as run_head
from components.run import timeline
from components.run.actions import read_pace
from components.run.head import Speed, _seconds_left, progress_curve
from components.shared.follow import LATEST, MOST_LOOKS, SOONEST, PollPacer
from mapelites import Settings, Tolerances
from mapelites.core.errors import InputError
from mapelites.problems import get
from mapelites.problems.own.files import describe_problem, problem_from_description
from mapelites.runs import RunRequest, Store
from mapelites.snapshot.snapshot import Snapshot
from mapelites.snapshot.spec import RunSpec

OWN = Tolerances.default(get("C17", 10))
JUNK: tuple[Any, ...] = (None, -1, 10**30, 1.5, "../../etc", "", [], [[]], {}, {"x": [None]}, True, ["g9"], [["a"], {}],
                         {"version": 10**30, "tick": 10**30, "time": 1e308, "rate": -1e308, "evaluations": -(10**30)},
                         {"look": 10**30, "key": {}, "seen": [], "version": 1, "tick": "x", "time": None})  # fmt: skip


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    opened = Store(tmp_path_factory.mktemp("store"))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def run_id(store: Store) -> str:
    request = RunRequest(RunSpec("C17", 10, OWN, Settings.of("paper-3", 10, evaluations=5_000)))
    search = request.begin()
    search.advance(5_000)
    return store.import_run(Snapshot.of(search, 1.0).to_bytes())


@pytest.fixture(scope="module")
def browser(store: Store) -> FlaskClient:
    return create_app(store).server.test_client()


def callbacks(browser: FlaskClient) -> list[dict[str, Any]]:
    """The callbacks of the run page that run on the server."""
    known = browser.get("/_dash-dependencies").json
    words = ("run-", "inspector", "rebin", "timeline")
    ours = [each for each in known if not each["clientside_function"]]
    return [each for each in ours if any(word in str(each["inputs"]) for word in words) and "form" not in str(each)]


def asked(browser: FlaskClient, callback: dict[str, Any], values: dict[str, Any]) -> Any:
    """Call a callback as a browser does, with these values for its inputs and states."""
    output = callback["output"]
    names = output.strip(".").split("...") if output.startswith("..") else [output] if output else []
    outputs = [{"id": name.rpartition(".")[0], "property": name.rpartition(".")[2]} for name in names]
    filled = [
        [{**each, "value": values.get(each["id"], values.get("*"))} for each in callback[kind]]
        for kind in ("inputs", "state")
    ]
    first = callback["inputs"][0]
    body = {
        "output": output,
        "outputs": outputs if output.startswith("..") else outputs[0] if outputs else {},
        "inputs": filled[0],
        "state": filled[1],
        "changedPropIds": [f"{first['id']}.{first['property']}"],
    }
    return browser.post("/_dash-update-component", json=body)


@pytest.mark.parametrize("junk", JUNK, ids=repr)
@pytest.mark.parametrize("known_run", [True, False], ids=["known run", "junk for a run"])
def test_no_value_from_a_browser_makes_a_callback_fail(
    browser: FlaskClient, run_id: str, junk: Any, known_run: bool
) -> None:
    found = callbacks(browser)
    assert len(found) > 8
    for callback in found:
        values = {"*": junk, "run-id": run_id if known_run else junk, "scheme": "light", "run-narrow": False}
        answer = asked(browser, callback, values)
        assert answer.status_code in (200, 204), callback["output"]
        assert b"Something went wrong" not in answer.data, callback["output"]


def test_a_run_with_other_levels_starts_only_where_every_level_in_the_form_is_right(
    browser: FlaskClient, store: Store, run_id: str
) -> None:
    (press,) = [each for each in callbacks(browser) if "run-again-levels" in str(each["inputs"])]
    before = {run.id for run in store.runs()}

    def pressed(*first: Any) -> Any:
        form = {"names": list(OWN.names), "levels": [list(first), [0, 1], [0, 1]]}
        return asked(browser, press, {"run-again-levels": 1, "run-id": run_id, "rebin-tolerances": form})

    assert b"Levels of g1: a level must not be negative, but one was -3." in pressed("10", "-3").data
    assert {run.id for run in store.runs()} == before
    href = pressed("10").json["response"]["url"]["href"]
    (new,) = {run.id for run in store.runs()} - before
    assert href == f"/run/{new}"
    assert store.run(new).request.tolerances.levels == ((0, 10), (0, 1), (0, 1))


def test_a_map_comes_whole_then_as_a_change_then_not_at_all(browser: FlaskClient, run_id: str) -> None:
    address = f"/run/{run_id}/map"
    query = {"scheme": "dark", "narrow": "false"}
    first = browser.get(address, query_string=query).json
    assert first["figure"]["layout"]["meta"]["columns"] == 25
    assert first["form"] == "map-wide"
    other = browser.get(address, query_string={**query, "colour": "age", "look": first["look"]}).json
    assert set(other) == {"look", "key", "patch"}
    assert other["look"] == first["look"]
    assert other["key"] != first["key"]
    again = browser.get(address, query_string={**query, "look": first["look"], "key": first["key"]}).json
    assert again == {"look": first["look"], "key": first["key"]}
    light = browser.get(address, query_string={"look": first["look"], "key": first["key"]}).json
    assert "figure" in light


def test_news_are_the_head_and_the_map_and_told_once(browser: FlaskClient, store: Store, run_id: str) -> None:
    address = f"/run/{run_id}/news?scheme=dark&narrow=false"
    first = browser.get(address).json
    assert (first["version"], first["active"], first["wait"]) == (store.version(run_id), False, 2_000)
    assert "5,000" in str(first["head"]["run-spent"])
    assert first["head"]["run-moments"]["data"] == [5_000]
    assert first["map"] == browser.get(f"/run/{run_id}/map?scheme=dark&narrow=false").json
    same = browser.get(f"{address}&version={first['version']}").json
    assert same == {"wait": 2_000, "health": {"web": True, "store": True, "worker": False, "problem": None}}


def test_a_run_to_watch_begins_its_time_when_its_map_is_on_a_screen(browser: FlaskClient, store: Store) -> None:
    spec = RunSpec("C17", 10, OWN, Settings.of("paper-3", 10))
    run_id = store.create(RunRequest(spec, watch=10.0, unseen=True))
    assert RunRequest.from_text(store.run(run_id).request.text).unseen
    first = browser.get(f"/run/{run_id}/news?scheme=dark&narrow=false").json
    assert store.run(run_id).request.unseen
    browser.get(f"/run/{run_id}/news", query_string={"scheme": "dark", "look": first["map"]["look"]})
    assert not store.run(run_id).request.unseen
    assert store.run(run_id).request.watch == 10.0


def test_a_run_with_few_moments_shows_the_curve_that_its_search_noted(store: Store) -> None:
    search = RunRequest(RunSpec("C17", 10, OWN, Settings.of("paper-3", 10, evaluations=2_000))).begin()
    search.advance(2_000)
    best = np.nan if search.best_feasible is None else search.best_feasible
    noted = np.array([(100, 3, np.nan), (1_000, 9, np.nan), (2_000, search.occupied, best)])
    quick = store.import_run(Snapshot.of(search, 0.1, noted).to_bytes())
    assert len(store.history(quick)) == 1
    np.testing.assert_array_equal(progress_curve(store, store.run(quick), store.history(quick)), noted)


def test_what_cannot_be_shown_is_refused_in_words(browser: FlaskClient, run_id: str) -> None:
    for path in ("news", "map"):
        answer = browser.get(f"/run/nobody/{path}")
        assert answer.status_code == 404
        assert "there is no run 'nobody'" in answer.text
        answer = browser.get(f"/run/{run_id}/{path}?levels=0;-1;0")
        assert (answer.status_code, answer.text) == (404, "g2: a level must not be negative, but one was -1")


@pytest.mark.parametrize(
    ("pages", "wait"), [(1, SOONEST), (2, SOONEST), (4 * MOST_LOOKS, 4.0), (100 * MOST_LOOKS, LATEST)]
)
def test_the_more_pages_look_the_longer_each_waits(pages: float, wait: float) -> None:
    now = 0.0
    crowd = PollPacer(lambda: now)
    looks = [(number * SOONEST / pages, number) for number in range(int(pages))]
    heapq.heapify(looks)
    while now < 40:
        now, page = heapq.heappop(looks)
        heapq.heappush(looks, (now + crowd.look(), page))
    assert crowd.wait == pytest.approx(wait, rel=0.1)


def test_the_speed_is_measured_between_two_looks_and_only_while_a_run_runs(store: Store, run_id: str) -> None:
    run = replace(store.run(run_id), state="running", evaluations=1_000)
    first = Speed().after(run, 10.0)
    assert first.rate is None
    second = first.after(replace(run, evaluations=3_000), 12.0)
    assert second.rate == 1_000
    third = second.after(replace(run, evaluations=9_000), 14.0)
    assert third.rate == 2_000  # halfway to 3,000 per second
    assert third.after(replace(run, evaluations=9_000), 15.0).rate == 2_000
    assert third.after(replace(run, state="paused", evaluations=9_000), 16.0).rate is None


def test_a_function_that_takes_a_minute_is_not_said_to_take_as_long_as_between_two_looks(store, run_id):
    run, speed = replace(store.run(run_id), state="running", evaluations=1), Speed()
    for second in range(600):
        speed = speed.after(replace(run, evaluations=1 + second // 60), float(second))
    assert speed.rate == pytest.approx(1 / 60, rel=0.01)
    slow = replace(run, request=replace(run.request, pace=None, watch=10.0))
    budget = run.request.settings.evaluations
    assert _seconds_left(slow, 1 / 60) == pytest.approx(60.0 * (budget - 1))
    assert _seconds_left(slow, 1e9) < 10.0


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/run/{}/elites.csv", 200),
        ("/run/{}/elites.json?levels=0,1;0,1;0,1", 200),
        ("/run/{}/run.npz", 200),
        ("/run/{}/elites.csv?levels=0", 404),
        ("/run/{}/elites.csv?at=x", 404),
        ("/run/nobody/elites.csv", 404),
        ("/run/nobody/run.npz", 404),
        ("/run/{}/elites.exe", 200),  # no file: the page of the dashboard, which says that nothing is there
    ],
)
def test_files_are_there_or_the_answer_says_why_not(browser: FlaskClient, run_id: str, path: str, code: int) -> None:
    assert browser.get(path.format(run_id)).status_code == code


@pytest.mark.parametrize("name", ['a\r\nSet-Cookie: b="c', "../../x", "漢", "x" * 10_000])
def test_a_file_has_a_plain_name_whatever_a_problem_from_somewhere_is_called(
    browser: FlaskClient, store: Store, name: str
) -> None:
    foreign = problem_from_description(describe_problem(replace(get("C17", 10), name=name), "mine.py", "", {}))
    run_id = store.create(RunRequest.of(foreign, OWN, Settings.of("paper-3", 10)))
    for file in ("run.npz", "elites.csv"):
        answer = browser.get(f"/run/{run_id}/{file}")
        assert answer.status_code == 200
        assert re.fullmatch(r'attachment; filename="[a-z0-9.-]{20,120}"', answer.headers["Content-Disposition"])


def test_levels_survive_the_way_through_an_address() -> None:
    other = Tolerances(OWN.names, ((0, 1 / 3, 1e-300 + 1), (0, 1e-4), (0, 5e-324, 1e300)))
    assert levels_from_text(levels_text(other), OWN) == other
    assert levels_from_text(levels_text(OWN), OWN) is None


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"cell": "125"}, "cell: the map has cells 0 to 124, but it was 125"),
        ({"cell": "-1"}, "cell: a whole number is needed, but it was '-1'"),
        ({"at": "soon"}, "at: a whole number is needed, but it was 'soon'"),
        ({"axes": "g1,g7"}, "axes: a constraint must be one of g1, g2, h1, but it was 'g7'"),
        ({"colour": "taste"}, "colour must be one of gain, objective, age, operator, satisfied, but it was 'taste'"),
        ({"reading": "nearly"}, "reading must be one of up-to, exact, but it was 'nearly'"),
        ({"block": "1"}, r"block: two whole numbers are needed, but it was \[1\]"),
        ({"levels": "0;1"}, "levels: 3 lists are needed, one per constraint, but there were 2"),
        ({"levels": "0;-1;0"}, "g2: a level must not be negative, but one was -1"),
    ],
)
def test_an_address_that_makes_no_sense_is_refused_in_words(query: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        PageState.from_query(query, OWN, get("C17", 10))


def test_a_pace_is_full_speed_a_number_or_slow_enough_to_watch() -> None:
    assert [read_pace(each) for each in ("full", "2000.0", "watch")] == [(None, None), (2_000.0, None), (None, 10.0)]


def test_words_from_a_browser_are_refused_in_words() -> None:
    with pytest.raises(InputError, match="pace: a number of evaluations per second is needed, but it was 'fast'"):
        read_pace("fast")
    with pytest.raises(InputError, match="a list of levels for every constraint is needed, but it was 'all'"):
        read_levels("all", OWN)
    with pytest.raises(InputError, match="a list of constraints is needed, but it was 3"):
        read_axes(3, OWN)


def test_the_moment_shown_is_the_nearest_one_kept_and_maps_are_kept_for_the_next_click(
    store: Store, run_id: str
) -> None:
    maps = Maps(store)
    shown = maps.shown(run_id, 7, None)
    assert shown.evaluations == 5_000
    assert maps.archive(shown) is maps.archive(maps.shown(run_id))
    other = maps.shown(run_id, None, [[0, 1], [0, 1], [0, 1]])
    assert maps.archive(other).tolerances.shape == (3, 3, 3)


def test_a_run_without_a_snapshot_has_an_empty_map(store: Store) -> None:
    queued = store.create(RunRequest(RunSpec("C17", 10, OWN, Settings.of("paper-3", 10))))
    maps = Maps(store)
    assert len(maps.archive(maps.shown(queued))) == 0
    assert maps.archive(maps.shown(queued, None, [[0], [0], [0]])).tolerances.shape == (2, 2, 2)


@pytest.mark.parametrize(("moments", "still"), [([], True), ([5_000], True), ([1, 5_000], False)])
def test_a_timeline_can_be_moved_where_there_is_a_way_between_two_moments(moments: list[int], still: bool) -> None:
    parts = {part.id: part for part in timeline.layout(moments, None).children if hasattr(part, "id")}
    assert parts["timeline-slider"].disabled == parts["timeline-play"].disabled == still


def test_a_run_that_failed_says_why_in_a_sentence(store: Store, run_id: str) -> None:
    failed = replace(store.run(run_id), state="failed", reason="its process died 3 times")
    told = str(run_head.layout(store, failed, (), []))
    assert "This run failed" in told
    assert "'Its process died 3 times.'" in told
