"""Directed illumination: emitters that share one archive and one budget.

The paper's own conclusion is that basic MAP-Elites cannot handle equality constraints, and that it should be given
constraint handling, directional variation and local search. Each of these is an emitter here, in a file of its own.
"""

from mapelites.search.directed.loop import OPERATORS, SHARES, Directed

__all__ = ["OPERATORS", "SHARES", "Directed"]
