"""A model of a store beside the store itself: whatever several processes do with it, both are in the same state."""

from __future__ import annotations

import multiprocessing
import shutil
import tempfile
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from mapelites import InputError
from mapelites.runs import Store
from mapelites.runs.claim import Claim
from mapelites.runs.worker import RunWorker
from tests.runs.tools import request

PROCESSES = 3
ENDABLE = {"pause": ("queued",), "stop": ("queued", "paused")}
RESUMABLE = ("paused", "stopped", "failed")


def serve(path: Path, connection: Connection) -> None:
    """What a process does: one thing after the other with a store of its own."""
    store = Store(path)
    while True:
        asked = connection.recv()
        if asked is None:
            return
        name, arguments = asked
        try:
            answer = _search(store, *arguments) if name == "search" else getattr(store, name)(*arguments)
        except InputError as error:
            answer = error
        connection.send(answer)


def _search(store: Store, run_id: str, looks: int) -> str:
    claim = Claim.take(store.entries, run_id)
    if claim is not None:
        left = iter(range(looks))
        RunWorker(claim, lambda: next(left, None) is None).work()
    return store.run(run_id).state


class StoreMachine(RuleBasedStateMachine):
    """Runs by their ids: state, whether deleted."""

    @initialize()
    def begin(self) -> None:
        self.path = Path(tempfile.mkdtemp())
        Store(self.path).close()
        context = multiprocessing.get_context("fork")
        self.processes, self.connections = [], []
        for _ in range(PROCESSES):
            ours, theirs = context.Pipe()
            process = context.Process(target=serve, args=(self.path, theirs), daemon=True)
            process.start()
            theirs.close()
            self.processes.append(process)
            self.connections.append(ours)
        self.states: dict[str, str] = {}
        self.deleted: set[str] = set()
        self.files: list[bytes] = []

    def ask(self, who: int, name: str, *arguments: Any) -> Any:
        self.connections[who].send((name, arguments))
        return self.connections[who].recv()

    who = st.integers(0, PROCESSES - 1)
    which = st.integers(0, 10)

    def some(self, which: int) -> str:
        return sorted(self.states)[which % len(self.states)]

    @rule(who=who, seed=st.integers(1, 3))
    def create(self, who: int, seed: int) -> None:
        self.states[self.ask(who, "create", request("C17", 2_000, seed=seed))] = "queued"

    @precondition(lambda self: self.states)
    @rule(who=who, which=which, verb=st.sampled_from(sorted(ENDABLE)))
    def halt(self, who: int, which: int, verb: str) -> None:
        run_id, done = self.some(which), {"pause": "paused", "stop": "stopped"}[verb]
        answer = self.ask(who, verb, run_id)
        if run_id in self.deleted or (self.states[run_id] not in ENDABLE[verb] and self.states[run_id] != done):
            assert isinstance(answer, InputError)
        else:
            assert answer is None
            self.states[run_id] = done

    @precondition(lambda self: self.states)
    @rule(who=who, which=which)
    def resume(self, who: int, which: int) -> None:
        run_id = self.some(which)
        answer = self.ask(who, "resume", run_id)
        if run_id in self.deleted or self.states[run_id] == "finished":
            assert isinstance(answer, InputError)
        elif self.states[run_id] in RESUMABLE:
            self.states[run_id] = "queued"

    @precondition(lambda self: self.states)
    @rule(who=who, which=which, looks=st.sampled_from([1, 100]))
    def search(self, who: int, which: int, looks: int) -> None:
        run_id = self.some(which)
        state = self.ask(who, "search", run_id, looks)
        if self.states[run_id] == "queued" and run_id not in self.deleted:
            assert state == "finished" or (looks == 1 and state == "running")
            if state == "running":  # its process left: anybody may take it, or it is halted at once
                self.ask(who, "pause", run_id)
                state = "paused"
            self.states[run_id] = state

    @precondition(lambda self: self.states)
    @rule(who=who, which=which, back=st.booleans())
    def delete(self, who: int, which: int, back: bool) -> None:
        run_id = self.some(which)
        assert self.ask(who, "undelete" if back else "delete", run_id) is None
        (self.deleted.discard if back else self.deleted.add)(run_id)

    @rule(who=who)
    def purge(self, who: int) -> None:
        assert self.ask(who, "purge", 1e12) == len(self.deleted)
        for run_id in self.deleted:
            del self.states[run_id]
        self.deleted.clear()

    @precondition(lambda self: self.states)
    @rule(who=who, other=who, which=which)
    def copy(self, who: int, other: int, which: int) -> None:
        run_id = self.some(which)
        twin = self.ask(other, "import_run", self.ask(who, "export", run_id))
        state = self.states[run_id]
        self.states[twin] = "paused" if state == "queued" else state

    @rule(who=who)
    def repair(self, who: int) -> None:
        assert self.ask(who, "repair").is_nothing

    @precondition(lambda self: self.states)
    @rule(who=who, which=which)
    def lose_an_entry(self, who: int, which: int) -> None:
        """One record vanishes; a repair brings it back."""
        run_id, store = self.some(which), Store(self.path)
        with store.entries.database.writing():
            store.entries.database.drop(f"entry/{run_id}")
        store.close()
        assert list(self.ask(who, "damaged")) == [run_id]
        assert self.ask(who, "repair").restored == (run_id,)

    @invariant()
    def every_process_sees_the_same_runs(self) -> None:
        for who in range(PROCESSES):
            seen = {run.id: run.state for run in self.ask(who, "runs")}
            assert seen == {name: state for name, state in self.states.items() if name not in self.deleted}
            assert {run.id for run in self.ask(who, "deleted")} == self.deleted
            assert self.ask(who, "damaged") == {}

    def teardown(self) -> None:
        for connection, process in zip(self.connections, self.processes, strict=True):
            connection.send(None)  # to close ours is no end: those that were forked later have it too
            process.join()
            connection.close()
        shutil.rmtree(self.path, ignore_errors=True)


def follow(examples: int, steps: int, *, the_same: bool) -> None:
    """Compare store and model over so many sequences of so many steps."""
    run_state_machine_as_test(
        StoreMachine,
        settings=settings(
            max_examples=examples, stateful_step_count=steps, deadline=None, derandomize=the_same, database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )  # fmt: skip


def test_whatever_several_processes_do_the_store_is_in_the_state_that_a_model_says() -> None:
    follow(examples=2, steps=12, the_same=True)
