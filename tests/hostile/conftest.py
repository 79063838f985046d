"""A store of its own for every test."""

from tests.requests_and_stores import store

__all__ = ["store"]
