"""The state of a run's page goes through an address and back unchanged."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl

import pytest

from components.page_state.state import WRITERS, PageState
from tests.components.page_state.page_states import CASES, OWN, PROBLEM, USUAL


@pytest.mark.parametrize(("query", "changed"), CASES)
def test_a_state_survives_the_way_through_its_address(query: str, changed: dict[str, Any]) -> None:
    state = PageState.from_query(dict(parse_qsl(query)), OWN, PROBLEM)
    assert state.as_data() == {**USUAL, **changed}
    assert state.address() == query
    assert PageState.read(state.as_data(), OWN, PROBLEM) == state


def test_everything_that_a_browser_holds_of_the_page_is_in_its_address() -> None:
    assert set(PageState.from_query({}, OWN, PROBLEM).as_data()) == set(WRITERS) == set(USUAL)
