"""Who evaluates a slow function: processes on this machine or a Dask cluster, and what came of each evaluation."""
