"""Which engine this is: what decides, beside the seed, which map a search ends in."""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from mapelites import __version__

LIBRARIES = ("numpy", "numba")
LONGEST = 200  # characters of one value, in what somebody else wrote down


@dataclass(frozen=True)
class EngineVersion:
    """A version of the engine with the libraries and the processor that it computes with."""

    mark: str  # differs where the source of problems or searches differs
    version: str = ""
    python: str = ""
    numpy: str = ""
    numba: str = ""
    processor: str = ""

    @property
    def key(self) -> str:
        """The same for engines that end in the same map when one goes on with what another began."""
        return f"{self.mark} {self.numpy} {self.numba}"

    def words(self) -> str:
        """For people.

        >>> EngineVersion("4f3a", "0.2.0", "3.11.2", "2.4.6", "0.68.1", "x86_64").words()
        'Illuminate 0.2.0 (4f3a) with numpy 2.4.6, numba 0.68.1, Python 3.11.2 on x86_64'
        """
        return (
            f"Illuminate {self.version} ({self.mark}) with numpy {self.numpy}, numba {self.numba}, "
            f"Python {self.python} on {self.processor}"
        )

    def as_table(self) -> dict[str, str]:
        """Plain values."""
        return asdict(self)

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> EngineVersion:
        """The engine from plain values."""
        return cls(**{each.name: str(table.get(each.name, ""))[:LONGEST] for each in fields(cls)})


@cache
def engine_mark() -> str:
    """A short text that differs where the source of problems or searches differs."""
    here = Path(__file__).parent.parent
    files = sorted((here / "core").glob("*.py"))
    folders = [
        path for name in ("core/archive", "search", "evaluation", "problems") for path in (here / name).rglob("*.*")
    ]
    digest = sha256()
    for path in (*files, *sorted(path for path in folders if path.suffix in (".py", ".json", ".problem"))):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:12]


@cache
def present_engine() -> EngineVersion:
    """The one that runs here."""
    numpy, numba = (importlib.metadata.version(name) for name in LIBRARIES)
    return EngineVersion(engine_mark(), __version__, platform.python_version(), numpy, numba, _processor())


def _processor() -> str:
    """Its kind, and its name where the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return " ".join([platform.machine(), *names[:1]])[:LONGEST]
