"""What a `.problem` file says about its program: the command, what goes in, what comes out, and when it has failed."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass, replace

from mapelites.core.errors import InputError
from mapelites.problems.formulas.document import PROGRAM

NAME = r"[A-Za-z_]\w*"
FORMATS = ("dakota", "json", "values")
OUTPUT = "output"  # what the program prints, as the name of a file
NUMBER = r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eEdD][-+]?\d+)?)"


@dataclass(frozen=True)
class OutputReading:
    """Where an output is read: the number after a text, the last one of them, in a file or in what is printed."""

    name: str
    file: str
    pattern: str


@dataclass(frozen=True)
class ProgramDeclaration:
    """All of it. Outputs without a reading stand in the results, by name or in their order."""

    command: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    parameters: str = FORMATS[0]
    results: str = ""  # the file in which the results are, or `output`; the one named in the command where it is empty
    templates: tuple[tuple[str, str], ...] = ()  # a file beside the problem's, and the name of the one it makes
    copies: tuple[str, ...] = ()  # files and folders beside the problem's that lie in the folder of each evaluation
    readings: tuple[OutputReading, ...] = ()
    seconds: float = 0.0  # 0 for as long as it takes
    at_once: int = 0  # 0 for as many as there are workers
    environment: tuple[tuple[str, str], ...] = ()
    codes: tuple[int, ...] = (0,)
    failure: float = math.inf  # an output of this size or a larger one says that it failed
    keep_all: bool = False


def names_a_program(text: str) -> bool:
    """Whether a text has the line that names a program."""
    return PROGRAM.search(text) is not None


def split_declaration(text: str) -> tuple[ProgramDeclaration, str]:
    """What the lines about the program say, and the text without them, every other line in its place."""
    found, rest = ProgramDeclaration(), []
    for number, line in enumerate(text.split("\n"), start=1):
        bare = line.strip()
        statement = next(((pattern.fullmatch(bare), read) for pattern, read in STATEMENTS if pattern.match(bare)), None)
        if statement is None:
            rest.append(line)
            continue
        match, read = statement
        if match is None:
            raise InputError(f"line {number}: this cannot be read: {bare}. {_form_of(bare)}")
        try:
            found = read(found, match)
        except ValueError as error:
            raise InputError(f"line {number}: {error}") from None
        rest.append("")
    if not found.outputs and not found.readings:
        raise InputError("a program needs outputs: write outputs mass, stress")
    named = tuple(each.name for each in found.readings)
    return replace(found, outputs=tuple(dict.fromkeys((*found.outputs, *named)))), "\n".join(rest)


def _command(found: ProgramDeclaration, match: re.Match[str]) -> ProgramDeclaration:
    if found.command:
        raise ValueError("there must be one program, and this is a second one")
    return replace(found, command=tuple(shlex.split(match[1])))


def _outputs(found: ProgramDeclaration, match: re.Match[str]) -> ProgramDeclaration:
    names = tuple(each.strip() for each in match[1].split(","))
    wrong = [each for each in names if not re.fullmatch(NAME, each)]
    if wrong:
        raise ValueError(f"an output needs a name of letters, digits and _, but one was {wrong[0]!r}")
    return replace(found, outputs=(*found.outputs, *names))


def _copies(found: ProgramDeclaration, match: re.Match[str]) -> ProgramDeclaration:
    names = tuple(each.strip() for each in match[1].split(","))
    for name in names:
        if not name or name.startswith("/") or ".." in name.split("/"):
            raise ValueError(f"what is copied lies beside this file or in a folder there, but it was {name!r}")
    return replace(found, copies=(*found.copies, *names))


def _reading(found: ProgramDeclaration, match: re.Match[str]) -> ProgramDeclaration:
    name, file, how, text = match.groups()
    pattern = text if how == "matching" else rf"{re.escape(text)}\s*[:=]?\s*{NUMBER}"
    try:
        if re.compile(pattern).groups != 1:
            raise ValueError(f"a pattern needs one group, in round brackets, around the number, but it was {text!r}")
    except re.error as error:
        raise ValueError(f"this is no regular expression ({error}): {text!r}") from None
    return replace(found, readings=(*found.readings, OutputReading(name, file, pattern)))


def _codes(found: ProgramDeclaration, match: re.Match[str]) -> ProgramDeclaration:
    return replace(found, codes=tuple(int(each) for each in match[1].split(",")))


def _positive(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not found > 0.0:
        raise ValueError(f"what says that it failed must be a number above 0, but it was {text!r}")
    return found


Reader = Callable[[ProgramDeclaration, re.Match[str]], ProgramDeclaration]
# How each begins, the whole of it, an example, and what it does.
_FORMS: tuple[tuple[str, str, str, Reader], ...] = (
    (r"evaluate\s+with\b", r"evaluate\s+with\s+(.+)", "evaluate with ./beam {params} {results}", _command),
    (r"outputs\b", r"outputs\s*:?\s+(.+)", "outputs mass, stress", _outputs),
    (r"parameters\s+as\b", rf"parameters\s+as\s+({'|'.join(FORMATS)})", "parameters as json",
     lambda found, match: replace(found, parameters=match[1])),
    (r"results\s+in\b", r"results\s+in\s+(\S+)", f"results in {OUTPUT}",
     lambda found, match: replace(found, results=match[1])),
    (r"fill\b", r"fill\s+(\S+)\s+as\s+(\S+)", "fill deck.template as deck.inp",
     lambda found, match: replace(found, templates=(*found.templates, (match[1], match[2])))),
    (r"copy\b", r"copy\s+(.+)", "copy mesh.msh, data", _copies),
    (r"read\b", rf"read\s+({NAME})\s+from\s+(\S+)\s+(after|matching)\s+\"(.*)\"",
     'read stress from output after "max stress ="', _reading),
    (r"time\s+limit\b", r"time\s+limit\s+(\d+\.?\d*)(?:\s*s)?", "time limit 60",
     lambda found, match: replace(found, seconds=float(match[1]))),
    (r"at\s+most\b", r"at\s+most\s+(\d+)(?:\s+at\s+once)?", "at most 4 at once",
     lambda found, match: replace(found, at_once=int(match[1]))),
    (r"environment\b", rf"environment\s+({NAME})=(.*)", "environment OMP_NUM_THREADS=1",
     lambda found, match: replace(found, environment=(*found.environment, (match[1], match[2])))),
    (r"return\s+codes\b", r"return\s+codes\s+(\d+(?:\s*,\s*\d+)*)", "return codes 0, 3", _codes),
    (r"failure\s+from\b", r"failure\s+from\s+(\S+)", "failure from 1e20",
     lambda found, match: replace(found, failure=_positive(match[1]))),
    (r"keep\b", r"keep\s+(all|failed)", "keep all",
     lambda found, match: replace(found, keep_all=match[1] == "all")),
)  # fmt: skip


class _Statement:
    """How one kind of line is known, and read."""

    def __init__(self, begins: str, whole: str) -> None:
        self._begins, self._whole = re.compile(begins), re.compile(whole)

    def match(self, line: str) -> bool:
        """Whether a line is one of these."""
        return self._begins.match(line) is not None

    def fullmatch(self, line: str) -> re.Match[str] | None:
        """Its parts, or None where it is not well formed."""
        return self._whole.fullmatch(line)


STATEMENTS = tuple((_Statement(begins, whole), read) for begins, whole, _, read in _FORMS)


def _form_of(line: str) -> str:
    example = next(example for begins, _, example, _ in _FORMS if re.match(begins, line))
    return f"An example: {example}"
