"""What can be read of a damaged SQLite file: every row of the cache that still lies whole on a page of it.

The pages are read one by one, without the tables and trees that hold them together ("Database File Format",
sqlite.org, sections 1.3, 1.6, 2.1 and 4.2). A row that is not whole, or not what was written, is found out by its
check sum.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mapelites.runs.storage.seal import seal_of
from mapelites.system.files import read_file

COLUMNS = 12  # rowid, key, raw, store_time, expire_time, access_time, access_count, tag, size, mode, filename, value
LEAF = 0x0D  # a page of a table with rows in it
USUAL_PAGE, LEAST_PAGE, MOST_PAGE = 4_096, 512, 65_536
INTEGERS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}  # bytes by serial type
MOST_PAGES = 2**22


@dataclass(frozen=True)
class CacheRow:
    """One row of the cache."""

    key: str
    stored: float
    check_sum: str | None
    size: int
    mode: int
    name: str | None  # of its file
    value: Any

    @property
    def is_sound(self) -> bool:
        """Whether it says of itself that it is what was written; of one with a file, only its reader can tell."""
        if self.name is not None:
            return self.value is None
        if self.check_sum is None:
            return isinstance(self.value, (str, int, bytes))
        return isinstance(self.value, (str, int, float, bytes)) and self.check_sum == seal_of(self.key, self.value)


def rows_of(file: Path) -> Iterator[CacheRow]:
    """Every sound row in the pages of a database and of its log, older ones of the same key too."""
    pages = _pages(file)
    for number in sorted(pages):
        for record in _records(pages, number):
            row = _row(record)
            if row is not None and row.is_sound:
                yield row


def _pages(file: Path) -> dict[int, bytes]:
    """The pages by number, those of the log over those of the file."""
    content = read_file(file) if file.exists() else b""
    log = file.with_name(f"{file.name}-wal")
    logged = read_file(log) if log.exists() else b""
    size = _page_size(content, logged)
    pages = {1 + place // size: content[place : place + size] for place in range(0, len(content), size)}
    pages.update(_logged_pages(logged, size))
    return pages


def _page_size(content: bytes, logged: bytes) -> int:
    said = [int.from_bytes(content[16:18], "big"), int.from_bytes(logged[8:12], "big")]
    for size in (MOST_PAGE if each == 1 else each for each in said):
        if LEAST_PAGE <= size <= MOST_PAGE and size & (size - 1) == 0:
            return size
    return USUAL_PAGE


def _logged_pages(logged: bytes, size: int) -> dict[int, bytes]:
    """The pages that were committed to the log."""
    pages: dict[int, bytes] = {}
    waiting: dict[int, bytes] = {}
    salts = logged[16:24]
    for place in range(32, len(logged) - 24 - size + 1, 24 + size):
        number, committed = struct.unpack_from(">II", logged, place)
        if logged[place + 8 : place + 16] != salts or not 0 < number < MOST_PAGES:
            continue
        waiting[number] = logged[place + 24 : place + 24 + size]
        if committed:
            pages.update(waiting)
            waiting.clear()
    return pages


def _records(pages: dict[int, bytes], number: int) -> Iterator[list[Any]]:
    page = pages[number]
    start = 100 if number == 1 else 0
    if len(page) < start + 8 or page[start] != LEAF:
        return
    count = int.from_bytes(page[start + 3 : start + 5], "big")
    for i in range(count):
        pointer = page[start + 8 + 2 * i : start + 10 + 2 * i]
        try:
            yield _record(_payload(pages, page, int.from_bytes(pointer, "big")))
        except (IndexError, ValueError, struct.error, KeyError):
            continue  # this row is lost, and said to be where it is missed


def _payload(pages: dict[int, bytes], page: bytes, place: int) -> bytes:
    """The content of one row, with the part that lies on further pages."""
    length, place = _varint(page, place)
    _, place = _varint(page, place)
    usable = len(page)
    most, least = usable - 35, (usable - 12) * 32 // 255 - 23
    if length <= most:
        return _exactly(page[place : place + length], length)
    here = least + (length - least) % (usable - 4)
    here = here if here <= most else least
    parts, have = [page[place : place + here]], here
    following = int.from_bytes(page[place + here : place + here + 4], "big")
    seen = set[int]()
    while have < length and following not in seen:
        seen.add(following)
        further = pages[following]
        part = further[4 : 4 + length - have]
        parts.append(part)
        have += len(part)
        following = int.from_bytes(further[:4], "big")
    return _exactly(b"".join(parts), length)


def _exactly(content: bytes, length: int) -> bytes:
    if len(content) != length:
        raise ValueError("it is cut off")
    return content


def _record(payload: bytes) -> list[Any]:
    """The columns of a row."""
    end, place = _varint(payload, 0)
    kinds = []
    while place < end:
        kind, place = _varint(payload, place)
        kinds.append(kind)
    if len(kinds) != COLUMNS or place != end:
        raise ValueError("it is no row of the cache")
    values: list[Any] = []
    for kind in kinds:
        value, place = _column(payload, place, kind)
        values.append(value)
    return values


def _column(payload: bytes, place: int, kind: int) -> tuple[Any, int]:
    if kind in INTEGERS:
        size = INTEGERS[kind]
        return int.from_bytes(_exactly(payload[place : place + size], size), "big", signed=True), place + size
    if kind == 7:
        return struct.unpack_from(">d", payload, place)[0], place + 8
    if kind in (0, 8, 9):
        return {0: None, 8: 0, 9: 1}[kind], place
    if kind < 12:
        raise ValueError("no such type")
    size = (kind - 12) // 2
    content = _exactly(payload[place : place + size], size)
    return (content.decode() if kind % 2 else content), place + size  # what is no text is damaged


def _varint(content: bytes, place: int) -> tuple[int, int]:
    """A number of one to nine bytes, and the place after it."""
    value = 0
    for i in range(8):
        byte = content[place + i]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, place + i + 1
    return value << 8 | content[place + 8], place + 9


def _row(columns: list[Any]) -> CacheRow | None:
    _, key, raw, stored, _, _, _, check_sum, size, mode, name, value = columns
    if not isinstance(key, str) or raw != 1 or not isinstance(stored, (int, float)):
        return None
    if not isinstance(check_sum, (str, type(None))) or not isinstance(name, (str, type(None))):
        return None
    if not isinstance(size, int) or not isinstance(mode, int):
        return None
    return CacheRow(key, float(stored), check_sum, size, mode, name, value)
