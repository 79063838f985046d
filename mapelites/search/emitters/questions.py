"""Questions: local descents at exactly the tolerances that somebody may ask for."""

from __future__ import annotations

from typing import NamedTuple

from mapelites.search.emitters.emitter import Emitter, Step


def _step() -> Step:
    from mapelites.search.directed.questions import questions_in_turn

    return questions_in_turn


def _memory(n: int, constraints: int, questions: int) -> NamedTuple:
    from mapelites.search.directed.questions import new_questions

    return new_questions(n, constraints, questions)


EMITTER = Emitter(
    name="questions",
    order=80,
    label="Local descents at the tolerances of a question",
    operators={"question": "#44aa99"},
    share=0.3,
    begins=True,
    step=_step,
    memory=_memory,
)
