"""The sentence above a map: what relaxing buys most within the allowances, and what comes next.

It tells of the same designs as the tables do. The largest gain comes first; a pair only where the two together buy
clearly more than the one and the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from mapelites.answers.closest import closest_sentence, has_no_feasible_point
from mapelites.answers.designs import Designs
from mapelites.answers.least import least_relaxations
from mapelites.answers.words import broken_by, ended, format_apart, list_in_words, percent_change
from mapelites.core.format import amount
from mapelites.core.nested_map.usual import axis_groups
from mapelites.core.problem import Array
from mapelites.core.terms import are_neat_percents, brief_level, percent_text, violation_text, with_unit

VISIBLE = 1e-5  # of the objective: a smaller gain is next to nothing
CLEARLY = 0.1  # how much more than its parts a pair must buy, as a share of them
MOST_NEXT = 3
MOST_IN_FULL = 2  # relaxed constraints that are told in their unit, too
Proven = Callable[[Array, float], bool]


@dataclass(frozen=True)
class RelaxedGroups:
    """Some groups of constraints relaxed to their allowances, the others held, and the best design within that.

    `gain` is by how much the objective falls, 0 where nobody would see it; None where nothing was found to compare.
    """

    groups: tuple[tuple[int, ...], ...]
    limits: Array
    row: int | None
    f: float | None
    gain: float | None
    proven: bool = False


@dataclass(frozen=True)
class Gains:
    """What relaxing buys from where the constraints are held: each group alone, the most first, and together.

    `pair` is the best pair of those that buy clearly more than their parts, `most_of_two` what the best of all pairs
    buys.
    """

    start: RelaxedGroups
    alone: tuple[RelaxedGroups, ...]
    pair: RelaxedGroups | None
    everything: RelaxedGroups
    most_of_two: float = 0.0

    @property
    def told(self) -> tuple[RelaxedGroups, ...]:
        """The groups whose relaxation alone buys something."""
        return tuple(each for each in self.alone if each.gain)


def no_bounds(limits: Array, f: float) -> bool:
    """No bound is known, so nothing is proven."""
    return False


def relaxation_gains(designs: Designs, held: Array | None = None, proven: Proven = no_bounds) -> Gains:
    """What relaxing each group, each pair and all of them to the allowances buys from `held`, by default satisfied."""
    start = designs.satisfied if held is None else held
    groups = axis_groups(designs.problem, designs.tolerances)
    groups = tuple(group for group in groups if not designs.hard.intersection(designs.names[i] for i in group))
    first = _relaxed(designs, (), start, None, proven)
    alone = [_relaxed(designs, (group,), start, first.f, proven) for group in groups]
    # Without anything to compare with (no gain), the group that leads to the lowest objective comes first.
    ranked = sorted(alone, key=lambda each: (-(each.gain or 0.0), np.inf if each.f is None else each.f))
    pairs = [
        (
            _relaxed(designs, (*one.groups, *other.groups), start, first.f, proven),
            (one.gain or 0.0) + (other.gain or 0.0),
        )
        for one, other in combinations(alone, 2)
    ]
    # A pair is told only where it is more than the sum of its parts, else two numbers say the same.
    clear = (pair for pair, parts in pairs if pair.gain and _is_clear(designs, pair, parts))
    together = max(clear, key=lambda each: each.gain or 0.0, default=None)
    most = max((pair.gain or 0.0 for pair, _ in pairs), default=0.0)
    return Gains(first, tuple(ranked), together, _relaxed(designs, groups, start, first.f, proven), most)


def _relaxed(
    designs: Designs, groups: tuple[tuple[int, ...], ...], held: Array, before: float | None, proven: Proven
) -> RelaxedGroups:
    limits = held.copy()
    for i in (each for group in groups for each in group):
        # Never stricter than it is held: somebody may have moved a slider beyond the allowance.
        limits[i] = max(limits[i], designs.tolerances.levels[i][-1])
    row = designs.best(limits)
    f = None if row is None else float(designs.f[row])
    gain = None if f is None or before is None else before - f
    if gain is not None and gain <= smallest_gain(designs, before or 0.0):
        gain = 0.0
    return RelaxedGroups(groups, limits, row, f, gain, f is not None and proven(limits, f))


def smallest_gain(designs: Designs, f: float) -> float:
    """The largest gain that nobody would see."""
    return max(designs.negligible, VISIBLE * abs(f))


def _is_clear(designs: Designs, pair: RelaxedGroups, parts: float) -> bool:
    """Whether two together buy clearly more than the one and the other."""
    more = (pair.gain or 0.0) - parts
    return more > CLEARLY * parts and more > smallest_gain(designs, pair.f or 0.0)


def headline(
    designs: Designs, held: Array | None = None, *, so_far: bool = False, proven: Proven = no_bounds,
    gains: Gains | None = None,
) -> str:  # fmt: skip
    """The sentence; empty while there is nothing to say. `so_far` where the search goes on.

    `held` are the tolerances that are allowed already, by default none. `gains` are those of `relaxation_gains`, where
    they are known.
    """
    if not len(designs):
        return ""
    far = " so far" if so_far else ""
    if not designs.names:
        best = _value(designs, float(designs.f.min()))
        return f"There is no constraint to relax: the best objective found{far} is {best}."
    if has_no_feasible_point(designs.problem) and (held is None or not (held > designs.satisfied).any()):
        return closest_sentence(designs, so_far=so_far)
    found = gains or relaxation_gains(designs, held, proven)
    if found.start.f is None:
        return _without_start(designs, found, far)
    said = _position(designs, found, far) if held is not None and (held > designs.satisfied).any() else ""
    return f"{said}{_buys(designs, found, far if not said else '')}"


def _position(designs: Designs, found: Gains, far: str) -> str:
    """Where the constraints are held, and what that has bought."""
    problem, limits = designs.problem, found.start.limits
    groups = axis_groups(problem, designs.tolerances)
    held = [group for group in groups if _is_held(designs, group, limits)]
    moved = [_allowed(designs, group, float(limits[group[0]]), brief_words=len(held) > MOST_IN_FULL) for group in held]
    row, f = designs.best(designs.satisfied), found.start.f
    place = f"With {list_in_words([moved[0], *(each.replace(' relaxed by', ' by', 1) for each in moved[1:])])}{far}: "
    assert f is not None
    if row is None:
        return f"{place}{_value(designs, f)}; no feasible design was found. "
    before = float(designs.f[row])
    if before - f <= smallest_gain(designs, before):
        return f"{place}nothing is gained, the objective stays at {_value(designs, f)}{_mark(found.start)}. "
    return f"{place}{_way(designs, before, f)}{_mark(found.start)}. "


def _is_held(designs: Designs, group: Sequence[int], limits: Array) -> bool:
    return bool(limits[group[0]] > designs.satisfied[group[0]])


def _buys(designs: Designs, found: Gains, far: str) -> str:
    """What buys most from there on, and what comes next."""
    within, start, told = _within(designs, found), found.start.f, found.told
    assert start is not None
    if not found.alone:
        return f"Every constraint is hard: the best design has {_value(designs, start)}{far}{_mark(found.start)}."
    pair = _pair(designs, found)
    gain = (found.pair and found.pair.gain) or 0.0
    first = bool(pair) and gain >= found.most_of_two and (not told or gain > (told[0].gain or 0.0))
    parts = [f"{within}, {pair} together buy most{far}: {_pair_way(designs, found)}."] if first else []
    if told:
        equal = [each for each in told if _reads_alike(designs, start, each, told[0])]
        names = list_in_words([_name(designs, each.groups[0], found) for each in equal])
        verb = "buys most" if len(equal) == 1 else "each buy most"
        assert told[0].f is not None
        way = f"{_way(designs, start, told[0].f)}{_mark(told[0])}."
        parts.append(f"Alone, {names} {verb}: {way}" if parts else f"{within}, {names} {verb}{far}: {way}")
        parts.append(_next(designs, found, told[len(equal) :]))
    if pair and not first:
        parts.append(f"{pair} together buy clearly more than one by one: {_pair_way(designs, found)}.")
    if parts:
        return " ".join(filter(None, parts))
    if found.everything.gain and found.everything.f is not None:
        way = _way(designs, start, found.everything.f)
        return f"{within}, no one or two constraints buy anything{far}, all of them together {way}."
    if far and not (designs.within_allowance & ~designs.feasible).any():  # nothing yet tells what relaxing buys
        return f"The best feasible design{far}: {_value(designs, start)}."
    return f"{within}, relaxing buys next to nothing{far}: the objective stays at {_value(designs, start)}."


def _pair(designs: Designs, found: Gains) -> str:
    """The names of the pair that buys more than its parts; empty where there is none."""
    return "" if found.pair is None else list_in_words([_name(designs, group, found) for group in found.pair.groups])


def _pair_way(designs: Designs, found: Gains) -> str:
    assert found.pair is not None
    assert found.pair.f is not None
    assert found.start.f is not None
    return f"{_way(designs, found.start.f, found.pair.f)}{_mark(found.pair)}"


def _next(designs: Designs, found: Gains, others: Sequence[RelaxedGroups]) -> str:
    """What buys less than the first."""
    start = found.start.f or 0.0
    named = [f"{_name(designs, each.groups[0], found)}{_share(designs, start, each)}" for each in others[:MOST_NEXT]]
    return f"Next: {', '.join(named)}." if named else ""


def _share(designs: Designs, start: float, each: RelaxedGroups) -> str:
    assert each.f is not None
    shown = designs.problem.shown_objective
    percent = percent_change(shown(start), shown(each.f))
    return f"{percent or ' (' + format_apart(shown(start), shown(each.f))[1] + ')'}{_mark(each)}"


def _reads_alike(designs: Designs, start: float, one: RelaxedGroups, other: RelaxedGroups) -> bool:
    """Whether two gains are the same in every digit that is told."""
    assert one.f is not None
    assert other.f is not None
    return _way(designs, start, one.f) == _way(designs, start, other.f)


def _without_start(designs: Designs, found: Gains, far: str) -> str:
    """Nothing lies within the tolerances that are held."""
    everything = found.everything
    held = (found.start.limits > designs.satisfied).any()
    what = "No design was found within these tolerances" if held else "No feasible design was found"
    if everything.f is not None:
        within = _within(designs, found)
        return f"{what}{far}. {within}, the best objective is {_value(designs, everything.f)}{_mark(everything)}."
    way = least_relaxations(designs, np.inf, most=1)[0]
    named, raw = designs.problem.constraints, designs.values[way.row].tolist()
    broken = [broken_by(named[n.constraint], n.violation, raw[n.constraint]) for n in way.needed]
    told = ended(list_in_words(broken))
    return f"{what}{far}, nor one within the allowances. The one that relaxes least breaks {told}"


def _within(designs: Designs, found: Gains) -> str:
    """The allowances the sentence speaks of, in words."""
    groups = [group for each in found.alone for group in each.groups]
    words = {_allowance(designs, group) for group in groups}
    if len(words) != 1:
        return "Within the allowances"
    (only,) = words
    in_percent = all(_is_in_percent(designs, group) for group in groups)
    return f"Within {only} of each limit" if in_percent else f"Allowing violations of up to {only}"


def _allowance(designs: Designs, group: Sequence[int]) -> str:
    constraint, most = designs.problem.constraints[group[0]], designs.tolerances.levels[group[0]][-1]
    if _is_in_percent(designs, group):
        return percent_text(constraint, most)
    return with_unit(brief_level(most), constraint.unit)


def _is_in_percent(designs: Designs, group: Sequence[int]) -> bool:
    """Whether the allowance is a per cent of the limit that a person would type."""
    return are_neat_percents(designs.problem.constraints[group[0]], designs.tolerances.levels[group[0]][-1:])


def _name(designs: Designs, group: Sequence[int], found: Gains) -> str:
    """A group by its names, with its allowance where the allowances differ."""
    name = "/".join(designs.names[i] for i in group)
    return name if _within(designs, found) != "Within the allowances" else f"{name} ({_allowance(designs, group)})"


def _allowed(designs: Designs, group: Sequence[int], limit: float, *, brief_words: bool) -> str:
    """A constraint and how far it is relaxed, `shear relaxed by 5 % (680 psi)`; in brief without the unit."""
    constraint = designs.problem.constraints[group[0]]
    name = "/".join(designs.names[i] for i in group)
    if np.isinf(limit):
        return f"{name} at any violation"
    words = (percent_text(constraint, limit) if brief_words else "") or violation_text(constraint, limit)
    return f"{name} relaxed by {words}"


def _way(designs: Designs, start: float, end: float) -> str:
    """From one objective to another, `1.725 → 1.673 (-3 %)`."""
    shown = designs.problem.shown_objective
    before, after = format_apart(shown(start), shown(end))
    return f"{before} → {with_unit(after, designs.problem.objective_unit)}{percent_change(shown(start), shown(end))}"


def _value(designs: Designs, f: float) -> str:
    return with_unit(amount(designs.problem.shown_objective(f)), designs.problem.objective_unit)


def _mark(each: RelaxedGroups) -> str:
    return ", proven" if each.proven else ""
