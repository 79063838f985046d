"""One's own problems: which files this process reads, what is in them now, and what is wrong with them.

A file is read again when it changes. Where the new version is broken, the old one stays usable, with a word about it.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from mapelites.core.errors import InputError
from mapelites.core.problem import Problem
from mapelites.problems.formulas import FormulaError, problem_of
from mapelites.problems.own.authored import UserFunction
from mapelites.problems.own.files import AbsentError, FileError, is_unchanged, load_problems, problem_from_description
from mapelites.problems.own.inspection import inspect_file
from mapelites.problems.own.program import names_a_program, program_problem
from mapelites.problems.suites import SUITES
from mapelites.system.files import json_of, read_text

PYTHON, FORMULAS = ".py", ".problem"
log = logging.getLogger(__name__)
Stamp = tuple[tuple[int, int], ...]  # when a file and those that it imports were changed, and their sizes


def built_in_names() -> tuple[str, ...]:
    """The names of all suites' problems, of those that cannot be computed here too: nobody's own may have them."""
    return tuple(name for suite in SUITES.entries() for name in suite.names)


@dataclass(frozen=True)
class ProblemFile:
    """One file: its problems, what is wrong with its newest version, and what is odd about it."""

    path: Path
    stamp: Stamp
    problems: tuple[Problem, ...] = ()
    error: str = ""
    warnings: tuple[str, ...] = ()
    helpers: tuple[Path, ...] = ()  # what it imports from its folder


class ProblemLibrary:
    """The files named on the command line, and a folder of problems that were typed in the browser."""

    def __init__(self) -> None:
        self._paths: tuple[Path, ...] = ()
        self._saved: Path | None = None
        self._entries: dict[Path, ProblemFile] = {}  # every file that was ever read, as it was then
        self._readers: ThreadPoolExecutor | None = None
        self._reading: dict[Path, tuple[Stamp, Future[ProblemFile]]] = {}
        self._lock = threading.Lock()

    def watch(
        self, paths: Iterable[Path | str] = (), saved: Path | None = None, *, in_background: bool = False
    ) -> None:
        """From now on read these files and folders. From the folder `saved` formulas alone are read, never code.

        `in_background` lets nobody wait for a Python file: until it is looked at, what was there before stays.
        """
        given = tuple(Path(path).expanduser().resolve() for path in paths)
        for path in given:
            if not os.path.exists(path):
                raise InputError(f"--problems: there is no file or folder {path}")
            if path.is_file() and path.suffix not in (PYTHON, FORMULAS):
                raise InputError(f"--problems: a file must end in {PYTHON} or {FORMULAS}, but it was {path.name}")
        with self._lock:
            if self._readers is not None:
                self._readers.shutdown(wait=False, cancel_futures=True)
            self._paths, self._saved, self._reading = given, saved, {}
            self._readers = ThreadPoolExecutor(2, "problems") if in_background and given else None

    @property
    def saved(self) -> Path | None:
        """The folder of problems that were typed."""
        return self._saved

    def files(self) -> list[Path]:
        """All files there are now."""
        found: list[Path] = []
        for path in self._paths:
            inside = sorted(path.iterdir()) if path.is_dir() else [path]
            found += [each for each in inside if each.suffix in (PYTHON, FORMULAS) and each.is_file()]
        if self._saved is not None and self._saved.is_dir():
            found += sorted(each for each in self._saved.iterdir() if each.suffix == FORMULAS)
        return list(dict.fromkeys(found))

    def entries(self) -> list[ProblemFile]:
        """What is in the files, read again where they changed."""
        with self._lock:
            found = []
            taken = dict.fromkeys(built_in_names(), "a built-in problem")
            for path in self.files():
                self._entries[path] = self._current(path, self._entries.get(path))
                entry = _distinct(self._entries[path], taken)
                taken |= dict.fromkeys((each.name for each in entry.problems), path.name)
                found.append(entry)
            return found

    def _current(self, path: Path, before: ProblemFile | None) -> ProblemFile:
        """The file as it is now; what was read before where it did not change, or while it is looked at."""
        try:
            stamp = (_stamp(path), *map(_stamp_or_none, before.helpers if before else ()))
        except OSError as error:
            return ProblemFile(path, (), before.problems if before else (), f"{path.name}: {error.strerror}")
        if before is not None and before.stamp == stamp:
            return before
        typed_here = self._saved is not None and path.parent == self._saved
        entry = (
            _formulas(path, stamp, may_run=not typed_here) if path.suffix == FORMULAS else self._looked_at(path, stamp)
        )
        if entry is None:
            return before or ProblemFile(path, (), warnings=(f"{path.name} is being read",))
        return replace(entry, problems=before.problems) if entry.error and before is not None else entry

    def _looked_at(self, path: Path, stamp: Stamp) -> ProblemFile | None:
        """What a Python file holds; None while somebody is still looking."""
        if self._readers is None:
            return _python(path, stamp)
        asked, future = self._reading.get(path, (None, None))
        if future is None or asked != stamp:
            future = self._readers.submit(_python_aloud, path, stamp)
            self._reading[path] = stamp, future
        return future.result() if future.done() else None

    def _can_run(self, path: Path) -> bool:
        """Whether a file holds code, or names a program, that somebody put on the command line."""
        if path.suffix == PYTHON:
            return True
        if path.parent == self._saved:
            return False
        with suppress(OSError):  # which is told where it is read
            return names_a_program(read_text(path, errors="replace"))
        return False

    def names(self) -> tuple[str, ...]:
        """The names of all problems in the files."""
        return tuple(problem.name for entry in self.entries() for problem in entry.problems)

    def get(self, name: str) -> Problem | None:
        """A problem in the files, or None."""
        found = (problem for entry in self.entries() for problem in entry.problems if problem.name == name)
        return next(found, None)

    def taken(self) -> set[str]:
        """The names that no other problem can have, in small letters."""
        return {name.lower() for name in (*built_in_names(), *self.names())}

    def entry_of(self, name: str) -> ProblemFile | None:
        """The file a problem is in."""
        return next((entry for entry in self.entries() if name in [each.name for each in entry.problems]), None)

    def loaded(self, problem: Problem) -> Problem:
        """The problem with its function: one from a Python file is executed here, if the file is still the same."""
        if problem.source.kind != "file":
            return problem
        table = json_of(problem.source.text)
        name = str(table["file"])
        files = [path for path in self.files() if self._can_run(path)]
        for path in files:
            if is_unchanged(path, table):
                read = load_problems(path) if path.suffix == PYTHON else (program_problem(path),)
                found = next((each for each in read if each.name == problem.name), None)
                if found is not None:
                    if isinstance(found.function, UserFunction):
                        found.function.batch = table.get("batch")  # nobody has to find it out again
                    return replace(found, source=problem.source, constraints=problem.constraints)
        if any(path.name == name for path in files):
            raise AbsentError(
                f"{name}, or what it imports, has changed since this run began, and values of two versions must not "
                f"be mixed: run it again to search the new {problem.name}"
            )
        raise AbsentError(f"{problem.name} is in the file {name}, which is not here: start with --problems {name}")


def _formulas(path: Path, stamp: Stamp, *, may_run: bool) -> ProblemFile:
    """What a file of formulas holds; a program is named in files from the command line alone."""
    try:
        text = read_text(path)
        if may_run and names_a_program(text):
            return ProblemFile(path, stamp, (problem_from_description(program_problem(path).source.text),))
        return ProblemFile(path, stamp, (problem_of(text),))
    except FileError as error:
        return ProblemFile(path, stamp, error=str(error))
    except FormulaError as error:
        return ProblemFile(path, stamp, error=f"{path.name}, {error}")
    except UnicodeDecodeError:
        return ProblemFile(path, stamp, error=f"{path.name}: it must be a text in UTF-8")
    except OSError as error:
        return ProblemFile(path, stamp, error=f"{path.name}: {error.strerror}")


def _python(path: Path, stamp: Stamp) -> ProblemFile:
    found = inspect_file(path)
    helpers = tuple(path.parent / each for each in found.helpers)
    stamp = (stamp[0], *map(_stamp_or_none, helpers))
    return ProblemFile(
        path, stamp, tuple(map(problem_from_description, found.sources)), found.error, found.warnings, helpers
    )


def _stamp(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_mtime_ns, status.st_size


def _stamp_or_none(path: Path) -> tuple[int, int]:
    try:
        return _stamp(path)
    except OSError:
        return 0, 0


def _python_aloud(path: Path, stamp: Stamp) -> ProblemFile:
    """The same where nobody waits for the answer: what is wrong goes to the log too."""
    entry = _python(path, stamp)
    for said in filter(None, (entry.error, *entry.warnings)):
        log.warning("%s", said)
    return entry


def _distinct(entry: ProblemFile, taken: dict[str, str]) -> ProblemFile:
    """The entry without problems whose names are taken, and a word about them."""
    doubles = [each for each in entry.problems if each.name in taken]
    if not doubles:
        return entry
    name = doubles[0].name
    said = f"{entry.path.name}: the name {name} is taken by {taken[name]}: choose another one"
    kept = tuple(each for each in entry.problems if each.name not in taken)
    return replace(entry, problems=kept, error=entry.error or said)
