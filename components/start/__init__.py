"""The first page: the form that starts a run."""
