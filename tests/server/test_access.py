"""Who gets in where other machines can reach the dashboard, and how much one client may ask for."""

from __future__ import annotations

import hashlib
import stat
from collections.abc import Iterator
from dataclasses import replace
from http.cookies import Morsel, SimpleCookie
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

import app
from mapelites import Tolerances
from mapelites.core.errors import InputError
from mapelites.problems import get
from mapelites.problems.suites import gallery
from mapelites.runs import RunRequest, Store
from server import login
from server.access import Access, checked_name
from server.limits import SHARED, ClientLimits, LimitedQueue, client_address
from server.logins import GuessLimit
from tests.requests_and_stores import request, with_spec

TOKEN = "correct-horse-battery-staple"
BROWSER = {"Accept": "text/html,*/*"}
FINE = Tolerances.same(get("C17", 10), (0.0, 1e-6, 1e-4, 1e-2, 1.0))


@pytest.fixture
def guarded(store: Store) -> Iterator[FlaskClient]:
    """A browser that has not shown the token yet."""
    server = app.create_app(store, access=Access(("illuminate.example",), TOKEN)).server
    with server.test_client() as made:
        yield made


def cookie_of(answer: TestResponse) -> Morsel[str]:
    (morsel,) = SimpleCookie(answer.headers["Set-Cookie"]).values()
    return morsel


def test_the_link_gives_a_cookie_and_an_address_without_the_token(guarded: FlaskClient) -> None:
    answer = guarded.get(f"/run/k3x?cell=3&token={TOKEN}&at=12", headers=BROWSER)
    assert (answer.status_code, answer.headers["Location"]) == (303, "/run/k3x?cell=3&at=12")
    cookie = cookie_of(answer)
    assert (cookie["httponly"], cookie["samesite"], cookie["path"], cookie["secure"]) == (True, "Strict", "/", "")
    assert guarded.get("/run/k3x").status_code == 200
    assert guarded.get("/status").status_code == 200


def test_over_https_the_cookie_stays_there(guarded: FlaskClient) -> None:
    answer = guarded.get(f"/?token={TOKEN}", headers={**BROWSER, "X-Forwarded-Proto": "https"})
    assert cookie_of(answer)["secure"] is True


@pytest.mark.parametrize("path", ["/", "/runs", "/status", "/metrics", "/_dash-layout", "/assets/icon.svg"])
def test_without_the_token_nothing_is_shown(guarded: FlaskClient, path: str) -> None:
    for wrong in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": TOKEN[:-1]}, {"Cookie": f"x={TOKEN}"}):
        answer = guarded.get(path, headers=wrong)
        assert answer.status_code == 401
        assert "Authorization: Bearer" in answer.text
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert guarded.post("/_dash-update-component", json={}).status_code == 401


def test_the_refusal_says_what_to_do_and_takes_the_token(guarded: FlaskClient) -> None:
    answer = guarded.get("/runs?x=1", headers=BROWSER)
    assert answer.status_code == 401
    assert "Open the link that the server printed when it started" in answer.text
    wrong = guarded.post("/runs?x=1", data={"token": "nonsense"}, headers=BROWSER)
    assert (wrong.status_code, "That token is not the right one" in wrong.text) == (401, True)
    assert guarded.post("/runs", data={"token": "x" * 20_000}).status_code == 413, "whoever is not known sends little"
    right = guarded.post("/runs?x=1", data={"token": TOKEN}, headers=BROWSER)
    assert (right.status_code, right.headers["Location"]) == (303, "/runs?x=1")
    assert guarded.get("/runs").status_code == 200


