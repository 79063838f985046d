"""The labels around the nested heatmap: bounds of the outer and of the inner bins, and the constraints' names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mapelites.core.nested_map.fold import Axis, Fold
from mapelites.core.nested_map.words import bin_words, short_bin_words
from mapelites.core.problem import Problem
from mapelites.core.terms import unit_words

UPRIGHT_LETTER = 0.62  # of the size of a font: what a letter takes along a line
MOST_WHOLE = 5  # outer bins whose labels have room for both bounds
MOST_ALONG = 60  # letters of all labels along x, side by side
FONT = "Inter, 'Segoe UI', system-ui, -apple-system, 'Helvetica Neue', Arial, sans-serif"


@dataclass(frozen=True)
class MapStyle:
    """Colours and sizes of a figure, by colour scheme and width of the screen."""

    narrow: bool
    text: str
    quiet: str
    empty: str
    impossible: str
    hatch: str
    thin: str
    thick: str
    strong: str
    star: str
    star_edge: str
    veil: str
    font: str = FONT

    @classmethod
    def of(cls, *, dark: bool, narrow: bool) -> MapStyle:
        """The look of one colour scheme."""
        if dark:
            return cls(narrow, "#e6e8ec", "#a4abb8", "#20242c", "#1b1e24", "#3d434f", "rgba(255,255,255,.13)",
                       "rgba(255,255,255,.62)", "#ffffff", "#ffffff", "#14161b", "rgba(32,36,44,.8)")  # fmt: skip
        return cls(narrow, "#1f2430", "#5b6270", "#f6f7f9", "#e0e4ea", "#bcc3cd", "rgba(20,24,32,.14)",
                   "rgba(20,24,32,.72)", "#0b0d12", "#ffffff", "#0b0d12", "rgba(246,247,249,.78)")  # fmt: skip

    @property
    def size(self) -> int:
        """The size of labels."""
        return 10 if self.narrow else 12

    @property
    def small(self) -> float:
        """The size of inner labels."""
        return 10 if self.narrow else 10.5

    def most_inner(self, *, across: bool) -> int:
        """How many inner labels fit along an axis."""
        return 26 if self.narrow else 64 if across else 30

    @property
    def most_letters(self) -> int:
        """How many letters of a label fit beside the map."""
        return 12 if self.narrow else 13

    @property
    def most_level(self) -> int:
        """How many outer labels fit side by side."""
        return 5 if self.narrow else 8

    @property
    def short_name(self) -> int:
        """How many characters of a constraint's name fit above a column of labels."""
        return 3 if self.narrow else 4

    @property
    def inner_depth(self) -> int:
        """The room for inner labels, in pixels."""
        return 58 if self.narrow else 64

    @property
    def words_depth(self) -> int:
        """The room for outer labels that stand upright, above words about the inner ones."""
        return self.inner_depth + 8

    def most_ticks(self, *, across: bool) -> int:
        """How many labels fit along an axis that is not nested."""
        return 16 if self.narrow else 40 if across else 30


def short_bins(fold: Fold, problem: Problem, constraint: int) -> tuple[str, ...]:
    """The bins of one constraint in few characters."""
    return short_bin_words(problem.constraints[constraint], fold.tolerances, constraint, fold.reading)


def full_bins(fold: Fold, problem: Problem, constraint: int) -> tuple[str, ...]:
    """The bins of one constraint in words."""
    return bin_words(problem.constraints[constraint], fold.tolerances, constraint, fold.reading)


