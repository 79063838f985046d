"""What the pages of experiments read of a campaign, read once however many browsers look."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from components.experiments.words import CampaignProgress, InstanceProgress, campaign_progress, instance_progress
from components.shared.context import Context
from components.shared.recent import RecentValues
from mapelites.campaign import CampaignFolder, Instance
from mapelites.campaign.folder import CampaignResult
from mapelites.campaign.process import open_campaign
from mapelites.campaign.report.table import CampaignReport, report_of

MOST_LOOKS = 8


@dataclass(frozen=True)
class CampaignSnapshot:
    """A campaign at one moment."""

    folder: CampaignFolder
    results: tuple[CampaignResult, ...]
    progress: CampaignProgress
    states: dict[Instance, InstanceProgress]
    report: CampaignReport


class Campaigns:
    """The campaigns of a store, with the latest looks at them kept in memory."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self._looks = RecentValues[tuple[str, str], CampaignSnapshot](MOST_LOOKS)

    def folder(self, campaign_id: Any) -> CampaignFolder:
        """A campaign by its id."""
        return open_campaign(self.context.store.path, str(campaign_id))

    def look(self, campaign_id: str) -> CampaignSnapshot:
        """The campaign as it is now."""
        key = campaign_id, self.folder(campaign_id).version()
        return self._looks.remember(key, lambda: self._read(campaign_id))

    def _read(self, campaign_id: str) -> CampaignSnapshot:
        folder = self.folder(campaign_id)
        results = tuple(folder.results().values())
        states = instance_progress(folder.campaign, results, folder.status.running)
        return CampaignSnapshot(folder, results, campaign_progress(folder, results), states, report_of(folder))

    def curves(self, look: CampaignSnapshot, instances: Sequence[Instance]) -> dict[str, list[NDArray[np.float64]]]:
        """The curves of the finished runs of each instance, by search."""
        by_instance: dict[Instance, list[CampaignResult]] = {}
        for result in look.results:
            if result.failed is None:
                by_instance.setdefault(result.instance, []).append(result)
        return {
            instance.search: [self._curve(look.folder, result) for result in by_instance.get(instance, [])]
            for instance in instances
        }

    def _curve(self, folder: CampaignFolder, result: CampaignResult) -> NDArray[np.float64]:
        """A finished run never changes, so its curve is read from its file once."""
        key = ("campaign-curve", folder.id, folder.engine, result.name, result.seed, result.evaluations)
        content = self.context.cache.remember_bytes(key, lambda: folder.snapshot(result.name).curve.tobytes())
        return np.frombuffer(content, dtype=np.float64).reshape(-1, 3)
