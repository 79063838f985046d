"""The check sum of an entry: of its value and of the key it lies under, so that nothing passes for something else.

Long values lie in files of their own. There a heading says under which key, so that they can be told apart even where
the database is lost.
"""

from __future__ import annotations

import struct
from hashlib import blake2b

from mapelites.runs.errors import DamagedError

Value = str | int | float | bytes

BYTES = 8  # of a check sum: one in 2**64 changes would not be noticed
MAGIC = b"\x89Illuminate\r\n\x1a\n\x01"  # no text, no zip file; damaged where line ends were changed on the way
HEADING = struct.Struct(f"<{len(MAGIC)}sHQ{BYTES}s")  # magic, length of the key, length of the value, check sum


def seal_of(key: str, value: Value) -> str:
    """The check sum of a value under this key.

    >>> seal_of("a", "1") != seal_of("b", "1") != seal_of("a", 1)
    True
    """
    return _digest(key, value).hex()


def with_heading(key: str, value: bytes) -> tuple[bytes, bytes]:
    """What stands in a file before a value, and the value."""
    name = key.encode()
    return HEADING.pack(MAGIC, len(name), len(value), _digest(key, value)) + name, value


def heading_size(content: bytes) -> int:
    """How many bytes stand before the value of a file; none do where an earlier version wrote it."""
    if not content.startswith(MAGIC) or len(content) < HEADING.size:
        return 0
    return HEADING.size + int(HEADING.unpack_from(content)[1])


def read_sealed(content: bytes) -> tuple[str, bytes]:
    """Key and value of a file that begins with a heading; a `DamagedError` where it is not what was written."""
    if not content.startswith(MAGIC) or len(content) < HEADING.size:
        raise DamagedError("must begin with a heading, but it did not")
    _, name, size, digest = HEADING.unpack_from(content)
    start = HEADING.size + name
    if len(content) != start + size:
        raise DamagedError(f"must have {start + size:,} bytes, but it had {len(content):,}")
    key, value = content[HEADING.size : start].decode(errors="replace"), content[start:]
    if _digest(key, value) != digest:
        raise DamagedError("must be as it was written, but its check sum is another")
    return key, value


def _digest(key: str, value: Value) -> bytes:
    kind = type(value).__name__.encode()
    plain = value if isinstance(value, bytes) else str(value).encode(errors="surrogateescape")
    found = blake2b(kind + b"\0" + key.encode(errors="surrogateescape") + b"\0", digest_size=BYTES)
    found.update(plain)
    return found.digest()
