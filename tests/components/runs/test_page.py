"""Which runs the list shows in which order, and what goes in and out as files."""

from __future__ import annotations

import io
import zipfile
from dataclasses import replace

import pytest
from flask import Flask

from app import create_app
from components.runs import actions as runs_page_actions
from components.runs import space as runs_page_room
from components.runs.differences import distinguishing_words
from components.runs.listing import (
    PAGE,
    ListView,
    changed_cells,
    live_cells,
    page_count,
    run_marks,
    runs_on_page,
    select_runs,
)
from components.shared import summary
from components.shared.context import Context
from components.shared.queue import RunQueue
from mapelites.core.errors import InputError
from mapelites.core.tolerances import Tolerances
from mapelites.problems import get
from mapelites.runs import Labels, Run, Store
from server.cache import open_memory
from tests.requests_and_stores import request, with_spec
from tests.runs.test_store import finish

RUNS = [
    Run("aaa", request("C17", seed=3), "running", created=300.0, evaluations=50_000, occupied=25, seconds=2.0),
    Run("bbb", request("C01", search="paper-1"), "finished", created=200.0, best_feasible=-0.7, evaluations=200_000),
    Run("ccc", request("C17", 30), "failed", created=100.0, best_feasible=4.0, reason="out of memory"),
]


def ids(view: ListView) -> str:
    return " ".join(run.id for run in select_runs(RUNS, view))


def test_the_newest_run_comes_first() -> None:
    assert ids(ListView()) == "aaa bbb ccc"


@pytest.mark.parametrize(
    ("text", "found"),
    [("c17", "aaa ccc"), ("c17 30d", "ccc"), ("seed 3 10d", "aaa"), ("PAPER-1", "bbb"), ("bbb", "bbb"), ("c99", "")],
)
def test_every_word_of_the_filter_must_be_found(text: str, found: str) -> None:
    assert ids(ListView(text=text)) == found


def test_states_filter_too() -> None:
    assert ids(ListView(states=("failed", "finished"))) == "bbb ccc"


def test_a_run_without_a_feasible_solution_sorts_last() -> None:
    assert ids(ListView(sort="best", descending=False)) == "bbb ccc aaa"


def test_pressing_a_column_sorts_by_it_and_pressing_again_turns_it_round() -> None:
    once = ListView().sorted_by("best")
    assert (once.sort, once.descending) == ("best", False)
    assert once.sorted_by("best").descending
    assert ListView().sorted_by("coverage").descending


@pytest.mark.parametrize("data", [None, [], {"sort": "nonsense"}, {"sort": ["best"]}])
def test_whatever_a_browser_sends_makes_a_view(data: object) -> None:
    assert ListView.of(data, 5, "running") == ListView()


def test_an_address_holds_what_is_shown() -> None:
    query = {
        "q": "c17",
        "state": "failed,running,dancing",
        "starred": "yes",
        "sort": "best",
        "order": "down",
        "page": "2",
    }
    assert ListView.from_query(query) == ListView("best", True, "c17", ("failed", "running"), True, 2)
    assert ListView.from_query({}) == ListView()
    assert ListView.from_query({"sort": "name"}) == ListView("name", descending=False)
    assert ListView.from_query({"page": "-3", "sort": "junk", "state": ","}) == ListView()


def test_the_filter_finds_names_notes_tags_and_stars() -> None:
    labelled = replace(RUNS[1], labels=Labels("Final Beam", True, "ask Ann", ("First try", "thesis")))
    runs = [RUNS[0], labelled, RUNS[2]]
    for text in ("final beam", "ann", "#thesis", "#first-try", "c01 final", "bbb"):
        assert [run.id for run in select_runs(runs, ListView(text=text))] == ["bbb"], text
    assert select_runs(runs, ListView(text="#this")) == []
    assert select_runs(runs, ListView(starred=True)) == [labelled]
    assert (summary.run_name(labelled), summary.run_detail(labelled)) == ("Final Beam", "C01 10D · paper-1 · seed 1")


