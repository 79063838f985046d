"""The processes of the dashboard: the worker's supervisor and the web server, started, watched and stopped together."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

from mapelites.campaign.process import go_on
from mapelites.errors import InputError
from mapelites.runs import Store
from mapelites.runs.supervisor import start_supervisor

THREADS = 8
PERIOD = 0.5  # seconds between looks at the processes
PATIENCE = 10.0  # seconds a process may take to stop
ROOT = Path(__file__).parent.parent


class _Stop(Exception):  # noqa: N818 - a wish, not an error
    """Somebody asked for the end."""


def until_stopped(path: Path, host: str, port: int, trusted: Sequence[str] = (), problems: Sequence[Path] = ()) -> int:
    """Run supervisor and web server until a signal comes; a supervisor that dies is started again."""
    check_free(host, port)
    Store(path).close()  # made here, once: two processes that make it at the same time would collide
    for name in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(name, _stop)
    supervisor = start_supervisor(path, problems=problems)
    go_on(path)  # with the campaigns that were running when the dashboard last stopped
    web = _start_web(path, host, port, trusted, problems)
    sys.stdout.write(f"Illuminate runs at http://{_spelled(host)}:{port}\nRuns are kept in {path}. Stop with Ctrl-C.\n")
    sys.stdout.flush()
    try:
        while web.poll() is None:
            if supervisor.poll() is not None:
                sys.stderr.write(f"The worker ended with code {supervisor.returncode}; starting it again.\n")
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


def _start_web(
    path: Path, host: str, port: int, trusted: Sequence[str], problems: Sequence[Path]
) -> subprocess.Popen[bytes]:
    factory = f"app:server({str(path)!r}, {[*_names(host), *trusted]!r}, {list(map(str, problems))!r})"
    command = [
        sys.executable, "-m", "gunicorn", factory, "--bind", f"{_spelled_address(host)}:{port}", "--workers", "1",
        "--threads", str(THREADS), "--log-level", "warning", "--graceful-timeout", "2", "--chdir", str(ROOT),
        "--no-control-socket",
    ]  # fmt: skip
    return subprocess.Popen(command, start_new_session=True)


def _names(host: str) -> list[str]:
    return [] if host in ("0.0.0.0", "::", "") else [_spelled_address(host)]


def _spelled(host: str) -> str:
    return "localhost" if host in ("0.0.0.0", "::", "") else _spelled_address(host)


def _spelled_address(host: str) -> str:
    return f"[{host}]" if ":" in host else host


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
