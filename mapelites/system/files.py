"""Files that are written whole or not at all."""

from __future__ import annotations

import errno
import json
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

SMALL = 2**20  # bytes: more than any of the small files beside the database has


def write_whole(path: Path, content: bytes, mode: int = 0o600) -> None:
    """Write a file whole or not at all, even if the machine stops.

    Only its owner may read it, unless another `mode` is given, of which the process' mask takes its part.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_whole(Path(folder) / "a", b"one")
    ...     write_whole(Path(folder) / "a", b"two")
    ...     [(each.name, each.read_bytes()) for each in Path(folder).iterdir()]
    [('a', b'two')]
    """
    with whole_file(path, mode) as file:
        file.write(content)


@contextmanager
def whole_file(path: Path, mode: int = 0o600) -> Iterator[IO[bytes]]:
    """Likewise piece by piece: it is there under its name when all has been written."""
    new = temporary_sibling(path)
    try:
        with open(os.open(new, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode), "w+b") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, path)
        sync_folder(path.parent)
    finally:  # half a file would only take room on a full disk
        with suppress(OSError):
            new.unlink(missing_ok=True)


def read_file(path: Path, most: int | None = None) -> bytes:
    """The content of a file of at most so many bytes; an `OSError` where something else lies there.

    A pipe would never end, and neither would a device.
    """
    about = path.stat()
    if not stat.S_ISREG(about.st_mode):
        raise OSError(errno.EINVAL, "it must be a plain file, but it is something else", str(path))
    if most is not None and about.st_size > most:
        raise OSError(errno.EFBIG, f"it must have at most {most:,} bytes, but it has {about.st_size:,}", str(path))
    return path.read_bytes()


def read_text(path: Path, errors: str = "strict") -> str:
    """The text of a small file, whatever its lines end with."""
    return read_file(path, SMALL).decode(errors=errors).replace("\r\n", "\n").replace("\r", "\n")


def json_of(text: bytes | str) -> Any:
    """What a JSON text says; a `ValueError` where it is none, or so deep that reading it would never come back up."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it lies too deep in lists and tables") from None


def sync_file(path: Path) -> None:
    """Have what was written to a file outlive a power cut."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_folder(path: Path) -> None:
    """Likewise the names in a folder."""
    sync_file(path)  # to the system a folder is a file of names


def temporary_sibling(path: Path) -> Path:
    """A name that nobody has in the same folder: hidden, since those who list the folder want whole files."""
    return path.with_name(f".{path.name}.{secrets.token_hex(4)}")
