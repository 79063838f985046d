"""How many cells of the map that is shown a search has filled: it may tell apart more of them, and satisfy less."""

from __future__ import annotations

import numpy as np

from mapelites.search import Illumination


class FilledCellCounter:
    """Counts as the search goes on, from what was found since it counted last."""

    def __init__(self, search: Illumination) -> None:
        self._search, self._counted_at = search, 0
        self._cells: set[int] = set()
        grid = search.settings.archive == "grid"
        self._is_finer = grid and search.searched != search.tolerances

    def count(self) -> int:
        """The cells that hold an elite by now."""
        search = self._search
        if not self._is_finer:
            return search.occupied
        # A cell that was filled stays filled, so only what was found since can add to the set.
        _, found = search.found_since(self._counted_at)
        self._counted_at = search.evaluations
        hard = [i for i in range(len(search.tolerances.names)) if i not in search.tolerances.negotiable]
        satisfied = np.all(found.violations[:, hard] <= search.problem.feasible_up_to[hard], axis=1)
        cells = search.tolerances.cell(search.tolerances.bins(found.violations[satisfied]))
        self._cells.update(cells.tolist())
        return len(self._cells)