def axes(fold: Fold, problem: Problem, look: MapStyle) -> dict[str, Any]:
    """Ranges and the labels next to the map: the inner bins', or the only ones there are."""
    found = {}
    for name, axis in (("xaxis", fold.x), ("yaxis", fold.y)):
        values, texts = _ticks(fold, problem, axis, look, across=name == "xaxis")
        found[name] = {
            "range": [-0.5, axis.length - 0.5],
            "minallowed": -0.5,
            "maxallowed": axis.length - 0.5,
            "tickmode": "array",
            "tickvals": values,
            "ticktext": texts,
            "tickfont": {"size": look.small if len(axis.bins) > 1 else look.size, "color": look.quiet},
            "tickangle": -90 if name == "xaxis" and _upright(axis, look) else 0,
            "showgrid": False,
            "zeroline": False,
            "ticks": "",
            "ticklabelstandoff": 3,
            "fixedrange": look.narrow,
        }
    return found


def margins(fold: Fold, problem: Problem, look: MapStyle) -> dict[str, int]:
    """Room for the labels, fixed so that nothing moves while the map fills."""
    one = 66 if look.narrow else 92
    deep = look.inner_depth + (22 if look.narrow else 26)
    left = deep + 24 if len(fold.y.bins) > 1 and fold.y.bins[0] > MOST_WHOLE else deep + 10
    left = left if len(fold.y.bins) > 1 else one if fold.y.bins else 34
    longest = max((len(_named(fold, problem, c)) for c in fold.x.constraints), default=0)
    left = max(left, min(26 + 7 * longest, 110 if look.narrow else 180))
    shallow = deep - look.inner_depth + _below(fold, problem, look)
    bottom = shallow + 8 if len(fold.x.bins) > 1 else 72 if _upright(fold.x, look) else 34
    return {"l": left, "r": 4 if look.narrow else 8, "t": 24, "b": bottom}


def labels(fold: Fold, problem: Problem, look: MapStyle) -> list[dict[str, Any]]:
    """The names of the constraints, and the labels of the outer bins where inner ones stand next to the map."""
    found = []
    if len(fold.x.bins) > 1:
        found += _outer_labels(fold, problem, fold.x, look, across=True)
    if len(fold.y.bins) > 1:
        found += _outer_labels(fold, problem, fold.y, look, across=False)
    return [*found, *_names(fold, problem, look)]


def _ticks(fold: Fold, problem: Problem, axis: Axis, look: MapStyle, *, across: bool) -> tuple[list[int], list[str]]:
    if not axis.constraints:
        return [], []
    labels = short_bins(fold, problem, axis.constraints[-1])
    if len(axis.constraints) == 1:
        full = full_bins(fold, problem, axis.constraints[0])
        longest = max(map(len, full))
        spacious = axis.length * longest <= MOST_ALONG and not look.narrow if across else longest <= look.most_letters
        labels = full if spacious else labels
        return _thinned(list(range(axis.length)), list(labels), look.most_ticks(across=across))
    if not _labelled(axis, look, across=across):
        return [], []
    return list(range(axis.length)), list(labels) * axis.bins[0]


def _upright(axis: Axis, look: MapStyle) -> bool:
    """Whether labels along x stand upright for want of room."""
    return axis.length > (look.most_level if len(axis.bins) < 2 else 5)


def _outer_labels(fold: Fold, problem: Problem, axis: Axis, look: MapStyle, *, across: bool) -> list[dict[str, Any]]:
    outer, inner = axis.bins
    crowded = outer > (look.most_level if across else MOST_WHOLE)
    texts = full_bins(fold, problem, axis.constraints[0])
    if look.narrow or outer > MOST_WHOLE or not (across or max(map(len, texts)) < look.most_letters):
        texts = short_bins(fold, problem, axis.constraints[0])
    depth = _below(fold, problem, look) if across else look.inner_depth
    shown = depth if _labelled(axis, look, across=across) else 4
    places, labels = _thinned([i * inner + (inner - 1) / 2 for i in range(outer)], list(texts), 20)
    name = "outer x" if across else "outer y"  # for the script that hides what would stand over others
    plain = {"showarrow": False, "font": {"size": look.size, "color": look.text}, "name": name}
    if across:
        where = {"yref": "paper", "y": 0, "yshift": -shown, "yanchor": "top", "textangle": -90 if crowded else 0}
        return [{**plain, **where, "x": place, "text": text} for place, text in zip(places, labels, strict=True)]
    where = {"xref": "paper", "x": 0, "xshift": -shown, "xanchor": "right", "textangle": 0 if crowded else -90}
    return [{**plain, **where, "y": place, "text": text} for place, text in zip(places, labels, strict=True)]


