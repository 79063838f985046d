"""Many runs, summarised in a table: what is run, where its results are kept, and who does the work.

>>> from mapelites.campaign import Campaign
>>> campaign = Campaign(("C07", "C08"), (10,), ("paper-1", "paper-3"), runs=25)
>>> campaign.count, campaign.tasks[0].name
(100, 'C07-10d-paper-1-01')
"""

from mapelites.campaign.description import Campaign, CampaignTask, Instance
from mapelites.campaign.folder import CampaignFolder, CampaignResult

__all__ = ["Campaign", "CampaignFolder", "CampaignResult", "CampaignTask", "Instance"]
