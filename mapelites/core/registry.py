"""Registries: a file that lies in a package is registered, and names its own place among the others."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from importlib import import_module
from typing import Any, Generic, Protocol, TypeVar


class Ordered(Protocol):
    """What can be registered: it says where it comes among the others."""

    @property
    def order(self) -> int:
        """The lower, the earlier; no two have the same."""


Entry = TypeVar("Entry", bound=Ordered)


class Registry(Generic[Entry]):
    """What the modules of a package hold under one name, found when it is first asked for.

    A module without that name is a helper of the others. A folder that is put on the package's `__path__` before
    then takes part.

    >>> from mapelites.problems.suites import SUITES
    >>> [suite.title for suite in SUITES.entries()][:2]
    ['Gallery', 'CEC 2010']
    """

    def __init__(
        self,
        package: str,
        attribute: str,
        kind: type[Entry],
        check: Callable[[tuple[Entry, ...]], None] = lambda entries: None,
    ) -> None:
        self.package, self.attribute, self.kind, self._check = package, attribute, kind, check
        self._found: tuple[Entry, ...] | None = None

    def entries(self) -> tuple[Entry, ...]:
        """Every entry, in order."""
        if self._found is None:
            found = self._discovered()
            self._check(found)
            self._found = found
        return self._found

    def _discovered(self) -> tuple[Entry, ...]:
        path = import_module(self.package).__path__
        by_order: dict[int, tuple[str, Entry]] = {}
        for name in sorted(each.name for each in pkgutil.iter_modules(path)):
            module = import_module(f"{self.package}.{name}")
            entry: Any = getattr(module, self.attribute, None)
            if entry is None:
                continue
            if not isinstance(entry, self.kind):
                raise TypeError(f"{module.__name__}: {self.attribute} must be a {self.kind.__name__}, not {entry!r}")
            if entry.order in by_order:
                other = by_order[entry.order][0]
                raise ValueError(f"{module.__name__}: its order must be its own, but {other} has {entry.order} too")
            by_order[entry.order] = module.__name__, entry
        return tuple(by_order[order][1] for order in sorted(by_order))


def check_own(what: str, names: list[str]) -> None:
    """Refuse a name that two entries have."""
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{what} must be its own, but {name!r} was registered twice")