def test_runs_that_look_the_same_say_in_what_they_differ() -> None:
    asked = request()
    finer = Tolerances.same(get("C17", 10), [0, 0.5])
    one_finer = Tolerances.of(get("C17", 10), {"g1": [0, 0.5], "g2": [0, 1e-4, 0.01, 1], "h1": [0, 1e-4, 0.01, 1]})
    many = [k / 10 for k in range(20)]
    others = [
        asked,
        with_spec(asked, settings=replace(asked.settings, evaluations=5_000, bounds="bounce")),
        with_spec(asked, tolerances=finer),
        with_spec(asked, tolerances=one_finer),
        asked,
        request(seed=2),
        with_spec(asked, tolerances=Tolerances.same(get("C17", 10), many)),
        with_spec(asked, tolerances=Tolerances.same(get("C17", 10), [0, *many[2:]])),
    ]
    runs = [Run(f"r{i}", each, "finished", created=float(i)) for i, each in enumerate(others)]
    told = distinguishing_words(list(reversed(runs)))
    assert "200,000 evaluations" in told["r0"]
    assert "5,000 evaluations" in told["r1"]
    assert "bounce" in told["r1"]
    assert "levels 0, 0.5" in told["r2"]
    assert "levels of g1 0, 0.5" in told["r3"]
    assert told["r4"].endswith("the same search as r0")
    assert "r5" not in told, "another seed is told already"
    assert "levels 0, 0.1, 0.2 … 1.9 (20 of them)" in told["r6"]
    assert len(set(told.values())) == len(told)


def test_the_pictures_of_all_rows_come_in_one_sheet_of_both_schemes(store: Store) -> None:
    client = create_app(store).server.test_client()
    asked = request()
    short = with_spec(asked, settings=replace(asked.settings, evaluations=300, initial=200))
    made = [finish(store, short) for _ in range(2)]
    runs = [store.run(run_id) for run_id in made]
    link = summary.picture_sheet(runs)
    text = client.get(f"{link.href},zzzzzzzz.1,{made[0]}.9999,junk").text
    assert text.count("data:image/png;base64,") == 4
    for run in runs:
        name = summary.picture_in_sheet(run).to_plotly_json()["props"]["data-map"]
        for scheme in ("light", "dark"):
            assert f':root[data-mantine-color-scheme="{scheme}"] [data-map="{name}"]' in text


def test_a_changed_run_is_told_from_an_unchanged_one() -> None:
    later = replace(RUNS[0], version=1)
    assert run_marks([later])["aaa"] != run_marks([RUNS[0]])["aaa"]
    assert run_marks(RUNS) == run_marks(list(RUNS))


def test_of_a_run_that_only_grew_older_only_the_age_is_told() -> None:
    version, state, written, _ = run_marks([RUNS[0]])["aaa"]
    assert list(changed_cells(RUNS[0], [version, state, written, "just now"])) == ["created"]
    assert changed_cells(RUNS[0], run_marks([RUNS[0]])["aaa"]) == {}
    assert list(changed_cells(replace(RUNS[0], version=1), run_marks([RUNS[0]])["aaa"])) == list(live_cells(RUNS[0]))
    assert list(changed_cells(RUNS[0], None)) == ["name", *live_cells(RUNS[0])]


@pytest.mark.parametrize(("wanted", "found", "first", "length"), [
    (1, 1, 0, PAGE), (2, 2, PAGE, PAGE), (3, 3, 2 * PAGE, 1),
    (9, 3, 2 * PAGE, 1), (-10**30, 1, 0, PAGE), ("2", 1, 0, PAGE), (None, 1, 0, PAGE),
])  # fmt: skip
def test_a_long_list_has_pages(wanted: object, found: int, first: int, length: int) -> None:
    runs = [replace(RUNS[0], id=str(number)) for number in range(2 * PAGE + 1)]
    assert page_count(runs) == 3
    assert runs_on_page(runs, wanted) == (found, runs[first : first + length])


