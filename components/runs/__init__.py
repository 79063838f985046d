"""The page that lists all runs."""
