"""Where compiled code is kept from one start to the next: the first of three folders that can be written.

That is the one named by NUMBA_CACHE_DIR, the one beside the package, or one of the user's: a package that an
administrator installed can be read by everybody and written by nobody.
"""

from __future__ import annotations

import os
import tempfile
from functools import cache
from pathlib import Path

VARIABLE = "NUMBA_CACHE_DIR"
BESIDE = Path(__file__).parents[1] / "__pycache__"


@cache
def cache_folder() -> Path | None:
    """The folder, or None where nothing can be kept and every start compiles anew."""
    return next((place for place in candidate_folders() if _is_writable(place)), None)


def candidate_folders() -> list[Path]:
    """The folders in question, the preferred one first."""
    named = os.environ.get(VARIABLE)
    return [*([Path(named)] if named else []), BESIDE, *_of_the_user()]


def _of_the_user() -> list[Path]:
    if named := os.environ.get("XDG_CACHE_HOME"):
        return [Path(named) / "mapelites"]
    try:
        return [Path.home() / ".cache" / "mapelites"]
    except RuntimeError:  # a user without a home
        return []


def _is_writable(place: Path) -> bool:
    try:
        place.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=place).close()
    except OSError:
        return False
    return True
