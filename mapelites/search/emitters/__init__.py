"""The emitters: every file here that has an `EMITTER` is one, and lying here registers it.

An emitter makes candidates from the archive. The directed search gives it turns of some 200 evaluations; the search
for slow functions asks it for one candidate at a time.
"""

from mapelites.core.emitters import check_descriptions, describe_from
from mapelites.core.registry import Registry
from mapelites.search.emitters.emitter import Emitter, fill
from mapelites.search.emitters.surrogate import EMITTER as SURROGATE

__all__ = [
    "EMITTERS", "Emitter", "directed_emitters", "fill", "first_surrogate_operator", "operators_of", "slow_emitters",
    "slow_operators",
]  # fmt: skip

EMITTERS: Registry[Emitter] = Registry(__name__, "EMITTER", Emitter, check_descriptions)
describe_from(EMITTERS.entries)


def directed_emitters() -> tuple[Emitter, ...]:
    """Those of the directed search, in order."""
    return tuple(each for each in EMITTERS.entries() if each.share > 0.0)


def slow_emitters() -> tuple[Emitter, ...]:
    """Those of the search for slow functions, in order."""
    return tuple(each for each in EMITTERS.entries() if each.slow_share > 0.0)


def operators_of(emitters: tuple[Emitter, ...]) -> tuple[str, ...]:
    """The names of all operators; what a state or a log keeps of one is its place here."""
    return tuple(name for each in emitters for name in each.operators)


def slow_operators() -> tuple[str, ...]:
    """The names that the log of a slow function's evaluations keeps places of: by emitters, then by models."""
    return (*operators_of(slow_emitters()), *SURROGATE.operators)


def first_surrogate_operator() -> int:
    """The place of the first of the models' operators."""
    return len(operators_of(slow_emitters()))
