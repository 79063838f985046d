"""Functions as users bring them: they take their time, raise, return nonsense, hang, or end their process."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from mapelites.core.problem import Constraint, Problem

Function = Callable[[Any], Any]


def disc(x: Any) -> Any:
    """The lowest x1 + x2 on the unit disc, whose optimum is -sqrt(2); x3 must be 0.5."""
    return float(x[0] + x[1]), [float(x[0] ** 2 + x[1] ** 2 - 1.0)], [float(x[2] - 0.5)]


def problem_of(function: Function, name: str = "disc") -> Problem:
    constraints = (Constraint("g1", "inequality"), Constraint("h1", "equality"))
    return Problem(name, [-2.0, -2.0, 0.0], [2.0, 2.0, 1.0], constraints, function, title=name)


def counted(calls: Path, function: Function = disc) -> Function:
    """The same function, with a line in a file for every time it was really called."""

    def call(x: Any) -> Any:
        with calls.open("a") as file:
            file.write(x.tobytes().hex() + "\n")
        return function(x)

    return call


def uneven(x: Any) -> Any:
    """Later candidates are often answered first."""
    time.sleep(float(x[2]) * 0.01)
    return disc(x)


def raises(x: Any) -> Any:
    raise ArithmeticError("the solver did not converge")


def not_a_number(x: Any) -> Any:
    return np.nan, [0.0], [0.0]


def wrong_count(x: Any) -> Any:
    return 1.0, [0.0, 0.0], [0.0]


def wrong_kind(x: Any) -> Any:
    return 1.0


def nested(x: Any) -> Any:
    return 1.0, [[0.0, 1.0]], [0.0]


def killed(x: Any) -> Any:
    os.kill(os.getpid(), signal.SIGKILL)


def forks(x: Any) -> Any:
    """It comes back twice: in its process, and in the copy that it made of that."""
    child = os.fork()
    values = disc(x)
    if child:
        os.waitpid(child, 0)  # so that the copy has said all it says before
    return values


def exits(x: Any) -> Any:
    os._exit(3)


def hangs(x: Any) -> Any:
    while True:
        time.sleep(60.0)


def moody(x: Any) -> Any:
    """Every kind of trouble, each for some solutions; where x3 is large all is well."""
    troubles = (raises, not_a_number, wrong_count, killed)
    place = int(x[2] * 8)
    return troubles[place](x) if place < len(troubles) else disc(x)
