"""Answers on the page of a run: what a constraint costs, what if, what is almost feasible, and the report."""
