"""Problems in Python files: loading one, saying in words what is wrong with it, and describing what it holds.

A description is what a run stores of such a problem: everything but the function, and the digest of the file.
Nothing but a file that was named on the command line is ever executed.
"""

from __future__ import annotations

import json
import linecache
import sys
import traceback
from dataclasses import replace
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

import numpy as np

from mapelites.errors import InputError
from mapelites.problem import Array, Constraint, Problem

TEXTS = ("name", "title", "difficulty", "best_known_note", "reference")
LISTS = ("variables", "units", "meanings")
VECTORS = ("lower", "upper", "steps")


class FileError(InputError):
    """A file cannot be used: the message names it, the line, and what to change."""


class AbsentError(InputError):
    """A run's own problem is not here, or no longer what it was."""


def load(path: Path) -> tuple[Problem, ...]:
    """Execute a file and return its problems, not yet checked."""
    content = _read(path)
    digest = sha256(content).hexdigest()
    module = ModuleType(f"problems_of_{path.stem}_{digest[:8]}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module
    if (folder := str(path.parent.resolve())) not in sys.path:
        sys.path.insert(0, folder)  # so that it can import what lies beside it
    linecache.checkcache(str(path))
    try:
        exec(compile(content, str(path), "exec"), module.__dict__)
    except (Exception, SystemExit) as error:
        raise FileError(f"{where(path, error)}: {said_by(error)}") from error
    found = {each.name: each for each in vars(module).values() if isinstance(each, Problem)}
    if not found:
        raise FileError(f"{path.name}: there is no problem in it: write @problem(...) above a function")
    return tuple(replace(each, source=description(each, path.name, digest)) for each in found.values())


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise FileError(f"{path}: {error.strerror}") from None


def digest_of(path: Path) -> str:
    """What tells one version of a file from another."""
    return sha256(_read(path)).hexdigest()


def where(path: Path, error: BaseException) -> str:
    """The file and the line in it that an error came from."""
    if isinstance(error, SyntaxError) and error.filename == str(path):
        return f"{path.name}, line {error.lineno}"
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    return f"{path.name}, line {lines[-1]}" if lines else path.name


def said_by(error: BaseException) -> str:
    """What an error says, in one sentence."""
    if isinstance(error, InputError):
        return str(error)
    if isinstance(error, SyntaxError):
        return f"this is not Python: {error.msg}"
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def description(problem: Problem, file: str, digest: str) -> str:
    """Everything about a problem but its function, as a JSON text."""
    table: dict[str, Any] = {"file": file, "digest": digest, "compiled": problem.compiled}
    table |= {name: getattr(problem, name) for name in (*TEXTS, "best_known", "equality_tolerance")}
    table |= {name: list(getattr(problem, name)) for name in LISTS}
    table |= {name: [float(each) for each in getattr(problem, name)] for name in VECTORS}
    table["constraints"] = [[each.name, each.kind] for each in problem.constraints]
    return json.dumps(table, sort_keys=True)


def with_kind(source: str, batch: bool | None) -> str:
    """The description with what was found out about the function: whether it takes batches, or None for not known."""
    return json.dumps({**json.loads(source), "batch": batch}, sort_keys=True)


def is_description(source: str) -> bool:
    """Whether a problem's source is a description; formulas never begin like one."""
    return source.startswith("{")


@lru_cache(maxsize=256)
def described(source: str) -> Problem:
    """The problem of a description, which cannot be evaluated; `Library.loaded` brings its function with it."""
    try:
        table = json.loads(source)
        constraints = tuple(Constraint(str(name), kind) for name, kind in table["constraints"])
        if not all(each.kind in ("inequality", "equality") for each in constraints):
            raise InputError("a constraint must be an inequality or an equality")
        best = table["best_known"]
        values: dict[str, Any] = {name: str(table[name]) for name in TEXTS}
        values |= {name: tuple(map(str, table[name])) for name in LISTS}
        values |= {name: np.array(table[name], dtype=np.float64) for name in VECTORS}
        return Problem(
            constraints=constraints,
            function=(_AbsentKernel if table["compiled"] else _Absent)(str(table["name"]), str(table["file"])),
            best_known=None if best is None else float(best),
            equality_tolerance=float(table["equality_tolerance"]),
            source=source,
            **values,
        )
    except InputError:
        raise
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise InputError(f"a problem's description cannot be read ({error!r})") from None


class _Absent:
    """Stands for a function whose file was not executed here."""

    def __init__(self, name: str, file: str) -> None:
        self.name, self.file = name, file

    def __call__(self, x: Array) -> NoReturn:
        self.rows(x)

    def rows(self, points: Array) -> NoReturn:
        """What somebody asks who should not."""
        raise AbsentError(f"{self.name} is in {self.file}, and only the worker executes that file")


class _AbsentKernel(_Absent):
    """Stands for a compiled one."""

    py_func = None  # as every function that numba compiled has