def test_the_cookie_is_not_the_token_and_each_browser_can_be_signed_out_alone(store: Store) -> None:
    server = app.create_app(store, access=Access((), TOKEN)).server
    one, two = server.test_client(), server.test_client()
    cookies = [cookie_of(each.get(f"/?token={TOKEN}", headers={"User-Agent": name})).value
               for each, name in ((one, "<b>Fox</b>"), (two, "Chrome"))]  # fmt: skip
    assert cookies[0] != cookies[1]
    assert TOKEN not in "".join(cookies)
    kept = (store.path / "logins.json").read_text()
    assert not any(each.partition(".")[2] in kept or TOKEN in kept for each in cookies), "only check sums are kept"
    page = one.get("/logins").text
    assert ("&lt;b&gt;Fox&lt;/b&gt; <strong>(this one)" in page, "<td>Chrome</td>" in page) == (True, True)
    ended = one.post("/logins/end", data={"login": cookies[1].partition(".")[0]})
    assert (ended.status_code, ended.headers["Location"]) == (303, "/logins")
    assert (one.get("/status").status_code, two.get("/status").status_code) == (200, 401)
    assert one.post("/logins/end", data={"login": "none"}).status_code == 404
    again = app.create_app(store, access=Access((), TOKEN)).server.test_client()
    name = f"illuminate-{hashlib.sha256(TOKEN.encode()).hexdigest()[:8]}"
    again.set_cookie(name, cookies[0])
    assert again.get("/status").status_code == 200, "a login outlives a restart"
    again.set_cookie(name, cookies[0][:-1])
    assert again.get("/status").status_code == 401


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"[1]", b"{}", b'[{"id": 1}]', b"null"])
def test_a_damaged_file_of_logins_costs_one_more_sign_in_and_nothing_else(store: Store, content: bytes) -> None:
    server = app.create_app(store, access=Access((), TOKEN)).server
    with server.test_client() as browser:
        browser.get(f"/?token={TOKEN}")
        (store.path / "logins.json").write_bytes(content)
        assert browser.get("/status").status_code == 401
        assert browser.get(f"/?token={TOKEN}").status_code == 303
        assert browser.get("/status").status_code == 200


