"""The workers of a Dask cluster evaluate what processes of this machine would, to the same map."""

from __future__ import annotations

from mapelites import illuminate
from mapelites.campaign.crews import connect
from mapelites.problems.files import load
from tests.runs.tools import assert_same, wait_for
from tests.test_campaign_cluster import cluster  # noqa: F401 (a fixture)

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
    client = connect(address, 60)
    wait_for(lambda: len(client.nthreads()) == 2, "two workers")
    client.close()
    path = tmp_path / "mine.py"
    path.write_text(FILE)
    (problem,) = load(path)
    path.unlink()
    settings = {"search": "directed", "evaluations": 150, "initial": 40, "workers": 2, "retries": 0}
    far = illuminate(problem, **settings, scheduler=address)
    assert len(far) > 3
    assert_same(far, illuminate(problem, **settings))
