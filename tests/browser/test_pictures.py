"""Pictures of every page, light and dark, wide and narrow, beside kept ones.

They are compared as somebody does who steps back: over tiles of ten pixels, blurred, and a tile may have moved to the
next. Every letter is a box of the same width, by a font of the test's own, so that neither the fonts of a machine nor
the digits of a time change anything. What is shown are two runs that are kept as files. After a change that is meant,

    python -m pytest --headless tests/browser/test_pictures.py --keep-pictures

keeps the pictures as they are now, in `tests/data/pictures`: look at the pages before. `boxes.ttf` beside them has two
glyphs for all letters, a blank and a box.
"""

from __future__ import annotations

import base64
import struct
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from mapelites.core.nested_map.thumbnail import png
from tests.browser.conftest import Dashboard, Person, wait

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("pictures")]
KEPT = Path(__file__).parent.parent / "data" / "pictures"
WIDE, PHONE = (1440, 1300), (390, 1400)
TILE = 10  # pixels
VISIBLE = 16  # of 255: a tile that differs by more differs to the eye
MOST = 0.006  # of all tiles; a panel that vanishes or lies over another changes twice as many, see below
Picture = NDArray[np.uint8]  # (rows, columns, 3), the mean colour of each tile

STYLE = """
@font-face { font-family: Boxes; src: url(data:font/ttf;base64,%s); }
*, *::before, *::after { font-family: Boxes !important; animation: none !important; transition: none !important; caret-color: transparent !important; }
html { scrollbar-width: none; }
"""  # noqa: E501
DRESS = """
const dress = () => { document.head.append(Object.assign(document.createElement("style"), { textContent: %s })); };
if (document.head) { dress(); } else { addEventListener("DOMContentLoaded", dress); }
"""
TILES = """
const [picture, tile, done] = arguments, image = new Image();
image.onload = () => {
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width: image.width, height: image.height });
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  const pixels = context.getImageData(0, 0, image.width, image.height).data;
  const rows = Math.floor(image.height / tile), columns = Math.floor(image.width / tile);
  const sums = new Float64Array(rows * columns * 3);
  for (let y = 0; y < rows * tile; y++) {
    for (let x = 0; x < columns * tile; x++) {
      const at = 4 * (y * image.width + x), to = 3 * (Math.floor(y / tile) * columns + Math.floor(x / tile));
      for (let c = 0; c < 3; c++) { sums[to + c] += pixels[at + c]; }
    }
  }
  done([rows, columns, Array.from(sums, (sum) => Math.round(sum / tile / tile))]);
};
image.src = "data:image/png;base64," + picture;
"""


@dataclass(frozen=True)
class View:
    """One page: its address, what has to be there before it is looked at, and in which schemes and widths."""

    path: str
    ready: str
    looks: tuple[str, ...] = ("wide-light", "phone-dark")


EVERY_LOOK = ("wide-light", "wide-dark", "phone-light", "phone-dark")
VIEWS = {
    "start": View("/", ".recent-item .thumbnail", EVERY_LOOK),
    "can": View("/run/{can}?allow=volume:50", "#run-map .hm", ("wide-light", "wide-dark")),
    "beam": View("/run/{beam}?allow=shear:680", "#run-map .hm", EVERY_LOOK),
    "answers": View("/run/{beam}?view=price&about=shear", ".graph-price .main-svg", ("wide-dark",)),
    "report": View("/run/{beam}/report.html", "svg", ("wide-light", "phone-light")),
    "runs": View("/runs", "#runs-rows tr"),
    "compare": View("/compare/{beam}+{can}", "#compare-maps .hm"),
    "difference": View("/compare/{beam}+{other}?view=difference", "#compare-maps .hm"),
    "experiments": View("/experiments", "#campaign-problems"),
    "problems": View("/problems", "#page h1"),
    "editor": View("/problems/new?from=pressure-vessel", ".editor-text textarea"),
}


class Photographer:
    """Takes pictures of pages of somebody's browser, tile by tile."""

    def __init__(self, person: Person) -> None:
        self.person, self.driver = person, person.driver
        font = base64.b64encode((KEPT / "boxes.ttf").read_bytes()).decode()
        source = DRESS % repr(STYLE % font).replace("\\n", " ")
        (self._script,) = self.driver.execute_cdp_cmd(
            "Page.addScriptToEvaluateOnNewDocument", {"source": source}
        ).values()

    def leaves(self) -> None:
        """Later pages are dressed as usual again."""
        self.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", {"identifier": self._script})

    def goes_to(self, path: str, ready: str, look: str) -> None:
        width, scheme = look.split("-")
        self.person.resizes(WIDE if width == "wide" else PHONE)
        self.person.prefers(scheme)
        self.driver.get(self.person.dashboard.url + path)
        self.driver.execute_script("localStorage.setItem('nesting-explained', 'yes')")
        wait(lambda: self.person.all(ready))
        wait(lambda: self.driver.execute_script("return document.fonts.check('12px Boxes')"))

    def takes(self) -> Picture:
        """A picture of the page as soon as it does not change any more."""
        before = self._now()
        while True:
            now = self._now()
            if unlike(before, now) == 0.0:
                return now
            before = now

    def _now(self) -> Picture:
        taken = self.driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})["data"]
        rows, columns, values = self.driver.execute_async_script(TILES, taken, TILE)
        return np.array(values, dtype=np.uint8).reshape(rows, columns, 3)


