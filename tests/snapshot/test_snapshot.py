"""A snapshot written and read back is the same; anything else is refused in words."""

import contextlib
import io
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mapelites import Illumination, InputError, Settings, Tolerances
from mapelites.problems import get
from mapelites.snapshot.snapshot import Snapshot, pack, unpack


@pytest.fixture(scope="module")
def snapshot():
    problem = get("C16", 10)
    search = Illumination(problem, Tolerances.same(problem, [0, 0.1]), Settings.of("paper-3", 10, evaluations=20_000))
    search.advance(15_000)
    return Snapshot.of(search, 1.25, np.array([[15_000.0, float(search.occupied), np.nan]]))


def test_what_was_written_is_read_back_bit_for_bit(snapshot):
    content = snapshot.to_bytes()
    again = Snapshot.from_bytes(content)
    assert again.to_bytes() == content
    for name in ("x", "f", "g", "h", "found_at", "operator"):
        assert np.array_equal(getattr(again.elites, name), getattr(snapshot.elites, name))
    assert again.spec == snapshot.spec
    assert (again.evaluations, again.seconds) == (15_000, 1.25)
    assert again.archive().statistics == snapshot.archive().statistics


def change(snapshot, about=None, **arrays):
    text, old = unpack(snapshot.to_bytes())
    return pack({**text, **(about or {})}, {**old, **arrays})


@pytest.mark.parametrize(
    ("about", "arrays", "words"),
    [
        ({"format": 99}, {}, r"^not a run file, because its format is 99, but this version reads 1$"),
        ({"problem": "C99"}, {}, r"^not a run file, because the problem must be one of"),
        ({"problem": "C01"}, {}, r"C01 10D has constraints"),
        ({"levels": [[0]]}, {}, r"4 constraints need 4 lists of levels, but there were 1"),
        ({"settings": {"sigma": -1}}, {}, r"sigma must be above 0"),
        ({"evaluations": 10**9}, {}, r"it is at evaluation 1,000,000,000 of 20,000"),
        ({}, {"f": np.zeros(3)}, r"x must have shape"),
        ({}, {"curve": np.zeros(4)}, r"the curve must have three columns"),
    ],
)
def test_a_file_that_does_not_fit_together_is_refused(snapshot, about, arrays, words):
    with pytest.raises(InputError, match=words):
        Snapshot.from_bytes(change(snapshot, about, **arrays))


def test_a_file_with_a_pickle_inside_is_refused():
    buffer = io.BytesIO()
    np.savez(buffer, about=np.array([{"a": 1}], dtype=object))
    with pytest.raises(InputError, match=r"^not a run file, because it cannot be read"):
        Snapshot.from_bytes(buffer.getvalue())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"(1,", b"((\0,"),  # numpy's reader ends in an error of Python's own tokenizer here
        (b"{'descr'", b"[[[[[[[["),
        (b"'<f8'", b"'|O8'"),
        (b"'<f8'", b"'<f3'"),
        (b"False", b"0    "),
        (b"'shape': (", b"'shape': -"),
        (b"NUMPY\x01", b"NUMPY\x09"),
    ],
)
def test_a_file_with_an_array_that_says_something_else_is_refused(snapshot, old, new):
    buffer = io.BytesIO()
    content = io.BytesIO()
    np.save(content, np.zeros((1, 1)))
    with zipfile.ZipFile(buffer, "w") as file:
        file.writestr("about.npy", content.getvalue().replace(old, new, 1))
    with pytest.raises(InputError, match=r"^not a run file, because it cannot be read"):
        Snapshot.from_bytes(buffer.getvalue())


@pytest.mark.parametrize(
    "array",
    [
        np.array(7), np.empty((0, 3)), np.empty(0), np.arange(6.0).reshape(2, 3), np.asfortranarray(np.eye(3)[:2]),
        np.array([True, False]), np.array(["ab", "ç"]), np.array([], dtype="U5"), np.array([2**63], dtype=np.uint64),
        np.array([0.1, np.nan, -0.0], dtype=np.float32),
    ],
    ids=lambda array: f"{array.dtype}{array.shape}",
)  # fmt: skip
def test_what_is_packed_comes_back_as_it_was(array):
    about, arrays = unpack(pack({"a": [1, None]}, {"array": array}))
    assert about == {"a": [1, None]}
    np.testing.assert_array_equal(arrays["array"], array, strict=True)
    assert arrays["array"].flags.writeable
    assert arrays["array"].flags.f_contiguous == array.flags.f_contiguous


@settings(max_examples=300)
@given(st.data())
def test_a_damaged_file_is_refused_or_harmless(snapshot, data):
    content = bytearray(snapshot.to_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(content)))
    damaged = bytes(content[:cut] if data.draw(st.booleans()) else content)
    with contextlib.suppress(_RefusedError):
        _read(damaged)


class _RefusedError(Exception):
    """A damaged file was refused in the words meant for a person."""


def _read(content):
    try:
        Snapshot.from_bytes(content)
    except InputError as error:
        raise (_RefusedError if str(error).startswith("not a run file, because ") else AssertionError)(error) from error
