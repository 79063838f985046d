"""Directed illumination: emitters that share one archive and one budget.

The paper's own conclusion is that basic MAP-Elites cannot handle equality constraints, and that it should be given
constraint handling, directional variation and local search. Each of these is an emitter, registered by a file in
`mapelites/search/emitters/`; here are the loop that gives them their turns and the algorithms that they use.
"""
