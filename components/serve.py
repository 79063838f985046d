"""The processes of the dashboard: the worker's supervisor and the web server, started, watched and stopped together."""

from __future__ import annotations

import errno
import logging
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from types import FrameType
from typing import TextIO

from components import security_token
from components.security_limits import USUAL, Limits
from mapelites import logs
from mapelites.campaign.process import go_on, rest
from mapelites.errors import InputError
from mapelites.family import family_of
from mapelites.runs import Store
from mapelites.runs.supervisor import start_supervisor

THREADS = 32  # more than are ever at work at once: a client that is slow to send keeps one
KEEP_ALIVE = 10  # seconds that a connection may be idle: longer than a page waits between two looks
PERIOD = 0.2  # seconds between looks at the processes
PATIENCE = 8.0  # seconds that all of them may take to stop: containers are given ten
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
EVERYWHERE = ("0.0.0.0", "::", "")  # addresses that stand for all of this machine's
ROOT = Path(__file__).parent.parent

log = logging.getLogger("dashboard")


class Wish:
    """Whether somebody asked for the end. A signal only says so, and so can interrupt neither a start nor a stop."""

    def __init__(self) -> None:
        self.to_stop = False
        for number in SIGNALS:
            signal.signal(number, self._note)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.to_stop = True


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
    place = replace(place, port=free_port(place.host, place.port))
    store = Store(path)  # made here, once: two processes that make it at the same time would collide
    store.check_writable()
    store.close()
    path = store.path  # from the root on: the web server works in another folder than whoever starts it
    shared = security_token.others_come(place.host, place.trusted, proxied=place.proxied)
    token = security_token.token_for(path, shared=shared)
    wish, processes = Wish(), Processes(path)
    try:
        processes.supervisor = start_supervisor(path, problems=problems)
        go_on(path, place.schedulers)  # with the campaigns that were running when the dashboard last stopped
        processes.web = web = _start_web(path, place, token, problems)
        _say(f"Illuminate runs at {place.link(token)}")
        if token and place.host in EVERYWHERE:
            _say("From another machine, the same link with this machine's name or address for localhost.")
        _say(f"Runs are kept in {path}. Stop with Ctrl-C.")
        while not wish.to_stop and web.poll() is None:
            if processes.supervisor.poll() is not None:
                _say(f"The worker ended with code {processes.supervisor.returncode}; starting it again.", sys.stderr)
                processes.supervisor = start_supervisor(path, problems=problems)
            time.sleep(PERIOD)
        return 0 if wish.to_stop else int(web.returncode)
    finally:
        processes.stop()


@dataclass
class Processes:
    """What was started for a store."""

    path: Path
    supervisor: subprocess.Popen[bytes] | None = None
    web: subprocess.Popen[bytes] | None = None

    def stop(self) -> None:
        """Ask all of them to leave, the campaigns too, and then wait for all of them together."""
        own = [each for each in (self.web, self.supervisor) if each is not None]
        for process in own:
            process.terminate()
            _signal_all(process, signal.SIGCONT)  # who is frozen hears nothing, and may hold what the others wait for
        resting = rest(self.path)
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if all(each.poll() is not None for each in own) and not any(each.working() for each in resting):
                return
            time.sleep(PERIOD / 4)
        for process in own:
            _signal_all(process, signal.SIGKILL)
            process.wait()


def _signal_all(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    """Send a signal to a process and those it started."""
    for each in family_of(process.pid) if process.poll() is None else ():
        with suppress(ProcessLookupError):
            os.kill(each, number)


def free_port(host: str, port: int) -> int:
    """The port, or any free one for 0; an `InputError` in words where nobody can listen at this address."""
    if not 0 <= port <= 65_535:
        raise InputError(f"port must be from 0 to 65,535, but it was {port:,}")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
            return int(probe.getsockname()[1])
        except (TypeError, UnicodeError):
            raise InputError(f"--host must be a name or an address of this machine, but it was {host!r}") from None
        except OSError as error:
            why = f"{error.strerror}; try another --port"
            if error.errno == errno.EADDRINUSE:
                why = (
                    f"a dashboard seems to run there already; open {Place(host, port).link(None)} or try another --port"
                )
            raise InputError(f"cannot listen at {host}:{port}: {why}") from None


def _start_web(path: Path, place: Place, token: str | None, problems: Sequence[Path]) -> subprocess.Popen[bytes]:
    own = (socket.gethostname(),) if place.host in EVERYWHERE else (_spelled_address(place.host),)
    hosts = [*own, *place.trusted]
    limits, files = astuple(place.limits), list(map(str, problems))
    given = (str(path), hosts, place.base_path, limits, files, list(place.schedulers), place.proxied)
    factory = f"app:server({', '.join(map(repr, given))})"
    command = [
        sys.executable, "-m", "gunicorn", factory, "--bind", f"{_spelled_address(place.host)}:{place.port}",
        "--workers", "1", "--worker-class", "components.serve_worker.Worker", "--threads", str(THREADS),
        "--log-level", "warning", "--graceful-timeout", "2",
        "--keep-alive", str(KEEP_ALIVE),
        "--chdir", str(ROOT), "--config", "python:components.serve_hooks",
        "--no-control-socket", "--logger-class", "components.serve_log.ServerLog",
        "--forwarded-allow-ips", "", "--forwarder-headers", "",  # nobody says in a header what its path or scheme is
    ]  # fmt: skip
    # gunicorn reads its settings before it goes to our folder, and whoever starts us may be anywhere.
    search = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    # One heap for all threads: of one for each, none gives back what the others could use.
    own_environment = {"PYTHONPATH": search, security_token.VARIABLE: token or "", "MALLOC_ARENA_MAX": "1"}
    return subprocess.Popen(command, start_new_session=True, env={**os.environ, **own_environment})


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
