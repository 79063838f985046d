"""The kinds of jobs: every file here that has a `JOB` is one, and lying here registers it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mapelites.core.errors import InputError, unknown
from mapelites.core.registry import Registry, check_own
from mapelites.runs.jobs.kind import JobKind
from mapelites.runs.record import Record

__all__ = ["JOB_KINDS", "check_job", "kind_of"]


def _check(kinds: tuple[JobKind, ...]) -> None:
    check_own("the name of a kind of job", [kind.name for kind in kinds])


JOB_KINDS: Registry[JobKind] = Registry(__name__, "JOB", JobKind, _check)


def kind_of(name: str) -> JobKind:
    """A kind by its name."""
    found = next((kind for kind in JOB_KINDS.entries() if kind.name == name), None)
    if found is None:
        raise unknown("the kind of a job", name, [kind.name for kind in JOB_KINDS.entries()])
    return found


def check_job(name: str, request: Mapping[str, Any], record: Record) -> dict[str, Any]:
    """What `JobBoard.ask` checks a request with: the kind's own check, and whether all is there that it needs."""
    kind = kind_of(name)
    if kind.missing():
        raise InputError(kind.missing())
    return kind.check(request, record)
