"""Print figures about the style of a Python tree: `python -m tools.style_figures [folder]`.

Only files ending in `.py` count; hidden folders, virtual environments and caches are left out.
"""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

LONG_FUNCTION = 60  # lines
SKIPPED_FOLDERS = {"__pycache__", "node_modules", "build", "dist", "venv", "env"}
SKIPPED_TOKENS = {
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING,
    tokenize.ENDMARKER,
}  # fmt: skip

Function = ast.FunctionDef | ast.AsyncFunctionDef
Definition = Function | ast.ClassDef


@dataclass(frozen=True)
class Share:
    """A part of a whole."""

    part: int
    whole: int

    def __str__(self) -> str:
        percent = f"{100 * self.part / self.whole:.1f} %" if self.whole else "none"
        return f"{percent} ({self.part:,} of {self.whole:,})"


@dataclass(frozen=True)
class Figures:
    """What was counted in a tree."""

    largest_folder: tuple[str, int]
    largest_file: tuple[str, int]
    long_functions: Share
    documented: Share
    one_word_names: Share
    comment_lines: Share
    checked_raises: Share

    def rows(self) -> list[tuple[str, str]]:
        """The table, as a name and a value in each row."""
        return [
            ("largest folder, files", f"{self.largest_folder[1]:,} ({self.largest_folder[0]})"),
            ("largest file, lines", f"{self.largest_file[1]:,} ({self.largest_file[0]})"),
            (f"functions over {LONG_FUNCTION} lines", str(self.long_functions)),
            ("public things with a docstring", str(self.documented)),
            ("function names of one word", str(self.one_word_names)),
            ("whole-line comments among lines of code", str(self.comment_lines)),
            ("pytest.raises that check the text", str(self.checked_raises)),
        ]


def python_files(root: Path) -> list[Path]:
    """The Python files of a tree that people write."""
    return [path for path in sorted(root.rglob("*.py")) if not _is_skipped(path.relative_to(root))]


def _is_skipped(path: Path) -> bool:
    return any(part.startswith(".") or part in SKIPPED_FOLDERS for part in path.parts[:-1])


def figures_of(root: Path) -> Figures:
    """Count a whole tree. Tests count for files, folders and `pytest.raises`, and not for the other figures."""
    files = python_files(root)
    if not files:
        raise ValueError(f"root must be a folder with Python files, but {root} has none")
    texts = {path.relative_to(root): path.read_text(encoding="utf-8") for path in files}
    trees = {path: ast.parse(text) for path, text in texts.items()}
    code = [path for path in texts if not _is_test(path)]
    functions = [node for path in code for node in ast.walk(trees[path]) if isinstance(node, Function)]
    names = [node.name for node in functions if not _is_dunder(node.name)]
    documented = [has for path in code for has in _public_docstrings(trees[path])]
    lines = Counter[str]()
    for path in code:
        lines += _lines(texts[path])
    raises = [call for tree in trees.values() for call in _raises(tree)]
    return Figures(
        Counter(path.parent.as_posix() for path in texts).most_common(1)[0],
        max(((path.as_posix(), len(text.splitlines())) for path, text in texts.items()), key=lambda each: each[1]),
        Share(sum(_length(node) > LONG_FUNCTION for node in functions), len(functions)),
        Share(sum(documented), len(documented)),
        Share(sum("_" not in name.strip("_") for name in names), len(names)),
        Share(lines["comment"], lines["code"] + lines["comment"]),
        Share(sum(_checks_text(call) for call in raises), len(raises)),
    )


def _is_test(path: Path) -> bool:
    return "tests" in path.parts or path.name.startswith("test_") or path.name == "conftest.py"


def _is_dunder(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _length(node: Function) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def _public_docstrings(tree: ast.Module) -> Iterator[bool]:
    """Whether the module and each public class, function and method has a docstring."""
    yield ast.get_docstring(tree) is not None
    waiting: list[ast.stmt] = list(tree.body)
    while waiting:
        node = waiting.pop()
        if not isinstance(node, Definition) or node.name.startswith("_"):
            continue
        yield ast.get_docstring(node) is not None
        if isinstance(node, ast.ClassDef):
            waiting.extend(node.body)


def _lines(text: str) -> Counter[str]:
    """How many lines hold code, docstrings included, and how many hold nothing but a comment."""
    code, comments = set[int](), set[int]()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            comments.add(token.start[0])
        elif token.type not in SKIPPED_TOKENS:
            code.update(range(token.start[0], token.end[0] + 1))
    return Counter(code=len(code), comment=len(comments - code))


def _raises(tree: ast.Module) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("pytest.raises", "raises"):
            yield node


def _checks_text(call: ast.Call) -> bool:
    return any(keyword.arg == "match" for keyword in call.keywords)


def main(arguments: list[str]) -> int:
    """Print the table of the tree that is named, or of this project."""
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parents[1]
    try:
        rows = figures_of(root).rows()
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        print(f"{name:<{width}}  {value}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
