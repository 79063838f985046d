"""Arrays as the bytes of an `.npz` file, like `np.savez` makes them, in a fraction of its time.

A snapshot is some ten small arrays several times a second, and there the writer of general zip files takes longer than
everything else. Here the members are stored as they are, and the headers are plain text.
"""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Mapping
from functools import lru_cache
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

LARGEST = 2**31  # bytes: beyond, a zip file needs longer fields
# PKWARE, "APPNOTE.TXT", version 6.3.10, sections 4.3.7, 4.3.12 and 4.3.16: without the fields that are always 0.
MEMBER, PLACE, END = struct.Struct("<4s5H3L2H"), struct.Struct("<4s6H3L5H2L"), struct.Struct("<4s4H2LH")
VERSION, MIDNIGHT, DAY = 20, 0, 33  # stored as it is; the first of January 1980


def npz_bytes(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """The content of a file that `np.load` reads, with these arrays."""
    if sum(array.nbytes for array in arrays.values()) > LARGEST:
        buffer = io.BytesIO()
        np.savez(buffer, allow_pickle=False, **arrays)
        return buffer.getvalue()
    parts: list[Any] = []
    places: list[bytes] = []
    start = 0
    for key, value in arrays.items():
        array, name = np.asarray(value, order="A"), f"{key}.npy".encode()
        fortran = array.flags.f_contiguous and not array.flags.c_contiguous
        header = _header(array.dtype, array.shape, fortran)
        array = array.T if fortran else np.ascontiguousarray(array)
        check, size = zlib.crc32(array.data, zlib.crc32(header)), len(header) + array.nbytes
        about = VERSION, 0, 0, MIDNIGHT, DAY, check, size, size, len(name), 0
        parts += [MEMBER.pack(b"PK\3\4", *about), name, header, array.data]
        places += [PLACE.pack(b"PK\1\2", VERSION, *about, 0, 0, 0, 0, start), name]
        start += MEMBER.size + len(name) + size
    room = sum(map(len, places))
    return b"".join([*parts, *places, END.pack(b"PK\5\6", 0, 0, len(arrays), len(arrays), room, start, 0)])


class NpzWriter:
    """Writes such a file array by array, so that all of them need never be in memory at once."""

    def __init__(self, file: IO[bytes]) -> None:
        self._zip = zipfile.ZipFile(file, "w", zipfile.ZIP_STORED)

    def add(self, name: str, array: NDArray[Any]) -> None:
        """One more array."""
        array = np.asarray(array, order="A")
        fortran = array.flags.f_contiguous and not array.flags.c_contiguous
        plain = array.T if fortran else np.ascontiguousarray(array)
        member = zipfile.ZipInfo(f"{name}.npy")  # of the first of January 1980, so that the same run is the same file
        with self._zip.open(member, "w", force_zip64=plain.nbytes > LARGEST) as out:
            out.write(_header(array.dtype, array.shape, fortran))
            out.write(plain.data)

    def close(self) -> None:
        """Write what ends the file."""
        self._zip.close()


@lru_cache(maxsize=256)
def _header(kind: np.dtype[Any], shape: tuple[int, ...], fortran: bool) -> bytes:
    """Version 1.0 of "NEP 1: a simple file format for numpy arrays", padded to a multiple of 64 bytes."""
    if kind.hasobject:
        raise TypeError(f"an array must be of plain values, but it was of {kind}")
    text = f"{{'descr': {kind.str!r}, 'fortran_order': {fortran}, 'shape': {shape}, }}".encode()
    text = text.ljust(len(text) + -(len(text) + 11) % 64) + b"\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(text)) + text
