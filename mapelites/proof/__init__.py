"""Proofs: a global solver says what nobody can do better, of problems that are written as formulas.

>>> from mapelites.problems import get
>>> prove(get("tin-can"), {"slim": "5%"}).status
'proven'
"""

from mapelites.proof.proof import Proof
from mapelites.proof.prover import prove

__all__ = ["Proof", "prove"]
