"""`/metrics`: what the dashboard does, in the text form that Prometheus reads, and a line in the log for bad requests.

https://prometheus.io/docs/instrumenting/exposition_formats/ describes the form.
"""

from __future__ import annotations

import logging
import os
import resource
import threading
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from dash import Dash
from flask import Response, g, request

from components.context import Context
from components.security_limits import client
from mapelites.family import family_of
from mapelites.runs import STATES, Store, StoreError
from mapelites.runs.presence import process_of

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)  # seconds
SLOW = 1.0
FORM = "text/plain; version=0.0.4; charset=utf-8"
Sample = tuple[str, Mapping[str, str], float]

log = logging.getLogger("dashboard.requests")


class Meter:
    """Counts requests and how long they took, by their kind."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._answers: Counter[tuple[str, str]] = Counter()
        self._within: Counter[tuple[str, int]] = Counter()
        self._seconds: Counter[str] = Counter()

    def note(self, kind: str, status: int, seconds: float) -> None:
        """One more request."""
        with self._lock:
            self._answers[kind, str(status)] += 1
            self._within[kind, bisect_left(BUCKETS, seconds)] += 1
            self._seconds[kind] += seconds  # type: ignore[assignment]

    def text(self) -> str:
        """The counters in the form of Prometheus."""
        with self._lock:
            answers, within, seconds = dict(self._answers), dict(self._within), dict(self._seconds)
        counted = [("", {"kind": kind, "status": status}, float(n)) for (kind, status), n in sorted(answers.items())]
        took: list[Sample] = []
        for kind in sorted(seconds):
            total = 0
            for place, bound in enumerate([*map(str, BUCKETS), "+Inf"]):
                total += within.get((kind, place), 0)
                took.append(("_bucket", {"kind": kind, "le": bound}, total))
            took += [("_sum", {"kind": kind}, seconds[kind]), ("_count", {"kind": kind}, total)]
        return family("illuminate_http_requests_total", "counter", "Requests answered.", counted) + family(
            "illuminate_http_request_seconds", "histogram", "How long answers took.", took
        )


def register(app: Dash, context: Context) -> None:
    """Measure every request, and tell."""
    meter, since = Meter(), time.time()

    @app.server.before_request
    def begin() -> None:
        g.began = time.perf_counter()

    @app.server.after_request
    def end(response: Response) -> Response:
        seconds = time.perf_counter() - g.get("began", time.perf_counter())
        kind = _kind(request.path)
        meter.note(kind, response.status_code, seconds)
        if kind != "watch" and (response.status_code >= 400 or seconds > SLOW):
            about = {"method": request.method, "path": request.path, "status": response.status_code}
            level = logging.WARNING if response.status_code >= 500 else logging.INFO
            log.log(level, "request", extra={**about, "seconds": round(seconds, 3), "client": client()})
        return response

    @app.server.get("/metrics")
    def metrics() -> Response:
        return Response(meter.text() + of_store(context.store) + of_process(since), content_type=FORM)


def _kind(path: str) -> str:
    if path == "/_dash-update-component":
        return "callback"
    if path.startswith(("/assets/", "/_dash-component-suites/")):
        return "file"
    if path.startswith("/run/") and path.endswith(("/news", "/map")):
        return "poll" if path.endswith("/news") else "map"
    return "watch" if path in ("/healthz", "/status", "/metrics") else "page"


def of_store(store: Store) -> str:
    """How the runs, the worker and the disk are."""
    try:
        worker, runs, size = store.worker(), store.runs(), store.size()
        free = os.statvfs(store.path)
    except (StoreError, OSError):
        return gauge("illuminate_store_readable", "Whether the store of runs can be read.", 0)
    states = Counter(run.state for run in runs)
    running = [
        ("", {"run": run.id, "problem": run.request.problem, "search": run.request.settings.search}, run.evaluations)
        for run in runs
        if run.state == "running"
    ]
    pid = process_of(store.path) if worker.alive else None
    return "".join(
        [
            gauge("illuminate_store_readable", "Whether the store of runs can be read.", 1),
            gauge("illuminate_worker_alive", "Whether a worker is there and moves.", worker.alive),
            gauge("illuminate_store_trouble", "Whether something keeps the store from being written.",
                  worker.problem is not None),
            family("illuminate_runs", "gauge", "Runs in the store.",
                   [("", {"state": state}, states[state]) for state in STATES]),  # type: ignore[index]
            gauge("illuminate_evaluations", "Evaluations of all runs in the store.",
                  sum(run.evaluations for run in runs)),
            family("illuminate_run_evaluations", "gauge", "Evaluations of the runs that run now.", running),
            gauge("illuminate_store_bytes", "Size of the store.", size),
            gauge("illuminate_disk_free_bytes", "Room left on the store's disk.", free.f_bavail * free.f_frsize),
            gauge("illuminate_worker_resident_memory_bytes", "Memory of the worker and the processes it started.",
                  sum(map(resident, family_of(pid))) if pid else 0),
        ]
    )  # fmt: skip


def of_process(since: float) -> str:
    """How the web server itself is, under the names that all programs use."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    cpu: list[Sample] = [("", {}, used.ru_utime + used.ru_stime)]
    return (
        family("process_cpu_seconds_total", "counter", "Processor time of the web server.", cpu)
        + gauge("process_resident_memory_bytes", "Memory of the web server.", resident(os.getpid()))
        + gauge("process_start_time_seconds", "When the web server started, in seconds since 1970.", since)
    )


def resident(pid: int) -> int:
    """The bytes of memory that a process holds; 0 where there is none."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError, ValueError):
        return 0


def gauge(name: str, words: str, value: float) -> str:
    """One value that goes up and down."""
    return family(name, "gauge", words, [("", {}, float(value))])


def family(name: str, kind: str, words: str, samples: Iterable[Sample]) -> str:
    """All samples of one name, with what they mean; nothing where there are none."""
    lines = [f"{name}{end}{_labels(labels)} {float(value)!r}\n" for end, labels, value in samples]
    return "".join([f"# HELP {name} {words}\n", f"# TYPE {name} {kind}\n", *lines]) if lines else ""


def _labels(labels: Mapping[str, str]) -> str:
    if not labels:
        return ""
    quoted = (value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") for value in labels.values())
    return "{" + ",".join(f'{name}="{value}"' for name, value in zip(labels, quoted, strict=True)) + "}"
