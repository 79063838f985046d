"""Addresses as the pages know them."""

from __future__ import annotations


def without_base_path(base_path: str, path: str) -> str:
    """An address as the pages know it."""
    return path.removeprefix(base_path) or "/" if (path + "/").startswith(f"{base_path}/") else path
