"""Runs that survive: the store on disk, the queue, and the worker that searches."""

from mapelites.runs.errors import StoreError
from mapelites.runs.history import Moment
from mapelites.runs.labels import Labels
from mapelites.runs.record import STATES, Run, WorkerStatus
from mapelites.runs.request import RunRequest
from mapelites.runs.store import Store

__all__ = ["STATES", "Labels", "Moment", "Run", "RunRequest", "Store", "StoreError", "WorkerStatus"]
