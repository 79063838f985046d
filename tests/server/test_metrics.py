"""`/metrics`, read by the parser that the makers of Prometheus wrote."""

from __future__ import annotations

import json
import logging
import math

import pytest
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.parser import text_string_to_metric_families

import app
from mapelites.runs import Store
from server.metrics import BUCKETS, RequestMeter
from tests.requests_and_stores import request


def samples(text: str) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    return {
        (each.name, tuple(sorted(each.labels.items()))): each.value
        for metric in text_string_to_metric_families(text)
        for each in metric.samples
    }


def test_it_tells_of_requests_runs_worker_store_and_memory(store: Store) -> None:
    for seed in (1, 2):
        store.create(request(seed=seed))
    with app.create_app(store).server.test_client() as client:
        client.get("/")
        client.get("/no/such/page.txt")
        client.post("/_dash-update-component", json={})
        answer = client.get("/metrics")
    assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    found = samples(answer.text)
    assert found["illuminate_runs", (("state", "queued"),)] == 2
    assert found["illuminate_worker_alive", ()] == 0
    assert found["illuminate_store_readable", ()] == 1
    assert found["illuminate_http_requests_total", (("kind", "callback"), ("status", "400"))] == 1
    assert found["illuminate_http_request_seconds_count", (("kind", "page"),)] == 2
    assert found["illuminate_disk_free_bytes", ()] > 0
    assert 10e6 < found["process_resident_memory_bytes", ()] < 100e9


def test_a_histogram_counts_up_to_all_of_them() -> None:
    registry = CollectorRegistry()
    meter = RequestMeter(registry)
    for seconds in (0.001, BUCKETS[0], 0.03, 99.0):
        meter.note("page", 200, seconds)
    found = samples(generate_latest(registry).decode())
    counts = [
        found["illuminate_http_request_seconds_bucket", (("kind", "page"), ("le", str(each)))] for each in BUCKETS
    ]
    assert counts[:4] == [2, 2, 2, 3]
    assert counts == sorted(counts)
    assert found["illuminate_http_request_seconds_bucket", (("kind", "page"), ("le", "+Inf"))] == 4
    assert math.isclose(found["illuminate_http_request_seconds_sum", (("kind", "page"),)], 99.036)


def test_labels_may_hold_anything() -> None:
    registry, kind = CollectorRegistry(), 'say "hi"\\\n'
    RequestMeter(registry).note(kind, 200, 1.0)
    found = samples(generate_latest(registry).decode())
    assert found["illuminate_http_requests_total", (("kind", kind), ("status", "200"))] == 1


def test_a_refused_request_is_logged_without_what_stands_after_the_question_mark(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "dashboard.requests"), app.create_app(store).server.test_client() as client:
        client.get("/thumbnail/nosuchrun/1/dark?token=secret")
    (record,) = [each for each in caplog.records if each.name == "dashboard.requests"]
    fields = {name: vars(record)[name] for name in ("method", "path", "status", "client")}
    assert fields == {"method": "GET", "path": "/thumbnail/nosuchrun/1/dark", "status": 404, "client": "127.0.0.1"}
    assert "secret" not in json.dumps(vars(record), default=str)
