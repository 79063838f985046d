"""Broken HTTP is refused, and the server that heard it is as well as before."""

from __future__ import annotations

from pathlib import Path

from tests.hostile.wire import WHOLE, target


def test_broken_http_is_refused_and_the_server_stays_well(tmp_path: Path) -> None:
    with target(tmp_path) as wire:
        assert b"HTTP/1.1 200 OK" in wire.answer(WHOLE[0])
        ends = wire.storm(500, 1)
    assert ends["400"] > 100
    assert ends["200"] > 10, "what was not broken is answered"