def test_of_hundreds_of_guesses_ten_a_minute_are_looked_at_and_others_are_not_hindered(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    monkeypatch.setattr(login, "GuessLimit", lambda: GuessLimit(clock))
    server = app.create_app(store, access=Access((), TOKEN)).server
    guesser, known = ({"REMOTE_ADDR": f"192.0.2.{i}"} for i in (1, 2))
    with server.test_client() as browser:
        guesses = [
            {"headers": {"Authorization": f"Bearer guess-number-{i}"}} if i % 2 else {"query_string": {"token": str(i)}}
            for i in range(300)
        ]
        answers = [browser.get("/status", environ_base=guesser, **guess) for guess in guesses]
        assert [each.status_code for each in answers] == [401] * 10 + [429] * 290
        assert answers[-1].headers["Retry-After"] == "60"
        right = {"headers": {"Authorization": f"Bearer {TOKEN}"}}
        assert browser.get("/status", environ_base=guesser, **right).status_code == 429, (
            "it could be one of the guesses"
        )
        assert browser.get("/status", environ_base=known, **right).status_code == 200
        clock.now = 61.0
        assert browser.get("/status", environ_base=guesser, **right).status_code == 200


def test_who_is_signed_in_is_not_hindered_by_guesses_from_the_same_address(guarded: FlaskClient) -> None:
    guarded.get(f"/?token={TOKEN}")
    for _ in range(20):
        guarded.get("/?token=wrong")
    assert guarded.get("/status").status_code == 200


@pytest.mark.parametrize("content", [b"\xff\x00", b"short", b""])
def test_a_damaged_token_file_is_said_in_words(tmp_path: Path, content: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(login.VARIABLE, raising=False)
    (tmp_path / "token").write_bytes(content)
    with pytest.raises(InputError, match=r"token must hold the token, but it holds something else; delete it"):
        login.token_for(tmp_path, shared=True)


def test_the_way_back_never_leads_to_another_server(guarded: FlaskClient) -> None:
    elsewhere = {"PATH_INFO": "//evil.example/x"}
    foreign = {**BROWSER, "Sec-Fetch-Site": "cross-site"}
    again = guarded.get("/", environ_overrides=elsewhere, headers=foreign)
    assert ("refresh" in again.text, "//evil" in again.text) == (True, False)
    answer = guarded.get(f"/?token={TOKEN}", environ_overrides=elsewhere, headers=BROWSER)
    assert answer.headers["Location"] == "/evil.example/x"


def test_a_link_from_another_site_is_asked_for_again_so_that_the_cookie_comes_along(store: Store) -> None:
    with app.create_app(store, access=Access((), TOKEN)).server.test_client() as fresh:
        answer = fresh.get("/run/k3x?at=1", headers={**BROWSER, "Sec-Fetch-Site": "cross-site"})
        assert 'http-equiv="refresh" content="0;url=/run/k3x?at=1"' in answer.text
        assert fresh.get("/run/k3x?at=1", headers={**BROWSER, "Sec-Fetch-Site": "same-origin"}).status_code == 401


def test_programs_show_the_token_in_a_header_and_health_needs_none(guarded: FlaskClient) -> None:
    for said, status in ((f"Bearer {TOKEN}", 200), (f"bearer {TOKEN}", 200), (TOKEN, 401), (f"Basic {TOKEN}", 401)):
        assert guarded.get("/status", headers={"Authorization": said}).status_code == status, said
    assert guarded.get("/healthz").json == {"web": True, "store": True, "worker": False}


def test_with_a_token_it_answers_to_its_addresses_but_to_no_other_name(guarded: FlaskClient) -> None:
    for host, status in (("192.0.2.7:8050", 401), ("[2001:db8::1]", 401), ("evil.example", 400), ("[", 400)):
        assert guarded.get("/", headers={"Host": host}).status_code == status, host


@pytest.mark.parametrize(
    ("host", "asked"),
    [("127.0.0.1", False), ("127.8.8.8", False), ("::1", False), ("localhost", False), ("0.0.0.0", True), ("::", True),
     ("", True), ("192.0.2.1", True), ("no-such-host.invalid", True)],
)  # fmt: skip
def test_a_token_is_needed_wherever_other_machines_can_come(host: str, asked: bool) -> None:
    assert login.is_remotely_reachable(host) is asked
    assert login.is_remotely_reachable(host, proxied=True) is True
    assert login.is_remotely_reachable(host, ["maps.example"]) is True


def test_the_token_is_kept_for_its_owner_alone_and_outlives_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(login.VARIABLE, raising=False)
    token = login.token_for(tmp_path, shared=True)
    assert token is not None
    assert len(token) >= 43  # 32 random bytes
    assert stat.S_IMODE((tmp_path / "token").stat().st_mode) == 0o600
    assert login.token_for(tmp_path, shared=True) == token
    assert login.token_for(tmp_path, shared=False) is None
    monkeypatch.setenv(login.VARIABLE, TOKEN)
    assert login.token_for(tmp_path, shared=False) == TOKEN
    for weak, said in (("short", "it had 5 characters"), ("spaces are not good here", "it had others")):
        monkeypatch.setenv(login.VARIABLE, weak)
        with pytest.raises(InputError, match=f"MAPELITES_TOKEN must have 16 letters.*{said}"):
            login.token_for(tmp_path, shared=True)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def asking(address: str, **headers: str) -> Any:
    environment = {"REMOTE_ADDR": address, **{f"HTTP_{name}": value for name, value in headers.items()}}
    return Flask("test").test_request_context("/", environ_base=environment)


def test_one_client_may_begin_only_so_many_runs_in_a_minute_and_others_are_not_hindered(store: Store) -> None:
    clock = Clock()
    limited = LimitedQueue(store, ClientLimits(unfinished=10, per_minute=2), now=clock)
    with asking("192.0.2.1"):
        limited.create(request())
        clock.now = 20.0
        limited.create(request())
        with pytest.raises(InputError, match="at most 2 runs, imports and campaigns may be begun in a minute; wait 40"):
            limited.create(request())
    with asking("192.0.2.2"):
        limited.create(request())
    clock.now = 61.0
    with asking("192.0.2.1"):
        limited.create(request())
    assert len(store.runs()) == 4


def test_one_client_may_have_only_so_many_runs_waiting_until_some_are_over(store: Store) -> None:
    limited = LimitedQueue(store, ClientLimits(unfinished=2))
    with asking("192.0.2.1"):
        first = limited.create(request())
        limited.create(request())
        with pytest.raises(InputError, match="at most 2 runs of one client may wait or run, and 2 do"):
            limited.create(request())
        store.stop(first)
        limited.create(request())


def test_a_run_that_is_too_large_is_refused_in_words(store: Store) -> None:
    with pytest.raises(InputError, match="evaluations: a run here has at most 1,000, but this one asks for 200,000"):
        LimitedQueue(store, ClientLimits(evaluations=1_000)).create(request())
    with pytest.raises(InputError, match="cells: a run here has at most 10, but this one asks for 125"):
        LimitedQueue(store, ClientLimits(cells=10)).create(request())
    with pytest.raises(InputError, match="a limit must be 1 or more, but that on unfinished was 0"):
        ClientLimits(unfinished=0)
    assert store.runs() == []


def test_a_resumed_run_is_held_to_the_limits_like_a_new_one(store: Store) -> None:
    paused, large = store.create(request()), store.create(with_spec(request(), tolerances=FINE))
    store.pause(paused)
    store.stop(large)
    limited = LimitedQueue(store, ClientLimits(unfinished=1, cells=200))
    with asking("192.0.2.1"):
        with pytest.raises(InputError, match="cells: a run here has at most 200, but this one asks for 216"):
            limited.resume(large)
        limited.resume(paused)
        limited.resume(paused)
        with pytest.raises(InputError, match="at most 1 runs of one client may wait or run, and 1 do"):
            limited.create(request())
    assert [store.run(each).state for each in (paused, large)] == ["queued", "stopped"]


def test_a_run_file_is_held_to_the_limits_like_a_new_run(store: Store) -> None:
    content = store.export(store.create(request()))
    with pytest.raises(InputError, match="evaluations: a run here has"):
        LimitedQueue(store, ClientLimits(evaluations=1_000)).import_run(content)
    assert len(store.runs()) == 1


@pytest.mark.parametrize(
    ("arguments", "evaluations", "cells"),
    [([], 10**12, 2**63 - 1), (["--host", "0.0.0.0"], 10**10, 10**9), (["--proxy"], 10**10, 10**9),
     (["--trust", "maps.example"], 10**10, 10**9),
     (["--host", "0.0.0.0", "--most-cells", "7"], 10**10, 7)],
)  # fmt: skip
def test_where_others_can_come_a_run_has_a_usual_size(arguments: list[str], evaluations: int, cells: int) -> None:
    limits = app.client_limits(app.parser().parse_args(arguments))
    assert (limits.evaluations, limits.cells) == (evaluations, cells)


def test_every_design_of_the_gallery_fits_where_others_can_come() -> None:
    assert max(Tolerances.default(get(name)).cells for name in gallery.NAMES) <= SHARED.cells


@pytest.mark.parametrize(("proxied", "seen"), [(False, "192.0.2.1"), (True, "192.0.2.5")])
def test_who_the_client_is_may_be_said_by_a_proxy_that_the_operator_named_and_by_nobody_else(
    store: Store, proxied: bool, seen: str
) -> None:
    assert client_address() is None
    server = app.create_app(store, access=Access(proxied=proxied)).server
    server.get("/who")(lambda: str(client_address()))
    headers = {"X-Forwarded-For": "203.0.113.9, 192.0.2.5"}
    assert server.test_client().get("/who", headers=headers, environ_base={"REMOTE_ADDR": "192.0.2.1"}).text == seen


NAMED, FOREIGN = "tcp://named.example:8786", "tcp://evil.example:8786"


def by(scheduler: str) -> RunRequest:
    return with_spec(request(), settings=replace(request().settings, scheduler=scheduler))


def test_no_client_chooses_the_scheduler_of_a_run_by_starting_importing_or_resuming_it(store: Store) -> None:
    foreign, named = store.create(by(FOREIGN)), store.create(by(NAMED))
    store.pause(foreign)
    store.pause(named)
    limited = LimitedQueue(store, ClientLimits(), [NAMED])
    refused = f"scheduler must be one that the dashboard was started with, but it was '{FOREIGN}'"
    for act in (
        lambda: limited.create(by(FOREIGN)),
        lambda: limited.import_run(store.export(foreign)),
        lambda: limited.resume(foreign),
    ):
        with pytest.raises(InputError, match=refused):
            act()
    limited.resume(named)
    limited.import_run(store.export(named))
    limited.create(by(NAMED))
    assert store.run(foreign).state == "paused"


@pytest.mark.parametrize(
    "name", ["https://tools.example", "tools.example:8443", "tools.example/maps", "", "a b", "é", "my_machine"]
)
def test_a_name_that_no_browser_sends_is_refused_at_the_start(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert app.main([f"--trust={name}"]) == 2
    words = f"--trust must be a name or an address such as tools.example, but it was {name!r}\n"
    assert capsys.readouterr().err == words


@pytest.mark.parametrize("name", ["tools.example", "My-Machine", "192.0.2.7", "[2001:db8::1]", "2001:db8::1"])
def test_names_and_addresses_may_be_trusted(store: Store, name: str) -> None:
    trusted = checked_name(name)
    client = app.create_app(store, access=Access((trusted,), TOKEN)).server.test_client()
    host = f"[{trusted}]" if ":" in trusted else name
    assert client.get("/", headers={"Host": f"{host}:8050", "Authorization": f"Bearer {TOKEN}"}).status_code == 200


def test_a_name_that_is_none_is_told_as_it_came(guarded: FlaskClient) -> None:
    assert "this server is not called [::1;" in guarded.get("/", headers={"Host": "[::1"}).text


@pytest.mark.parametrize(
    ("site", "mode", "dest", "status"),
    [
        ("cross-site", "no-cors", "image", 403),
        ("cross-site", "navigate", "iframe", 403),
        ("cross-site", "cors", "empty", 403),
        ("cross-site", "navigate", "document", 200),
        ("same-origin", "no-cors", "image", 200),
        ("none", "navigate", "document", 200),
    ],
)
def test_other_sites_may_lead_here_but_not_use_what_is_here(
    store: Store, site: str, mode: str, dest: str, status: int
) -> None:
    fetched = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": mode, "Sec-Fetch-Dest": dest}
    assert app.create_app(store).server.test_client().get("/status", headers=fetched).status_code == status
