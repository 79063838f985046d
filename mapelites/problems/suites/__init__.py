"""The suites of problems: every file here that has a `SUITE` is one, and lying here registers it."""

from __future__ import annotations

from mapelites.core.registry import Registry, check_own
from mapelites.problems.suites.suite import Suite

__all__ = ["SUITES", "Suite", "available_suites", "suite_of"]


def _check(suites: tuple[Suite, ...]) -> None:
    check_own("the title of a suite", [suite.title for suite in suites])
    check_own("the name of a problem", [name.lower() for suite in suites for name in suite.names])


SUITES: Registry[Suite] = Registry(__name__, "SUITE", Suite, _check)


def available_suites() -> tuple[Suite, ...]:
    """Those whose problems can be computed here, in order."""
    return tuple(suite for suite in SUITES.entries() if suite.available())


def suite_of(name: str) -> Suite | None:
    """The suite that a problem belongs to, whether or not it can be computed here."""
    return next((suite for suite in SUITES.entries() if name in suite.names), None)