def test_an_empty_list_is_one_page() -> None:
    assert (page_count([]), runs_on_page([], 2)) == (1, (1, []))


def test_a_failed_run_says_why_in_its_row() -> None:
    assert live_cells(RUNS[2])["state"][1].children == "Out of memory."


def test_a_run_in_words() -> None:
    assert (summary.run_name(RUNS[0]), summary.search_and_seed(RUNS[0]), summary.run_address(RUNS[0])) == (
        "C17 10D",
        "paper-3 · seed 3",
        "/run/aaa",
    )
    assert (summary.spent_share(RUNS[0]), summary.filled_share(RUNS[0])) == (0.25, 0.2)
    assert summary.state_badge(RUNS[0]).children == "running · 25 %"


def test_a_selected_run_stays_selected_while_a_filter_hides_it() -> None:
    shown = [{"tick": "bbb"}, {"tick": "ccc"}]
    assert runs_page_actions.selected_runs(["aaa", "bbb"], shown, [False, True], RUNS) == ["aaa", "ccc"]
    assert runs_page_actions.selected_runs(["aaa"], [], [], RUNS[1:]) == []  # it is deleted
    assert runs_page_actions.selected_runs("junk", shown, [True, None], RUNS) == ["bbb"]
    assert runs_page_actions.selected_runs([["junk"], {}, None, "aaa"], shown, [True, None], RUNS) == ["aaa", "bbb"]


def test_coverage_counts_only_the_cells_that_can_exist() -> None:
    run = replace(RUNS[0], request=request("C16"), occupied=50)  # its h1 = -h2 leaves 125 of 625
    assert summary.filled_share(run) == 0.4
    assert live_cells(run)["coverage"][1].children == "50 of 125 possible cells"


def test_several_exported_runs_come_back_from_one_file() -> None:
    first, second = _npz("one"), _npz("two")
    content = runs_page_actions.zip_of({"a.npz": first, "b.npz": second})
    assert runs_page_actions.run_files(content) == [first, second]


def test_a_single_run_file_and_rubbish_are_passed_on_as_they_are() -> None:
    assert runs_page_actions.run_files(_npz("one")) == [_npz("one")]
    assert runs_page_actions.run_files(b"rubbish") == [b"rubbish"]


def test_a_file_that_would_unpack_to_too_much_is_refused() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bomb.npz", bytes(65 * 2**20))
    with pytest.raises(InputError, match="may hold at most 67,108,864 bytes, but this one holds more"):
        runs_page_actions.run_files(buffer.getvalue())


def _npz(text: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(zipfile.ZipInfo("about.npy"), text)
    return buffer.getvalue()


@pytest.mark.parametrize(("text", "limit"), [("", None), ("2", 2 * 10**9), ("0.5", 5 * 10**8), (" 1,000 ", 10**12)])
def test_a_limit_is_read_in_gigabytes(text: str, limit: int | None) -> None:
    assert runs_page_room.read_limit(text) == limit


@pytest.mark.parametrize("text", ["0", "-1", "much", "nan", True, []])
def test_a_limit_that_is_no_size_is_refused(text: object) -> None:
    with pytest.raises(InputError, match="must be a number of gigabytes above 0, but it was"):
        runs_page_room.read_limit(text)


def test_runs_that_could_go_are_offered_and_none_is_deleted(store: Store) -> None:
    context = Context(store, open_memory(Flask("test"), store.path / "figures"), RunQueue(store))
    assert runs_page_room.space_notices(context) == []
    run_id = store.create(request())
    store.stop(run_id)
    store.set_limit(1)
    assert "more than the limit of 1 B. Deleting the oldest 1 run would make room." in str(
        runs_page_room.space_notices(context)
    )
    assert [run.id for run in store.runs()] == [run_id]
