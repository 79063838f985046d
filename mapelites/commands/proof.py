"""`prove`: from the terminal, below what nobody can get, which cells cannot exist, and why nothing is feasible."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from mapelites.commands.engine import add_problems_option, named_problem, split_names, typed_levels, watch_problems
from mapelites.commands.parsing import whole_number
from mapelites.core.archive import Elites
from mapelites.core.errors import InputError
from mapelites.core.levels import short
from mapelites.core.problem import Array, Problem
from mapelites.core.question import question_vector
from mapelites.core.tolerances import Tolerances
from mapelites.proof.cells import find_empty
from mapelites.proof.conflicts import why_not, why_not_sentence
from mapelites.proof.lattice import is_decided, lattice_questions, price_questions, prove_all
from mapelites.proof.proof import Proof
from mapelites.proof.proofs import Proofs
from mapelites.proof.prover import Prover, within_gap
from mapelites.proof.region import Effort, Region
from mapelites.proof.relations import find_relations
from mapelites.proof.words import coverage_sentence, margin_sentence, proof_sentence
from mapelites.snapshot.snapshot import Snapshot

PARTS = ("question", "prices", "lattice", "cells", "conflicts", "relations")


def register(commands: Any) -> None:
    """Add this command to the parser."""
    prove = commands.add_parser("prove", help="prove below what nobody can get, and what cannot exist")
    prove.add_argument("problem", help="the name of a problem that is written as formulas, such as welded-beam")
    add_problems_option(prove)
    prove.add_argument(
        "--levels", action="append", default=[], metavar="[NAME=]L,L,...",
        help="tolerance levels, as numbers in a constraint's unit or in per cent of its limit, such as shear=0,1%%,5%%",
    )  # fmt: skip
    prove.add_argument("--hard", action="append", default=[], metavar="NAME,...", help="constraints never relaxed")
    prove.add_argument(
        "--at", default="", metavar="NAME=L,...", help="the tolerances of one question, such as shear=5%%,cost=0.2"
    )
    prove.add_argument(
        "--what", action="append", default=[], metavar="|".join(PARTS),
        help="what to prove; may be repeated (default: the question where --at names one, else prices)",
    )  # fmt: skip
    prove.add_argument("--map", type=Path, metavar="FILE", help="a saved map, whose elites the proofs begin from")
    prove.add_argument("--seconds", type=float, default=60.0, help="for all of it (default 60)")
    prove.add_argument("--each", type=float, default=10.0, metavar="SECONDS", help="for one question (default 10)")
    prove.add_argument("--nodes", type=whole_number, help="at most so many of the solver's nodes for one question")
    prove.add_argument("--gap", type=float, default=0.1, help="in per cent, within which it is proven (default 0.1)")
    prove.add_argument("--seed", type=whole_number, default=0, help="of the solver (default 0)")
    prove.add_argument("--json", action="store_true", help="print one JSON object instead of sentences")
    prove.set_defaults(action=prove_problem)


def prove_problem(options: argparse.Namespace) -> int:
    """Prove what is asked for; 0 where all of it was decided, and 1 where something stays open."""
    watch_problems(options)
    problem = named_problem(options.problem, None)
    levels = typed_levels(options.levels, [each.name for each in problem.constraints])
    tolerances = Tolerances.of(problem, levels, split_names(options.hard))
    parts = tuple(options.what) or (("question",) if options.at else ("prices",))
    for part in parts:
        if part not in PARTS:
            raise InputError(f"--what must be one of {', '.join(PARTS)}, but it was {part!r}")
    for name in ("seconds", "each", "gap"):
        if not getattr(options, name) > 0:
            raise InputError(f"--{name} must be a number above 0, but it was {getattr(options, name)}")
    session = _Session(problem, tolerances, options)
    for part in parts:
        session.do(part)
    if options.json:
        print(json.dumps(session.table, indent=1))
    return 0 if session.decided else 1


class _Session:
    """What was proven so far, what is left of the time, and what is printed of it."""

    def __init__(self, problem: Problem, tolerances: Tolerances, options: argparse.Namespace) -> None:
        self.problem, self.tolerances, self.options = problem, tolerances, options
        self.prover = Prover(problem, _known(problem, options.map))
        self.effort = Effort(min(options.each, options.seconds), options.nodes, options.gap / 100.0, options.seed)
        self.until: float = time.monotonic() + options.seconds
        self.proofs = Proofs()
        self.decided = True
        self.table: dict[str, Any] = {"problem": problem.name}

    @property
    def left(self) -> float:
        """The seconds that are left."""
        return max(0.0, self.until - time.monotonic())

    def do(self, part: str) -> None:
        """One part of what is asked for."""
        actions: dict[str, Callable[[], None]] = {
            "question": self.question, "prices": self.prices, "lattice": self.lattice, "cells": self.cells,
            "conflicts": self.conflicts, "relations": self.relations,
        }  # fmt: skip
        actions[part]()

    def say(self, text: str) -> None:
        """A line of what was found, unless JSON is wanted."""
        if not self.options.json:
            print(text, flush=True)

    def asked(self) -> Array:
        """The tolerances of the question."""
        named: dict[str, str] = {}
        for each in filter(None, self.options.at.split(",")):
            name, equals, level = each.partition("=")
            if not equals:
                raise InputError(f"--at must be NAME=LEVEL,..., such as shear=5%, but it was {self.options.at!r}")
            named[name.strip()] = level.strip()
        return question_vector(self.problem, named, "prove")

    def question(self) -> None:
        """One question, and why not where nothing meets it."""
        proof = within_gap(self.prover.prove(self.asked(), self._effort()), self.effort.gap)
        self.proofs = self.proofs.and_([proof])
        self.decided &= proof.status in ("proven", "infeasible")
        self.table["question"] = proof.as_value()
        self.say(proof_sentence(self.problem, proof))
        if proof.x is not None and proof.status != "infeasible":
            pairs = zip(self.problem.variables, proof.x, self.problem.units, strict=True)
            self.say("  at " + ", ".join(f"{name} = {value:.6g} {unit}".rstrip() for name, value, unit in pairs))
        if proof.bound is not None:
            self.say(f"  {margin_sentence(self.problem, proof)}")
        if proof.status == "infeasible":
            self.conflicts()

    def prices(self) -> None:
        """The limits as they are, each constraint alone, and each pair."""
        questions = price_questions(self.problem, self.tolerances)
        self._prove(questions)
        rows = []
        for question in questions:
            proof = self._summary(question)
            rows.append(proof.as_value())
            self.say(f"{_described(self.problem, question)}: {proof_sentence(self.problem, proof)}")
        self.table["prices"] = rows

    def lattice(self) -> None:
        """Every combination of levels."""
        questions = lattice_questions(self.problem, self.tolerances)
        self._prove(questions)
        closed = sum(is_decided(self.prover, self.proofs, each, self.effort.gap) for each in questions)
        infeasible = sum(self.proofs.infeasible(each) for each in questions)
        self.table["lattice"] = {
            "questions": len(questions), "decided": closed, "infeasible": infeasible,
            "proofs": [proof.as_value() for proof in self.proofs.each],
        }  # fmt: skip
        self.say(
            f"{closed:,} of {len(questions):,} combinations of levels are proven within {self.options.gap:g} %, "
            f"{infeasible:,} of these infeasible, with {len(self.proofs):,} questions to the solver."
        )

    def cells(self) -> None:
        """Which cells cannot exist."""
        found = find_empty(self.prover, self.tolerances, self._effort(), seconds=self.left)
        self.decided &= found.open == 0
        self.table["cells"] = {
            "cells": self.tolerances.cells, "occupied": found.occupied, "empty": found.cells, "open": found.open,
            "blocks": [list(map(list, block)) for block in found.blocks],
            "rims": [list(map(list, block)) for block in found.rims], "rim": list(found.rim),
        }  # fmt: skip
        self.say(coverage_sentence(found))

    def conflicts(self) -> None:
        """Why nothing is within the tolerances of the question."""
        why = why_not(self.prover, self.asked(), self._effort(), seconds=self.left)
        self.decided &= why.feasible is not None
        self.table["why_not"] = {
            "feasible": why.feasible,
            "conflicts": [[self.problem.constraints[i].name for i in each.constraints] for each in why.conflicts],
            "sentence": why_not_sentence(self.problem, why),
        }
        self.say(why_not_sentence(self.problem, why))

    def relations(self) -> None:
        """Which constraints are functions of each other."""
        found = find_relations(self.prover, self._effort())
        self.table["relations"] = [each.words for each in found]
        for each in found:
            self.say(f"{each.words}, for every x (proven within {each.within:.1g})")
        if not found:
            self.say("No two constraints lie on a line.")

    def _effort(self) -> Effort:
        effort = self.effort
        return Effort(max(0.1, min(effort.seconds, self.left)), effort.nodes, effort.gap, effort.seed)

    def _prove(self, questions: list[Array]) -> None:
        with _Line(hidden=self.options.json) as line:
            self.proofs = prove_all(
                self.prover, questions, self.effort, seconds=self.left, before=self.proofs,
                report=lambda progress: line.show(f"{progress.done:,} of {progress.total:,} questions"),
            )  # fmt: skip
        self.decided &= all(is_decided(self.prover, self.proofs, each, self.effort.gap) for each in questions)

    def _summary(self, question: Array) -> Proof:
        """What is known of a question from all proofs together."""
        covering = self.proofs.covering(question)
        best = self.prover.best(Region.up_to(question))
        bound = self.proofs.bound(question)
        status = "infeasible" if self.proofs.infeasible(question) else "bound" if bound is not None else "gave up"
        f, x = (None, None) if best is None else (best[0], tuple(map(float, best[1])))
        reason = "" if covering else "there was no time left"
        margins = tuple(map(float, self.prover.sizes.margins))
        proof = Proof(tuple(map(float, question)), status, bound, f, x, margins, 0.0, 0, reason)  # type: ignore[arg-type]
        return within_gap(proof, self.effort.gap)


class _Line:
    """A line on the terminal that is written over, and gone at the end; none where nobody looks."""

    def __init__(self, *, hidden: bool) -> None:
        self.shown = sys.stderr.isatty() and not hidden

    def __enter__(self) -> _Line:
        return self

    def __exit__(self, *error: object) -> None:
        self.show("")

    def show(self, text: str) -> None:
        """Write this instead of what is there."""
        if self.shown:
            sys.stderr.write(f"\r\033[K{text}")
            sys.stderr.flush()


def _known(problem: Problem, path: Path | None) -> Elites | None:
    if path is None:
        return None
    archive = Snapshot.from_bytes(path.read_bytes()).archive()
    if archive.problem.name != problem.name:
        raise InputError(f"--map must be a map of {problem.name}, but it is one of {archive.problem.name}")
    return archive.everything()


def _described(problem: Problem, question: Array) -> str:
    """A question in words: which limits are wider, and by how much."""
    wider = [
        f"{each.name} +{short(float(t))} {each.unit}".rstrip()
        for each, t, satisfied in zip(problem.constraints, question, problem.feasible_up_to, strict=True)
        if t > satisfied and np.isfinite(t)
    ]
    return ", ".join(wider) or "as they are"
