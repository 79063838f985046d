"""The sentence against everything else that speaks of the same designs, over archives drawn at random.

What is compared with it is worked out anew from the violations and objectives themselves.
"""

from __future__ import annotations

import re
from itertools import combinations

import numpy as np
import pytest

from components.run.limits import limit_rows
from mapelites.answers import Designs, almost_feasible, headline, least_relaxations, rank_constraints, relaxation_gains
from mapelites.answers.headline import CLEARLY, smallest_gain
from mapelites.core.archive import Archive, Elites
from mapelites.core.constraint import Constraint
from mapelites.core.nested_map.reading import rows_by_cell
from mapelites.core.nested_map.usual import axis_groups
from mapelites.core.problem import Array, Problem, Relation
from mapelites.core.tolerances import Tolerances

NAMES = ("shear", "fit", "load", "heat")
NAME = rf"(?:{'|'.join(NAMES)})(?:/(?:{'|'.join(NAMES)}))*(?: \([^)]*\))?"  # with its allowance where these differ
SOME = rf"(?P<names>{NAME}(?:(?:, | and ){NAME})*)"
WAY = r"(?P<before>\S+) → (?P<after>\S+?)(?: \((?P<percent>[+-]\S+) %\))?(?:, proven)?\.(?: |$)"
FIRST = re.compile(rf"{SOME} (?:buys|each buy) most(?: so far)?: {WAY}")
PAIR = re.compile(rf"{SOME} together buy (?P<how>most|clearly more)[^:]*: {WAY}")
OTHER = re.compile(rf"(?P<name>{NAME}) \((?P<text>[^() ]+)(?P<percent> %)?\)")
NEXT = re.compile(r"Next: (?P<list>.*?)\.(?: |$)")
SHARES = (0.004, 0.01, 0.02, 0.05, 0.07, 0.1, 0.1, 0.1, 0.3)  # of the limit: within levels, at them, and beyond
ARCHIVES = 40  # of each test


def designs_at_random(random: np.random.Generator) -> Designs:
    """Designs with objectives that often tie, violations that often lie on a level, and any kind of constraints."""
    size = int(random.integers(1, len(NAMES) + 1))
    kinds = sorted(random.choice(["equality", "inequality", "inequality"], size).tolist(), reverse=True)
    limits = (
        [random.choice([1.0, 20.0, 13_600.0])] * size
        if random.random() < 0.5
        else random.choice([0.0, 1.0, 20.0], size)
    )
    constraints = tuple(
        Constraint(name, kind, limit=limit or None, sense=("=" if kind == "equality" else "<=") if limit else "",
                   unit="psi" if limit else "")
        for name, kind, limit in zip(NAMES, kinds, limits, strict=False)
    )  # fmt: skip
    related = kinds[-1] == "equality" and size > 1 and limits[-1] == limits[-2] and random.random() < 0.6
    relations = (Relation(NAMES[size - 2], NAMES[size - 1], 0.0),) if related else ()
    count = int(random.integers(0, 30))
    broken = random.random((count, size)) < random.choice([0.15, 0.3, 0.6])
    values = np.where(broken, random.choice(SHARES, (count, size)), 0.0) * [limit or 1.0 for limit in limits]
    if related:
        values[:, -2] = -values[:, -1]
    number = kinds.count("inequality")
    gained = random.integers(0, 9, count) * (random.random() < 0.8) + broken @ random.integers(0, 6, size)
    f = random.choice([0.0, 100.0, -7.0]) - random.choice([1e-7, 0.01, 1.0, 1e5]) * gained
    problem = Problem(
        "any", [0.0], [1.0], constraints, lambda x: (0.0, [0.0] * number, [0.0] * (size - number)),
        relations=relations, maximise=bool(random.random() < 0.3),
    )  # fmt: skip
    levels = tuple(tuple((each.reference or 1.0) * share for share in (0.0, 0.01, 0.05, 0.1)) for each in constraints)
    tolerances = Tolerances(tuple(each.name for each in constraints), levels)
    if not related and random.random() < 0.2:
        tolerances = tolerances.with_hard(problem, [str(random.choice(tolerances.names))])
    found = Elites(
        np.zeros((count, 1)), f, values[:, :number], values[:, number:], np.arange(1, count + 1), np.full(count, "test")
    )
    return Designs.of(Archive(problem, tolerances, found))


