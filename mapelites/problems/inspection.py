"""What a Python file holds, found out by a process of its own: a file that hangs or crashes harms nobody.

`python -m mapelites.problems.inspection FILE` writes what it found as one line of JSON.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from mapelites.problems.files import FileError, check, load, with_kind

MOST_SECONDS = 60.0
PACKAGE = Path(__file__).parents[2]


@dataclass(frozen=True)
class Found:
    """The descriptions of a file's problems with warnings, or what is wrong with the file."""

    sources: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    error: str = ""


def inspect(path: Path, seconds: float = MOST_SECONDS) -> Found:
    """Look at a file."""
    command = [sys.executable, "-m", "mapelites.problems.inspection", str(path)]
    search = os.pathsep.join(filter(None, [str(PACKAGE), os.environ.get("PYTHONPATH")]))
    try:
        done = subprocess.run(
            command, env={**os.environ, "PYTHONPATH": search}, stdin=subprocess.DEVNULL, capture_output=True,
            timeout=seconds, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return Found(error=f"{path.name}: it must be looked at within {seconds:g} s, but it took longer")
    try:
        table = json.loads(done.stdout.splitlines()[-1])
        return Found(tuple(table["sources"]), tuple(table["warnings"]), str(table["error"]))
    except (IndexError, ValueError, KeyError, TypeError):
        said = done.stderr.decode(errors="replace").strip().splitlines()
        killed = done.returncode < 0
        how = f"signal {-done.returncode}" if killed else f"code {done.returncode}"
        last = f": {said[-1]}" if said and not killed else ""
        return Found(error=f"{path.name}: it ended the process that looked at it, with {how}{last}")


def main(path: Path) -> str:
    """Load and check a file, and say what was found."""
    sources, warnings, error = [], [], ""
    try:
        for problem in load(path):
            warning = check(problem, path)
            sources.append(with_kind(problem.source, getattr(problem.function, "batch", None)))
            warnings += [warning] if warning else []
    except FileError as wrong:
        sources, error = [], str(wrong)
    return json.dumps({"sources": sources, "warnings": warnings, "error": error})


if __name__ == "__main__":
    answer = os.dup(1)
    os.dup2(2, 1)  # what the file prints is not the answer
    line = main(Path(sys.argv[1]))
    os.write(answer, b"\n" + line.encode() + b"\n")
