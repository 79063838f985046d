"""The files that are exchanged with a program: Dakota's parameters and results, in their standard and JSON forms.

They are as in "Dakota, a multilevel parallel object-oriented framework for design optimization, parameter estimation,
uncertainty quantification, and sensitivity analysis: user's manual" (Sandia National Laboratories), of which only the
values of functions are asked for.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mapelites.core.errors import ProgramError
from mapelites.problems.own.program.declaration import OutputReading
from mapelites.system.files import json_of

WIDTH = 24
PLACEHOLDER = re.compile(r"\{([A-Za-z_]\w*)(?::([^{}]*))?\}")
GROUPS = ("functions", "responses", "results", "outputs")
LABELS = ("label", "descriptor", "name", "id")


def standard_parameters(values: Mapping[str, float], outputs: Sequence[str], number: str) -> str:
    """A parameters file in Dakota's standard form, which asks for the values of the functions alone.

    A number has the 17 digits that tell it from every other; one that counts something has none behind a point.
    """
    rows: list[tuple[str, str]] = [(str(len(values)), "variables")]
    rows += [(str(value) if isinstance(value, int) else f"{value:.16e}", name) for name, value in values.items()]
    rows += [(str(len(outputs)), "functions")]
    rows += [("1", f"ASV_{place}:{name}") for place, name in enumerate(outputs, start=1)]
    rows += [(str(len(values)), "derivative_variables")]
    rows += [(str(place), f"DVV_{place}:{name}") for place, name in enumerate(values, start=1)]
    rows += [("0", "analysis_components"), (number, "eval_id")]
    return "".join(f"{value:>{WIDTH}} {name}\n" for value, name in rows)


def json_parameters(values: Mapping[str, float], outputs: Sequence[str], number: str) -> str:
    """The same in JSON."""
    return json.dumps(
        {
            "variables": [{"label": name, "value": value} for name, value in values.items()],
            "responses": [{"label": name, "active_set": 1} for name in outputs],
            "derivative_variables": list(values),
            "analysis_drivers": [],
            "eval_id": number,
        },
        indent=2,
    )


def plain_parameters(values: Mapping[str, float], outputs: Sequence[str], number: str) -> str:
    """The values alone in one line, as programs for derivative-free optimisers read them."""
    return " ".join(map(repr, values.values())) + "\n"


PARAMETERS = {"dakota": standard_parameters, "json": json_parameters, "values": plain_parameters}


def fill_template(template: str, values: Mapping[str, float], paths: Mapping[str, str]) -> str:
    """A template with the variables in place of their names in braces, `{h}` or `{h:8.3f}`; other braces stay."""

    def replaced(found: re.Match[str]) -> str:
        name, form = found.group(1), found.group(2) or ""
        if name in values:
            return format(values[name], form) if form else repr(values[name])
        return paths.get(name, found.group())

    return PLACEHOLDER.sub(replaced, template)


def read_results(text: str, outputs: Sequence[str]) -> dict[str, float]:
    """The outputs in a file: JSON, lines with a number and perhaps a name, or one line with all numbers in order."""
    return _read(text, outputs, longest=2)


def read_printed(text: str, outputs: Sequence[str]) -> dict[str, float]:
    """The same in what is printed among other things, where a number counts alone on its line or with its name."""
    return _read(text, outputs, longest=1)


def _read(text: str, outputs: Sequence[str], longest: int) -> dict[str, float]:
    """Where a line without a name of an output has so many words at most, the first one a number."""
    if text.strip().lower().startswith("fail"):
        raise ProgramError("it says FAIL")
    if text.lstrip().startswith(("{", "[")):
        return _from_json(text, outputs)
    named, plain, together = dict[str, float](), list[float](), dict[str, float]()
    for line in text.splitlines():
        words = line.replace("=", " ").split()
        numbers = [value for word in words if (value := number_in_word(word)) is not None]
        if not numbers or line.lstrip().startswith(("[", "#")):  # gradients, Hessians and remarks
            continue
        names = [word for word in (each.rstrip(":") for each in words) if word in outputs]
        if len(numbers) == len(words) == len(outputs) > 1:
            together = dict(zip(outputs, numbers, strict=True))  # the last line counts
        elif names and len(numbers) == 1:
            named[names[0]] = numbers[0]
        elif len(words) <= longest and number_in_word(words[0]) is not None:
            plain.append(numbers[0])
    if together and len(named) < len(outputs):
        return together
    left = [each for each in outputs if each not in named]
    if left and len(plain) > len(left):
        raise ProgramError(f"{len(plain)} lines of its results have a number, but there are {len(left)} outputs")
    return _complete({**named, **dict(zip(left, plain, strict=False))}, outputs, "its results")


def _from_json(text: str, outputs: Sequence[str]) -> dict[str, float]:
    try:
        table: Any = json_of(text)
    except ValueError as error:
        raise ProgramError(f"its results are no JSON ({error})") from None
    if isinstance(table, dict):
        if table.get("fail") is True or str(table.get("status", "")).lower() == "fail":
            raise ProgramError("it says FAIL")
        table = next((table[name] for name in GROUPS if name in table), table)
    named: dict[str, float] = {}
    if isinstance(table, dict):
        named = {str(name): _value(each) for name, each in table.items()}
    elif isinstance(table, list):
        for name, each in zip(outputs, table, strict=False):
            label = next((each[key] for key in LABELS if key in each), name) if isinstance(each, dict) else name
            named[str(label)] = _value(each)
    return _complete({name: value for name, value in named.items() if name in outputs}, outputs, "its results")


def _value(each: Any) -> float:
    found = next((each[key] for key in ("value", "function") if key in each), None) if isinstance(each, dict) else each
    return float(found) if isinstance(found, (int, float)) and not isinstance(found, bool) else math.nan


def number_in_word(word: str) -> float | None:
    """The number that a word is, also in Fortran's spelling, or None."""
    try:
        return float(re.sub(r"(?<=\d)[dD](?=[-+]?\d)", "e", word.rstrip(",;")))
    except ValueError:
        return None


def read_outputs(readings: Sequence[OutputReading], folder: Path, printed: str) -> dict[str, float]:
    """The outputs that stand somewhere in the program's own files or in what it printed."""
    found: dict[str, float] = {}
    for each in readings:
        if each.file == "output":
            text = printed
        else:
            try:
                text = (folder / each.file).read_text("utf-8", errors="replace")
            except OSError as error:
                raise ProgramError(
                    f"{each.file}, in which {each.name} should be, cannot be read: {error.strerror}"
                ) from None
        numbers = re.findall(each.pattern, text)
        value = number_in_word(numbers[-1]) if numbers else None
        if value is None:
            raise ProgramError(f"there is no {each.name} in {'what it prints' if each.file == 'output' else each.file}")
        found[each.name] = value
    return found


def _complete(named: dict[str, float], outputs: Sequence[str], where: str) -> dict[str, float]:
    missing = [name for name in outputs if name not in named]
    if missing:
        raise ProgramError(f"there is no {', '.join(missing)} in {where}")
    return named
