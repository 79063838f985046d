"""`python app.py`: web server and worker start together, are watched, and stop together."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from mapelites.campaign import Campaign
from mapelites.campaign.process import launch_campaign
from mapelites.core.errors import InputError
from mapelites.system.processes import family_of
from server.serve import free_port as port_for
from server.web_worker import SLOWEST, DeadlineSocket
from tests.runs.tools import gone

APP = Path(__file__).parents[2] / "app.py"
PATIENCE = 60.0
HASTE = 2
LONG = 10_000  # seconds; who waits for that waits in vain


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def health(port: int) -> dict[str, bool]:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/status", timeout=5) as answer:
            return {name: said for name, said in json.load(answer).items() if name != "problem"}
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return {}


def wait_for(wanted: dict[str, bool], port: int) -> None:
    end = time.monotonic() + PATIENCE
    while health(port) != wanted:
        if time.monotonic() > end:
            pytest.fail(f"waited for {wanted}, but it was {health(port)}")
        time.sleep(0.1)


def children(pid: int) -> dict[int, str]:
    """The processes started by a process, with their command lines."""
    listed = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return {int(each): Path(f"/proc/{each}/cmdline").read_text().replace("\0", " ") for each in listed}


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    port = free_port()
    command = [sys.executable, str(APP), "--port", str(port), "--data", str(tmp_path / "store")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    yield process, port
    if process.poll() is None:
        process.terminate()
    process.communicate(timeout=PATIENCE)


def test_it_starts_says_where_replaces_a_dead_worker_and_stops_clean(served: tuple[subprocess.Popen[str], int]) -> None:
    process, port = served
    all_well = {"web": True, "store": True, "worker": True}
    wait_for(all_well, port)
    started = children(process.pid)
    (worker,) = [pid for pid, command in started.items() if " worker " in command]
    os.kill(worker, signal.SIGKILL)
    wait_for({**all_well, "worker": False}, port)
    wait_for(all_well, port)
    assert worker not in children(process.pid)
    last = [each for pid in children(process.pid) for each in family_of(pid)]
    for pid in last:
        os.kill(pid, signal.SIGSTOP)
    process.send_signal(signal.SIGTERM)
    output, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert re.match(
        rf"Illuminate runs at http://127\.0\.0\.1:{port}\nRuns are kept in .*store\. Stop with Ctrl-C\.\n", output
    )
    assert errors == "The worker ended with code -9; starting it again.\n", "all left by themselves, though frozen"
    assert health(port) == {}
    wait_until(lambda: all(map(gone, last)))  # whoever takes in orphans may need a moment


def test_a_dashboard_that_is_killed_leaves_no_process_behind(served: tuple[subprocess.Popen[str], int]) -> None:
    process, port = served
    wait_for({"web": True, "store": True, "worker": True}, port)
    left = [each for pid in children(process.pid) for each in family_of(pid)]
    assert len(left) >= 3  # gunicorn, what it started, and the worker
    process.kill()
    wait_until(lambda: all(map(gone, left)))
    assert health(port) == {}


def test_a_dashboard_that_is_killed_while_it_starts_leaves_no_process_behind(tmp_path: Path) -> None:
    command = [sys.executable, str(APP), "--port", str(free_port()), "--data", str(tmp_path / "store")]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    wait_until(lambda: len(children(process.pid)) == 2)
    left = children(process.pid)
    process.kill()
    process.wait(PATIENCE)
    wait_until(lambda: all(map(gone, left)))


def test_where_others_can_come_it_prints_a_link_with_a_token_that_opens_it_and_the_log_is_json(tmp_path: Path) -> None:
    port, data = free_port(), tmp_path / "store"
    command = [sys.executable, str(APP), "--host", "0.0.0.0", "--port", str(port), "--data", str(data)]
    command += ["--base-path", "illuminate/", "--log", "json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        first = json.loads(process.stderr.readline())
        token = (data / "token").read_text()
        link = f"http://localhost:{port}/illuminate/?token={token}"
        assert (first["part"], first["message"]) == ("start", f"Illuminate runs at {link}")
        wait_for_page(f"http://127.0.0.1:{port}/healthz", 503, 200)
        assert token not in " ".join(children(process.pid).values()), "no list of processes shows the token"
        with pytest.raises(urllib.error.HTTPError, match="401"):
            urllib.request.urlopen(f"http://127.0.0.1:{port}/runs")
        browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        with browser.open(link) as answer:
            assert answer.url == f"http://localhost:{port}/illuminate/"
            assert 'href="/illuminate/assets/icon.svg"' in answer.read().decode()
        with browser.open(f"http://localhost:{port}/illuminate/status") as answer:
            assert json.load(answer)["web"] is True
    finally:
        process.terminate()
        _, errors = process.communicate(timeout=PATIENCE)
    lines = [json.loads(line) for line in errors.splitlines()]
    refused = [line for line in lines if line["message"] == "refused without the token"]
    assert (refused[0]["part"], refused[0]["path"], refused[0]["client"]) == ("web", "/runs", "127.0.0.1")


def wait_for_page(address: str, *statuses: int) -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(address, timeout=5) as answer:
                found = answer.status
        except urllib.error.HTTPError as error:
            found = error.code
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            found = 0
        if found in statuses:
            return
        time.sleep(0.1)
    pytest.fail(f"waited in vain for {address}")


GET, POST = (b"%s HTTP/1.1\r\nHost: localhost\r\n" % each for each in (b"GET /", b"POST /_dash-update-component"))
CHUNKED = POST + b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n"
UNHEEDED = (  # headers of which nothing is believed
    GET + b"SCRIPT_NAME: /x\r\n\r\n",
    GET + b"X-Forwarded-Proto: https\r\nX-Forwarded-Ssl: off\r\nX-Forwarded-Host: evil.example\r\n\r\n",
)
MALFORMED = (  # what a test client cannot send: the server itself must refuse it
    CHUNKED + b"\r\nzz\r\n{}\r\n0\r\n\r\n",
    CHUNKED + b"\r\n1\r\n{}\r\n0\r\n\r\n",
    CHUNKED + b"Content-Length: 2\r\n\r\n0\r\n\r\n",
    POST + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}",
    POST + b"Content-Type: application/json\r\nContent-Length: 99999999999999999999\r\n\r\n{}",
    GET + b"Host: evil.example\r\n\r\n",
    GET + b"X: a\0b\r\n\r\n",
    GET + b"Cookie: " + b"a" * 9_000 + b"\r\n\r\n",
    GET + b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: [::1\r\n\r\n",
    b"GET /" + b"a" * 9_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"GET /assets/..%2fapp.py HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
)


def test_started_from_any_folder_it_refuses_malformed_http_and_keeps_its_runs_where_it_was_told(tmp_path: Path) -> None:
    port, name = free_port(), 'it\'s a "fo{l}der" é %s #?&\n'
    command = [sys.executable, str(APP), "--port", str(port), "--data", name]
    bare = {each: value for each, value in os.environ.items() if each != "PYTHONPATH"}
    process = subprocess.Popen(command, cwd=tmp_path, env=bare, stderr=subprocess.PIPE, text=True)
    try:
        wait_for({"web": True, "store": True, "worker": True}, port)
        assert {"cache", "figures", "supervisor.lock"} <= {each.name for each in (tmp_path / name).iterdir()}
        usual, refused = ([status_of(port, each) for each in sent] for sent in (UNHEEDED, MALFORMED))
    finally:
        process.terminate()
        _, errors = process.communicate(timeout=PATIENCE)
    assert usual == [200, 200]
    assert all(400 <= status < 500 for status in refused), refused
    assert "Traceback" not in errors


def status_of(port: int, words: bytes) -> int:
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as client:
        client.sendall(words)
        return int(client.makefile("rb").read(12).split()[1])


def test_a_port_in_use_is_said_in_one_line(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        command = [sys.executable, str(APP), "--port", str(port), "--data", str(tmp_path)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 2
    words = f"a dashboard seems to run there already; open http://127.0.0.1:{port} or try another --port"
    assert done.stderr == f"cannot listen at 127.0.0.1:{port}: {words}\n"


def test_a_port_that_cannot_be_is_refused() -> None:
    with pytest.raises(InputError, match="port must be from 0 to 65,535, but it was 70,000"):
        port_for("127.0.0.1", 70_000)


def test_port_0_stands_for_a_free_one_that_is_said() -> None:
    assert port_for("127.0.0.1", 0) > 0


def test_a_signal_while_it_starts_or_stops_leaves_no_process_and_a_campaign_rests_until_the_next_start(
    served: tuple[subprocess.Popen[str], int], tmp_path: Path
) -> None:
    process, port = served
    wait_for({"web": True, "store": True, "worker": True}, port)
    campaign = Campaign(("C17",), (10,), ("paper-3",), runs=50, changes={"evaluations": 300_000})
    folder = launch_campaign(tmp_path / "store", campaign)
    wait_until(folder.working)
    last = children(process.pid)
    for _ in range(3):
        process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, errors) == (0, ""), "nobody had to be killed"
    wait_until(lambda: all(map(gone, last)))  # whoever takes in orphans may need a moment
    assert (folder.working(), folder.wanted, folder.trouble) == (False, True, "")


def test_a_signal_before_anything_runs_is_heard_as_well(tmp_path: Path) -> None:
    command = [sys.executable, str(APP), "--port", str(free_port()), "--data", str(tmp_path / "store")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_until(lambda: " worker " in " ".join(children(process.pid).values()))
    last = children(process.pid)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    wait_until(lambda: all(map(gone, last)))  # whoever takes in orphans may need a moment


def wait_until(true: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.02)


@contextmanager
def small_server(seconds: int = HASTE, *options: str) -> Iterator[tuple[int, subprocess.Popen[bytes]]]:
    """A server that gives a request so many seconds, and its port."""
    port = free_port()
    command = [
        sys.executable, "-m", "gunicorn", "tests.server.test_serve:plain", "--bind", f"127.0.0.1:{port}",
        "--threads", "32", "--keep-alive", str(seconds), "--worker-class", "server.web_worker.DeadlineWorker",
        "--chdir", str(APP.parent), "--no-control-socket", "--log-level", "error",
        "--graceful-timeout", str(LONG), *options,
    ]  # fmt: skip
    process = subprocess.Popen(command, start_new_session=True)
    wait_for_page(f"http://127.0.0.1:{port}/", 200)
    try:
        yield port, process
    finally:
        process.terminate()
        process.wait(PATIENCE)


def test_a_server_that_stops_waits_for_nobody_who_has_not_said_a_word() -> None:
    with small_server(LONG) as (port, process), socket.create_connection(("127.0.0.1", port)):
        assert answers(port), "the one who says nothing has been let in by now"
        process.terminate()
        assert process.wait(PATIENCE) == 0


def test_a_web_process_ends_with_the_one_that_started_it_even_when_it_is_frozen() -> None:
    with small_server() as (_, process):
        _, worker = family_of(process.pid)
        os.kill(worker, signal.SIGSTOP)
        process.kill()
        wait_until(lambda: gone(worker))


def plain(environment: dict[str, Any], start: Callable[..., Any]) -> list[bytes]:
    content = environment["wsgi.input"].read()
    start("200 OK", [("Content-Length", str(len(content)))])
    return [content]


HALVES = (
    b"",
    b"GET / HT",
    b"GET / HTTP/1.1\r\nHost: x\r\n",
    b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nab",
    b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9000000\r\n\r\nab",
    b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nab",
)


def test_half_sent_requests_keep_nobody_out_and_are_let_go() -> None:
    for seconds in (LONG, HASTE):
        with small_server(seconds) as (port, _), ExitStack() as open_ones:
            address = ("127.0.0.1", port)
            halves = [open_ones.enter_context(socket.create_connection(address, PATIENCE)) for _ in range(16)]
            for number, each in enumerate(halves):
                each.sendall(HALVES[number % len(HALVES)])
            assert answers(port)
            for each in halves if seconds == HASTE else ():
                assert each.makefile("rb").read(9) in (b"", b"HTTP/1.1 "), "it is answered or not, and let go"
                assert answers(port), "though those who were let go do not leave"


def from_elsewhere(port: int, words: bytes) -> socket.socket:
    """A connection from an address of this machine that is not the usual one."""
    made = socket.create_connection(("127.0.0.1", port), PATIENCE, source_address=("127.0.0.2", 0))
    made.sendall(words)
    return made


def answers(port: int) -> bool:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=PATIENCE) as answer:
        return bool(answer.status == 200)


def test_however_many_half_requests_one_address_sends_others_are_answered() -> None:
    with small_server(LONG) as (port, _), ExitStack() as open_ones:
        for _ in range(40):
            open_ones.enter_context(from_elsewhere(port, HALVES[3]))
        assert answers(port)


def test_who_has_not_said_what_it_wants_has_no_thread() -> None:
    request = b"GET / HTTP/1.1\r\nHost: x\r\n"
    with small_server(LONG) as (port, _), ExitStack() as open_ones:
        for each in range(100):
            open_ones.enter_context(from_elsewhere(port, HALVES[1 + each % (len(HALVES) - 1)]))
        again = open_ones.enter_context(from_elsewhere(port, request + b"\r\n"))
        assert again.recv(9) == b"HTTP/1.1 ", "not even those at its own address wait"
        while not again.recv(2**16).endswith(b"\r\n\r\n"):
            pass
        for part in (request[:9], request[9:], b"Content-Length: 4\r\n\r\n", b"ab", b"cd"):
            again.sendall(part)
            assert answers(port)
        assert again.recv(9) == b"HTTP/1.1 ", "a second request may come in pieces"
        while not again.recv(2**16).endswith(b"abcd"):
            pass
        again.sendall(request + b"Expect: 100-continue\r\nContent-Length: 2\r\n\r\n")
        assert again.recv(25) == b"HTTP/1.1 100 Continue\r\n\r\n", "who asks before a body is told to go on"


def test_however_many_connections_one_address_opens_others_are_let_in() -> None:
    with small_server(LONG, "--worker-connections", "40") as (port, _), ExitStack() as open_ones:
        silent = [open_ones.enter_context(from_elsewhere(port, b"")) for _ in range(60)]
        assert answers(port)
        assert all(each.makefile("rb").read(1) == b"" for each in silent[20:]), "no more than half of all there are"


def test_a_process_that_may_open_few_files_takes_in_fewer_clients() -> None:
    ask = "from server.web_worker import _room_for as r; import resource as s; print(r(1000), s.getrlimit(7)[0])"
    limited = [sys.executable, "-c", f"import resource; resource.setrlimit(7, ({{}}, {{}})); {ask}"]
    for soft, hard, found in ((64, 4_096, "1000 1512"), (64, 1_024, "512 1024"), (64, 100, "50 100")):
        command = [limited[0], "-c", limited[2].format(soft, hard)]
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=APP.parent)
        assert done.stdout.strip() == found


def test_a_large_request_that_keeps_coming_has_the_time_it_needs() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        reading = DeadlineSocket(ours, 0.1)
        theirs.sendall(b"x" * 2 * SLOWEST)
        came = sum(len(reading.recv(SLOWEST // 10)) for _ in range(20))
        later = threading.Timer(0.3, theirs.send, [b"y"])
        later.start()
        assert (came, reading.recv(1)) == (2 * SLOWEST, b"y")
        later.join()
