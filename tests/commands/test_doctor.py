"""`doctor` finds what is wrong with a set-up and says what to do."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from mapelites.__main__ import main
from mapelites.commands import doctor
from mapelites.core.errors import InputError
from mapelites.runs import Store
from mapelites.runs.presence import SupervisorLock
from tests.runs.test_store import finish, say_format
from tests.runs.tools import request


@pytest.fixture
def port() -> Iterator[int]:
    """A port that nobody else takes meanwhile: it is bound, but nobody listens."""
    with socket.socket() as held:
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        held.bind(("127.0.0.1", 0))
        yield int(held.getsockname()[1])


def found(data: Path, port: int) -> dict[str, doctor.Diagnosis]:
    return {each.name: each for each in doctor.find_everything(data, port)}


def test_a_sound_set_up_is_said_to_be_well(tmp_path: Path, port: int, capsys: pytest.CaptureFixture[str]) -> None:
    data = tmp_path / "not" / "yet"
    assert main(["doctor", "--data", str(data), "--port", str(port)]) == 0
    said = capsys.readouterr().out
    assert said.endswith("\nall is well\n")
    assert "will be made at the first start" in said
    assert not data.exists(), "looking changes nothing"


def test_runs_a_worker_and_damage_are_seen(tmp_path: Path, port: int) -> None:
    store = Store(tmp_path)
    run_id = store.create(request())
    assert found(tmp_path, port)["runs"].words == "1, all of them can be read"
    assert found(tmp_path, port)["worker"].verdict == "note"
    here = SupervisorLock.acquire(tmp_path)
    assert here is not None
    assert found(tmp_path, port)["worker"].verdict == "ok"
    os.utime(tmp_path / "supervisor.lock", (0, 0))
    assert "does not move" in found(tmp_path, port)["worker"].words
    here.release()
    with store.entries.database.writing():
        store.entries.database.put(f"entry/{run_id}", "nonsense")
    assert found(tmp_path, port)["runs"] == doctor.Diagnosis(
        "fix",
        "runs",
        f"1 of 1 cannot be read: {run_id}",
        "`doctor --repair` brings back what it can; the others are not harmed",
    )


def test_a_port_that_something_else_has_is_to_be_fixed() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        other.settimeout(0.1)
        threading.Thread(target=_hang_up, args=(other,), daemon=True).start()
        finding = doctor.check_port(other.getsockname()[1])
    assert (finding.verdict, finding.remedy) == ("fix", "start the dashboard with another --port")
    with pytest.raises(InputError, match="port must be from 1 to 65,535, but it was 0"):
        doctor.check_port(0)


class Dashboard(BaseHTTPRequestHandler):
    """Says that its worker is gone."""

    def do_GET(self) -> None:
        self.send_response(503)
        self.end_headers()
        self.wfile.write(b'{"store": true, "web": true, "worker": false}')

    def log_message(self, format: str, *given: object) -> None:
        pass


def test_a_dashboard_says_itself_what_it_lacks_whatever_proxy_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    with HTTPServer(("127.0.0.1", 0), Dashboard) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        finding = doctor.check_port(server.server_port)
        server.shutdown()
    assert finding.words == f"a dashboard answers at {server.server_port}, but not all is well: worker"


def _hang_up(server: socket.socket) -> None:
    """Answer nobody."""
    with contextlib.suppress(OSError):
        while True:
            with contextlib.suppress(TimeoutError):
                server.accept()[0].close()


def test_a_repair_says_what_it_did_and_a_map_that_is_lost_can_be_computed_again(
    tmp_path: Path, port: int, capsys: pytest.CaptureFixture[str]
) -> None:
    store = Store(tmp_path)
    run_id = finish(store, request(evaluations=3_000))
    with store.entries.database.writing():
        store.entries.database.put(f"entry/{run_id}", "nonsense")
    main(["doctor", "--data", str(tmp_path), "--port", str(port), "--repair"])
    assert capsys.readouterr().out.startswith(f"run {run_id} was missing or damaged and is back\n\n")
    assert found(tmp_path, port)["runs"].words == "1, all of them can be read"
    with store.entries.database.writing():
        store.entries.database.drop(f"snapshot/{run_id}/{store.entries.record(run_id).snapshot}")
    lost = found(tmp_path, port)["runs"]
    assert lost.words.startswith(f"1 of 1 cannot be shown: {run_id} (run {run_id}: its newest snapshot should be")
    assert lost.remedy == f"`again {run_id}` computes them again from their seeds"
    main(["again", run_id, "--data", str(tmp_path)])
    assert f"run {run_id} is computed again as run " in capsys.readouterr().out
    (again,) = [run for run in store.runs() if run.id != run_id]
    assert again.request == store.run(run_id).request


def test_a_file_in_place_of_the_folder_and_a_newer_format_are_to_be_fixed(tmp_path: Path, port: int) -> None:
    (tmp_path / "file").write_text("")
    assert found(tmp_path / "file", port)["data"].words == f"{tmp_path / 'file'} is a file"
    say_format(Store(tmp_path / "data"), b"99", 99)
    assert "is of format 99, made by a newer version" in found(tmp_path / "data", port)["runs"].words


@pytest.mark.parametrize(
    ("path", "words"),
    [("file/inside", "file is a file"), ("a" * 300, "cannot be used: File name too long"), ("file", "file is a file")],
)
def test_a_folder_that_cannot_be_made_is_to_be_fixed(tmp_path: Path, port: int, path: str, words: str) -> None:
    (tmp_path / "file").touch()
    data = found(tmp_path / path, port)["data"]
    assert (data.verdict, data.words[-len(words) :]) == ("fix", words)


def test_a_token_that_others_may_read_is_to_be_fixed(tmp_path: Path, port: int) -> None:
    assert found(tmp_path, port)["token"].verdict == "ok"
    token = tmp_path / "token"
    token.touch(mode=0o600)
    assert found(tmp_path, port)["token"].words == "only its owner may read it"
    token.chmod(0o640)
    finding = found(tmp_path, port)["token"]
    assert (finding.verdict, finding.remedy) == ("fix", f"chmod 600 {token}")


def test_packages_are_compared_with_what_is_pinned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert doctor.check_packages().verdict == "ok"
    (tmp_path / "requirements.txt").write_text("numpy==0.0.1\nno-such-package==1.0\n")
    monkeypatch.setattr(doctor, "ROOT", tmp_path)
    finding = doctor.check_packages()
    assert finding.verdict == "fix"
    assert "for 0.0.1, no-such-package missing for 1.0" in finding.words
    assert f"pip install -r {tmp_path / 'requirements.txt'}" in finding.remedy
