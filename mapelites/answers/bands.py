"""The price of a constraint over many runs: the median and the quartiles of what each run found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mapelites.answers.designs import Designs
from mapelites.answers.price import price_of
from mapelites.core.problem import Array
from mapelites.core.statistics import quartile_places


@dataclass(frozen=True)
class Bands:
    """Per tolerance the lower quartile, the median and the upper quartile of the objective, (3, steps), the run
    that each is of, and how many runs found anything. NaN where so many runs found nothing that the quartile is
    "not found"."""

    tolerances: tuple[float, ...]
    quartiles: Array
    behind: NDArray[np.int64]
    found: NDArray[np.int64]
    runs: int


def price_bands(runs: Sequence[Designs], constraint: int) -> Bands:
    """Over the runs of one problem at the same levels, the other constraints satisfied.

    A run that found nothing counts as worse than every other, so nothing is made up in its place.
    """
    curves = [price_of(designs, constraint, designs.satisfied) for designs in runs]
    values = np.array([[np.inf if step.f is None else step.f for step in curve.steps] for curve in curves])
    behind = np.argsort(values, axis=0, kind="stable")[list(quartile_places(len(runs)))]
    chosen = np.take_along_axis(values, behind, axis=0)
    tolerances = tuple(step.tolerance for step in curves[0].steps)
    found = np.isfinite(values).sum(axis=0)
    return Bands(tolerances, np.where(np.isfinite(chosen), chosen, np.nan), behind, found, len(runs))