class Truth:
    """What relaxing buys, worked out by looking at every design."""

    def __init__(self, designs: Designs, held: Array) -> None:
        self.designs, self.held = designs, held
        self.groups = [
            group for group in axis_groups(designs.problem, designs.tolerances)
            if not designs.hard.intersection(designs.names[i] for i in group)
        ]  # fmt: skip
        self.start = self.best(())
        self.visible = smallest_gain(designs, self.start) if np.isfinite(self.start) else 0.0

    def best(self, groups: tuple[tuple[int, ...], ...]) -> float:
        limits = self.held.copy()
        for i in (each for group in groups for each in group):
            limits[i] = max(limits[i], self.designs.tolerances.levels[i][-1])
        inside = (self.designs.violations <= limits).all(axis=1)
        return float(self.designs.f[inside].min(initial=np.inf))

    def gain(self, *groups: tuple[int, ...]) -> float:
        gain = self.start - self.best(groups)
        return gain if gain > self.visible else 0.0

    def named(self, words: str) -> list[tuple[int, ...]]:
        """The groups that words name."""
        bare = re.sub(r"\([^)]*\)", "", words)
        names = [each.strip() for each in re.split(r",| and ", bare) if each.strip()]
        return [next(g for g in self.groups if "/".join(self.designs.names[i] for i in g) == name) for name in names]

    def tells(self, found: re.Match[str], f: float) -> None:
        """A way that is told begins and ends where it does in truth, to the digits that are told."""
        shown = self.designs.problem.shown_objective
        for text, value in ((found["before"], shown(self.start)), (found["after"], shown(f))):
            assert float(text.replace(",", "")) == pytest.approx(value, rel=6e-4, abs=1e-300)
        assert found["before"] != found["after"]
        if found["percent"]:
            self.tells_percent(found["percent"], f)

    def tells_percent(self, text: str, f: float) -> None:
        shown, told = self.designs.problem.shown_objective, float(text.replace(",", ""))
        assert told == pytest.approx(100 * (shown(f) - shown(self.start)) / abs(self.start), rel=0.06)
        assert (told > 0) == self.designs.problem.maximise


def held_at(designs: Designs, places: list[int]) -> Array:
    """The tolerances where sliders stand, each at one of its steps; what follows from another stands where it does."""
    held = designs.satisfied.copy()
    for group in axis_groups(designs.problem, designs.tolerances):
        if designs.names[group[0]] in designs.hard:
            continue
        levels = designs.tolerances.levels[group[0]]
        level = levels[places[group[0]] % len(levels)]
        held[list(group)] = np.maximum(held[list(group)], level)
    return held


@pytest.mark.parametrize("seed", range(10))
def test_it_never_contradicts_the_designs_the_table_or_the_other_answers(seed: int) -> None:
    random = np.random.default_rng(seed)
    for _ in range(ARCHIVES):
        designs = designs_at_random(random)
        places = [0] * len(NAMES) if random.random() < 0.6 else random.integers(0, 4, len(NAMES)).tolist()
        compare(designs, held_at(designs, places), so_far=bool(random.random() < 0.3))


