"""How somebody looks at a map, and which fold of it that is."""

from __future__ import annotations

from dataclasses import dataclass

from mapelites.core.nested_map.fold import Fold
from mapelites.core.nested_map.reading import Reading
from mapelites.core.tolerances import Tolerances


@dataclass(frozen=True)
class FigureView:
    """How somebody looks at a map: order of constraints, reading, meaning and scale of colours.

    `limits` are the most that the constraints which are not shown may be violated, `block` the block (up, right) that
    is shown alone. A `summary` shows every block as one place.
    """

    order: tuple[str, ...] = ()
    colour: str = "objective"
    scale: str = "auto"
    limits: tuple[float, ...] = ()
    reading: Reading = "exact"
    block: tuple[int, int] | None = None
    summary: bool = False

    def fold(self, tolerances: Tolerances) -> Fold:
        """Where the cells of these tolerances lie. A block that the map does not have is none."""
        whole = Fold.of(tolerances, self.order, self.limits, self.reading)
        if self.block is not None and whole.shown > 2:
            rows, columns = whole.blocks
            if self.block[0] < rows and self.block[1] < columns:
                return whole.block(*self.block)
        return whole.summary() if self.summary and whole.shown > 2 else whole


def is_too_fine(fold: Fold, *, narrow: bool) -> bool:
    """Whether an inner cell would be drawn with less than three pixels."""
    rows, columns = fold.shape
    most_rows, most_columns = (100, 90) if narrow else (120, 200)
    return rows > most_rows or columns > most_columns
