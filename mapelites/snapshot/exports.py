"""The elites of a map as tables for other programs: JSON, and comma-separated values.

Both come in pieces, so that a map of any size needs no more memory than a small one.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from mapelites.core.archive import Archive, Elite
from mapelites.core.archive.records import elite_columns
from mapelites.core.nested_map.reading import Reading

BLOCK = 100_000  # values that are made at once
Table = dict[str, list[Any]]


def elite_record(archive: Archive, elite: Elite) -> dict[str, Any]:
    """One elite as plain values, raw numbers in full precision."""
    one = (
        np.array([each]) for each in (elite.x, elite.f, elite.g, elite.h, elite.cell, elite.found_at, elite.operator)
    )
    return {name: column[0].item() for name, column in elite_columns(archive.problem, archive.tolerances, *one).items()}


def csv_pieces(archive: Archive, reading: Reading = "exact") -> Iterator[str]:
    """What a map shows as comma-separated values, piece by piece: see `_tables`."""
    names: list[str] = []
    for table in _tables(archive, reading):
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        if not names:
            names = list(table)
            writer.writerow(names)
        writer.writerows(zip(*table.values(), strict=True))
        yield text.getvalue()
    if not names:
        yield "cell,f\n"


def json_pieces(archive: Archive, reading: Reading = "exact") -> Iterator[str]:
    """Likewise as a JSON list, piece by piece."""
    before = "["
    for table in _tables(archive, reading):
        names = list(table)
        records = (dict(zip(names, row, strict=True)) for row in zip(*table.values(), strict=True))
        # Each alone in a list: so it is indented as it will be in the whole one.
        texts = [json.dumps([record], indent=1)[1:-2] for record in records]
        yield before + ",".join(texts)
        before = ","
    yield "[]\n" if before == "[" else "\n]\n"


def elites_csv(archive: Archive) -> str:
    """All elites as comma-separated values."""
    return "".join(csv_pieces(archive))


def elites_json(archive: Archive) -> str:
    """All elites as a JSON list."""
    return "".join(json_pieces(archive))


def _tables(archive: Archive, reading: Reading) -> Iterator[Table]:
    """The columns of some of the solutions after the other that a map shows.

    Read exactly these are its elites, one for each cell. Read up to also those that an elite of their cell hides: the
    best feasible one may be among them, and the best within tolerances that are no levels.
    """
    elites, problem = archive.elites, archive.problem
    found = elites if reading == "exact" else archive.everything()
    size = max(1, BLOCK // (problem.dimension + 8 * len(problem.constraints) + 5))
    for start in range(0, len(found), size):
        rows = slice(start, start + size)
        if reading == "exact":
            cells = elites.cell[rows]
        else:
            cells = archive.tolerances.cell(archive.tolerances.bins(found.violations[rows]))
        table = elite_columns(
            problem, archive.tolerances, found.x[rows], found.f[rows], found.g[rows], found.h[rows], cells,
            found.found_at[rows], found.operator[rows],
        )  # fmt: skip
        yield {name: column.tolist() for name, column in table.items()}
