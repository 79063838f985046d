"""Runs the code cells of the notebook in order and stores what they show: `python -m tools.notebook`.

No Jupyter is needed. A cell shows what it prints, and the value of its last line as a notebook would.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any

NOTEBOOK = Path(__file__).parents[1] / "docs" / "notebook.ipynb"
PLOTLY = "application/vnd.plotly.v1+json"


def execute_notebook(notebook: dict[str, Any]) -> dict[str, Any]:
    """The same notebook with the outputs of this run; whatever a cell raises is raised."""
    names: dict[str, Any] = {"__name__": "__main__"}
    cells, count = [], 0
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            count += 1
            outputs = _outputs("".join(cell["source"]), names, count)
            cell = {**cell, "execution_count": count, "outputs": outputs}
        cells.append(cell)
    return {**notebook, "cells": cells}


def _outputs(source: str, names: dict[str, Any], count: int) -> list[dict[str, Any]]:
    tree, printed, value = ast.parse(source), io.StringIO(), None
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, f"cell {count}", "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), f"cell {count}", "eval"), names)
    found: list[dict[str, Any]] = []
    if printed.getvalue():
        found.append({"output_type": "stream", "name": "stdout", "text": _lines(printed.getvalue())})
    if value is not None:
        found.append({"output_type": "execute_result", "execution_count": count, "metadata": {}, "data": _shown(value)})
    return found


def _shown(value: Any) -> dict[str, Any]:
    """A value in the forms in which notebooks keep it."""
    if hasattr(value, "to_plotly_json"):
        return {PLOTLY: json.loads(value.to_json()), "text/plain": ["The map as a Plotly figure"]}
    found: dict[str, Any] = {"text/plain": _lines(repr(value))}
    if hasattr(value, "_repr_html_"):
        found["text/html"] = _lines(value._repr_html_())
    return found


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


if __name__ == "__main__":
    content = json.dumps(execute_notebook(json.loads(NOTEBOOK.read_text())), indent=1, ensure_ascii=False)
    NOTEBOOK.write_text(content + "\n")
    sys.stdout.write(f"{NOTEBOOK}: {NOTEBOOK.stat().st_size:,} bytes\n")
