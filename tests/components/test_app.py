"""The app as a web server sees it: addresses, headers, who may call, and what it says of itself."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

import app
from components.problems import page as problems_page
from components.shared.context import Context
from components.shared.queue import RunQueue
from components.shell import frame as shell
from components.shell.pages import Page, find_page, query_arguments
from mapelites.problems import names
from mapelites.runs import Store
from mapelites.runs.record import WorkerStatus
from server.access import Access
from server.cache import open_memory
from tests.requests_and_stores import request
from tests.runs.test_store import finish


@pytest.fixture
def client(store: Store) -> Iterator[FlaskClient]:
    server = app.create_app(store, access=Access(("illuminate.example",))).server
    with server.test_client() as made:
        yield made


@pytest.mark.parametrize("host", ["localhost:8050", "127.0.0.1", "[::1]:8050", "illuminate.example"])
def test_it_answers_to_its_own_names(client: FlaskClient, host: str) -> None:
    assert client.get("/", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "8.8.8.8"])
def test_it_does_not_answer_to_other_names(client: FlaskClient, host: str) -> None:
    assert client.get("/", headers={"Host": host}).status_code == 400


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://localhost:9999"])
def test_a_request_from_another_page_is_refused(client: FlaskClient, origin: str) -> None:
    headers = {"Host": "localhost:8050", "Origin": origin}
    answer = client.post("/_dash-update-component", json={}, headers=headers)
    assert answer.status_code == 403


def test_a_request_that_is_too_large_is_refused(client: FlaskClient) -> None:
    answer = client.post("/_dash-update-component", data=bytes(65 * 2**20), content_type="application/json")
    assert answer.status_code == 413


def test_a_page_may_load_nothing_from_elsewhere(client: FlaskClient) -> None:
    answer = client.get("/")
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "unsafe-eval" not in policy
    assert not re.search(r"script-src[^;]*unsafe-inline", policy)
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert not re.findall(r"(?:src|href)=\"(?:https?:)?//", answer.text)


def test_health_says_what_is_missing(client: FlaskClient) -> None:
    answer = client.get("/healthz")
    assert (answer.status_code, answer.json) == (503, {"web": True, "store": True, "worker": False})
    status = client.get("/status")
    assert (status.status_code, status.json) == (200, {**answer.json, "problem": None})


def test_health_is_bad_where_the_store_cannot_be_written(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    full = WorkerStatus(True, 1.0, (), "store: the disk is full")
    monkeypatch.setattr(Store, "worker", lambda self: full)
    answer = client.get("/healthz")
    assert (answer.status_code, answer.json) == (503, {"web": True, "store": False, "worker": True})
    assert client.get("/status").json["problem"] == "The disk is full.", "a sentence for the banner"  # type: ignore[index]


def test_a_thumbnail_of_nothing_is_not_found(client: FlaskClient, store: Store) -> None:
    run_id = store.create(request())
    assert client.get(f"/thumbnail/{run_id}/1/light").status_code == 404
    assert client.get("/thumbnail/nosuchrun/1/dark").status_code == 404


def test_a_thumbnail_is_of_a_version_that_there_was(client: FlaskClient, store: Store) -> None:
    run_id = finish(store, request())
    newest = store.version(run_id)
    for version, status in ((newest, 200), (newest + 1, 404), (2**64, 404)):
        assert client.get(f"/thumbnail/{run_id}/{version}/dark").status_code == status


def test_a_request_with_too_many_values_or_too_many_bytes_is_refused_before_it_costs_anything(
    client: FlaskClient,
) -> None:
    many = b'{"output": [' + b"[]," * 200_000 + b"[]]}"
    started = time.process_time()
    answer = client.post("/_dash-update-component", data=many, content_type="application/json")
    assert (answer.status_code, time.process_time() - started < 1.0) == (400, True)
    known = [each for each in client.get("/_dash-dependencies").json or () if not each["clientside_function"]]
    for asked, status in (("runs-import", 200), ("campaign-start", 413)):
        (each,) = [each for each in known if [part["id"] for part in each["inputs"]] == [asked]]
        parts = {name: [{**part, "value": "x" * 2_000_000} for part in each[name]] for name in ("inputs", "state")}
        place, name = each["output"].rsplit(".", 1)
        body = {"output": each["output"], "outputs": {"id": place, "property": name}, **parts, "changedPropIds": []}
        assert client.post("/_dash-update-component", json=body).status_code == status, each["output"]


def test_every_address_leads_to_its_page() -> None:
    for path in ("/", "/runs", "/runs/", "/run/abc", "/problems", "/compare/a+b"):
        assert find_page(app.PAGES, path) is not None, path
    found = find_page(app.PAGES, "/run/k3x")
    assert found is not None
    assert found[1] == {"run_id": "k3x"}
    assert find_page(app.PAGES, "/run/k3x/more") is None
    assert query_arguments("?a=1&b=") == {"a": "1", "b": ""}
    assert query_arguments(None) == {}


def test_a_page_that_is_not_there_or_cannot_be_shown_says_so(store: Store) -> None:
    context = Context(store, open_memory(Flask("test"), store.path / "figures"), RunQueue(store))
    content, title = shell.page_at(context, app.PAGES, "/nowhere", None)
    assert "There is no page here" in str(content)
    assert title == "Not found · Illuminate"
    content, _ = shell.page_at(context, app.PAGES, "/experiments/zz", None)
    assert "There is no such campaign" in str(content)
    assert "href='/experiments'" in str(content)
    content, _ = shell.page_at(context, app.PAGES, "/compare/one", None)
    assert "Comparing takes 2 to 6 different runs, but there were 1" in str(content)


def test_problems_are_found_by_name_kind_and_difficulty() -> None:
    assert problems_page.matching_problems("") == list(names())
    assert problems_page.matching_problems("c07")[:2] == ["C07", "C08"]
    assert problems_page.matching_problems("rotated")[:5] == ["C06", "C08", "C10", "C11", "C15"]
    assert problems_page.matching_problems("rc19")[-1] == "RC19"
    assert "C03" in problems_page.matching_problems("equalities only")
    assert problems_page.matching_problems("no such thing") == []


def test_navigation_marks_where_one_is(client: FlaskClient) -> None:
    def current(path: str) -> list[Any]:
        links = shell._links(app.PAGES, path)
        return [link.children for link in links if getattr(link, "aria-current", None) == "page"]

    assert current("/runs") == ["Runs"]
    assert current("/run/abc") == []
    assert all(isinstance(page, Page) for page in app.PAGES)


def test_every_tab_of_the_browser_has_the_name_of_what_it_shows(store: Store) -> None:
    context = Context(store, open_memory(Flask("test"), store.path / "figures"), RunQueue(store))
    first, second = store.create(request()), store.create(request("C01"))

    def title(path: str) -> str:
        return shell.page_at(context, app.PAGES, path, "")[1]

    assert title(f"/run/{first}") == "C17 10D · paper-3 · seed 1 · Illuminate"
    store.label(first, name="Final beam")
    assert title(f"/run/{first}") == "Final beam · Illuminate"
    assert title(f"/compare/{first}+{second}") == "Final beam and C01 10D compared · Illuminate"
    assert title("/runs") == "Runs · Illuminate"
    assert title("/run/zzzzzzzz") == "Not found · Illuminate"
