"""Reads a whole problem: its variables, definitions, objective and constraints, a statement a line.

problem Pressure vessel
about   A cylinder with two hemispherical heads.
variable x1 from 0.0625 to 6.1875 step 0.0625 [in] "shell thickness"
let V = pi*x3^2*x4
minimise cost [$]: 0.6224*x1*x3*x4 + 1.7781*x2*x3^2
subject to
    shell: 0.0193*x3 - x1 <= 0 [in] "thickness against pressure"
    V >= 1296000 [in³]
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import get_args

from mapelites.core.constraint import LONGEST_MEANING
from mapelites.core.problem import LONGEST_NAME, MOST_CONSTRAINTS, whole_bounds
from mapelites.problems.formulas.expressions import ExpressionReader
from mapelites.problems.formulas.functions import CONSTANTS, FUNCTIONS
from mapelites.problems.formulas.instructions import NO_VALUE, InstructionBuilder
from mapelites.problems.formulas.tokens import WORDS, FormulaError
from mapelites.problems.formulas.tree import Comparison, Expression, ProblemDocument, TypedConstraint, Variable

TEXT_LINE = re.compile(r"^[ \t]*(problem|about|source|best)\b[ \t]*([^\n]*)", re.MULTILINE | re.IGNORECASE)
NAMED = re.compile(r"^[ \t]*(?:variable|let)[ \t]+([A-Za-z_]\w*)", re.MULTILINE | re.IGNORECASE | re.ASCII)
PROGRAM = re.compile(r"^[ \t]*(evaluate[ \t]+with)\b", re.MULTILINE)
ABBREVIATED = {"min": "minimise", "max": "maximise"}
OBJECTIVES = ("minimise", "minimize", "maximise", "maximize")
MOST_VARIABLES = 200
UNTITLED = "My problem"
TOLERANCE = 1e-4


@dataclass
class _Parts:
    """What has been read so far."""

    texts: dict[str, str] = field(default_factory=dict)
    variables: dict[str, Variable] = field(default_factory=dict)
    lets: dict[str, Expression] = field(default_factory=dict)
    objective: tuple[Expression, bool] | None = None
    objective_name: str = ""
    objective_unit: str = ""
    restrictions: list[tuple[str, TypedConstraint, int]] = field(
        default_factory=list
    )  # with its name or none, and place
    tolerance: float = TOLERANCE
    program: InstructionBuilder = field(
        default_factory=lambda: InstructionBuilder(())
    )  # of all that has been read, to find flaws with


@lru_cache(maxsize=256)  # runs of one problem ask for the same text again and again
def read_document(text: str) -> ProblemDocument:
    """The problem that a text describes; a `FormulaError` points at the character that is wrong."""
    text = text.replace("\r\n", "\n")
    parts = _Parts()
    if found := PROGRAM.search(text):
        said = "a program can only be named in a file that is given on the command line, with --problems"
        raise FormulaError(said, text, found.start(1))
    names = set(NAMED.findall(text))
    code = TEXT_LINE.sub(lambda found: _note(parts, found, names), text)
    reader = ExpressionReader(text, code, names)
    # Variables may stand anywhere, but are known everywhere.
    for before, word, name in zip([None, *reader.tokens], reader.tokens, reader.tokens[1:], strict=False):
        if word.text == "variable" and name.kind == "name" and (before is None or before.kind == "newline"):
            parts.variables.setdefault(name.text, Variable(name.text, 0.0, 0.0))
            parts.program.variable(name.text)
    declared: set[str] = set()
    while reader.next.kind != "end":
        _statement(reader, parts, declared)
    return _finished(reader, parts)


def _note(parts: _Parts, found: re.Match[str], names: set[str]) -> str:
    """Take a line of words down, and leave blanks, so that every other character keeps its place."""
    word, said = found.group(1).lower(), found.group(2).strip()
    if found.group(1) != word and (found.group(1) in names or said.startswith(":")):
        return found.group()  # somebody's own Source or Best
    parts.texts[word] = f"{parts.texts.get(word, '')} {said}".strip()
    return " " * len(found.group())


def _statement(reader: ExpressionReader, parts: _Parts, declared: set[str]) -> None:
    if reader.next.kind == "newline":
        reader.take()
    elif reader.took("variable"):
        variable = _variable(reader, parts, declared)
        parts.variables[variable.name] = variable
        parts.program.variable(variable.name)
    elif reader.took("let"):
        name = _new_name(reader, parts, "a definition")
        if name in parts.lets:
            raise reader.error(f"'{name}' is defined already")
        reader.expect("=", f"after let {name}")
        parts.lets[name] = _expression(reader, parts)
        parts.program.known[name] = parts.program.expression(parts.lets[name])
        reader.end_of_line()
    elif reader.next.text in OBJECTIVES:
        if parts.objective is not None:
            raise reader.error("there must be one objective, and this is a second one")
        word = reader.take().text
        parts.objective_name, parts.objective_unit = _objective_name(reader)
        parts.objective = _expression(reader, parts), word.startswith("max")
        reader.end_of_line()
    elif reader.took("subject"):
        reader.expect("to", "after subject")
    elif reader.took("tolerance"):
        parts.tolerance = _number(reader, parts)
        if parts.tolerance < 0:
            raise reader.error("the tolerance of equalities must not be negative")
        reader.end_of_line()
    else:
        _restriction(reader, parts)


def _variable(reader: ExpressionReader, parts: _Parts, declared: set[str]) -> Variable:
    at = reader.next.at
    name = _new_name(reader, parts, "a variable", variable=True)
    if name in declared:
        raise reader.error(f"'{name}' is declared already", at)
    declared.add(name)
    unit, meaning, step, whole, bounds = "", "", 0.0, False, None
    while reader.next.kind not in ("newline", "end"):
        token = reader.next
        if token.kind == "unit":
            unit = _unit(reader)
        elif token.kind == "text":
            meaning = reader.take().text[1:-1].strip()
        elif reader.took("integer"):
            step, whole = step or 1.0, True
        elif reader.took("step"):
            step = _number(reader, parts)
        elif reader.took("from"):
            low = _number(reader, parts)
            reader.expect("to", f"and the upper bound of {name}")
            bounds = low, _number(reader, parts)
        else:
            raise reader.error(f'expected from, to, step, integer, a [unit] or a "meaning", not {token.spoken}')
    if bounds is None:
        raise reader.error(f"'{name}' needs bounds: variable {name} from 0 to 1")
    if not bounds[0] < bounds[1]:
        raise reader.error(f"the lower bound of {name} must be below the upper one", at)
    if whole and (bounds := whole_bounds(*bounds)) is None:
        raise reader.error(f"two whole numbers or more must lie within the bounds of {name}", at)
    if whole and step != int(step):
        raise reader.error(f"the step of {name} must be a whole number, since {name} is one", at)
    if step and not 0 < step <= bounds[1] - bounds[0]:
        raise reader.error(f"the step of {name} must be above 0 and fit between its bounds", at)
    if len(declared) > MOST_VARIABLES:
        raise reader.error(f"there can be at most {MOST_VARIABLES} variables", at)
    reader.end_of_line()
    return Variable(name, *bounds, step, unit, meaning)


def _objective_name(reader: ExpressionReader) -> tuple[str, str]:
    """What the objective is called, and its unit, where that is said: minimise fabrication cost [$]: ..."""
    start = reader.place
    while reader.next.kind == "name":
        reader.take()
    name = " ".join(token.text for token in reader.tokens[start : reader.place])
    at = reader.next.at
    unit = _unit(reader) if reader.next.kind == "unit" else ""
    if reader.took(":"):
        if not name:
            raise reader.error("the objective needs a name before the colon: minimise cost [$]: ...", at)
        if len(name) > LONGEST_NAME:
            raise reader.error(f"the name of the objective must have at most {LONGEST_NAME} characters", at)
        return name, unit
    if unit:
        raise reader.error("after the unit of the objective a ':' is needed: minimise cost [$]: ...", at)
    reader.place = start
    return "", ""


def _unit(reader: ExpressionReader) -> str:
    """The unit between square brackets that comes next."""
    return reader.take().text[1:-1].strip()[:LONGEST_NAME]


def _unit_and_meaning(reader: ExpressionReader) -> tuple[str, str]:
    """What may stand behind a constraint: the unit of its limit, and what it means."""
    unit, meaning = "", ""
    while reader.next.kind in ("unit", "text"):
        if reader.next.kind == "unit":
            if unit:
                raise reader.error(f"there is one unit already, [{unit}]")
            unit = _unit(reader)
        else:
            meaning = reader.take().text[1:-1].strip()[:LONGEST_MEANING]
    return unit, meaning


def _restriction(reader: ExpressionReader, parts: _Parts) -> None:
    at, name = reader.next.at, ""
    if reader.next.kind == "name" and reader.tokens[reader.place + 1].text == ":":
        name = reader.take().text
        if len(name) > LONGEST_NAME:
            raise reader.error(f"a name must have at most {LONGEST_NAME} characters", at)
        reader.take()
    elif reader.next.kind == "name" and reader.tokens[reader.place + 1].kind in ("name", "number"):
        if word := ABBREVIATED.get(reader.next.text.lower()):
            raise reader.error(f"write {word} instead of {reader.next.text}")
        raise reader.error(
            f"{reader.next.spoken} begins no statement: write variable, let, minimise, subject to, or a constraint"
        )
    left = _expression(reader, parts)
    comparison = reader.took(*get_args(Comparison))
    if not comparison:
        strict = f": write {reader.next.text}= instead" if reader.next.text in ("<", ">") else ""
        raise reader.error(f"a constraint needs <=, >= or = here, but there was {reader.next.spoken}{strict}")
    right = _expression(reader, parts)
    if all(parts.program.expression(each).value is not None for each in (left, right)):
        raise reader.error("there is no variable in this constraint, so it is the same for every solution", at)
    if reader.next.text in get_args(Comparison):
        raise reader.error("one comparison a line: write the second one as a constraint of its own")
    unit, meaning = _unit_and_meaning(reader)
    reader.end_of_line()
    if len(parts.restrictions) == MOST_CONSTRAINTS:
        raise reader.error(f"there can be at most {MOST_CONSTRAINTS} constraints", at)
    restriction = TypedConstraint(name, left, comparison, right, unit, meaning)  # type: ignore[arg-type]
    parts.restrictions.append((name, restriction, at))


def _new_name(reader: ExpressionReader, parts: _Parts, what: str, *, variable: bool = False) -> str:
    token = reader.take()
    if token.kind != "name":
        raise reader.error(f"expected the name of {what}, but there was {token.spoken}", token.at)
    if token.text in WORDS or token.text in FUNCTIONS or token.text in CONSTANTS:
        raise reader.error(f"'{token.text}' has a meaning of its own: choose another name", token.at)
    if len(token.text) > LONGEST_NAME:
        raise reader.error(f"a name must have at most {LONGEST_NAME} characters", token.at)
    if token.text in (parts.lets if variable else parts.variables):
        raise reader.error(f"'{token.text}' is the name of something else", token.at)
    return token.text


def _number(reader: ExpressionReader, parts: _Parts) -> float:
    at = reader.next.at
    value = parts.program.expression(reader.expression(set(parts.lets))).value
    if value is None or not math.isfinite(value) or parts.program.flaw:
        raise reader.error("a number is needed here, without variables", at)
    return value


def _expression(reader: ExpressionReader, parts: _Parts) -> Expression:
    """An expression that can have a value."""
    at = reader.next.at
    found = reader.expression(_known(parts))
    value = parts.program.expression(found).value
    said = parts.program.flaw or (NO_VALUE if value is not None and not math.isfinite(value) else "")
    if said:
        raise reader.error(f"this is never a finite number: {said}", at)
    return found


def _known(parts: _Parts) -> set[str]:
    return {*parts.variables, *parts.lets}


def _finished(reader: ExpressionReader, parts: _Parts) -> ProblemDocument:
    if not parts.variables:
        raise reader.error("there is no variable yet: write variable x1 from 0 to 1")
    if parts.objective is None:
        raise reader.error("there is no objective yet: write minimise and a formula")
    if not parts.restrictions:
        raise reader.error("there is no constraint yet, and a map needs one: write subject to and a formula")
    taken = {*parts.variables, *parts.lets}
    kinds: dict[str, list[TypedConstraint]] = {"g": [], "h": []}
    for name, each, at in parts.restrictions:
        letter = "h" if each.comparison == "=" else "g"
        name = name or f"{letter}{len(kinds[letter]) + 1}"
        if name in taken:
            raise reader.error(f"'{name}' is the name of something else: name the constraint, such as limit: ...", at)
        taken.add(name)
        kinds[letter].append(replace(each, name=name))
    best, note = _best(reader, parts)
    texts = parts.texts
    return ProblemDocument(
        texts.get("problem", "") or UNTITLED, texts.get("about", ""), texts.get("source", ""), best, note,
        parts.tolerance, tuple(parts.variables.values()), tuple(parts.lets.items()), *parts.objective,
        tuple(kinds["g"]), tuple(kinds["h"]), parts.objective_name, parts.objective_unit,
    )  # fmt: skip


def _best(reader: ExpressionReader, parts: _Parts) -> tuple[float | None, str]:
    number, _, note = parts.texts.get("best", "").partition(" ")
    if not number:
        return None, ""
    try:
        value = float(number)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        found = re.search(r"^[ \t]*best\b", reader.text, re.MULTILINE)
        raise reader.error("after best comes the best known value, a number", found.end() if found else 0)
    return value, note.strip()
