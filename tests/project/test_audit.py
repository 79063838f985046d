"""The audit of packages, against a database of our own that answers in the form of osv.dev."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

AUDIT = Path(__file__).parents[2] / "tools" / "audit.py"
ABOUT = {
    "GHSA-1": {"aliases": ["CVE-2025-69872"], "summary": "unpickles"},
    "GHSA-2": {"aliases": ["CVE-1"], "summary": "burns the house down"},
}


class Database(BaseHTTPRequestHandler):
    """Knows something about diskcache, and about one package more where it is told to."""

    known: dict[str, list[str]] = {}  # noqa: RUF012 (set by each test)

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["queries"]
        found = [[{"id": each} for each in self.known.get(query["package"]["name"], [])] for query in asked]
        self._answer({"results": [{"vulns": each} if each else {} for each in found]})

    def do_GET(self) -> None:
        self._answer(ABOUT[self.path.rpartition("/")[2]])

    def _answer(self, value: object) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(value).encode())

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def database() -> Iterator[HTTPServer]:
    server = HTTPServer(("127.0.0.1", 0), Database)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def audit(address: str) -> tuple[int, str]:
    environment = {**os.environ, "AUDIT_DATABASE": address}
    done = subprocess.run([sys.executable, str(AUDIT)], capture_output=True, text=True, env=environment, check=False)
    return done.returncode, done.stdout + done.stderr


def test_a_finding_fails_the_check_and_an_answered_one_is_still_shown(database: HTTPServer) -> None:
    address = f"http://127.0.0.1:{database.server_port}"
    Database.known = {"diskcache": ["GHSA-1"]}
    code, said = audit(address)
    assert (code, "GHSA-1, CVE-2025-69872: unpickles" in said, "answered: diskcache" in said) == (0, True, True)
    Database.known = {"diskcache": ["GHSA-1"], "numpy": ["GHSA-2"]}
    code, said = audit(address)
    assert (code, "burns the house down" in said) == (1, True)
    assert "2 known vulnerabilities, 1 of them not answered" in said


def test_a_database_that_cannot_be_reached_is_said_and_nothing_is_taken_as_checked() -> None:
    code, said = audit("http://127.0.0.1:1")
    assert (code, "audit: NOT DONE, http://127.0.0.1:1 cannot be asked" in said) == (0, True)
