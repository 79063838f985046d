"""Processes that a function started and that left its run's group, as one does for a session of its own.

What is in the group ends with the run's process. The others come to the supervisor once whoever started them is gone,
and end with the last of the runs that they can be from.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Collection
from contextlib import suppress

from mapelites.system.processes import adopt_orphans, family_of, has_ended, kill_with_descendants


class OrphanedProcesses:
    """Those that came to us since we look, each with the runs that were searched when it was first seen."""

    def __init__(self) -> None:
        adopt_orphans()
        self._not_ours = self._children()
        self._from: dict[int, frozenset[str]] = {}

    def look(self, runs: Collection[str]) -> None:
        """Note who is new, and end those whose runs are all over."""
        there = self._children() - self._not_ours
        there -= {each.pid or 0 for each in multiprocessing.active_children()}
        self._from = {pid: self._from.get(pid, frozenset(runs)) & frozenset(runs) for pid in there}
        for pid, left in self._from.items():
            if not left or has_ended(pid):
                kill_with_descendants(pid)
                with suppress(ChildProcessError):
                    os.waitpid(pid, 0)

    def _children(self) -> set[int]:
        return set(family_of(os.getpid())[1:])
