"""How candidates are made: the operators and the loops around them. Nothing here touches the disk."""

from mapelites.core.settings import DEFAULT_SEARCH, SEARCHES, Settings
from mapelites.search.ask_tell import Generator, Search
from mapelites.search.emitters import Emitter
from mapelites.search.illumination import Illumination, compile_searches, illuminate

__all__ = [
    "DEFAULT_SEARCH", "SEARCHES", "Emitter", "Generator", "Illumination", "Search", "Settings", "compile_searches",
    "illuminate",
]  # fmt: skip
