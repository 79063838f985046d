"""A campaign in words: what it runs, how far it is, and what state it is in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import dash_mantine_components as dmc
from dash.development.base_component import Component

from components.shared.format import duration, many
from mapelites.campaign import Campaign, CampaignFolder, Instance
from mapelites.campaign.description import OWN, table_words
from mapelites.campaign.folder import CampaignResult, CampaignStatus
from mapelites.core.format import evaluation_rate, whole_percent
from mapelites.problems.suites.cec2010 import NAMES


@dataclass(frozen=True)
class CampaignProgress:
    """How many runs of a campaign are done and have failed, and of which instances."""

    count: int
    done: int
    failed: int

    @property
    def share(self) -> float:
        """The share of the runs that are done."""
        return self.done / self.count

    @property
    def whole(self) -> bool:
        """Whether nothing is left."""
        return self.done == self.count


def campaign_progress(folder: CampaignFolder, results: Sequence[CampaignResult] | None = None) -> CampaignProgress:
    """How far a campaign is."""
    found = list(folder.results().values()) if results is None else results
    failed = sum(result.failed is not None for result in found)
    return CampaignProgress(folder.campaign.count, len(found) - failed, failed)


def campaign_title(campaign: Campaign) -> str:
    """What a campaign runs, `C01, C07 and Tin can · 10D and 30D · paper-1`."""
    problems = [problem_name(campaign, each) for each in campaign.problems]
    dimensions = [table_words(n) for n in campaign.tables if n != OWN]
    parts = ["All problems" if campaign.problems == NAMES else shortened_list(problems), shortened_list(dimensions)]
    return " · ".join([*filter(None, parts), shortened_list(campaign.searches)])


def problem_name(campaign: Campaign, name: str) -> str:
    """What one of its problems is called, without the number of variables where there are several."""
    own = campaign.own_dimension(name)
    return campaign.problem(name, own).title if own else name


def shortened_list(words: Sequence[str]) -> str:
    """Words in a row, cut where there are many."""
    if len(words) > 4:
        return f"{', '.join(words[:3])} and {len(words) - 3} more"
    if not words:
        return ""
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def campaign_state(folder: CampaignFolder, done: CampaignProgress) -> str:
    """The state of a campaign in one word."""
    if folder.working():
        return "running"
    if folder.starting():
        return "starting"
    if done.whole:
        return "finished"
    return "failed" if done.failed or folder.trouble else "stopped"


def campaign_badge(folder: CampaignFolder, done: CampaignProgress) -> Component:
    """The state with how far it is."""
    word = campaign_state(folder, done)
    text = f"{word} · {whole_percent(done.share)}" if word in ("running", "stopped") else word
    colour = {"failed": "red", "running": "indigo", "starting": "indigo"}.get(word, "gray")
    return dmc.Badge(text, color=colour, variant="light", className=f"state state-{word}")


def campaign_pace(status: CampaignStatus, done: CampaignProgress) -> str:
    """How fast a campaign is and how long it still takes."""
    if not status.running:
        return status.note
    left = f", {duration(status.seconds_left)} left" if status.seconds_left is not None else ""
    where = ", ".join(status.running[:3]) + (f" and {len(status.running) - 3} more" if len(status.running) > 3 else "")
    return f"{evaluation_rate(status.evaluations_per_second)}{left} · running {where}"


@dataclass(frozen=True)
class InstanceProgress:
    """How far the runs of one instance are."""

    done: int
    failed: int
    running: int
    runs: int

    @property
    def state(self) -> str:
        """One word for the colour of the cell."""
        if self.failed:
            return "failed"
        if self.done == self.runs:
            return "done"
        return "running" if self.running else "waiting"

    @property
    def words(self) -> str:
        """The same for people: `25 done`, `7 of 25, 1 running`, `24 of 25, 1 failed`."""
        if self.done == self.runs:
            return f"{self.done} done"
        parts = [f"{self.done} of {self.runs}"]
        if self.running:
            parts.append(f"{self.running} running")
        if self.failed:
            parts.append(f"{self.failed} failed")
        return ", ".join(parts) if len(parts) > 1 or self.done else "waiting"

    @property
    def short(self) -> str:
        """The same where there is little room."""
        if self.state == "done":
            return self.words
        if not self.done and self.state == "waiting":
            return "waiting"
        word = {"running": "running ", "failed": f"{self.failed} failed, "}.get(self.state, "")
        return f"{word}{self.done}/{self.runs}"


def instance_progress(
    campaign: Campaign, results: Sequence[CampaignResult], running: Sequence[str]
) -> dict[Instance, InstanceProgress]:
    """How far every instance is."""
    done = Counter(result.instance for result in results if result.failed is None)
    failed = Counter(result.instance for result in results if result.failed is not None)
    tasks = {task.name: task.instance for task in campaign.tasks}
    now = Counter(tasks[name] for name in running if name in tasks)
    return {
        each: InstanceProgress(done[each], failed[each], min(now[each], campaign.runs - done[each]), campaign.runs)
        for each in campaign.instances
    }


def count_in_words(campaign: Campaign) -> str:
    """The size of a campaign."""
    return f"{many(campaign.count, 'run')}, {many(campaign.evaluations, 'evaluation')}"
