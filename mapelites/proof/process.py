"""The solver in a process of its own: one that hangs, crashes or runs out of memory costs its question only."""

from __future__ import annotations

import importlib.util
import multiprocessing
import multiprocessing.connection
import os
import signal
import time
from collections.abc import Callable
from multiprocessing.connection import Connection

from mapelites.core.errors import InputError
from mapelites.core.problem import Problem
from mapelites.problems.formulas.tree import ProblemDocument
from mapelites.proof.region import Aim, Effort, Region, Sizes
from mapelites.proof.solved import Solved
from mapelites.proof.terms import UnprovableError
from mapelites.system.processes import end_with

GRACE_SECONDS = 3.0  # how long after its time the solver may still come to an end by itself
LOOK_SECONDS = 0.05
BUSIEST = 30.0  # how many times as long a busy machine may take for some seconds of processor time
MISSING = "proofs need the package pyscipopt, which is not installed: pip install 'illuminate[proof]'"


class GaveUpError(Exception):
    """The solver came to no end of its own; the message says how it ended."""


def available() -> bool:
    """Whether the solver is installed."""
    return importlib.util.find_spec("pyscipopt") is not None


def ask_solver(
    problem: Problem,
    document: ProblemDocument,
    region: Region,
    aim: Aim,
    sizes: Sizes,
    effort: Effort,
    cancelled: Callable[[], bool] = lambda: False,
) -> Solved:
    """What `solve` returns, from a process that is ended where it takes too long or where nobody waits any more."""
    if not available():
        raise InputError(MISSING)
    from mapelites.proof import solver  # noqa: F401 (loaded once, before the processes are forked)

    here, there = multiprocessing.Pipe(duplex=False)
    context = multiprocessing.get_context("fork")
    arguments = (there, os.getpid(), problem, document, region, aim, sizes, effort)
    process = context.Process(target=_solve, args=arguments, daemon=False)
    process.start()
    there.close()
    patience = effort.seconds * (BUSIEST if effort.processor_time else 1.0) + GRACE_SECONDS
    try:
        answer = _answer(here, process.sentinel, time.monotonic() + patience, cancelled)
    finally:
        if process.is_alive():
            process.kill()
        process.join()
        code = process.exitcode
        process.close()
        here.close()
    if isinstance(answer, BaseException):
        raise answer
    if not isinstance(answer, Solved):
        raise GaveUpError(f"the solver died ({_how(code)})")
    return answer


def _answer(here: Connection, sentinel: int, until: float, cancelled: Callable[[], bool]) -> object:
    while True:
        ready = multiprocessing.connection.wait([here, sentinel], LOOK_SECONDS)
        if here in ready:
            try:
                return here.recv()
            except EOFError:
                return None
        if ready:
            return None
        if cancelled():
            return GaveUpError("it was cancelled")
        if time.monotonic() > until:
            return GaveUpError("the solver did not stop in its time and was ended")


def _how(code: int | None) -> str:
    return signal.Signals(-code).name if code is not None and code < 0 else f"it ended with code {code}"


def _solve(
    there: Connection,
    parent: int,
    problem: Problem,
    document: ProblemDocument,
    region: Region,
    aim: Aim,
    sizes: Sizes,
    effort: Effort,
) -> None:
    """What the forked process does."""
    from mapelites.proof.solver import solve

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL if number == signal.SIGTERM else signal.SIG_IGN)
    end_with(parent, "proof")
    with open(os.devnull, "w") as nowhere:  # its linear solver writes to the terminal, past everything
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
    try:
        there.send(solve(problem, document, region, aim, sizes, effort))
    except (UnprovableError, InputError) as error:
        there.send(error)
    there.close()
    os._exit(0)
