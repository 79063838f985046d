"""The answers: every file of this package that has an `ANSWER` is one, and lying here registers it."""

from __future__ import annotations

from components.answers.answer import AnswerView
from mapelites.core.errors import unknown
from mapelites.core.registry import Registry, check_own

MAP = "map"


def _check(answers: tuple[AnswerView, ...]) -> None:
    check_own("the name of an answer", [MAP, *(answer.name for answer in answers)])


ANSWERS: Registry[AnswerView] = Registry("components.answers", "ANSWER", AnswerView, _check)


def tab_labels() -> dict[str, str]:
    """The tabs of a run by name: the map, then every answer."""
    return {MAP: "Map", **{answer.name: answer.label for answer in ANSWERS.entries()}}


def answer_named(name: str) -> AnswerView:
    """The answer behind a tab."""
    for answer in ANSWERS.entries():
        if answer.name == name:
            return answer
    raise unknown("view", name, tab_labels())
