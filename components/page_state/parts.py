"""The parts of a run's page that the server draws from the page's state, in one callback.

Each part says what it depends on beside the state, and draws itself only where a person would see something else. So a
change of the state costs one request, however many parts follow it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dash import Dash, Input, Output, State, ctx, no_update

from components.page_state import ids
from components.page_state.state import PageState, view_of
from components.page_state.view import Maps, ShownMap


@dataclass(frozen=True)
class DrawnPart:
    """What a part draws: a value for each of its outputs, and JSON that names it."""

    key: Any
    values: tuple[Any, ...]


@dataclass(frozen=True)
class PagePart:
    """A part of the page.

    `draw` gets the state, the map shown, the key of what was drawn last and the values of `inputs`; it returns None
    where that is still right.
    """

    name: str
    outputs: tuple[Output, ...]
    inputs: tuple[Input, ...]
    draw: Callable[..., DrawnPart | None]


def register(app: Dash, maps: Maps, parts: Sequence[PagePart]) -> None:
    """One callback for all of them."""
    outputs = [output for part in parts for output in part.outputs]
    inputs = [given for part in parts for given in part.inputs]

    @app.callback(
        *outputs,
        Output(ids.TOLD, "data"),
        Input(ids.STATE, "data"),
        Input(ids.version_store("parts"), "data"),
        *inputs,
        State(ids.RUN, "data"),
        State(ids.TOLD, "data"),
    )
    def draw(data: Any, seen: Any, *others: Any) -> Any:
        *values, run_id, told = others
        state, shown = view_of(maps, run_id, data)
        before = told if isinstance(told, dict) else {}
        given, wanted = iter(values), _wanted(seen, parts)
        drawn = {part.name: _draw(part, wanted, state, shown, before, given) for part in parts}
        keys = {name: each.key for name, each in drawn.items() if each is not None}
        same = {part.name: (no_update,) * len(part.outputs) for part in parts}
        found = [value for name, each in drawn.items() for value in (same[name] if each is None else each.values)]
        return (*found, {**before, **keys} if keys else no_update)


def _draw(
    part: PagePart, wanted: set[str], state: PageState, shown: ShownMap, before: Mapping[str, Any], given: Iterator[Any]
) -> DrawnPart | None:
    own = [next(given) for _ in part.inputs]
    return part.draw(state, shown, before.get(part.name), *own) if part.name in wanted else None


def _wanted(seen: Any, parts: Sequence[PagePart]) -> set[str]:
    """News of a run that goes on concern the parts that somebody sees; anything else concerns all."""
    names = {part.name for part in parts}
    if set(ctx.triggered_prop_ids) != {f"{ids.version_store('parts')}.data"}:
        return names
    visible = seen.get("parts") if isinstance(seen, dict) else None
    return names.intersection(map(str, visible)) if isinstance(visible, list) else names
