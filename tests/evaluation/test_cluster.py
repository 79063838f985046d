"""The workers of a Dask cluster evaluate what processes of this machine would, to the same map."""

from __future__ import annotations

import numpy as np

from mapelites import illuminate
from mapelites.evaluation.answer import DIED, FINE, TOO_SLOW
from mapelites.evaluation.cluster import RemoteWorkers
from mapelites.evaluation.pool import WorkerPool
from mapelites.evaluation.scheduler import connect_to_scheduler
from mapelites.problems.own.files import load_problems
from tests.campaign.test_cluster import cluster  # noqa: F401 (a fixture)
from tests.evaluation import black_boxes as boxes
from tests.runs.tools import assert_same, wait_for

FILE = """
import math
from mapelites import problem

def helper(x):
    if x[1] < 0.1:
        raise ArithmeticError("too thin")
    return math.hypot(x[0], x[1]) - 1.0

@problem(bounds={"a": (-2, 2), "b": (-2, 2)}, inequalities=["disc"])
def corner(x):
    return x[0] + x[1], [helper(x)], []
"""


def test_a_cluster_gives_the_map_of_this_machine_from_a_file_that_it_does_not_have(cluster, tmp_path):  # noqa: F811
    address, _ = cluster
    client = connect_to_scheduler(address, 60)
    wait_for(lambda: len(client.nthreads()) == 2, "two workers")
    client.close()
    path = tmp_path / "mine.py"
    path.write_text(FILE)
    (problem,) = load_problems(path)
    path.unlink()
    settings = {"search": "directed", "evaluations": 150, "initial": 40, "workers": 2, "retries": 0}
    far = illuminate(problem, **settings, scheduler=address)
    assert len(far) > 3
    assert_same(far, illuminate(problem, **settings))


def test_what_hangs_or_dies_on_a_cluster_costs_its_candidate_only(cluster):  # noqa: F811
    address, _ = cluster
    client = connect_to_scheduler(address, 60)
    wait_for(lambda: len(client.nthreads()) == 2, "two workers")
    client.close()

    def moody(x):
        if x[2] < 0.25:
            boxes.hangs(x)
        return boxes.killed(x) if x[2] < 0.5 else boxes.disc(x)

    hired = RemoteWorkers(address)
    crew = WorkerPool(boxes.problem_of(moody), 8, time_limit=3.0, hire=hired.hire)
    for number, third in enumerate((0.0, 0.0, 0.3, 0.9, 0.9, 0.9, 0.9, 0.9)):
        crew.submit(number, np.array([0.5, 0.5, third]))
    found = {}
    while len(found) < 8:
        found |= {number: answer.status for number, answer in crew.collect()}
    crew.close()
    hired.close()
    assert found == {0: TOO_SLOW, 1: TOO_SLOW, 2: DIED, **dict.fromkeys(range(3, 8), FINE)}
