"""Where the pages begin runs, imports and campaigns. The server's own queue counts what each client begins."""

from __future__ import annotations

from collections.abc import Sequence

from mapelites.campaign import Campaign
from mapelites.core.errors import InputError
from mapelites.runs import RunRequest, Store

CHECK_SECONDS = 60.0  # of processor time for one file that somebody brings


class RunQueue:
    """A store of runs as those see it who begin something in it."""

    def __init__(self, store: Store, schedulers: Sequence[str] = ()) -> None:
        self.store, self.schedulers = store, tuple(schedulers)

    def create(self, request: RunRequest) -> str:
        """Queue a run and return its id."""
        return self.store.create(request, check=self.check)

    def resume(self, run_id: str) -> None:
        """Let a run go on that was paused or stopped or has failed."""
        self.store.resume(run_id, check=self.check)

    def import_run(self, content: bytes) -> str:
        """Take in what `export` gave, or a saved map."""
        return self.store.import_run(content, check=self.check, seconds=CHECK_SECONDS)

    def check(self, request: RunRequest) -> None:
        """An `InputError` for a run that may not be begun here."""
        self.check_scheduler(request.settings.scheduler)

    def check_scheduler(self, scheduler: str | None) -> None:
        """An `InputError` for a Dask scheduler that the dashboard was not started with.

        Whoever speaks for a scheduler has code run by whoever connects to it, so no client may choose one.
        """
        if scheduler and scheduler not in self.schedulers:
            raise InputError(
                f"scheduler must be one that the dashboard was started with, but it was {scheduler!r}; "
                "whoever runs the dashboard names it with --scheduler"
            )

    def admit_campaign(self, campaign: Campaign) -> None:
        """A campaign is about to begin."""
