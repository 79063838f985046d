"""How candidates are made: the operators and the loops around them. Nothing here touches the disk."""

from mapelites.search.illumination import Illumination, compile_searches, illuminate
from mapelites.search.settings import DEFAULT_SEARCH, SEARCHES, Settings

__all__ = ["DEFAULT_SEARCH", "SEARCHES", "Illumination", "Settings", "compile_searches", "illuminate"]
