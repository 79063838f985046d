"""Functions that take long: evaluated by processes of their own, in a search that never waits for the slowest."""

from mapelites.slow.answer import Answer, Log, Outside
from mapelites.slow.crew import Crew

__all__ = ["Answer", "Crew", "Log", "Outside"]
