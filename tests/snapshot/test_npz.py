"""Arrays as the bytes of a file that numpy, and whatever reads zip files, can read."""

from __future__ import annotations

import io
import zipfile
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mapelites.snapshot import npz
from mapelites.snapshot.npz import npz_bytes

ARRAYS: dict[str, NDArray[Any]] = {
    "x": np.arange(12.0).reshape(4, 3),
    "by_column": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    "every_other": np.arange(10)[::2],
    "nothing": np.empty((0, 5)),
    "one": np.array(2.5),
    "operator": np.array(["mutation", "σ"]),
    "about": np.frombuffer(b"{}", dtype=np.uint8),
    "directed_x": np.array([[np.nan, -0.0, np.inf]]),
}


def assert_read_back(content: bytes) -> None:
    with np.load(io.BytesIO(content), allow_pickle=False) as file:
        assert list(file.files) == list(ARRAYS)
        for name, array in ARRAYS.items():
            assert (file[name].dtype, file[name].shape) == (array.dtype, array.shape)
            assert file[name].tobytes() == array.tobytes()


def test_numpy_reads_every_array_bit_for_bit() -> None:
    assert_read_back(npz_bytes(ARRAYS))


def test_the_check_sums_are_those_of_a_zip_file() -> None:
    with zipfile.ZipFile(io.BytesIO(npz_bytes(ARRAYS))) as file:
        assert file.testzip() is None


def test_more_than_a_plain_zip_file_holds_is_written_by_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npz, "LARGEST", 10)
    assert_read_back(npz_bytes(ARRAYS))


def test_an_array_of_objects_is_refused_and_never_pickled() -> None:
    with pytest.raises(TypeError, match="plain values, but it was of object"):
        npz_bytes({"x": np.array([{}])})
