"""No pattern of ours takes more than a moment for any text.

Where a repeated part holds a repetition, something delimits it; and long texts that almost fit are refused at once.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from re import _compiler, _constants, _parser  # type: ignore[attr-defined]
from typing import Any

from tests.hostile.slowest import Slowest

ROOT = Path(__file__).parents[2]
REPEATS = (_constants.MAX_REPEAT, _constants.MIN_REPEAT)
MANY = 10
EVERY = frozenset(map(chr, range(256)))


def characters(node: Any) -> frozenset[str]:
    """Those of Latin-1 that a node of one character matches; none for other nodes."""
    kind, _ = node
    if kind not in (_constants.IN, _constants.LITERAL, _constants.NOT_LITERAL, _constants.ANY):
        return frozenset()
    state = _parser.State()
    state.str = ""
    matcher = _compiler.compile(_parser.SubPattern(state, [node]))
    return frozenset(each for each in EVERY if matcher.fullmatch(each))


def parts(nodes: Any) -> Iterator[Any]:
    """Every node below, with groups and alternatives opened."""
    for kind, value in nodes:
        yield kind, value
        if kind in REPEATS:
            yield from parts(value[2])
        elif kind == _constants.SUBPATTERN:
            yield from parts(value[3])
        elif kind == _constants.BRANCH:
            for each in value[1]:
                yield from parts(each)


def inner_repeats(nodes: Any) -> list[frozenset[str]]:
    """What each repetition of variable length among the nodes can match."""
    found = []
    for kind, value in parts(nodes):
        if kind in REPEATS and value[0] != value[1] and value[1] > 1:
            found.append(frozenset().union(*(characters(each) for each in parts(value[2]))))
    return found


def dangers(pattern: str | bytes) -> list[str]:
    """The repeated parts that hold a repetition and nothing that delimits it."""
    text = pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern
    found = []
    for kind, value in parts(_parser.parse(text)):
        if kind not in REPEATS or value[1] < MANY:
            continue
        inner = inner_repeats(value[2])
        body = value[2]
        while len(body) == 1 and body[0][0] == _constants.SUBPATTERN:
            body = body[0][1][3]
        fixed = [characters(each) for each in body]
        for word in inner:
            if not any(each and not each & word for each in fixed):
                found.append(str(value[2]))
    return found


def patterns() -> Iterator[tuple[str, str | bytes]]:
    """Every pattern that is written down in our code, with its file; what is put into one counts as a letter."""
    for room in ("mapelites", "components", "server"):
        for file in (ROOT / room).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text())):
                if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("re.") and node.args:
                    match node.args[0]:
                        case ast.Constant(value=str() | bytes() as text):
                            yield f"{file.relative_to(ROOT)}:{node.lineno}", text
                        case ast.JoinedStr(values=pieces):
                            constants = (each.value if isinstance(each, ast.Constant) else "1" for each in pieces)
                            yield f"{file.relative_to(ROOT)}:{node.lineno}", "".join(map(str, constants))


def test_a_nested_repetition_without_a_delimiter_is_found() -> None:
    assert dangers(rb"(?:\d{1,18},? ?)*")
    assert dangers(r"(a+)+b")
    assert not dangers(r"(?:\d{1,18}, ?)*")
    assert not dangers(r"(/[a-z]+)*")


def test_no_pattern_can_take_exponential_time() -> None:
    found = list(patterns())
    assert len(found) > 20
    assert {place: said for place, each in found if (said := dangers(each))} == {}


LONG = 200_000  # characters: time that grows with their square is minutes, and `Slowest` ends that
REPEATED = (" ", "a", "1", ",", "1,", "1 ", "nan", "[", "(", '"', "\\", "\n", "a-", "/a", "{")
BEGUN, ENDED = ("", "1", "1a", "["), ("!", "\n!", "]", "x")


def compiled() -> Iterator[tuple[str, re.Pattern[Any]]]:
    """Every pattern that is compiled once, with its flags and file."""
    for room in ("mapelites", "components", "server"):
        for file in (ROOT / room).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text())):
                if isinstance(node, ast.Call) and ast.unparse(node.func) == "re.compile":
                    names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
                    if names == {"re"}:
                        yield f"{file.relative_to(ROOT)}:{node.lineno}", eval(ast.unparse(node), {"re": re})


def test_long_texts_that_almost_fit_a_pattern_are_refused_at_once() -> None:
    texts = [begun + each * (LONG // len(each)) + end for each in REPEATED for begun in BEGUN for end in ENDED]
    slowest = Slowest()
    for place, pattern in compiled():
        for text in texts:
            with slowest.timing(place):
                pattern.fullmatch(text if isinstance(pattern.pattern, str) else text.encode())
    assert slowest.what != "nothing"


def test_a_header_of_many_digits_is_refused_at_once() -> None:
    header = "b\"\\x93NUMPY\\x01\\x00..{'descr': '<f8', 'fortran_order': False, 'shape': (\" + b'1' * 60 + b'x'"
    program = f"from mapelites.snapshot.snapshot import ARRAY; assert ARRAY.match({header}) is None"
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, timeout=120)
