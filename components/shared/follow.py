"""How pages follow what happens elsewhere: they look now and then, and are sent only what changed.

The more pages look, the longer each is asked to wait, so that watching never takes the machine from the search.
"""

from __future__ import annotations

import hashlib
import random
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import orjson
from dash import ClientsideFunction, Dash, Input, Output, State, ctx, dcc, no_update, set_props
from dash.development.base_component import Component

from mapelites.system.cores import usable_cores

PERIOD = 1_000  # milliseconds between two looks of a page that is no run's
SOONEST, LATEST = 0.1, 5.0  # seconds between two looks: at least and at most
MOST_LOOKS = 12.0 * usable_cores()  # per second, of all pages together
SPREAD = 0.2


class PollPacer:
    """How long a page shall wait until its next look, by how many looks there are."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._since, self._looks = clock(), 0
        self.wait = SOONEST

    def look(self) -> float:
        """Note a look and return the seconds until the next one of the same page."""
        with self._lock:
            self._looks += 1
            passed = self._clock() - self._since
            if passed >= max(2 * SOONEST, self.wait):  # every page has looked
                # Each page looks once per wait, so looks per second times the wait are the pages there are.
                pages = self._looks / passed * self.wait
                self.wait = min(max(SOONEST, pages / MOST_LOOKS), LATEST)
                self._since, self._looks = self._clock(), 0
        return self.wait * random.uniform(1 - SPREAD, 1 + SPREAD)  # pages that came together shall not look together

    @property
    def age(self) -> float:
        """Seconds since a page looked last: what was read since then is new to it, and drawn for others already."""
        return self.wait - SOONEST / 2


def layout(name: str, seen: Any = None) -> list[Component]:
    """What a page needs to follow something: when it looks, what it has `seen`, and which look was answered last."""
    return [
        dcc.Store(id=f"{name}-seen", data=seen),
        dcc.Interval(id=f"{name}-tick", interval=PERIOD),
        dcc.Store(id=f"{name}-asked", data={"number": 0, "at": 0}),
        dcc.Store(id=f"{name}-answered", data=0),
    ]


def register(
    app: Dash,
    pacer: PollPacer,
    name: str,
    outputs: Sequence[Output],
    look: Callable[..., tuple[Any, tuple[Any, ...]] | None],
    *,
    inputs: Sequence[Input] = (),
    states: Sequence[State] = (),
    prevent_initial_call: bool = True,
) -> None:
    """Look again and again, and whenever an input changes.

    `look` gets what the page has seen and the values of inputs and states. It returns None where nothing is new, else
    what the page has seen then and a value for each output. A page waits for the answer to its last look.
    """
    app.clientside_callback(
        ClientsideFunction("follow", "ask"),
        Output(f"{name}-asked", "data"),
        Input(f"{name}-tick", "n_intervals"),
        State(f"{name}-asked", "data"),
        State(f"{name}-answered", "data"),
        prevent_initial_call=True,
    )

    @app.callback(
        *outputs,
        Output(f"{name}-seen", "data"),
        Output(f"{name}-answered", "data"),
        Input(f"{name}-asked", "data"),
        *inputs,
        State(f"{name}-seen", "data"),
        State(f"{name}-tick", "interval"),
        *states,
        prevent_initial_call=prevent_initial_call,
    )
    def poll(asked: Any, *values: Any) -> Any:
        given, (before, interval), others = values[: len(inputs)], values[len(inputs) :][:2], values[len(inputs) + 2 :]
        pacer.look()
        # In tenths of a second: an interval that changed a little with every answer would begin anew each time.
        wait = max(PERIOD, 100 * round(10 * pacer.wait))
        if wait != interval:
            set_props(f"{name}-tick", {"interval": wait})
        found = look(before, *given, *others)
        number = asked.get("number") if isinstance(asked, dict) else None
        return (*(found[1] if found else _nothing(len(outputs))), found[0] if found else no_update, number)


def _nothing(outputs: int) -> list[Any]:
    """No news for so many outputs: one with a wildcard has a place for everything that it matches on the page."""
    return [[no_update] * len(each) if isinstance(each, list) else no_update for each in ctx.outputs_list[:outputs]]


def content_digest(content: Any) -> str:
    """Differs where a person would see something else."""
    text = orjson.dumps(content, default=lambda each: each.to_plotly_json(), option=orjson.OPT_SORT_KEYS)
    return hashlib.sha256(text).hexdigest()[:16]
