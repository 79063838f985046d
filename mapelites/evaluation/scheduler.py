"""The way to a Dask scheduler, with errors in words."""

from __future__ import annotations

import re
from typing import Any

from mapelites.core.errors import InputError

CONNECT_SECONDS = 10
SCHEDULER_EXAMPLE = "tcp://192.168.0.1:8786"
SCHEDULER_FORM = re.compile(r"((tcp|tls|ws|wss|ucx)://)?(\[[0-9A-Fa-f:.]+\]|[^\s/:\[\]]+):\d{1,5}/?")


def connect_to_scheduler(address: str, seconds: float = CONNECT_SECONDS) -> Any:
    """A client of the Dask scheduler at this address, or an `InputError` in words."""
    if not SCHEDULER_FORM.fullmatch(address):  # Dask would look for it for half a minute
        raise InputError(
            f"scheduler must be the address of a Dask scheduler, such as {SCHEDULER_EXAMPLE}, but it was {address!r}"
        )
    try:
        from distributed import Client
    except ImportError:
        raise InputError(
            "a Dask scheduler needs the package distributed, but it is not installed: "
            "python -m pip install -r requirements-cluster.txt"
        ) from None
    try:
        return Client(address, timeout=seconds, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(
            f"scheduler must be the address of a Dask scheduler that runs, such as {SCHEDULER_EXAMPLE}, "
            f"but {address} does not answer ({reason})"
        ) from None


def check_scheduler(address: str) -> None:
    """An `InputError` in words where no Dask scheduler answers at this address."""
    connect_to_scheduler(address, CONNECT_SECONDS).close()