def _labelled(axis: Axis, look: MapStyle, *, across: bool) -> bool:
    """Whether the inner bins of an axis have labels of their own, because there is room for them."""
    return axis.length <= look.most_inner(across=across)


def _names(fold: Fold, problem: Problem, look: MapStyle) -> list[dict[str, Any]]:
    """Each row of labels begins with the name of its constraint, each column of labels is headed by it."""
    plain = {"showarrow": False, "xref": "paper", "yref": "paper", "font": {"size": look.size, "color": look.text}}
    names = [_named(fold, problem, i) for i in range(len(fold.order))]
    found = []
    for constraint, depth in zip(
        fold.x.constraints, _depths(fold.x, look, _below(fold, problem, look), across=True), strict=True
    ):
        where = {"x": 0, "y": 0, "xanchor": "right", "yanchor": "top", "xshift": -6, "yshift": -depth}
        found.append({**plain, **where, "text": f"<b>{names[constraint]}</b> →"})
    if len(fold.x.bins) > 1 and not _labelled(fold.x, look, across=True):
        inner = short_bins(fold, problem, fold.x.constraints[1])
        where = {"x": 0, "y": 0, "xanchor": "left", "yanchor": "top", "yshift": -look.words_depth}
        found.append({**plain, **where, "text": f"in each of these, from {inner[0]} to {inner[-1]}"})
    lacking = len(fold.y.bins) > 1 and not _labelled(fold.y, look, across=False)
    if lacking or any(len(names[constraint]) > look.short_name for constraint in fold.y.constraints):
        # Long names of both stand side by side above the map: in columns they would cover each other.
        text = ", in it ".join(f"<b>{names[constraint]}</b> ↑" for constraint in fold.y.constraints)
        where = {"x": 0, "y": 1, "xanchor": "left", "yanchor": "bottom", "yshift": 3}
        return [*found, {**plain, **where, "text": text}]
    for constraint, depth in zip(
        fold.y.constraints, _depths(fold.y, look, look.inner_depth, across=False), strict=True
    ):
        where = {"x": 0, "y": 1, "xanchor": "right", "yanchor": "bottom", "xshift": -depth, "yshift": 3}
        found.append({**plain, **where, "text": f"<b>{names[constraint]}</b> ↑"})
    return found


def _named(fold: Fold, problem: Problem, constraint: int) -> str:
    """A constraint with the unit of its levels, where they are not per cents."""
    unit = unit_words(problem.constraints[constraint], fold.tolerances.levels[constraint])
    name = fold.tolerances.names[constraint]
    return f"{name}, {unit}" if unit else name


def _below(fold: Fold, problem: Problem, look: MapStyle) -> int:
    """The room for the inner labels along x, which stand upright: as deep as the longest of them."""
    if len(fold.x.bins) < 2 or not _labelled(fold.x, look, across=True):
        return look.inner_depth
    longest = max(map(len, short_bins(fold, problem, fold.x.constraints[-1])))
    return min(look.inner_depth, round(12 + UPRIGHT_LETTER * look.small * longest))


def _depths(axis: Axis, look: MapStyle, labels: int, *, across: bool) -> tuple[int, ...]:
    """How far from the map the names of an axis stand: each beside its own labels, the inner ones as deep as said."""
    if len(axis.bins) < 2:
        return (4,) * len(axis.bins)
    near = 4
    return (labels, near) if _labelled(axis, look, across=across) else (near, look.words_depth)


def _thinned(places: list[Any], labels: list[str], most: int) -> tuple[list[Any], list[str]]:
    step = -(-len(places) // most) if places else 1
    return places[::step], labels[::step]
