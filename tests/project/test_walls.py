"""What import-linter does not see: imports inside functions, private names of others, names that nobody has."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from textwrap import dedent

import pytest

ROOT = Path(__file__).parents[2]
PRODUCT = ("mapelites", "components", "server", "app.py")
EVERYTHING = (*PRODUCT, "benchmarks", "tools", "tests")

# Where a function may import, and why nothing else will do.
OPTIONAL_PACKAGES = {"cloudpickle", "distributed", "pandas", "plotly"}
LATE_IMPORTS = {
    "mapelites/search/": "numba compiles what is imported, which takes seconds: only the search that is used",
    "mapelites/proof/process.py": "the solver is an optional package",
    "mapelites/core/archive/archive.py": "a notebook draws an archive, and what draws it needs archives",
    "server/command.py": "the dashboard takes a second to load, and no other command needs it",
}
# Private by their look alone: Python documents them for everybody.
DOCUMENTED = {"_asdict", "_exit", "_fields", "_make", "_replace", "_repr_html_"}
# diskcache has no other way to its database: transactions, the size on disk, and rows as they lie there.
OF_DISKCACHE = {
    "mapelites/runs/storage/database.py": {"_con", "_sql", "_row_insert"},
    "mapelites/runs/storage/rebuild.py": {"_sql", "_row_insert"},
}


def nodes_of(*roots: str) -> dict[str, list[ast.AST]]:
    """All nodes of each file, each after the one that it is in."""
    paths = [path for root in roots for path in (sorted((ROOT / root).rglob("*.py")) or [ROOT / root])]
    return {path.relative_to(ROOT).as_posix(): nodes_of_file(path) for path in paths}


@cache
def nodes_of_file(path: Path) -> list[ast.AST]:
    return parsed(path.read_text(encoding="utf-8"))


def parsed(code: str) -> list[ast.AST]:
    return list(ast.walk(ast.parse(code)))


def imports_in_functions(nodes: list[ast.AST]) -> Iterator[tuple[int, str]]:
    for function in nodes:
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for node in ast.walk(function):
                if isinstance(node, ast.Import):
                    yield from ((node.lineno, alias.name) for alias in node.names)
                elif isinstance(node, ast.ImportFrom):
                    yield node.lineno, node.module or "."


def private_names_of_others(nodes: list[ast.AST]) -> Iterator[tuple[int, str]]:
    """Private names that a module imports, or reads of something that is neither itself nor made by itself."""
    own = DOCUMENTED | {
        node.attr for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    }
    own |= names_held(nodes)
    for node in nodes:
        if isinstance(node, ast.ImportFrom):
            yield from ((node.lineno, alias.name) for alias in node.names if is_private(alias.name))
        elif isinstance(node, ast.Attribute) and is_private(node.attr) and node.attr not in own:
            holder = node.value
            if not (isinstance(holder, ast.Name) and holder.id in ("self", "cls")):
                yield node.lineno, node.attr


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def names_that_nobody_has(files: dict[str, list[ast.AST]]) -> Iterator[str]:
    """Imports from one of our modules, and attributes of one, that this module does not have."""
    called = {path: path.removesuffix(".py").removesuffix("/__init__").replace("/", ".") for path in files}
    modules = set(called.values())
    held = {called[path]: names_held(nodes) | inner_modules(called[path], modules) for path, nodes in files.items()}
    for path, nodes in files.items():
        ours: dict[str, str] = {}  # our modules by what this one calls them
        for node in nodes:
            if not isinstance(node, ast.ImportFrom):
                continue
            for alias in node.names:
                if (module := f"{node.module}.{alias.name}") in modules:
                    ours[alias.asname or alias.name] = module
                elif node.module in modules and alias.name not in held[node.module]:
                    yield f"{path}:{node.lineno} {module}"
        for name in ours.keys() & names_given(nodes):  # there is something else of that name as well
            del ours[name]
        for node in nodes:
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in ours:
                module = ours[node.value.id]
                if not (node.attr in held[module] or node.attr.startswith("__")):
                    yield f"{path}:{node.lineno} {module}.{node.attr}"


def programs_in_texts(files: dict[str, list[ast.AST]]) -> dict[str, list[ast.AST]]:
    """Programs that tests write to files and give to other processes."""
    texts = {
        f"{path}:{node.lineno}": node.value
        for path, nodes in files.items()
        for node in nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "import " in node.value
    }
    return {place: nodes for place, text in texts.items() if (nodes := parsed_if_possible(dedent(text)))}


def parsed_if_possible(text: str) -> list[ast.AST]:
    try:
        return parsed(text)
    except SyntaxError:  # prose
        return []


def programs_in_documents() -> dict[str, list[ast.AST]]:
    documents = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
    return {
        f"{path.name}#{place}": parsed(code)
        for path in documents
        for place, code in enumerate(re.findall(r"```python\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL))
    }


def names_held(nodes: list[ast.AST]) -> set[str]:
    held = set[str]()
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            held.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            held.add(node.id)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            held |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
    return held


def names_given(nodes: list[ast.AST]) -> set[str]:
    """The names of arguments and of whatever is assigned."""
    given = {node.arg for node in nodes if isinstance(node, ast.arg)}
    return given | {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def inner_modules(package: str, modules: set[str]) -> set[str]:
    return {name.removeprefix(f"{package}.").split(".")[0] for name in modules if name.startswith(f"{package}.")}


def test_a_function_imports_only_what_is_optional_or_compiled_when_it_is_needed() -> None:
    hidden = [
        f"{path}:{line} {name}"
        for path, nodes in nodes_of(*PRODUCT).items()
        for line, name in imports_in_functions(nodes)
        if name.split(".")[0] not in OPTIONAL_PACKAGES and not path.startswith(tuple(LATE_IMPORTS))
    ]
    assert hidden == []


def test_every_place_that_may_import_late_does() -> None:
    late = [path for path, nodes in nodes_of(*PRODUCT).items() if list(imports_in_functions(nodes))]
    assert [place for place in LATE_IMPORTS if not any(path.startswith(place) for path in late)] == []


def test_nothing_private_is_used_by_another_module() -> None:
    used = [
        f"{path}:{line} {name}"
        for path, nodes in nodes_of(*PRODUCT, "benchmarks", "tools").items()
        for line, name in private_names_of_others(nodes)
        if name not in OF_DISKCACHE.get(path, ())
    ]
    assert used == []


def test_every_name_that_is_imported_is_there_also_in_documents_and_in_code_within_texts() -> None:
    files = nodes_of(*EVERYTHING)
    assert list(names_that_nobody_has({**files, **programs_in_texts(files), **programs_in_documents()})) == []


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("def f():\n    import os\n", [(2, "os")]),
        ("class C:\n    def f(self):\n        from a.b import c\n", [(3, "a.b")]),
        ("import os\n", []),
    ],
)
def test_an_import_inside_a_function_is_found(code: str, found: list[tuple[int, str]]) -> None:
    assert list(imports_in_functions(parsed(code))) == found


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("from a import _b\n", [(1, "_b")]),
        ("import a\na._b()\n", [(2, "_b")]),
        ("class C:\n    def f(self):\n        return self._b\n", []),
        ("class C:\n    def __init__(self, other):\n        self._b = other._b\n", []),
    ],
)
def test_a_private_name_of_another_module_is_found(code: str, found: list[tuple[int, str]]) -> None:
    assert list(private_names_of_others(parsed(code))) == found


def test_a_name_that_nobody_has_is_found() -> None:
    files = {
        "a/b.py": parsed("def here(): ...\n"),
        "a/c.py": parsed("from a import b\nfrom a.b import here, gone\nb.here()\nb.lost()\n"),
    }
    assert list(names_that_nobody_has(files)) == ["a/c.py:2 a.b.gone", "a/c.py:4 a.b.lost"]
