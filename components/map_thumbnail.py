"""A map as a small picture, made without a plotting library: cheap enough for lists of runs."""

from __future__ import annotations

import base64
import struct
import zlib

import numpy as np
from numpy.typing import NDArray

from components.map_colour import EMPTY, FIRST, IMPOSSIBLE, LAST, VIRIDIS, colouring
from components.map_fold import EMPTY as NO_ELITE
from components.map_fold import Fold
from mapelites.archive import Archive

GROUND = {False: ("#eceff3", "#d7dce3"), True: ("#2a2e37", "#17191e")}  # empty and impossible, by dark
BEST = "#e03131"


def thumbnail(archive: Archive, *, dark: bool = False, size: int = 96) -> str:
    """The map as a picture of size by size pixels, in the form of a data URI."""
    return "data:image/png;base64," + base64.b64encode(thumbnail_png(archive, dark=dark, size=size)).decode()


def thumbnail_png(archive: Archive, *, dark: bool = False, size: int = 96) -> bytes:
    """The map as the content of a PNG file of size by size pixels."""
    fold = Fold.of(archive.tolerances)
    colours = colour_grid(fold, archive)
    rows, columns = colours.shape
    down = np.arange(size) * rows // size
    across = np.arange(size) * columns // size
    picture = palette(dark)[colours[::-1][down][:, across]]
    best = archive.best()
    if best is not None:
        row, column = fold.place(best.cell)
        picture[_frame(down == rows - 1 - row, across == column)] = _rgb(BEST)
    return png(picture)


def colour_grid(fold: Fold, archive: Archive, colour: str = "objective", scale: str = "auto") -> NDArray[np.uint8]:
    """One colour byte per place, the lowest row first."""
    chosen = colouring(archive, colour, scale, 0)
    at = fold.rows_of_elites(archive)
    grid = np.where(fold.impossible(archive), IMPOSSIBLE, EMPTY).astype(np.uint8)
    filled = at != NO_ELITE
    grid[filled] = chosen.colours[at[filled]]
    return grid


def palette(dark: bool) -> NDArray[np.uint8]:
    """Red, green and blue for each colour byte."""
    stops = np.array([_rgb(shade) for shade in VIRIDIS], dtype=float)
    places = np.linspace(0, len(VIRIDIS) - 1, LAST - FIRST + 1)
    shades = np.stack([np.interp(places, np.arange(len(VIRIDIS)), stops[:, i]) for i in range(3)], axis=1)
    ground = np.array([_rgb(shade) for shade in GROUND[dark]], dtype=float)
    return np.round(np.concatenate([ground, shades])).astype(np.uint8)


def _frame(rows: NDArray[np.bool_], columns: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The edge, two pixels wide, of a box of pixels, grown to four by four where it is smaller."""
    box = np.zeros((len(rows), len(columns)), dtype=bool)
    top, left = int(np.argmax(rows)), int(np.argmax(columns))
    bottom, right = top + max(int(rows.sum()), 4), left + max(int(columns.sum()), 4)
    box[top:bottom, left:right] = True
    box[top + 2 : bottom - 2, left + 2 : right - 2] = False
    return box


def _rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def png(picture: NDArray[np.uint8]) -> bytes:
    """Red, green and blue, (height, width, 3), as the content of a PNG file."""
    height, width, _ = picture.shape
    lines = np.concatenate([np.zeros((height, 1), dtype=np.uint8), picture.reshape(height, -1)], axis=1)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = (_chunk(b"IHDR", header), _chunk(b"IDAT", zlib.compress(lines.tobytes(), 6)), _chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
