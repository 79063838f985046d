"""Some points of a problem evaluated before anybody searches it, by a process that may crash or hang in our place.

What raises or returns nonsense at every point is refused. A crash or a function that takes long is a warning only: a
search survives both. Of a quick function it is estimated too how large what its constraints compare may be.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import time
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

import numpy as np

from mapelites.core.problem import Array, Problem
from mapelites.problems.own.estimates import estimated_sizes
from mapelites.problems.own.files import FileError, place_of_error, said_by
from mapelites.system.processes import end_with, guard_group

POINTS = 9
QUICK_SECONDS = 5e-4  # of one evaluation, up to which some thousand are made to estimate sizes
SLOW_SECONDS = 0.2  # an evaluation that takes longer is the only one that goes well, and it is kept for the search
ENOUGH_SECONDS = 2.0  # after which no further point is begun
MOST_SECONDS = 10.0  # after which nobody waits for a point that was begun
FORK = multiprocessing.get_context("fork")  # which takes any function along


@dataclass(frozen=True)
class TrialFindings:
    """What is odd about a problem, in words or none, and whether its function takes batches (None: not known).

    `sizes` are estimates of what the constraints without limits compare, by their names; `answered` is the point that a
    slow function was evaluated at, followed by its values.
    """

    warning: str = ""
    batch: bool | None = None
    sizes: Mapping[str, float] = field(default_factory=dict)
    answered: tuple[float, ...] = ()


@dataclass(frozen=True)
class _Answer:
    """How it went at one point: what was wrong, whether a search would survive that, and the function's kind.

    That of the last point has the estimated sizes. `answered` are the point and its values where it went well slowly.
    """

    wrong: str = ""
    survived: bool = True
    batch: bool | None = None
    sizes: Mapping[str, float] = field(default_factory=dict)
    answered: tuple[float, ...] = ()


def try_problem(problem: Problem, path: Path, seconds: float = MOST_SECONDS) -> TrialFindings:
    """Evaluate some points. A `FileError` where nothing can be made of it; a warning where some points fail."""
    started = time.monotonic()
    found: list[_Answer] = []
    with closing(_answers(problem, path, _points(problem), seconds)) as answers:
        for answer in answers:
            found.append(answer)
            if answer.answered or time.monotonic() - started > ENOUGH_SECONDS:
                break
    wrong = [each for each in found if each.wrong]
    if wrong and len(wrong) == len(found) and all(each.survived for each in wrong):
        raise FileError(wrong[0].wrong)
    times = f"; so it was at {len(wrong)} of {len(found)} points" if len(found) > 1 else ""
    warning = f"{wrong[0].wrong}{times}" if wrong else ""
    batch = next((each.batch for each in found if each.batch is not None), None)
    sizes = found[-1].sizes if len(found) == POINTS and not wrong else {}
    return TrialFindings(warning, batch, sizes, tuple(found[-1].answered) if found else ())


def _answers(problem: Problem, path: Path, points: Array, seconds: float) -> Generator[_Answer, None, None]:
    """The answers in order. After a crash another process goes on, after a point that takes too long nobody does."""
    until, place = time.monotonic() + seconds, 0
    while place < len(points):
        with _forked(problem, path, points[place:]) as (process, connection):
            try:
                while place < len(points):
                    if not connection.poll(max(0.0, until - time.monotonic())):
                        said = f"gave no answer within {seconds:.2g} s"
                        yield _Answer(_sentence(problem, path, said, points[place]), survived=False)
                        return
                    yield _Answer(*json.loads(connection.recv_bytes()))
                    place += 1
            except EOFError:
                process.join()
                said = f"ended its process {_how(process.exitcode or 0)}"
                yield _Answer(_sentence(problem, path, said, points[place]), survived=False)
                place += 1


@contextmanager
def _forked(problem: Problem, path: Path, points: Array) -> Iterator[tuple[BaseProcess, Connection]]:
    """A process that evaluates, and where its answers come; it ends with everything that it started."""
    ours, theirs = FORK.Pipe(duplex=False)
    process = FORK.Process(target=_evaluate, args=(problem, path, points, theirs, os.getpid()))
    process.start()
    theirs.close()
    try:
        yield process, ours
    finally:
        ours.close()
        process.kill()
        if process.pid is not None:
            with suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
        process.join()


def _evaluate(problem: Problem, path: Path, points: Array, answers: Connection, parent: int) -> None:
    """What the process does."""
    os.setpgid(0, 0)
    end_with(parent)
    guard_group()
    seconds = []
    for place, point in enumerate(points):
        started = time.perf_counter()
        wrong, values = _tried(problem, path, point)
        seconds.append(time.perf_counter() - started)
        answered = [*point.tolist(), *values] if seconds[-1] > SLOW_SECONDS and not wrong else []
        sizes = _sizes(problem) if place == len(points) - 1 and min(seconds) <= QUICK_SECONDS and not wrong else {}
        kind = getattr(problem.function, "batch", None)
        answers.send_bytes(json.dumps([wrong, True, kind, sizes, answered]).encode())
        if answered:
            return


def _sizes(problem: Problem) -> dict[str, float]:
    """The estimated sizes; none where the function fails somewhere."""
    with suppress(Exception, SystemExit):
        return estimated_sizes(problem)
    return {}


def _tried(problem: Problem, path: Path, point: Array) -> tuple[str, list[float]]:
    """What is wrong at a point, or nothing, and the values there."""
    try:
        with np.errstate(all="ignore"):
            values = problem.values(point[None])[0]
    except (Exception, SystemExit) as error:
        place = place_of_error(path, error)
        line = place if place != path.name else _begins(problem, path)
        return f"{line}: {said_by(error)} (in {problem.name}, at {_spelled(problem, point)})", []
    if np.isfinite(values).all():
        return "", values.tolist()
    names = ("f", *(each.name for each in problem.constraints))
    bad = ", ".join(name for name, value in zip(names, values, strict=True) if not np.isfinite(value))
    return _sentence(problem, path, f"gives no finite number for {bad}", point), []


def _sentence(problem: Problem, path: Path, said: str, point: Array) -> str:
    return f"{_begins(problem, path)}: {problem.name} {said} at {_spelled(problem, point)}"


def _begins(problem: Problem, path: Path) -> str:
    """The file, and the line in it where the problem begins."""
    kernel = getattr(problem.function, "py_func", None)
    inside = [cell.cell_contents for cell in getattr(kernel, "__closure__", None) or ()]
    for each in (getattr(problem.function, "function", None), *inside):
        code = getattr(getattr(each, "py_func", each), "__code__", None)
        if code is not None and code.co_filename == str(path):
            return f"{path.name}, line {code.co_firstlineno}"
    return path.name


def _how(code: int) -> str:
    return f"by {signal.Signals(-code).name}" if code < 0 else f"with code {code}"


def _points(problem: Problem) -> Array:
    """The middle of the bounds, then some at random, the same each time."""
    shares = np.random.default_rng(0).random((POINTS, problem.dimension))
    shares[0] = 0.5
    return problem.rounded(problem.lower + shares * (problem.upper - problem.lower))


def _spelled(problem: Problem, point: Array) -> str:
    shown = [f"{name} = {value:.4g}" for name, value in zip(problem.variables, point, strict=True)]
    return ", ".join(shown[:6]) + (", ..." if len(shown) > 6 else "")
