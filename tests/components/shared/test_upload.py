"""Files from a browser."""

from __future__ import annotations

import base64

import pytest

from components.shared.upload import uploaded_bytes
from mapelites.core.errors import InputError


def test_an_upload_is_decoded() -> None:
    assert uploaded_bytes("data:application/octet-stream;base64," + base64.b64encode(b"run").decode()) == b"run"
    assert uploaded_bytes("data:,") == b""


@pytest.mark.parametrize("wrong", ["data:;base64,***", "data:;base64,b2Jé", "data:;base64,b2J", "nothing", "", None, 3])
def test_what_is_not_a_whole_file_is_refused_in_words(wrong: object) -> None:
    with pytest.raises(InputError, match="must arrive whole"):
        uploaded_bytes(wrong)
