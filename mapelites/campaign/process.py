"""Campaigns that outlive a browser tab and the server: each is worked on by a process of its own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from mapelites.campaign.description import Campaign
from mapelites.campaign.folder import CampaignFolder, list_campaigns
from mapelites.core.errors import InputError
from mapelites.snapshot.engine import engine_mark
from mapelites.system.processes import child_environment

PATIENCE = 10.0  # seconds a process may take to stop
LOOK_SECONDS = 0.05
ID = re.compile(r"[A-Za-z0-9]{1,64}")


class UnknownCampaignError(InputError):
    """There is no campaign of that id."""


def campaigns_folder(data: Path) -> Path:
    """Where the campaigns of a store of runs are kept."""
    return data / "campaigns"


def open_campaign(data: Path, campaign_id: str) -> CampaignFolder:
    """A campaign by its id."""
    if not ID.fullmatch(campaign_id):
        raise UnknownCampaignError(
            f"campaign must be the id of one, such as c0123456789abcd, but it was {campaign_id!r}"
        )
    folder = CampaignFolder(campaigns_folder(data) / campaign_id)
    if not os.path.exists(folder.path / "campaign.json"):  # a `Path` would raise where it cannot look
        raise UnknownCampaignError(f"campaign: there is none with the id {campaign_id!r}")
    return folder


def folder_of(data: Path, campaign: Campaign) -> Path:
    """The folder of a campaign with the search of today: another version of the search begins another campaign."""
    return campaigns_folder(data) / f"{campaign.id}{engine_mark()[:4]}"


def launch_campaign(data: Path, campaign: Campaign, scheduler: str | None = None) -> CampaignFolder:
    """Begin a campaign, or go on with it, in a process of its own."""
    folder = CampaignFolder.create(folder_of(data, campaign), campaign)
    start_process(folder, scheduler)
    return folder


def start_process(folder: CampaignFolder, scheduler: str | None = None) -> None:
    """Have a process work on the campaign; where one does already or is about to, nothing happens."""
    if folder.working() or folder.starting():
        return
    folder.put_wish("run")
    folder.note_scheduler(scheduler)
    command = [sys.executable, "-m", "mapelites", "campaign", "--resume", str(folder.path), "--quiet"]
    if scheduler:
        command += ["--scheduler", scheduler]
    with (folder.path / "log.txt").open("ab") as log:
        process = subprocess.Popen(
            command, env=child_environment(), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            start_new_session=True,
        )  # fmt: skip
    folder.note_process(process.pid)
    # Whoever started a process must take note of its end, or it stays in the system's list for ever.
    threading.Thread(target=process.wait, daemon=True).start()


def stop_campaign(folder: CampaignFolder) -> None:
    """Let the campaign rest; what is done is kept, what is running is not."""
    folder.put_wish("stop")
    number = folder.worker()
    if number is not None:
        os.kill(number, signal.SIGTERM)
        end = time.monotonic() + PATIENCE
        while folder.working() and time.monotonic() < end:
            time.sleep(LOOK_SECONDS)


def suspend_all(data: Path) -> list[CampaignFolder]:
    """Ask the processes that `start` started to leave, as `go_on` will start them again; which were asked."""
    resting = []
    for folder in list_campaigns(campaigns_folder(data)):
        number = folder.process
        ours = folder.starting() or (folder.working() and folder.worker() == number)  # not that of a terminal
        if number is not None and ours:
            resting.append(folder)
            with suppress(ProcessLookupError):
                os.kill(number, signal.SIGTERM)
                os.kill(number, signal.SIGCONT)  # one that is frozen hears nothing
    return resting


def resume_all(data: Path, schedulers: Sequence[str] = ()) -> list[CampaignFolder]:
    """Start again what was being worked on when the machine or the server stopped, here or by one of the schedulers."""
    waiting = [folder for folder in list_campaigns(campaigns_folder(data)) if folder.wanted and not folder.working()]
    for folder in waiting:
        folder.put_wish("stop")  # whatever was started for it is gone
        if folder.scheduler is None or folder.scheduler in schedulers:
            start_process(folder, folder.scheduler)
        else:
            folder.note_trouble(f"the dashboard was started without its scheduler, --scheduler {folder.scheduler}")
    return waiting
