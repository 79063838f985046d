"""A problem whose values an outside program computes, described in a `.problem` file.

    problem Beam
    variable h from 1 to 10 [cm]
    variable b from 1 to 10 [cm]
    evaluate with ./beam --in {params} --out {results}
    outputs mass, stress
    time limit 60
    minimise mass
    subject to
        strength: stress <= 250 [MPa]

What the program puts out can stand in every formula. `docs/programs.md` tells what else can be said. Nothing but a file
that was named on the command line is ever run.
"""

from mapelites.problems.own.program.declaration import names_a_program
from mapelites.problems.own.program.problem import program_problem

__all__ = ["names_a_program", "program_problem"]
