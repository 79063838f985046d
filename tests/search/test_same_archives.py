"""The same seed gives the same map, bit for bit, as it did before the search was cut into rooms and registries."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import pytest

from mapelites import illuminate
from mapelites.core.archive import Archive
from mapelites.core.tolerances import PAPER_LEVELS, Tolerances
from mapelites.problems import get

DIGESTS = json.loads((Path(__file__).parents[1] / "data" / "before_rooms" / "digests.json").read_text())


def digest(archive: Archive) -> str:
    elites = archive.elites
    found = sha256()
    for array in (elites.x, elites.f, elites.g, elites.h, elites.found_at):
        found.update(array.tobytes())
    found.update("\n".join(elites.operator.tolist()).encode())
    return found.hexdigest()[:16]


@pytest.mark.parametrize("instance", DIGESTS)
def test_a_map_is_bit_for_bit_what_it_was(instance: str) -> None:
    name, dimension, search, kind = instance.split()
    cells = {"archive": "centroids", "centroids": 500} if kind == "centroids" else {}
    problem = get(name, int(dimension))
    levels = Tolerances.same(problem, PAPER_LEVELS)
    archive = illuminate(problem, levels, search=search, evaluations=20_000, seed=7, **cells)
    assert digest(archive) == DIGESTS[instance]
