"""Malformed requests give a 4xx or a message, never an error inside, a hang or a changed run."""

from __future__ import annotations

import faulthandler
from collections.abc import Iterator

import pytest

from mapelites.runs import Store
from tests.components.conftest import store as store
from tests.hostile.requests import CALLBACKS, Target, barrage, right, target

PATIENCE = 120.0  # seconds; only a hang gets there


@pytest.fixture
def attacked(store: Store, monkeypatch: pytest.MonkeyPatch) -> Iterator[Target]:
    faulthandler.dump_traceback_later(PATIENCE, exit=True)
    yield from target(store, monkeypatch)
    faulthandler.cancel_dump_traceback_later()


def test_the_requests_that_are_damaged_are_right_before(attacked: Target) -> None:
    for output in attacked.outputs:
        answer = attacked.client.post(CALLBACKS, json=right(attacked, output))
        assert answer.status_code in (200, 204), (output, answer.text)
        assert not attacked.errors, (output, attacked.errors)


@pytest.mark.parametrize("seed", [1, 2])
def test_a_barrage_of_malformed_requests_does_no_harm(attacked: Target, seed: int) -> None:
    statuses = barrage(attacked, 400, seed)
    assert statuses["200"] > 100, "the requests come as far as the callbacks"
    assert statuses["400"] > 50, "and many are refused before"
