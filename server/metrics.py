"""`/metrics`: what the dashboard does, for Prometheus, and a line in the log for requests that were refused or slow."""

from __future__ import annotations

import logging
import os
import time
from collections import Counter as Tally
from collections.abc import Iterator
from pathlib import Path

from dash import Dash
from flask import Response, g, request
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.registry import Collector

from components.shared.context import Context
from mapelites.runs import STATES, Store, StoreError
from mapelites.runs.presence import process_of
from mapelites.system.processes import family_of
from server.limits import client_address

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)  # seconds
SLOW = 1.0

log = logging.getLogger("dashboard.requests")
disable_created_metrics()  # type: ignore[no-untyped-call]  # one more series beside each counter


class RequestMeter:
    """Counts requests and how long they took, by their kind."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._answers = Counter(
            "illuminate_http_requests", "Requests answered.", ("kind", "status"), registry=registry
        )  # Prometheus adds _total
        self._seconds = Histogram(
            "illuminate_http_request_seconds", "How long answers took.", ("kind",), registry=registry, buckets=BUCKETS
        )

    def note(self, kind: str, status: int, seconds: float) -> None:
        """One more request."""
        self._answers.labels(kind, str(status)).inc()
        self._seconds.labels(kind).observe(seconds)


class StoreCollector(Collector):
    """How the runs, the worker and the disk are, read from the store whenever somebody asks."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def collect(self) -> Iterator[Metric]:
        """What Prometheus is told; where the store cannot be read, only that."""
        store = self._store
        try:
            worker, runs, size = store.worker(), store.runs(), store.size()
            disk = os.statvfs(store.path)
        except (StoreError, OSError):
            yield _gauge("illuminate_store_readable", "Whether the store of runs can be read.", 0)
            return
        yield _gauge("illuminate_store_readable", "Whether the store of runs can be read.", 1)
        yield _gauge("illuminate_worker_alive", "Whether a worker is there and moves.", worker.alive)
        troubled = worker.problem is not None
        yield _gauge("illuminate_store_trouble", "Whether something keeps the store from being written.", troubled)
        states = Tally[str](run.state for run in runs)
        by_state = GaugeMetricFamily("illuminate_runs", "Runs in the store.", labels=("state",))
        for state in STATES:
            by_state.add_metric((state,), states[state])
        yield by_state
        evaluations = sum(run.evaluations for run in runs)
        yield _gauge("illuminate_evaluations", "Evaluations of all runs in the store.", evaluations)
        running = GaugeMetricFamily(
            "illuminate_run_evaluations",
            "Evaluations of the runs that run now.",
            labels=("run", "problem", "search"),
        )
        for run in runs:
            if run.state == "running":
                labels = (run.id, run.request.problem, run.request.settings.search)
                running.add_metric(labels, run.evaluations)
        yield running
        yield _gauge("illuminate_store_bytes", "Size of the store.", size)
        yield _gauge("illuminate_disk_free_bytes", "Room left on the store's disk.", disk.f_bavail * disk.f_frsize)
        pid = process_of(store.path) if worker.alive else None
        memory = sum(map(resident_bytes, family_of(pid))) if pid else 0
        words = "Memory of the worker and the processes it started."
        yield _gauge("illuminate_worker_resident_memory_bytes", words, memory)


def register(app: Dash, context: Context) -> None:
    """Measure every request, and tell."""
    registry = CollectorRegistry()  # one for each dashboard: a process of tests has several
    meter = RequestMeter(registry)
    registry.register(StoreCollector(context.store))
    ProcessCollector(registry=registry)

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
            log.log(level, "request", extra={**about, "seconds": round(seconds, 3), "client": client_address()})
        return response

    @app.server.get("/metrics")
    def metrics() -> Response:
        return Response(generate_latest(registry), content_type=CONTENT_TYPE_PLAIN_0_0_4)


def _kind(path: str) -> str:
    if path == "/_dash-update-component":
        return "callback"
    if path.startswith(("/assets/", "/_dash-component-suites/")):
        return "file"
    if path.startswith("/run/") and path.endswith(("/news", "/map")):
        return "poll" if path.endswith("/news") else "map"
    return "watch" if path in ("/healthz", "/status", "/metrics") else "page"


def _gauge(name: str, words: str, value: float) -> GaugeMetricFamily:
    """One value that goes up and down."""
    return GaugeMetricFamily(name, words, value=value)


def resident_bytes(pid: int) -> int:
    """The bytes of memory that a process holds; 0 where there is none."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError, ValueError):
        return 0
