"""What a Python file holds, found out by a process of its own: a file that hangs or crashes harms nobody.

`python -m mapelites.problems.inspection FILE SECONDS` writes what it found as one line of JSON.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from mapelites.family import end_with
from mapelites.problems import trial
from mapelites.problems.files import FileError, imported, load, with_kind

MOST_SECONDS = 60.0  # for what a file does when it is executed; its functions are tried after that
SPARE_SECONDS = 10.0  # for starting and ending the process that looks
PACKAGE = Path(__file__).parents[2]


@dataclass(frozen=True)
class Found:
    """The descriptions of a file's problems with warnings, or what is wrong with the file."""

    sources: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    error: str = ""
    helpers: tuple[str, ...] = ()  # what it imports from its folder


def inspect(path: Path, seconds: float = MOST_SECONDS) -> Found:
    """Look at a file, which may take so many seconds to execute."""
    # The package itself has loaded this module when it is run by name, which is no news to anybody.
    command = [sys.executable, "-W", "ignore::RuntimeWarning:runpy", "-m", "mapelites.problems.inspection"]
    search = os.pathsep.join(filter(None, [str(PACKAGE), os.environ.get("PYTHONPATH")]))
    slow = Found(error=f"{path.name}: it must be executed within {seconds:g} s, but it took longer")
    try:
        done = subprocess.run(
            [*command, str(path), str(seconds)], env={**os.environ, "PYTHONPATH": search}, stdin=subprocess.DEVNULL,
            capture_output=True, timeout=seconds + trial.MOST_SECONDS + SPARE_SECONDS, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return slow
    try:
        table = json.loads(done.stdout.splitlines()[-1])
        return Found(tuple(table["sources"]), tuple(table["warnings"]), str(table["error"]), tuple(table["helpers"]))
    except (IndexError, ValueError, KeyError, TypeError):
        return slow if done.returncode == -signal.SIGALRM else Found(error=_ended(path, done))


def _ended(path: Path, done: subprocess.CompletedProcess[bytes]) -> str:
    said = done.stderr.decode(errors="replace").strip().splitlines()
    killed = done.returncode < 0
    how = f"signal {-done.returncode}" if killed else f"code {done.returncode}"
    last = f": {said[-1]}" if said and not killed else ""
    return f"{path.name}: it ended the process that looked at it, with {how}{last}"


def main(path: Path, seconds: float) -> str:
    """Load and check a file, and say what was found."""
    sources, warnings, error, cause = [], [], "", None
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)  # ends this process, whatever the file does
        problems = load(path)
        signal.setitimer(signal.ITIMER_REAL, 0)
        for problem in problems:
            tried = trial.check(problem, path, trial.MOST_SECONDS / len(problems))
            sources.append(with_kind(problem.source, tried.batch))
            warnings += [tried.warning] if tried.warning else []
    except FileError as wrong:
        sources, error, cause = [], str(wrong), wrong.__cause__
    table = {"sources": sources, "warnings": warnings, "error": error, "helpers": imported(path, cause)}
    return json.dumps(table)


if __name__ == "__main__":
    end_with(os.getppid())
    answer = os.dup(1)
    os.dup2(2, 1)  # what the file prints is not the answer
    line = main(Path(sys.argv[1]), float(sys.argv[2]))
    os.write(answer, b"\n" + line.encode() + b"\n")
