"""A map as a small picture, made without a plotting library: cheap enough for lists of runs."""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mapelites.core.archive import Archive
from mapelites.core.nested_map.colour import BEST, EMPTY, FIRST, IMPOSSIBLE, LAST, VIRIDIS
from mapelites.core.nested_map.fold import EMPTY as NO_ELITE
from mapelites.core.nested_map.usual import usual_colours, usual_view
from mapelites.core.nested_map.view import FigureView

GROUND = {False: ("#f3f4f7", "#d7dce3"), True: ("#20242c", "#17191e")}  # empty and impossible, by dark


def thumbnail(archive: Archive, *, dark: bool = False, size: int = 96) -> str:
    """The map as a picture of size by size pixels, in the form of a data URI."""
    return "data:image/png;base64," + base64.b64encode(thumbnail_png(archive, dark=dark, size=size)).decode()


def thumbnail_png(archive: Archive, *, dark: bool = False, size: int = 96) -> bytes:
    """The map as the content of a PNG file of size by size pixels."""
    archive = archive.by_axis
    view = usual_view(archive)
    fold = view.fold(archive.tolerances)
    if max(fold.shape) > size:  # a place would be smaller than a pixel
        view = replace(view, summary=True)
        fold = view.fold(archive.tolerances)
    colours, shades = colour_grid(archive, view, dark=dark)
    rows, columns = colours.shape
    # The nearest place for each pixel: blending would show colours that no elite has.
    down = np.arange(size) * rows // size
    across = np.arange(size) * columns // size
    picture = shades[colours[::-1][down][:, across]]
    best = fold.best_place(archive, fold.rows_of(archive))
    if best is not None:
        picture[_frame(down == rows - 1 - best[0], across == best[1])] = _rgb(BEST)
    return png(picture)


def colour_grid(archive: Archive, view: FigureView, *, dark: bool) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """One colour byte per place, the lowest row first, and red, green and blue for each byte."""
    chosen, fold = usual_colours(archive, view), view.fold(archive.tolerances)
    at = fold.rows_of(archive)
    grid = np.where(fold.impossible(archive), IMPOSSIBLE, EMPTY).astype(np.uint8)
    filled = at != NO_ELITE
    grid[filled] = chosen.colours[at[filled]]
    shades = palette(dark, [shade for _, shade in chosen.stops(dark=dark)])
    return drawn_apart(grid, fold.beyond() & filled), with_veiled(shades)


def drawn_apart(grid: NDArray[np.uint8], beyond: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Colour bytes where those of what lies beyond the allowances follow the others, as `with_veiled` has them."""
    return np.where(beyond, grid.astype(np.int64) + LAST + 1, grid)


def with_veiled(shades: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The shades, and after them the same ones as through a veil."""
    veiled = np.round(0.22 * shades + 0.78 * shades[EMPTY]).astype(np.uint8)
    return np.concatenate([shades, veiled])


def palette(dark: bool, colours: Sequence[str] = VIRIDIS) -> NDArray[np.uint8]:
    """Red, green and blue for each colour byte."""
    stops = np.array([_rgb(shade) for shade in colours], dtype=float)
    places = np.linspace(0, len(colours) - 1, LAST - FIRST + 1)
    shades = np.stack([np.interp(places, np.arange(len(colours)), stops[:, i]) for i in range(3)], axis=1)
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
    # Every line of a PNG begins with the number of its filter, here 0 for none.
    lines = np.concatenate([np.zeros((height, 1), dtype=np.uint8), picture.reshape(height, -1)], axis=1)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = (_chunk(b"IHDR", header), _chunk(b"IDAT", zlib.compress(lines.tobytes(), 6)), _chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
