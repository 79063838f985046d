"""What a constraint costs: the questions people ask of a map, answered from its elites alone.

Nothing here interpolates. Every answer is an elite, named by its row among the designs, or "not found".

>>> from mapelites import Tolerances, illuminate
>>> from mapelites.answers import Designs, rank_constraints
>>> from mapelites.problems import get
>>> problem = get("C17", 10)
>>> archive = illuminate(problem, Tolerances.default(problem), search="paper-3", evaluations=5_000, seed=1)
>>> designs = Designs.of(archive)
>>> verdicts = {worth.verdict for worth in rank_constraints(designs, designs.satisfied)}
>>> verdicts <= {"binding", "later", "free", "unknown", "blocking", "unmet", "together"}
True
"""

from mapelites.answers.almost import almost_feasible, least_margin, margin_unit, read_margin
from mapelites.answers.bands import Bands, price_bands
from mapelites.answers.change import VariableChange, largest_changes
from mapelites.answers.correlation import Correlation, rank_correlation
from mapelites.answers.designs import Designs
from mapelites.answers.front import MEASURES, Front, trade_off_front
from mapelites.answers.headline import Gains, RelaxedGroups, headline, relaxation_gains
from mapelites.answers.least import LeastRelaxation, least_relaxations
from mapelites.answers.multipliers import Multipliers, multipliers_at
from mapelites.answers.price import Price, PriceStep, RelaxationGain, price_of, rank_constraints
from mapelites.answers.relations import RecognisedRelation, recognise_relations
from mapelites.answers.telling import NotableDesign, notable_designs

__all__ = [
    "MEASURES",
    "Bands",
    "Correlation",
    "Designs",
    "Front",
    "Gains",
    "LeastRelaxation",
    "Multipliers",
    "NotableDesign",
    "Price",
    "PriceStep",
    "RecognisedRelation",
    "RelaxationGain",
    "RelaxedGroups",
    "VariableChange",
    "almost_feasible",
    "headline",
    "largest_changes",
    "least_margin",
    "least_relaxations",
    "margin_unit",
    "multipliers_at",
    "notable_designs",
    "price_bands",
    "price_of",
    "rank_constraints",
    "rank_correlation",
    "read_margin",
    "recognise_relations",
    "relaxation_gains",
    "trade_off_front",
]
