"""The processes of the dashboard: the worker's supervisor and the web server, started, watched and stopped together."""

from __future__ import annotations

import logging
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from types import FrameType
from typing import TextIO

from components import security_token
from components.security_limits import USUAL, Limits
from mapelites import logs
from mapelites.campaign.process import go_on
from mapelites.errors import InputError
from mapelites.runs import Store
from mapelites.runs.supervisor import start_supervisor

THREADS = 8
KEEP_ALIVE = 10  # seconds that a connection may be idle: longer than a page waits between two looks
PERIOD = 0.5  # seconds between looks at the processes
PATIENCE = 10.0  # seconds a process may take to stop
EVERYWHERE = ("0.0.0.0", "::", "")  # addresses that stand for all of this machine's
ROOT = Path(__file__).parent.parent

log = logging.getLogger("dashboard")


class _Stop(Exception):  # noqa: N818 - a wish, not an error
    """Somebody asked for the end."""


@dataclass(frozen=True)
class Place:
    """Where the dashboard listens, how else it is called, and what a client may ask for."""

    host: str = "127.0.0.1"
    port: int = 8050
    trusted: tuple[str, ...] = ()
    base_path: str = ""
    limits: Limits = USUAL
    schedulers: tuple[str, ...] = ()  # the Dask schedulers that campaigns may be given to
    proxied: bool = False  # whether nobody but a proxy reaches it

    def link(self, token: str | None) -> str:
        """What to open in a browser on this machine."""
        name = "localhost" if self.host in EVERYWHERE else _spelled_address(self.host)
        end = f"/?token={token}" if token else "/" if self.base_path else ""
        return f"http://{name}:{self.port}{self.base_path}{end}"


def until_stopped(path: Path, place: Place, problems: Sequence[Path] = ()) -> int:
    """Run supervisor and web server until a signal comes; a supervisor that dies is started again."""
    logs.set_up("start")
    check_free(place.host, place.port)
    Store(path).close()  # made here, once: two processes that make it at the same time would collide
    token = security_token.token_for(place.host, path)
    for name in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(name, _stop)
    supervisor = start_supervisor(path, problems=problems)
    go_on(path, place.schedulers)  # with the campaigns that were running when the dashboard last stopped
    web = _start_web(path, place, token, problems)
    _say(f"Illuminate runs at {place.link(token)}")
    if token and place.host in EVERYWHERE:
        _say("From another machine, the same link with this machine's name or address for localhost.")
    _say(f"Runs are kept in {path}. Stop with Ctrl-C.")
    try:
        while web.poll() is None:
            if supervisor.poll() is not None:
                _say(f"The worker ended with code {supervisor.returncode}; starting it again.", sys.stderr)
                supervisor = start_supervisor(path, problems=problems)
            time.sleep(PERIOD)
        return int(web.returncode)
    except _Stop:
        return 0
    finally:
        for process in (web, supervisor):
            _end(process)


def check_free(host: str, port: int) -> None:
    """An `InputError` in words where nobody can listen at this address."""
    if not 0 <= port <= 65_535:
        raise InputError(f"port must be from 0 to 65,535, but it was {port:,}")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise InputError(f"cannot listen at {host}:{port}: {error.strerror}; try another --port") from None


def _start_web(path: Path, place: Place, token: str | None, problems: Sequence[Path]) -> subprocess.Popen[bytes]:
    own = (socket.gethostname(),) if place.host in EVERYWHERE else (_spelled_address(place.host),)
    hosts = [*own, *place.trusted]
    limits, files = astuple(place.limits), list(map(str, problems))
    given = (str(path), hosts, place.base_path, limits, files, list(place.schedulers), place.proxied)
    factory = f"app:server({', '.join(map(repr, given))})"
    command = [
        sys.executable, "-m", "gunicorn", factory, "--bind", f"{_spelled_address(place.host)}:{place.port}",
        "--workers", "1", "--threads", str(THREADS), "--log-level", "warning", "--graceful-timeout", "2",
        "--keep-alive", str(KEEP_ALIVE),
        "--chdir", str(ROOT), "--no-control-socket", "--logger-class", "components.serve_log.ServerLog",
    ]  # fmt: skip
    return subprocess.Popen(command, start_new_session=True, env={**os.environ, security_token.VARIABLE: token or ""})


def _spelled_address(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _say(text: str, stream: TextIO | None = None) -> None:
    """A line to whoever started us, in the form they want."""
    if logs.kind() == "json":
        log.info(text)
        return
    stream = stream or sys.stdout
    stream.write(f"{text}\n")
    stream.flush()


def _stop(number: int, frame: FrameType | None) -> None:
    raise _Stop


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.terminate()
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
