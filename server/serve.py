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
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType
from typing import TextIO

from mapelites.campaign.process import resume_all, suspend_all
from mapelites.core.errors import InputError
from mapelites.runs import Store
from mapelites.runs.supervisor import start_supervisor
from mapelites.system import logs
from mapelites.system.processes import ROOT, child_environment, family_of, start_tied
from server import login
from server.browser import is_answered, show_when_ready
from server.options import StartOptions, spelled_address

THREADS = 32  # more than are ever at work at once: a client that is slow to send keeps one
KEEP_ALIVE = 10  # seconds that a connection may be idle: longer than a page waits between two looks
PERIOD = 0.2  # seconds between looks at the processes
PATIENCE = 8.0  # seconds that all of them may take to stop: containers are given ten
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)

log = logging.getLogger("dashboard")


class StopRequest:
    """Whether somebody asked for the end. A signal only says so, and so can interrupt neither a start nor a stop."""

    def __init__(self) -> None:
        self.to_stop = False
        for number in SIGNALS:
            signal.signal(number, self._note)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.to_stop = True


def until_stopped(options: StartOptions, browser: bool = False) -> int:
    """Run supervisor and web server until a signal comes; a supervisor that dies is started again.

    A `browser` shows the page as soon as it answers.
    """
    logs.set_up("start")
    store = Store(options.data)  # made here, once: two processes that make it at the same time would collide
    store.check_writable()
    store.close()
    path = store.path  # from the root on: the web server works in another folder than whoever starts it
    options = replace(options, data=str(path), port=free_port(options.host, options.port))
    shared = login.is_remotely_reachable(options.host, options.trusted, proxied=options.proxied)
    token = login.token_for(path, shared=shared)
    wish, processes = StopRequest(), DashboardProcesses(path)
    try:
        processes.supervisor = start_supervisor(path, options.processes, options.problem_files)
        resume_all(path, options.schedulers)  # with the campaigns that were running when the dashboard last stopped
        processes.web = web = _start_web(options, token)
        reached = "localhost" if options.everywhere else options.host
        while not wish.to_stop and web.poll() is None and not is_answered(reached, options.port):
            time.sleep(PERIOD / 4)
        _say(f"Illuminate runs at {options.link(token)}")
        if token and options.everywhere:
            _say("From another machine, the same link with this machine's name or address for localhost.")
        _say(f"Runs are kept in {path}. Stop with Ctrl-C.")
        if browser:
            show_when_ready(options.link(token), reached, options.port)
        while not wish.to_stop and web.poll() is None:
            if processes.supervisor.poll() is not None:
                _say(f"The worker ended with code {processes.supervisor.returncode}; starting it again.", sys.stderr)
                processes.supervisor = start_supervisor(path, options.processes, options.problem_files)
            time.sleep(PERIOD)
        return 0 if wish.to_stop else int(web.returncode)
    finally:
        processes.stop()


@dataclass
class DashboardProcesses:
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
        resting = suspend_all(self.path)
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if all(each.poll() is not None for each in own) and not any(each.working() for each in resting):
                return
            time.sleep(PERIOD / 4)
        for process in own:
            if process.poll() is None:
                name = "web server" if process is self.web else "worker"
                _say(f"The {name} did not leave within {PATIENCE:.0f} s; it was killed.", sys.stderr)
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
                link = f"http://{spelled_address(host)}:{port}"
                why = f"a dashboard seems to run there already; open {link} or try another --port"
            raise InputError(f"cannot listen at {host}:{port}: {why}") from None


def _start_web(options: StartOptions, token: str | None) -> subprocess.Popen[bytes]:
    factory = f"app:server({options.as_text()!r})"
    # -P: whoever starts us may be in a folder that has an app.py or a server of its own.
    command = [
        sys.executable, "-P", "-m", "gunicorn", factory, "--bind", f"{options.address}:{options.port}",
        "--workers", "1", "--worker-class", "server.web_worker.DeadlineWorker", "--threads", str(THREADS),
        "--log-level", "warning", "--graceful-timeout", "2",
        "--keep-alive", str(KEEP_ALIVE),
        "--chdir", str(ROOT), "--config", "python:server.hooks",
        "--no-control-socket", "--logger-class", "server.log.ServerLog",
        "--forwarded-allow-ips", "", "--forwarder-headers", "",  # nobody says in a header what its path or scheme is
    ]  # fmt: skip
    # One heap for all threads: of one for each, none gives back what the others could use.
    own = child_environment(**{login.VARIABLE: token or "", "MALLOC_ARENA_MAX": "1"})
    return start_tied(command, own, start_new_session=True)


def _say(text: str, stream: TextIO | None = None) -> None:
    """A line to whoever started us, in the form they want."""
    if logs.log_format() == "json":
        log.info(text)
        return
    stream = stream or sys.stdout
    stream.write(f"{text}\n")
    stream.flush()
