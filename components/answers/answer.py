"""What an answer on the page of a run is: a question with a tab, its controls, and what it draws."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from dash.development.base_component import Component

from components.answers.question import AskedQuestion
from components.shared.context import Context
from mapelites.answers import Designs
from mapelites.runs import Run


class AnswerContext(NamedTuple):
    """Everything that an answer may look at."""

    context: Context
    run: Run
    designs: Designs
    asked: AskedQuestion
    selected: int | None  # the row of the design that is chosen
    axes: tuple[str, ...]  # of the map, in their order
    dark: bool


def no_controls(data: Mapping[str, Any]) -> list[Component]:
    """An answer that asks for nothing."""
    return []


@dataclass(frozen=True, kw_only=True)
class AnswerView:
    """One answer; the lower its `order`, the further left its tab.

    `draw` makes the parts of the answer. `controls` makes its fields from the question in the browser, and
    `controls_class` says how they are laid out. `follows_axes`: it is drawn anew when the axes of the map change.
    """

    name: str
    label: str
    order: int
    draw: Callable[[AnswerContext], list[Component]]
    controls: Callable[[Mapping[str, Any]], list[Component]] = no_controls
    controls_class: str = "answer-controls"
    follows_axes: bool = False
