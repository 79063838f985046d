"""The folder of problems that were typed: one small file of formulas each, named after the problem."""

from __future__ import annotations

from pathlib import Path

from mapelites.core.errors import InputError
from mapelites.core.problem import Problem
from mapelites.problems.formulas import problem_of
from mapelites.problems.own.library import FORMULAS, ProblemLibrary
from mapelites.system.files import read_text, write_whole

MOST_FILES = 1_000


def save_problem(library: ProblemLibrary, text: str, instead_of: str = "") -> Problem:
    """Keep a problem. `instead_of` names the saved problem that was opened to be changed, if any."""
    problem = problem_of(text)
    folder = _folder(library)
    path = folder / f"{problem.name}{FORMULAS}"
    if problem.name != instead_of and problem.name in library.taken():
        raise InputError(f"the name {problem.title!r} is taken: write another one behind the word problem")
    if not path.exists() and len(list(folder.iterdir())) >= MOST_FILES:
        raise InputError(f"at most {MOST_FILES:,} problems can be kept: delete some first")
    try:
        write_whole(path, text.encode())
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    return problem


def text_of(library: ProblemLibrary, name: str) -> str | None:
    """The text of a saved problem, or None where there is none of that name."""
    path = saved_file(library, name)
    return None if path is None else read_text(path)


def delete_problem(library: ProblemLibrary, name: str) -> None:
    """Forget a saved problem; its runs keep their own copy of it."""
    path = saved_file(library, name)
    if path is None:
        raise InputError(f"{name!r} must be a problem that was saved here, but there is none of that name")
    path.unlink(missing_ok=True)


def saved_file(library: ProblemLibrary, name: str) -> Path | None:
    """The file of a saved problem."""
    found = library.entry_of(name)
    return found.path if found is not None and found.path.parent == library.saved else None


def _folder(library: ProblemLibrary) -> Path:
    if library.saved is None:
        raise InputError("problems cannot be kept here: there is no folder for them")
    library.saved.mkdir(parents=True, exist_ok=True)
    return library.saved
