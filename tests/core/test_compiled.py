"""Where compiled code is kept: beside the package, or elsewhere where that cannot be written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mapelites.core import compiled


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """A package that lies in a file instead of a folder, so that nobody can write beside it, not even root."""
    (tmp_path / "file").touch()
    monkeypatch.setattr(compiled, "BESIDE", tmp_path / "file" / "__pycache__")
    for name in (compiled.VARIABLE, "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    compiled.cache_folder.cache_clear()
    yield
    compiled.cache_folder.cache_clear()


def test_a_package_that_cannot_be_written_compiles_into_a_cache_of_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert compiled.cache_folder() == tmp_path / "home" / ".cache" / "mapelites"
    compiled.cache_folder.cache_clear()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    assert compiled.cache_folder() == tmp_path / "caches" / "mapelites"


def test_a_folder_that_was_named_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "BESIDE", tmp_path / "package" / "__pycache__")
    assert compiled.cache_folder() == tmp_path / "package" / "__pycache__"
    compiled.cache_folder.cache_clear()
    monkeypatch.setenv(compiled.VARIABLE, str(tmp_path / "named"))
    assert compiled.cache_folder() == tmp_path / "named"


def test_where_nothing_can_be_written_nothing_is_kept_and_functions_compile_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from numba import types

    from mapelites.core.kernels import compiled_for

    monkeypatch.setenv("HOME", str(tmp_path / "file"))
    assert compiled.cache_folder() is None
    double = compiled_for(types.int64)(lambda number: 2 * number)
    assert double(21) == 42
