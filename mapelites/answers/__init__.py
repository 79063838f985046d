"""What a constraint costs: the questions people ask of a map, answered from its elites alone.

Nothing here interpolates. Every answer is an elite, named by its row among the designs, or "not found".

>>> from mapelites import Tolerances, illuminate
>>> from mapelites.answers import Designs, ranking
>>> from mapelites.problems import get
>>> problem = get("C17", 10)
>>> archive = illuminate(problem, Tolerances.default(problem), search="paper-3", evaluations=5_000, seed=1)
>>> designs = Designs.of(archive)
>>> {worth.verdict for worth in ranking(designs, designs.satisfied)} <= {"binding", "later", "free", "unknown",
...                                                                      "blocking", "unmet", "together"}
True
"""

from mapelites.answers.almost import almost_feasible, least_margin, margin_unit, read_margin
from mapelites.answers.bands import Bands, bands
from mapelites.answers.change import Change, changes
from mapelites.answers.correlation import Correlation, correlation
from mapelites.answers.designs import Designs
from mapelites.answers.front import MEASURES, Front, front
from mapelites.answers.least import Least, least
from mapelites.answers.multipliers import Multipliers, multipliers
from mapelites.answers.price import Price, Step, Worth, price, ranking
from mapelites.answers.relations import Recognised, recognise
from mapelites.answers.shortest import shortest
from mapelites.answers.telling import Telling, telling

__all__ = [
    "MEASURES",
    "Bands",
    "Change",
    "Correlation",
    "Designs",
    "Front",
    "Least",
    "Multipliers",
    "Price",
    "Recognised",
    "Step",
    "Telling",
    "Worth",
    "almost_feasible",
    "bands",
    "changes",
    "correlation",
    "front",
    "least",
    "least_margin",
    "margin_unit",
    "multipliers",
    "price",
    "ranking",
    "read_margin",
    "recognise",
    "shortest",
    "telling",
]
