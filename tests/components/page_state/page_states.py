"""States of a run's page with the addresses that both halves of the codec must write for them."""

from __future__ import annotations

from typing import Any

from mapelites.core.problem import Constraint, Problem
from mapelites.core.tolerances import Tolerances

PROBLEM = Problem(
    "three", [0.0], [1.0],
    (Constraint("g1", "inequality"), Constraint("g2", "inequality"), Constraint("h 1", "equality")),
    lambda x: (x[0], [0.0, 0.0], [0.0]),
)  # fmt: skip
OWN = Tolerances(("g1", "g2", "h 1"), ((0, 1e-4, 1e-2, 1),) * 3)
USUAL: dict[str, Any] = {
    "at": None, "axes": None, "reading": None, "colour": None, "scale": "auto", "block": None, "cell": None,
    "levels": None, "overview": "pairs", "brush": None, "view": "map", "about": None, "allow": {}, "hard": [],
    "need": "",
    "margin": "5 %", "most": 1, "measure": "total", "pair": None, "behind": False,
}  # fmt: skip
CASES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("", {}),
    ("at=12000&axes=g2,g1,;h%201&colour=age&scale=log&cell=31",
     {"at": 12_000, "axes": ["g2", "g1", ";h 1"], "colour": "age", "scale": "log", "cell": 31}),
    ("levels=0,1e-4;0,0.001,99999,1e5,1.5e300;0,5e-324,0.3333333333333333",
     {"levels": [[0, 1e-4], [0, 1e-3, 99_999, 1e5, 1.5e300], [0, 5e-324, 1 / 3]]}),
    ("reading=exact&block=2,0&overview=parallel&brush=0:0-0.25;3:0.001-1",
     {"reading": "exact", "block": [2, 0], "overview": "parallel", "brush": [[0, 0, 0.25], [3, 0.001, 1]]}),
    ("view=whatif&about=g2&need=1,200&margin=7%20%25&most=2&measure=mean",
     {"view": "whatif", "about": "g2", "need": "1,200", "margin": "7 %", "most": 2, "measure": "mean"}),
    ("view=price&need=%281%2A2%29%21%27&allow=g1:1e-7,h%201:any&hard=g2&pair=objective,g1&behind=yes",
     {"view": "price", "need": "(1*2)!'", "allow": {"g1": "1e-7", "h 1": "any"}, "hard": ["g2"],
      "pair": ["objective", "g1"], "behind": True}),
)  # fmt: skip
