"""What a Python file holds, found out by a process of its own: a file that hangs or crashes harms nobody.

`python -m mapelites.problems.own.inspection FILE SECONDS` writes what it found as one line of JSON.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from mapelites.problems.own import trial
from mapelites.problems.own.files import FileError, files_imported_by, load_problems, with_found
from mapelites.system.processes import child_environment, end_with

MOST_SECONDS = 60.0  # for what a file does when it is executed; its functions are tried after that
SPARE_SECONDS = 10.0  # for starting and ending the process that looks


@dataclass(frozen=True)
class InspectedFile:
    """The descriptions of a file's problems with warnings, or what is wrong with the file."""

    sources: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    error: str = ""
    helpers: tuple[str, ...] = ()  # what it imports from its folder


def inspect_file(path: Path, seconds: float = MOST_SECONDS) -> InspectedFile:
    """Look at a file, which may take so many seconds to execute."""
    # The package itself has loaded this module when it is run by name, which is no news to anybody.
    command = [sys.executable, "-W", "ignore::RuntimeWarning:runpy", "-m", "mapelites.problems.own.inspection"]
    slow = InspectedFile(error=f"{path.name}: it must be executed within {seconds:g} s, but it took longer")
    try:
        done = subprocess.run(
            [*command, str(path), str(seconds)], env=child_environment(), stdin=subprocess.DEVNULL,
            capture_output=True, timeout=seconds + trial.MOST_SECONDS + SPARE_SECONDS, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return slow
    try:
        table = json.loads(done.stdout.splitlines()[-1])
        return InspectedFile(
            tuple(table["sources"]), tuple(table["warnings"]), str(table["error"]), tuple(table["helpers"])
        )
    except (IndexError, ValueError, KeyError, TypeError):
        return slow if done.returncode == -signal.SIGALRM else InspectedFile(error=_ended(path, done))


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
        problems = load_problems(path)
        signal.setitimer(signal.ITIMER_REAL, 0)
        for problem in problems:
            tried = trial.try_problem(problem, path, trial.MOST_SECONDS / len(problems))
            sources.append(with_found(problem.source.text, tried.batch, tried.sizes, tried.answered))
            warnings += [tried.warning] if tried.warning else []
    except FileError as wrong:
        sources, error, cause = [], str(wrong), wrong.__cause__
    table = {"sources": sources, "warnings": warnings, "error": error, "helpers": files_imported_by(path, cause)}
    return json.dumps(table)


if __name__ == "__main__":
    end_with(os.getppid())
    answer = os.dup(1)
    os.dup2(2, 1)  # what the file prints is not the answer
    line = main(Path(sys.argv[1]), float(sys.argv[2]))
    os.write(answer, b"\n" + line.encode() + b"\n")
