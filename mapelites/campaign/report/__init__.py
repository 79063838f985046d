"""The report of a campaign: the competition's statistics, published results, tables in several formats."""