def compare(designs: Designs, held: Array, *, so_far: bool) -> None:
    """Everything that speaks of these designs, where the sliders stand so."""
    moved = bool((held > designs.satisfied).any())
    said = headline(designs, held if moved else None, so_far=so_far)
    if not len(designs):
        assert said == ""
        return
    assert ("so far" in said) == so_far
    truth = Truth(designs, held)
    if not np.isfinite(truth.start):
        assert said.startswith("No design was found within" if moved else "No feasible design was found")
        everything = truth.best(tuple(truth.groups))
        assert ("the best objective is" in said) == np.isfinite(everything)
        return
    gains = relaxation_gains(designs, held)
    told, pair, following = FIRST.search(said), PAIR.search(said), NEXT.search(said)
    alone = {group: truth.gain(group) for group in truth.groups}
    pairs = {both: truth.gain(*both) for both in combinations(truth.groups, 2)}

    assert bool(told) == any(alone.values())  # the largest gain comes first
    if told:
        for group in truth.named(told["names"]):
            assert alone[group] == pytest.approx(max(alone.values()), rel=0.06)
            truth.tells(told, truth.best((truth.named(told["names"])[0],)))
    before = max(alone.values(), default=0.0)
    for other in OTHER.finditer(following["list"] if following else ""):  # then the others, the most first
        (group,) = truth.named(other["name"])
        assert 0 < alone[group] <= before
        before = alone[group]
        if other["percent"]:
            truth.tells_percent(other["text"], truth.best((group,)))

    def is_clear(both: tuple[tuple[int, ...], tuple[int, ...]]) -> bool:
        parts = alone[both[0]] + alone[both[1]]
        return pairs[both] - parts > max(CLEARLY * parts, smallest_gain(designs, truth.best(both)))

    assert bool(pair) == any(map(is_clear, pairs))  # a pair only where it buys clearly more than its parts
    if pair:
        one, other = truth.named(pair["names"])
        assert is_clear((one, other))
        truth.tells(pair, truth.best((one, other)))
        if pair["how"] == "most":
            assert pairs[one, other] >= max(*pairs.values(), *alone.values())
    if "next to nothing" in said:
        assert not any((*alone.values(), *pairs.values(), truth.gain(*truth.groups)))
    if "no one or two constraints" in said:
        assert not any((*alone.values(), *pairs.values()))
        assert truth.gain(*truth.groups)

    if moved:
        return
    table = limit_rows(designs, gains)["rows"]  # the panel beside the map, and the report's first table
    assert [row["limiting"] for row in table] == [bool(alone[each.groups[0]]) for each in gains.alone]
    for row in table:
        assert (re.search(rf"\b{row['label']}\b", said) is not None) >= (row is table[0] and row["limiting"])
    if told:
        assert table[0]["label"] == "/".join(designs.names[i] for i in truth.named(told["names"])[0])
    single = not designs.problem.relations
    margin = designs.tolerances.allowance
    if single and any(alone.values()):  # almost feasible within the allowances
        first = (almost_feasible(designs, margin, 1) or ())[0]
        assert truth.start - designs.f[first] == max(alone.values())
    if single and any(pairs.values()):
        first = (almost_feasible(designs, margin, 2) or ())[0]
        assert truth.start - designs.f[first] == max(*alone.values(), *pairs.values())
    everything = truth.best(tuple(truth.groups))  # the least to relax for a little less
    ways = least_relaxations(designs, truth.start - truth.visible)
    assert any(each.within for each in ways) == (everything < truth.start - truth.visible)
    level_by_level = [each.constraint for each in rank_constraints(designs, held)]  # the report's second table
    leading = [group[0] for group in truth.groups if alone[group] and alone[group] == max(alone.values())]
    if leading and single:
        assert level_by_level[0] in leading
    fold = rows_by_cell(designs_archive(designs), "up-to")  # and the map read up to
    f = np.append(designs.found.f, np.inf)
    for group, gain in alone.items():
        bins = [len(levels) - 1 if i in group else 0 for i, levels in enumerate(designs.tolerances.levels)]
        at = f[
            fold[tuple(0 if name in designs.hard else place for name, place in zip(designs.names, bins, strict=True))]
        ]
        assert max(truth.start - at, 0.0) == pytest.approx(gain, abs=truth.visible)


def designs_archive(designs: Designs) -> Archive:
    return Archive(designs.problem, designs.tolerances, designs.found)
