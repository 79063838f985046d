"""What no client of a library sends: broken HTTP, byte for byte, to a real dashboard with its real server."""

from __future__ import annotations

import random
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.hostile import junk
from tests.hostile.slowest import Slowest
from tests.server.test_serve import APP, free_port, wait_for

STATUS = re.compile(rb"HTTP/1\.[01] (\d{3})")
REFUSED_BY_HTTP = (501, 505)  # how HTTP itself says that a transfer coding or a version is not known
PATIENCE = 30.0
HOST = b"Host: localhost\r\n"
JSON = b"Content-Type: application/json\r\n"
CALLBACK = b"POST /_dash-update-component HTTP/1.1\r\n" + HOST + JSON
BODY = b'{"output": "x", "inputs": [], "state": []}'
WHOLE = (
    b"GET / HTTP/1.1\r\n" + HOST + b"\r\n",
    b"GET /runs?a=%zz&b=%00 HTTP/1.1\r\n" + HOST + b"Cookie: token=%22; a=\xff\r\nConnection: keep-alive\r\n\r\n",
    b"HEAD /healthz HTTP/1.0\r\n\r\n",
    b"GET http://localhost/status HTTP/1.1\r\n" + HOST + b"\r\n" + b"GET /metrics HTTP/1.1\r\n" + HOST + b"\r\n",
    b"GET /assets/shell/base.css HTTP/1.1\r\n" + HOST + b"Range: bytes=5-2,-0,9999999999999-\r\nIf-Range: x\r\n\r\n",
    b"GET /assets/shell/base.css HTTP/1.1\r\n" + HOST + b"If-Modified-Since: never\r\nIf-None-Match: W/\"\r\n\r\n",
    b"GET / HTTP/1.1\r\n" + HOST + b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: x\r\n\r\n",
    b"GET / HTTP/1.1\r\n" + HOST + b"X-Forwarded-For: ::1\r\nX-Forwarded-Proto: \0\r\nForwarded: for=x\r\n\r\n",
    b"GET / HTTP/1.1\r\n" + HOST + b"SCRIPT_NAME: /x\r\nScript-Name: /x\r\nPath-Info: /\r\nProxy: http://x\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: [::1\r\nHost: localhost\r\n\r\n",
    b"OPTIONS * HTTP/1.1\r\n" + HOST + b"Origin: null\r\nAccess-Control-Request-Method: POST\r\n\r\n",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    CALLBACK + b"Content-Length: 42\r\n\r\n" + BODY,
    CALLBACK + b"Content-Length: -1\r\n\r\n" + BODY,
    CALLBACK + b"Content-Length: 42\r\nContent-Length: 3\r\n\r\n" + BODY,
    CALLBACK + b"Content-Length: 99999999999999999999\r\n\r\n" + BODY,
    CALLBACK + b"Content-Length: 42\r\nTransfer-Encoding: chunked\r\n\r\n2a\r\n" + BODY + b"\r\n0\r\n\r\n",
    CALLBACK + b"Transfer-Encoding: chunked\r\n\r\n2a;x=" + b"y" * 300 + b"\r\n" + BODY + b"\r\n0\r\nT: x\r\n\r\n",
    CALLBACK + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n" + BODY + b"\r\n0\r\n\r\n",
    CALLBACK + b"Transfer-Encoding: chunked, gzip\r\n\r\n2a\r\n" + BODY + b"\r\n0\r\n\r\n",
    CALLBACK + b"Content-Encoding: gzip\r\nExpect: 100-continue\r\nContent-Length: 42\r\n\r\n" + BODY,
    b"POST /token HTTP/1.1\r\n" + HOST + b"Content-Type: multipart/form-data; boundary=\r\nContent-Length: 2\r\n\r\n--",
    b"GET /" + b"a" * 9_000 + b" HTTP/1.1\r\n" + HOST + b"\r\n",
    b"GET / HTTP/1.1\r\n" + HOST + b"".join(b"X-%d: x\r\n" % i for i in range(200)) + b"\r\n",
    b"GET / HTTP/1.1\r\n" + HOST + b"X: " + b"x" * 70_000 + b"\r\n\r\n",
    b"GET / HTTP/1.1\r\n" + HOST + b" folded: x\r\n\tand again\r\nno colon\r\n: no name\r\n\r\n",
)  # fmt: skip


ALL_WELL = {"web": True, "store": True, "worker": True}


@contextmanager
def target(folder: Path) -> Iterator[Wire]:
    """A dashboard of its own to be harmed, which must be well afterwards and have nothing to say about itself."""
    port = free_port()
    command = [sys.executable, str(APP), "--port", str(port), "--data", str(folder / "store")]
    with open(folder / "log", "wb") as log:  # a pipe that nobody reads would fill, and then the server waits
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=log)
        try:
            wait_for(ALL_WELL, port)
            yield Wire(port)
            wait_for(ALL_WELL, port)
        finally:
            process.terminate()
            process.wait(PATIENCE)
    said = [line for line in (folder / "log").read_text("utf-8").splitlines() if "Invalid request from ip" not in line]
    assert not said, "\n".join(said[:50])


@dataclass
class Wire:
    """A server that listens, and what it answered to whatever was sent."""

    port: int
    slowest: Slowest = field(default_factory=Slowest)

    def storm(self, count: int, seed: int) -> dict[str, int]:
        """Send so many; how often each status came. An `AssertionError` at the first that the server failed on."""
        random_, statuses = random.Random(seed), dict[str, int]()
        for number in range(count):
            said = random_.choice(WHOLE)
            said = junk.damaged_bytes(random_, said) if random_.random() < 0.8 else said
            with self.slowest.timing(f"bytes {number} of seed {seed}"):
                answers = [int(each) for each in STATUS.findall(self.answer(said))] or [0]
            for each in answers:
                wrong = f"bytes {number} of seed {seed} were answered {each}:\n{said[:2_000]!r}"
                assert each < 500 or each in REFUSED_BY_HTTP, wrong
                name = str(each or "closed")
                statuses[name] = statuses.get(name, 0) + 1
        return statuses

    def answer(self, said: bytes) -> bytes:
        """All that comes back until the server hangs up, which it does: nothing more is going to be said."""
        heard = b""
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE) as client:
            try:
                client.sendall(said)
                client.shutdown(socket.SHUT_WR)
                while part := client.recv(2**16):
                    heard += part
            except (ConnectionResetError, BrokenPipeError):  # it had heard enough
                pass
        return heard
