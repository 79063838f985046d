"""The words of the field: problem, tolerances, archive, settings and kernels. Imports nothing else of the project."""
