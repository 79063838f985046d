"""In what runs differ that look the same in a list."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import fields
from hashlib import sha256

from components.shared import summary
from components.shared.format import count
from components.start.form import FIELDS
from mapelites.core.settings import Settings
from mapelites.core.tolerances import FINER, short
from mapelites.runs import Run

MOST_TOLD = 3
MOST_LEVELS, FIRST_LEVELS = 8, 3  # of a constraint that are told in full, and of more of them
LABELS = {field.name: field.label.lower() for field in FIELDS}
TOLD_BY_METHOD = ("search", "seed")


def distinguishing_words(runs: Sequence[Run]) -> dict[str, str]:
    """For each run that has a name, a search and a seed in common with another one, what tells it from these."""
    groups: dict[tuple[str, str], list[Run]] = defaultdict(list)
    for run in sorted(runs, key=lambda each: each.created):
        groups[summary.run_name(run), summary.search_and_seed(run)].append(run)
    return {run_id: words for group in groups.values() if len(group) > 1 for run_id, words in _told(group).items()}


def _told(group: Sequence[Run]) -> dict[str, str]:
    traits = [_traits(run) for run in group]
    names = dict.fromkeys(name for each in traits for name in each)
    telling = [name for name in names if len({each.get(name) for each in traits}) > 1]
    words: dict[str, str] = {}
    first: dict[tuple[str | None, ...], str] = {}
    for run, each in zip(group, traits, strict=True):
        own = [_brief(text) if name.startswith("levels") else text for name in telling if (text := each.get(name))]
        more = [f"{len(own) - MOST_TOLD} more"] if len(own) > MOST_TOLD else []
        key = tuple(each.get(name) for name in telling)
        same = [f"the same search as {first[key]}"] if key in first else []
        first.setdefault(key, run.id)
        words[run.id] = " · ".join([*own[:MOST_TOLD], *more, *same])
    return {run_id: text for run_id, text in words.items() if text}


def _traits(run: Run) -> dict[str, str]:
    """Everything that a run's result depends on, in words, by what it is."""
    request, settings = run.request, run.request.settings
    tolerances = request.tolerances
    found = {"problem": "" if summary.run_name(run) == request.title else request.title}
    found |= _levels(tolerances.names, tolerances.levels)
    found["hard"] = f"hard: {', '.join(tolerances.hard)}" if tolerances.hard else ""
    usual = Settings.of(settings.search, request.dimension)
    for each in fields(Settings):
        value = getattr(settings, each.name)
        if each.name == "evaluations":
            found[each.name] = f"{count(value)} evaluations"
        elif each.name not in TOLD_BY_METHOD and value != getattr(usual, each.name):
            found[each.name] = f"{LABELS.get(each.name, each.name.replace('_', ' '))} {_value(value)}"
    source = request.spec.source
    found["source"] = "" if source.kind == "name" else f"problem text {sha256(repr(source).encode()).hexdigest()[:6]}"
    found["grid"] = "" if request.spec.grid == FINER else "searched at its levels only"
    return found


def _levels(names: Sequence[str], levels: Sequence[Sequence[float]]) -> dict[str, str]:
    texts = [", ".join(map(short, each)) for each in levels]
    if len(set(texts)) == 1:
        return {f"levels {name}": (f"levels {texts[0]}" if name == names[0] else "") for name in names}
    return {f"levels {name}": f"levels of {name} {text}" for name, text in zip(names, texts, strict=True)}


def _brief(text: str) -> str:
    """Levels side by side; of many the first, the last and how many there are."""
    levels = text.split(", ")
    if len(levels) <= MOST_LEVELS:
        return text
    return f"{', '.join(levels[:FIRST_LEVELS])} … {levels[-1]} ({len(levels)} of them)"


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    return short(value) if isinstance(value, float) else str(value)
