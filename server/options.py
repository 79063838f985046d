"""How the dashboard is started: one value from the command line to the process that serves."""

from __future__ import annotations

import json
import socket
from dataclasses import asdict, dataclass
from pathlib import Path

from mapelites.core.errors import InputError
from server.access import Access
from server.limits import USUAL, ClientLimits

EVERYWHERE = ("0.0.0.0", "::", "")  # addresses that stand for all of this machine's


@dataclass(frozen=True)
class StartOptions:
    """Where the dashboard keeps its runs and listens, how else it is called, and what a client may ask for.

    >>> StartOptions.from_text(StartOptions("/runs", port=0).as_text()) == StartOptions("/runs", port=0)
    True
    """

    data: str  # the folder of the store
    host: str = "127.0.0.1"
    port: int = 8050
    trusted: tuple[str, ...] = ()  # further names by which browsers may call it
    base_path: str = ""
    limits: ClientLimits = USUAL
    problems: tuple[str, ...] = ()  # files and folders of one's own problems
    schedulers: tuple[str, ...] = ()  # the Dask schedulers that campaigns may be given to
    proxied: bool = False  # whether nobody but a proxy reaches it
    processes: int | None = None  # runs at the same time; None: cores less one

    def __post_init__(self) -> None:
        if self.processes is not None and self.processes < 1:
            raise InputError(f"--processes must be 1 or more, but it was {self.processes}")

    def as_text(self) -> str:
        """JSON for the process that serves."""
        return json.dumps(asdict(self))

    @classmethod
    def from_text(cls, text: str) -> StartOptions:
        """What `as_text` put down."""
        table = json.loads(text)
        lists = {name: tuple(table[name]) for name in ("trusted", "problems", "schedulers")}
        return cls(**{**table, **lists, "limits": ClientLimits(**table["limits"])})

    @property
    def problem_files(self) -> tuple[Path, ...]:
        """The files and folders of one's own problems."""
        return tuple(map(Path, self.problems))

    @property
    def address(self) -> str:
        """The address to listen on, as it is written before a port."""
        return spelled_address(self.host)

    @property
    def everywhere(self) -> bool:
        """Whether it listens at all addresses of this machine."""
        return self.host in EVERYWHERE

    def access(self, token: str | None) -> Access:
        """Who may reach it, by which names."""
        own = socket.gethostname() if self.everywhere else self.address
        names = (own, *self.trusted)
        return Access(names, token, self.base_path, self.limits, self.schedulers, self.proxied)

    def link(self, token: str | None) -> str:
        """What to open in a browser on this machine."""
        name = "localhost" if self.everywhere else self.address
        end = f"/?token={token}" if token else "/" if self.base_path else ""
        return f"http://{name}:{self.port}{self.base_path}{end}"


def spelled_address(host: str) -> str:
    """An address as it is written before a port: one of IPv6 in brackets.

    >>> spelled_address("::1"), spelled_address("127.0.0.1")
    ('[::1]', '127.0.0.1')
    """
    return f"[{host}]" if ":" in host else host
