"""Work that somebody asks for on a run that is there: sharper answers, and proofs."""

from mapelites.runs.jobs.board import JobBoard
from mapelites.runs.jobs.job import Job

__all__ = ["Job", "JobBoard"]
