"""Problems in Python files: loading one, saying in words what is wrong with it, and describing what it holds.

A description is what a run stores of such a problem: everything but the function, and the digests of the file
and of what it imports from its folder.
Nothing but a file that was named on the command line is ever executed.
"""

from __future__ import annotations

import json
import linecache
import os
import sys
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from hashlib import sha256
from importlib import invalidate_caches
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

import numpy as np

from mapelites.core.errors import InputError
from mapelites.core.problem import Array, Constraint, Problem, ProblemSource
from mapelites.system.files import json_of, read_file

PACKAGE = Path(__file__).parents[2]
MODULE = "problems_of_"  # how the name of a file's module begins
INSTALLED = {"site-packages", "dist-packages"}
TEXTS = ("name", "title", "difficulty", "best_known_note", "reference")
LISTS = ("variables", "units", "meanings")
OF_LIMIT = ("limit", "sense", "unit", "meaning")
VECTORS = ("lower", "upper", "steps")


class FileError(InputError):
    """A file cannot be used: the message names it, the line, and what to change."""


class AbsentError(InputError):
    """A run's own problem is not here, or no longer what it was."""


def load_problems(path: Path) -> tuple[Problem, ...]:
    """Execute a file and return its problems, not yet checked."""
    content = _read(path)
    digest = sha256(content).hexdigest()
    module = ModuleType(f"{MODULE}{path.stem}_{digest[:8]}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module
    if (folder := str(path.parent.resolve())) not in sys.path:
        sys.path.insert(0, folder)  # so that it can import what lies beside it
    for name in modules_beside(path):
        del sys.modules[name]  # it may have changed since it was imported
    linecache.checkcache()
    invalidate_caches()
    writes, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # which goes by the second, and so may be old
    try:
        exec(compile(content, str(path), "exec"), module.__dict__)
    except (Exception, SystemExit) as error:
        raise FileError(f"{place_of_error(path, error)}: {said_by(error)}") from error
    finally:
        sys.dont_write_bytecode = writes
    found = {each.name: each for each in vars(module).values() if isinstance(each, Problem)}
    if not found:
        raise FileError(f"{path.name}: there is no problem in it: write @problem(...) above a function")
    helpers = {name: digest_of(path.parent / name) for name in files_imported_by(path)}
    texts = {name: describe_problem(each, path.name, digest, helpers) for name, each in found.items()}
    return tuple(replace(each, source=ProblemSource("file", texts[name])) for name, each in found.items())


def modules_beside(path: Path) -> dict[str, str]:
    """The modules that were imported from a file's folder, each with its own file; no package that is installed."""
    folder = path.parent.resolve()
    roots = [root for root in (PACKAGE, Path(sys.prefix), Path(sys.base_prefix)) if root.is_relative_to(folder)]
    found: dict[str, str] = {}
    for name, module in sys.modules.copy().items():  # others may import meanwhile
        file = getattr(module, "__file__", None) or ""
        if file.startswith(f"{folder}{os.sep}") and name != "__main__" and not name.startswith(MODULE):
            installed = INSTALLED.intersection(Path(file).parts) or any(Path(file).is_relative_to(r) for r in roots)
            found |= {} if installed else {name: file}
    return found


def files_imported_by(path: Path, error: BaseException | None = None) -> tuple[str, ...]:
    """The files that a file imported from its folder, named from there, with those that an error came from."""
    folder = path.parent.resolve()
    files = {*modules_beside(path).values(), str(getattr(error, "filename", None) or "")}
    files |= {frame.filename for frame in traceback.extract_tb(error.__traceback__)} if error else set()
    inside = [Path(each) for each in files if each.startswith(f"{folder}{os.sep}") and Path(each).is_file()]
    return tuple(sorted(each.relative_to(folder).as_posix() for each in inside if each != folder / path.name))


def _read(path: Path) -> bytes:
    try:
        return read_file(path)
    except OSError as error:
        raise FileError(f"{path}: {error.strerror}") from None


def digest_of(path: Path) -> str:
    """What tells one version of a file from another."""
    return sha256(_read(path)).hexdigest()


def is_unchanged(path: Path, table: Mapping[str, Any]) -> bool:
    """Whether a file, and what it imports from its folder, are still those of a description."""
    try:
        if digest_of(path) != table["digest"]:
            return False
        helpers = dict(table.get("helpers", {}))
        files = {(path.parent / name).resolve(): digest for name, digest in helpers.items()}
        inside = all(file.is_relative_to(path.parent.resolve()) for file in files)
        return inside and all(digest_of(file) == digest for file, digest in files.items())
    except FileError:
        return False


def place_of_error(path: Path, error: BaseException) -> str:
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


def describe_problem(problem: Problem, file: str, digest: str, helpers: Mapping[str, str]) -> str:
    """Everything about a problem but its function, as a JSON text; `helpers` are the digests of what it imports."""
    table: dict[str, Any] = {"file": file, "digest": digest, "helpers": helpers, "compiled": problem.compiled}
    table |= {name: getattr(problem, name) for name in (*TEXTS, "best_known", "equality_tolerance")}
    table |= {name: list(getattr(problem, name)) for name in LISTS}
    table |= {name: [float(each) for each in getattr(problem, name)] for name in VECTORS}
    table["constraints"] = [[each.name, each.kind] for each in problem.constraints]
    table["limits"] = [[getattr(each, name) for name in OF_LIMIT] for each in problem.constraints]
    table["scales"] = {each.name: [each.scale, each.estimated] for each in problem.constraints if each.scale}
    table["mirrored"] = [each.name for each in problem.constraints if each.mirrored]
    table["objective"] = [problem.objective, problem.objective_unit, problem.maximise]
    return json.dumps(table, sort_keys=True)


def with_found(text: str, batch: bool | None, sizes: Mapping[str, float], answered: Sequence[float] = ()) -> str:
    """The description with what was found out about the function: whether it takes batches, or None for not known.

    `sizes` are the estimated scales of constraints that have neither limit nor scale; `answered` is a point and its
    values, which no search has to evaluate again.
    """
    table = json_of(text)
    scales = {**table["scales"], **{name: [size, True] for name, size in sizes.items()}}
    kept = {"answered": list(answered)} if answered else {}
    return json.dumps({**table, "batch": batch, "scales": scales, **kept}, sort_keys=True)


def answer_known(problem: Problem) -> tuple[Array, Array] | None:
    """The one point that a slow function was evaluated at when its file was looked at, and its values."""
    if problem.source.kind != "file":
        return None
    try:
        found = np.array(json_of(problem.source.text).get("answered", ()), dtype=np.float64)
    except (ValueError, TypeError, AttributeError):  # anybody may have written it
        return None
    if found.shape != (problem.dimension + 1 + len(problem.constraints),) or not np.isfinite(found).all():
        return None
    return found[: problem.dimension], found[problem.dimension :]


@lru_cache(maxsize=256)
def problem_from_description(text: str) -> Problem:
    """The problem of a description, which cannot be evaluated; `ProblemLibrary.loaded` brings its function with it."""
    try:
        table = json_of(text)
        constraints = _constraints(table)
        objective, objective_unit, maximise = table.get("objective", ("f", "", False))
        best = table["best_known"]
        values: dict[str, Any] = {name: str(table[name]) for name in TEXTS}
        values |= {name: tuple(map(str, table[name])) for name in LISTS}
        values |= {name: np.array(table[name], dtype=np.float64) for name in VECTORS}
        return Problem(
            constraints=constraints,
            function=(_AbsentKernel if table["compiled"] else _Absent)(str(table["name"]), str(table["file"])),
            best_known=None if best is None else float(best),
            equality_tolerance=float(table["equality_tolerance"]),
            source=ProblemSource("file", text),
            objective=str(objective),
            objective_unit=str(objective_unit),
            maximise=bool(maximise),
            **values,
        )
    except InputError:
        raise
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise InputError(f"a problem's description cannot be read ({error!r})") from None


def _constraints(table: Mapping[str, Any]) -> tuple[Constraint, ...]:
    """The constraints of a description; one of version 0.1 does not know their limits."""
    limits = table.get("limits", [(None, "", "", "")] * len(table["constraints"]))
    scales, mirrored = table.get("scales", {}), table.get("mirrored", [])
    found = []
    for (name, kind), (limit, sense, unit, meaning) in zip(table["constraints"], limits, strict=True):
        scale, estimated = scales.get(name, (None, False))
        found.append(
            Constraint(
                str(name), kind, "", None if limit is None else float(limit), sense, str(unit), str(meaning),
                None if scale is None else float(scale), bool(estimated), name in mirrored,
            )
        )  # fmt: skip
    return tuple(found)


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
