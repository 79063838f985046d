"""The elites of one map: what a search found, where it lies, and the forms in which it is taken away."""

from mapelites.core.archive.archive import Archive
from mapelites.core.archive.elites import Elite, Elites, Integers

__all__ = ["Archive", "Elite", "Elites", "Integers"]
