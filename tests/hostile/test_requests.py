"""Malformed requests give a 4xx or a message, never an error inside, a hang or a changed run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import app as dashboard
from mapelites.campaign.process import campaigns_folder
from mapelites.runs import Store
from tests.hostile.requests import CALLBACKS, PATHS, Target, barrage, right, target


@pytest.fixture
def attacked(store: Store, monkeypatch: pytest.MonkeyPatch) -> Iterator[Target]:
    yield from target(store, monkeypatch)


def test_the_requests_that_are_damaged_are_right_before(attacked: Target) -> None:
    for output in attacked.outputs:
        answer = attacked.client.post(CALLBACKS, json=right(attacked, output))
        assert answer.status_code in (200, 204), (output, answer.text)
        assert not attacked.errors, (output, attacked.errors)


@pytest.mark.parametrize("seed", [1, 2])
def test_a_barrage_of_malformed_requests_does_no_harm(attacked: Target, seed: int) -> None:
    statuses = barrage(attacked, 400, seed)
    assert statuses["200"] > 100, "the requests come as far as the callbacks"
    assert statuses["400"] > 50, "and many are refused before"
    assert attacked.taken, "some files are harmless enough to be taken in"
    assert attacked.slowest.seconds > 0.0


def test_a_changed_run_or_campaign_and_a_file_elsewhere_are_seen(attacked: Target) -> None:
    database, before = attacked.store.entries.database, attacked.untouched
    assert attacked.untouched == before
    attacked.store.delete(attacked.other)
    with database.writing():
        database.put(f"snapshot/{attacked.named}/1", b"another")
    (folder,) = campaigns_folder(attacked.store.path).iterdir()
    (folder / "wanted").write_text("run")
    (attacked.store.path.parent / "stray").touch()
    after = attacked.untouched
    changed = {key.rpartition("/")[2] for key in {*before, *after} if before.get(key) != after.get(key)}
    assert changed == {attacked.other, "1", "wanted", "stray"}


@pytest.mark.parametrize("harm", [Path("/etc/passwd").read_text(), "<p><script>alert(1)</script></p>"])
def test_a_file_from_elsewhere_and_a_script_that_comes_back_are_seen(attacked: Target, harm: str) -> None:
    attacked.app.server.add_url_rule("/harmful", view_func=lambda: harm)
    assert attacked.client.get("/harmful").status_code == 200
    assert len(attacked.errors) == 1


def test_every_address_of_the_server_is_shot_at(attacked: Target) -> None:
    known = attacked.app.server.url_map.bind("localhost")
    reached = {CALLBACKS}
    for form in PATHS:
        path = form.replace("{id}", attacked.named).replace("{campaign}", attacked.campaign).partition("?")[0]
        rule, _ = known.match(path.replace("{}", "x"), return_rule=True)
        reached.add(str(rule))
    assert {str(rule) for rule in attacked.app.server.url_map.iter_rules()} - reached == set()


def test_every_page_is_learnt_from(attacked: Target) -> None:
    assert ("editor-open", "id") in attacked.values
    assert {page.path for page in dashboard.PAGES} == {
        "/", "/runs", "/run/<run_id>", "/compare/<ids>", "/experiments", "/experiments/<campaign_id>", "/problems",
        "/problems/new",
    }, "a new page must be added to those that are learnt from"  # fmt: skip
