"""A run at one moment, and the one format in which it is streamed, saved and exported."""

from mapelites.snapshot.snapshot import Snapshot
from mapelites.snapshot.spec import RunSpec

__all__ = ["RunSpec", "Snapshot"]