def unlike(one: Picture, other: Picture) -> float:
    """The share of tiles by which two pictures differ to the eye; 1 where they have other sizes."""
    if one.shape != other.shape:
        return 1.0
    first, second = blurred(one), blurred(other)
    moved = [
        np.abs(first - np.roll(second, (up, right), axis=(0, 1))).max(axis=2)
        for up in (-1, 0, 1)
        for right in (-1, 0, 1)
    ]
    return float((np.min(moved, axis=0) > VISIBLE).mean())


def blurred(picture: Picture) -> NDArray[np.float64]:
    """Each tile as the mean of itself and those around it."""
    wide = np.pad(picture.astype(float), ((1, 1), (1, 1), (0, 0)), mode="edge")
    rows, columns, _ = picture.shape
    return np.asarray(sum(wide[i : i + rows, j : j + columns] for i in range(3) for j in range(3)) / 9)


def read_picture(file: Path) -> Picture:
    """What `png` wrote: lines without filters in one compressed piece."""
    content = file.read_bytes()
    width, height = struct.unpack(">II", content[16:24])
    at = content.index(b"IDAT")
    size = struct.unpack(">I", content[at - 4 : at])[0]
    lines = np.frombuffer(zlib.decompress(content[at + 4 : at + 4 + size]), dtype=np.uint8).reshape(height, -1)
    return lines[:, 1:].reshape(height, width, 3)


@pytest.fixture(scope="module")
def shown(dashboard: Dashboard) -> dict[str, str]:
    """The runs that the pages show, by the names in their addresses."""
    return {file.stem: dashboard.store.import_run(file.read_bytes()) for file in sorted(KEPT.glob("*.npz"))}


def test_every_page_looks_as_it_is_kept(
    person: Person, shown: dict[str, str], request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    photographer, wrong = Photographer(person), []
    for name, view in VIEWS.items():
        for look in view.looks:
            photographer.goes_to(view.path.format(**shown), view.ready, look)
            now, kept = photographer.takes(), KEPT / f"{name}-{look}.png"
            if request.config.getoption("--keep-pictures"):
                kept.write_bytes(png(now))
            share = unlike(read_picture(kept), now) if kept.exists() else 1.0
            if share > MOST:
                (tmp_path / kept.name).write_bytes(png(now))
                wrong.append(f"{kept.name} differs in {100 * share:.1f} % of its tiles")
    photographer.leaves()
    assert wrong == [], f"how they look now is in {tmp_path}"


@pytest.mark.parametrize(
    "broken",
    [
        "#limits { display: none }",  # a panel vanishes
        "#inspector { margin-left: -180px }",  # one lies over another
        ".legend-scale { position: absolute; top: 80px }",
        "#run-map .hm { opacity: 0 }",  # an empty map
        "#run-map .hm { filter: hue-rotate(90deg) }",  # other colours
        ".run-sentence, #run-sentence { font-size: 40px }",
    ],
)
def test_a_picture_tells_what_is_broken(person: Person, shown: dict[str, str], broken: str) -> None:
    photographer, view = Photographer(person), VIEWS["beam"]
    photographer.goes_to(view.path.format(**shown), view.ready, "wide-light")
    script = (
        "const style = document.createElement('style'); style.textContent = arguments[0]; document.head.append(style)"
    )
    person.driver.execute_script(script, broken)
    share = unlike(read_picture(KEPT / "beam-wide-light.png"), photographer.takes())
    photographer.leaves()
    assert share > 2 * MOST


def test_a_picture_of_other_fonts_sizes_and_shades_of_colour_is_the_same() -> None:
    picture = read_picture(KEPT / "beam-wide-light.png")
    noise = np.random.default_rng(1).integers(-6, 7, picture.shape)
    assert unlike(picture, np.clip(picture + noise, 0, 255).astype(np.uint8)) < MOST / 4
    assert unlike(picture, np.roll(picture, 1, axis=0)) < MOST / 4
