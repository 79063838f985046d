"""The search for a few hundred evaluations: models of f and of every constraint say where the next candidate lies."""
