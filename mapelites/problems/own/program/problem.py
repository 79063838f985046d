"""The problem of a `.problem` file that names a program: its formulas, with the program's outputs in them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

import numpy as np

from mapelites.core.errors import InputError
from mapelites.core.problem import Array, Problem, ProblemSource
from mapelites.problems.formulas import problem_of
from mapelites.problems.own.files import FileError, describe_problem, digest_of
from mapelites.problems.own.program.declaration import ProgramDeclaration, split_declaration
from mapelites.problems.own.program.execution import OutsideProgram
from mapelites.system.files import read_file, read_text

LARGEST = 1e99  # what an output may be, for the formulas
TOO_LARGE = 1e12  # the typical size of what depends on an output is not known, so one beyond this is none


@dataclass(frozen=True, eq=False)
class ProgramFunction:
    """f, g and h of one solution, by the program and then the formulas."""

    program: OutsideProgram
    formulas: Problem  # of the variables, followed by the outputs
    variables: tuple[str, ...]
    whole: tuple[bool, ...]  # which variables count something: a program is given 3, not 3.0

    def __call__(self, x: Array) -> tuple[float, Array, Array]:
        """Run the program."""
        numbers = [int(each) if whole else float(each) for each, whole in zip(x, self.whole, strict=True)]
        outputs = self.program.outputs(dict(zip(self.variables, numbers, strict=True)))
        found = [outputs[name] for name in self.program.declaration.outputs]
        values = self.formulas.values(np.array([[*map(float, x), *found]]))[0]
        m = self.formulas.inequalities
        return float(values[0]), values[1 : 1 + m], values[1 + m :]


def program_problem(path: Path) -> Problem:
    """The problem in a file, with its program."""
    try:
        said, formulas = split_declaration(read_text(path))
    except InputError as error:
        raise FileError(f"{path.name}, {error}") from None
    lines = [f"variable {name} from {-LARGEST:g} to {LARGEST:g}" for name in said.outputs]
    inner = problem_of("\n".join([formulas, *lines]))
    n = inner.dimension - len(said.outputs)
    if n < 1:
        raise InputError("there is no variable yet: write variable x1 from 0 to 1")
    constraints = tuple(
        replace(each, scale=None) if each.scale is not None and each.scale > TOO_LARGE else each
        for each in inner.constraints
    )
    problem = Problem(
        name=inner.name, lower=inner.lower[:n], upper=inner.upper[:n], constraints=constraints,
        function=ProgramFunction(
            OutsideProgram(said, path.parent.resolve(), inner.name), inner, inner.variables[:n],
            tuple((inner.steps[:n] > 0.0) & (inner.steps[:n] % 1.0 == 0.0) & (inner.lower[:n] % 1.0 == 0.0)),
        ),
        title=inner.title, difficulty=inner.difficulty, variables=inner.variables[:n], units=inner.units[:n],
        meanings=inner.meanings[:n], steps=inner.steps[:n], best_known=inner.best_known,
        best_known_note=inner.best_known_note, equality_tolerance=inner.equality_tolerance,
        reference=inner.reference, objective=inner.objective, objective_unit=inner.objective_unit,
        maximise=inner.maximise,
    )  # fmt: skip
    return replace(problem, source=ProblemSource("file", _description(problem, path, said)))


def _description(problem: Problem, path: Path, said: ProgramDeclaration) -> str:
    """With the digests of the file, of the program where it lies beside the file, and of templates."""
    copied = [name for name in said.copies if (path.parent / name).is_file()]
    beside = [said.command[0], *(template for template, _ in said.templates), *copied]
    helpers = {name: digest_of(path.parent / name) for name in beside if "/" in name or name != said.command[0]}
    inside = {name: each for name, each in helpers.items() if not Path(name).is_absolute() and ".." not in name}
    return describe_problem(problem, path.name, sha256(read_file(path)).hexdigest(), inside)
