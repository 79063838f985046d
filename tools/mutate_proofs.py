"""Breaks what tells the solver a problem, one small change at a time, and tells which changes no test notices.

    python -m tools.mutate_proofs [--files intervals,terms,rewriting,translation] [--first 0] [--most 1000]

A change is a sign, an operator, a comparison, a number, a smaller for a larger, or a condition turned round. Each is
tried in a process forked from this one, where the changed file and those that import it are run again, and the tests of
intervals and of the translation after that. A change that no test notices shows that a test is missing, or it changes
nothing.
"""

from __future__ import annotations

import argparse
import ast
import copy
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import pytest

FILES = ("intervals", "terms", "rewriting", "translation", "solver")
TESTS = {"intervals": ["tests/proof/test_intervals.py"]}
TOLD = ["tests/proof/test_told_exactly.py"]
OPERATORS = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult}
COMPARISONS = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
               ast.In: ast.NotIn, ast.NotIn: ast.In}  # fmt: skip
NAMES = {"min": "max", "max": "min", "floor": "ceil", "ceil": "floor", "sin": "cos", "cos": "sin", "low": "high",
         "high": "low", "any": "all", "all": "any"}  # fmt: skip
SECONDS = 120


def changes(tree: ast.Module) -> Iterator[tuple[str, ast.Module]]:
    """Every small change of a file: what it is, and the changed file."""
    for place, node in enumerate(ast.walk(tree)):
        for kind in range(len(_changed(copy.deepcopy(node)))):
            changed = copy.deepcopy(tree)
            target = next(each for i, each in enumerate(ast.walk(changed)) if i == place)
            what, newer = _changed(target)[kind]
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                continue
            yield f"line {getattr(node, 'lineno', 0)}: {ast.unparse(node)} -> {what}", _with(changed, target, newer)


def _changed(node: ast.AST) -> list[tuple[str, ast.AST]]:
    found: list[ast.AST] = []
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        found.append(ast.BinOp(node.left, OPERATORS[type(node.op)](), node.right))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.Not):
        found.append(node.operand)
    if isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARISONS:
        found.append(ast.Compare(node.left, [COMPARISONS[type(node.ops[0])](), *node.ops[1:]], node.comparators))
    if isinstance(node, ast.BoolOp):
        found.append(ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values))
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        found.append(ast.Constant(not node.value))
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        found += [ast.Constant(node.value + 1), ast.Constant(node.value * 2)] if node.value else [ast.Constant(1)]
    if isinstance(node, ast.Name) and node.id in NAMES and isinstance(node.ctx, ast.Load):
        found.append(ast.Name(NAMES[node.id], ast.Load()))
    if isinstance(node, ast.Attribute) and node.attr in NAMES and isinstance(node.ctx, ast.Load):
        found.append(ast.Attribute(node.value, NAMES[node.attr], ast.Load()))
    if isinstance(node, ast.IfExp | ast.If):
        found.append(type(node)(ast.UnaryOp(ast.Not(), node.test), node.body, node.orelse))
    return [(ast.unparse(each).splitlines()[0], each) for each in found]


def _with(tree: ast.Module, target: ast.AST, newer: ast.AST) -> ast.Module:
    class Swap(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            return newer if node is target else self.generic_visit(node)

    return ast.fix_missing_locations(Swap().visit(tree))


def is_noticed(name: str, tree: ast.Module, sources: dict[str, ast.Module]) -> bool:
    """Whether a test fails, in a process of its own, once a file is changed."""
    child = os.fork()
    if not child:
        with suppress(BaseException):
            os._exit(_tried(name, tree, sources))
        os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0


def _tried(name: str, tree: ast.Module, sources: dict[str, ast.Module]) -> int:
    signal.alarm(SECONDS)
    with open(os.devnull, "w") as nowhere:
        for stream in (1, 2):
            os.dup2(nowhere.fileno(), stream)
    for each in FILES[FILES.index(name) :]:
        module = import_module(f"mapelites.proof.{each}")
        code = tree if each == name else sources[each]
        exec(compile(code, str(module.__file__), "exec"), module.__dict__)
    return int(pytest.main(["-x", "-q", "-p", "no:cacheprovider", *TESTS.get(name, TOLD)]))


def _source(name: str) -> ast.Module:
    return ast.parse(Path(str(import_module(f"mapelites.proof.{name}").__file__)).read_text("utf-8"))


def main() -> None:
    """Try every change and print those that nobody notices."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", default=",".join(FILES))
    parser.add_argument("--first", type=int, default=0, help="the first change of each file to try")
    parser.add_argument("--most", type=int, default=10_000, help="how many of each file")
    given = parser.parse_args()
    sources = {each: _source(each) for each in FILES}
    import_module("mapelites.proof.prover")
    for name in given.files.split(","):
        tried = noticed = 0
        for what, tree in list(changes(sources[name]))[given.first : given.first + given.most]:
            seen = is_noticed(name, tree, sources)
            tried, noticed = tried + 1, noticed + seen
            if not seen:
                print(f"{name}.py, {what}", flush=True)
        print(f"{name}: {noticed} of {tried} changes are noticed", flush=True)
    sys.exit(0)


if __name__ == "__main__":
    main()
