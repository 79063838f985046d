"""How a map is shown where nobody chose anything: which reading, and which constraints are its axes.

A map has four axes. Where more constraints are negotiable, the four whose relaxation buys most are shown, the others
are satisfied. Constraints that are functions of each other are one axis.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mapelites.core.archive import Archive, Elites
from mapelites.core.nested_map.colour import Colouring, Values, by_gain, by_objective, gains_over
from mapelites.core.nested_map.fold import AWAY, SHOWN
from mapelites.core.nested_map.reading import NO_ROW, Reading, usual_reading
from mapelites.core.nested_map.view import FigureView
from mapelites.core.problem import Array, Problem
from mapelites.core.tolerances import Tolerances

CLEARLY = 1.25  # times what an axis buys must be bought by the constraint that takes its place
SEEN = 0.02  # of the largest gain: what buys less more than another one is no reason to move an axis


def usual_view(archive: Archive, reading: Reading | None = None) -> FigureView:
    """The axes, limits and reading of an archive that nobody chose anything for."""
    problem, tolerances = archive.problem, archive.tolerances
    chosen = reading or usual_reading(problem, tolerances)
    limits = limits_of_hidden(problem, tolerances)
    colour = "objective" if chosen == "exact" else "gain"
    return FigureView(usual_order(archive), colour, "auto", tuple(limits.tolist()), chosen)


def limits_of_hidden(problem: Problem, tolerances: Tolerances, asked: Array | None = None) -> Array:
    """The most that each constraint may be violated where it is no axis: satisfied, or as asked for.

    One that follows from another one, which is an axis or has a limit itself, is not limited.
    """
    limits = np.array(problem.feasible_up_to if asked is None else asked, dtype=float)
    for _, *followers in axis_groups(problem, tolerances):
        limits[followers] = np.inf
    return limits


def axis_groups(problem: Problem, tolerances: Tolerances) -> tuple[tuple[int, ...], ...]:
    """The negotiable constraints as they are axes: first the one that is shown, then those that follow from it.

    Of two whose values add up to 0, the violation of an equality gives away the other's: of `h1 = -h2` the second, of
    `g1 = -h1` the inequality. Two inequalities are violated on different sides, so neither follows from the other.
    """
    names = tolerances.names
    negotiable = [i for i in range(len(names)) if names[i] not in tolerances.hard]
    leader = {i: i for i in negotiable}
    for relation in problem.relations:
        pair = [names.index(relation.first), names.index(relation.second)]
        equality = [problem.constraints[i].kind == "equality" for i in pair]
        if relation.total or not any(equality) or not all(i in leader for i in pair):
            continue
        # The equality leads: its violation tells both sides of the other's, never the other way round.
        first, second = pair if equality[0] else pair[::-1]
        old = leader[second]
        # Whoever followed the second follows the first from now on, so chains of relations end in one leader.
        leader = {i: leader[first] if now == old else now for i, now in leader.items()}
    groups = {i: [each for each in negotiable if leader[each] == i and each != i] for i in negotiable}
    return tuple((i, *groups[i]) for i in negotiable if leader[i] == i)


def move_together(limits: Array, satisfied: Array, groups: tuple[tuple[int, ...], ...]) -> Array:
    """The limits with each group that is relaxed anywhere as far as its furthest; one that is not stays satisfied."""
    moved = limits.copy()
    for group in groups:
        members = list(group)
        if (limits[members] > satisfied[members]).any():
            moved[members] = limits[members].max()
    return moved


def usual_order(archive: Archive) -> tuple[str, ...]:
    """The names of the axes, those that follow from others off the map; empty for the problem's own order."""
    problem, tolerances = archive.problem, archive.tolerances
    groups = axis_groups(problem, tolerances)
    away = tuple(AWAY + tolerances.names[i] for _, *followers in groups for i in followers)
    leaders = [leader for leader, *_ in groups]
    if len(leaders) > SHOWN:
        gains = gains_alone(archive)
        ranked = sorted(range(len(groups)), key=lambda place: (-gains[place], place))
        leaders = [leaders[place] for place in ranked]
    return (*(tolerances.names[i] for i in leaders), *away) if away or len(leaders) > SHOWN else ()


def steady_order(archive: Archive, before: Sequence[str]) -> tuple[str, ...]:
    """The usual order, but a constraint leaves the axes of `before` only where another one buys clearly more.

    So the axes do not change places with every better design that a search finds.
    """
    usual = usual_order(archive)
    wanted, kept = usual[:SHOWN], list(before[:SHOWN])
    groups = axis_groups(archive.problem, archive.tolerances)
    leaders = [archive.tolerances.names[leader] for leader, *_ in groups]
    if not usual or len(leaders) <= SHOWN or len(set(kept).intersection(leaders)) < SHOWN:
        return usual
    gains = dict(zip(leaders, gains_alone(archive).tolist(), strict=True))
    # Gains of next to nothing differ by rounding and luck; they are no reason to move an axis.
    least = SEEN * max((gain for gain in gains.values() if np.isfinite(gain)), default=0.0)
    for name in (each for each in wanted if each not in kept):
        weakest = min(kept, key=lambda each: gains[each])
        if gains[name] > max(CLEARLY * gains[weakest], gains[weakest] + least):
            kept[kept.index(weakest)] = name
    return (*kept, *(each for each in usual if each not in kept))


def gains_alone(archive: Archive) -> Array:
    """By how much the objective falls where one group alone is relaxed to its allowance; 0 where that is not known."""
    found, satisfied = archive.everything(), archive.problem.feasible_up_to
    groups = axis_groups(archive.problem, archive.tolerances)
    start = lowest_objective(found, satisfied)
    gains = np.zeros(len(groups))
    for place, group in enumerate(groups):
        limits = satisfied.copy()
        for i in group:
            limits[i] = max(archive.tolerances.levels[i][-1], satisfied[i])
        best = lowest_objective(found, limits)
        # Nothing feasible yet: any design within the allowance is worth an axis, hence infinity.
        gains[place] = start - best if np.isfinite(start) else (0.0 if np.isinf(best) else np.inf)
    return gains


def lowest_objective(found: Elites, limits: Array) -> float:
    """The lowest objective within these violations, infinite where there is none."""
    return float(found.f[np.all(found.violations <= limits, axis=1)].min(initial=np.inf))


def usual_colours(
    archive: Archive, view: FigureView, newest: Archive | None = None, colour: str | None = None
) -> Colouring:
    """The colours of `archive.everything()` by gain, or by objective where there is no gain to tell.

    The scale is that of what the view shows within the allowances, of the `newest` map of the same run: so it holds
    still while the run is replayed, also where the best feasible solution was a much worse one.
    """
    found, maximise = archive.everything(), archive.problem.maximise
    known = shown_within(newest or archive, view)
    best, last = archive.best(feasible=True), (newest or archive).best(feasible=True)
    if (colour or view.colour) == "gain" and best and last and best.f != 0 and last.f != 0:
        return by_gain(found.f, best.f, view.scale, gains_over(known, last.f), maximise=maximise)
    return by_objective(found.f, view.scale, known, maximise=maximise)


def shown_within(archive: Archive, view: FigureView) -> Values:
    """The objectives of all places within the allowances; of all places where nothing lies within them."""
    fold = view.fold(archive.tolerances)
    if view.block is not None:  # the scale is that of the whole map
        return shown_within(archive, FigureView(view.order, view.colour, view.scale, view.limits, view.reading))
    at = fold.rows_of(archive)
    shown = at != NO_ROW
    within = shown & ~fold.beyond()
    return np.asarray(archive.everything().f[at[within if within.any() else shown]])
