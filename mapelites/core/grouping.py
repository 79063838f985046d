"""Constraints as axes of a map: one for each, or one for a whole group of them.

A map has room for 62 axes, and a person for far fewer: a power flow has 148 balances. In a group the largest violation
counts. A group is of the map alone: a search goes on seeing every constraint.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mapelites.core.constraint import Constraint
from mapelites.core.errors import InputError, unknown
from mapelites.core.problem import Array, Problem

MOST_AXES = 62  # two bins for each of more than these are more cells than there are numbers for

Places = tuple[tuple[int, ...], ...]  # the constraints of each axis, by their places


class Grouping(NamedTuple):
    """The axes of a map: their names, and the constraints of each; no places where each constraint is one."""

    names: tuple[str, ...]
    places: Places = ()


def grouping(problem: Problem, groups: Mapping[str, Sequence[str]] | None = None) -> Grouping:
    """One axis for each of these groups, a name and its constraints, and one for every constraint that is in none.

    Where nothing is said, every constraint is an axis while there is room, and then those groups are that the problem
    knows; of one that knows none, all inequalities are one axis and all equalities another.

    >>> from mapelites.problems import get
    >>> grouping(get("C16", 10), {"both": ["h1", "h2"]})
    Grouping(names=('g1', 'g2', 'both'), places=((0,), (1,), (2, 3)))
    """
    names = [each.name for each in problem.constraints]
    if groups is None:
        groups = {} if len(names) <= MOST_AXES else known_groups(problem)
    if not groups:
        return Grouping(tuple(names))
    owner: dict[str, str] = {}
    for title, members in groups.items():
        for name in members:
            if name not in names:
                raise unknown(f"group {title}: a constraint", name, names)
            if name in owner:
                raise InputError(f"group {title}: {name} is in the group {owner[name]} already")
            owner[name] = title
        if title in names and title not in members:
            raise InputError(f"group {title}: that is the name of a constraint: choose another")
    axes: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        axes.setdefault(owner.get(name, name), []).append(place)
    found = Grouping(tuple(axes), tuple(tuple(each) for each in axes.values()))
    check_places(problem, found.names, found.places)
    return found


def known_groups(problem: Problem) -> Mapping[str, Sequence[str]]:
    """The groups that a problem knows, or else one for each kind of constraint."""
    if problem.groups:
        return dict(problem.groups)
    kinds = {"inequalities": "inequality", "equalities": "equality"}
    found = {title: [c.name for c in problem.constraints if c.kind == kind] for title, kind in kinds.items()}
    return {title: members for title, members in found.items() if members}


def check_places(problem: Problem, names: Sequence[str], places: Places) -> None:
    """Refuse axes that are not all constraints once, each group of one kind."""
    if sorted(i for each in places for i in each) != list(range(len(problem.constraints))) or len(names) != len(places):
        raise InputError(f"{problem.name}: every constraint must be in one group, but the groups were {places}")
    for name, each in zip(names, places, strict=True):
        if len({problem.constraints[i].kind for i in each}) > 1:
            raise InputError(f"group {name}: inequalities and equalities cannot be in one group")


def axes_of(problem: Problem, names: Sequence[str], places: Places) -> tuple[Constraint, ...]:
    """The constraint that stands for each axis, under the axis's name: the only one, or the first of its group."""
    if not places:
        return problem.constraints
    pairs = zip(names, places, strict=True)
    return tuple(replace(_in_common([problem.constraints[i] for i in each]), name=name) for name, each in pairs)


def _in_common(group: Sequence[Constraint]) -> Constraint:
    """The first of a group, with limit and scale only where all have the same: else 5 % would be of only one."""
    first = group[0]
    terms = {(each.limit, each.sense, each.unit, each.scale, each.mirrored) for each in group}
    return first if len(terms) == 1 else replace(first, limit=None, sense="", unit="", scale=None, mirrored=False)


def largest(values: Array, places: Places) -> Array:
    """(batch, constraints) violations to (batch, axes): the largest of each group."""
    if not places:
        return values
    found: Array = np.column_stack([values[:, list(each)].max(axis=1) for each in places])
    return found


def axis_of_each(places: Places) -> NDArray[np.int64]:
    """The axis of every constraint, or nothing where each is its own."""
    found = np.empty(sum(map(len, places)), dtype=np.int64)
    for axis, each in enumerate(places):
        found[list(each)] = axis
    return found


class GroupedFunction:
    """A problem's function as that of its axes: of each group the member that is violated most."""

    def __init__(self, problem: Problem, places: Places) -> None:
        self._problem, self._places = problem, places

    def __call__(self, x: Array) -> tuple[float, list[float], list[float]]:
        """f, g and h of one solution."""
        row = self.rows(np.asarray(x, dtype=np.float64)[None])[0]
        # Groups of inequalities come first, as the constraints do, so the first m values are g.
        m = sum(each[0] < self._problem.inequalities for each in self._places)
        return float(row[0]), row[1 : 1 + m].tolist(), row[1 + m :].tolist()

    def rows(self, points: Array) -> Array:
        """f, g and h of a batch side by side."""
        values = self._problem.values(points)
        return np.column_stack([values[:, 0], worst_values(self._problem, values[:, 1:], self._places)])


def worst_values(problem: Problem, values: Array, places: Places) -> Array:
    """(batch, constraints) raw values to (batch, axes): those of the member that is violated most."""
    found = np.empty((len(values), len(places)))
    for axis, each in enumerate(places):
        part = values[:, list(each)]
        # Of g the largest value is violated most, of h the one farthest from 0 on either side; groups hold one kind.
        size = part if each[0] < problem.inequalities else np.abs(part)
        found[:, axis] = np.take_along_axis(part, size.argmax(axis=1)[:, None], axis=1)[:, 0]
    return found


def grouped_problem(problem: Problem, names: Sequence[str], places: Places) -> Problem:
    """The problem as its map shows it: one constraint for each axis."""
    shown = []
    for name, each in zip(names, places, strict=True):
        first = problem.constraints[each[0]]
        if len(each) > 1:
            said = f"the largest of {len(each)}: {first.name} to {problem.constraints[each[-1]].name}"
            first = replace(_in_common([problem.constraints[i] for i in each]), name=name, meaning=said)
        shown.append(first)
    kept = [each.name for each in shown]
    relations = tuple(each for each in problem.relations if each.first in kept and each.second in kept)
    function = GroupedFunction(problem, places)
    return replace(
        problem,
        constraints=tuple(shown),
        function=function,
        relations=relations,
        groups=(),
        jacobian=None,
        data=np.empty(0),
    )
