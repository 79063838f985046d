"""What a report says of the run itself: the problem in full, and how to repeat it; and its tables."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence

from markupsafe import Markup

from components.shared import summary
from components.shared.format import many
from components.shared.mathml import mathml
from mapelites.answers.words import objective_head
from mapelites.core.archive import Archive
from mapelites.core.problem import Constraint, Problem
from mapelites.core.settings import Settings
from mapelites.core.terms import limit_text, violation_text
from mapelites.core.tolerances import Tolerances, short
from mapelites.problems.own.library import FORMULAS
from mapelites.runs import Run

MINUS, END = r"-\left(", r"\right)"  # around the formula of what is maximised
OPTIONS = ("initial", "sigma", "bounds", "workers", "scheduler", "time_limit", "archive", "centroids")


def report_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Markup:
    """Rows of texts, the first of which names its row. What is not `Markup` is text, whatever it looks like."""
    head = Markup("").join(Markup("<th scope='col'>{}</th>").format(each) for each in heads)
    lines = Markup("").join(
        Markup("<tr><th scope='row'>{}</th>{}</tr>").format(
            first, Markup("").join(Markup("<td>{}</td>").format(each) for each in others)
        )
        for first, *others in rows
    )
    return Markup("<div class='wide'><table><thead><tr>{}</tr></thead><tbody>{}</tbody></table></div>").format(
        head, lines
    )


def problem_part(archive: Archive) -> Markup:
    """The problem: what is minimised over which variables, and every constraint with its levels."""
    problem = archive.problem
    words = f"{many(problem.dimension, 'variable')}, {many(len(problem.constraints), 'constraint')}."
    rows = [
        [_name(each), each.kind, limit_text(each), mathml(each.formula), _levels(archive, i)]
        for i, each in enumerate(problem.constraints)
    ]
    heads = ["constraint", "kind", "limit", "formula", "tolerance levels"]
    told = [place for place in range(len(heads)) if any(row[place] for row in rows)]
    rows, heads = [[row[place] for place in told] for row in rows], [heads[place] for place in told]
    parts = [
        Markup("<h2>The problem: {}</h2>").format(problem.title or problem.name),
        Markup("<p>{} {}</p>").format(words, problem.difficulty),
        _objective(problem),
        *(Markup("<p>{} {}</p>").format("with" if not i else "and", mathml(each))
          for i, each in enumerate(problem.definitions)),
        variable_bounds(problem),
        report_table(heads, rows),
    ]  # fmt: skip
    return Markup("").join(parts)


def _objective(problem: Problem) -> Markup:
    """What is wanted small or large, by its name and unit where it has them."""
    if not problem.formula:
        return Markup("")
    verb, formula = "minimise", problem.formula
    if problem.maximise:  # the formula is that of f, which is minus what is wanted
        verb, formula = "maximise", formula.removeprefix(MINUS).removesuffix(END)
    named = "" if problem.objective == "f" else f"{objective_head(problem)}: "
    return Markup("<p>{} {}{}</p>").format(verb, named, mathml(formula))


def _name(constraint: Constraint) -> str:
    """A constraint's name and what it means."""
    if not constraint.meaning:
        return constraint.name
    return Markup("{}<div class='x'>{}</div>").format(constraint.name, constraint.meaning)


def _levels(archive: Archive, i: int) -> str:
    """The levels of a constraint in its unit and in per cent of its limit."""
    constraint = archive.problem.constraints[i]
    if constraint.name in archive.tolerances.hard:
        return "hard: never relaxed"
    return ", ".join(violation_text(constraint, each) for each in archive.tolerances.levels[i])


def variable_bounds(problem: Problem) -> Markup:
    """The variables: in a sentence where all are alike, else each with its bounds, unit and meaning."""
    low, high = problem.lower, problem.upper
    plain = not any((*problem.units, *problem.meanings)) and not problem.steps.any()
    if plain and (low == low[0]).all() and (high == high[0]).all():
        return Markup("<p>Each variable from {} to {}.</p>").format(short(low[0]), short(high[0]))
    rows = [
        [name, short(low[i]), short(high[i]), _step(float(problem.steps[i])), problem.units[i], problem.meanings[i]]
        for i, name in enumerate(problem.variables)
    ]
    heads = ("variable", "from", "to", "in steps of", "unit", "meaning")
    told = [place for place in range(len(heads)) if place < 3 or any(row[place] for row in rows)]
    return report_table([heads[place] for place in told], [[row[place] for place in told] for row in rows])


def _step(step: float) -> str:
    return short(step) if step else ""


def repeat_part(run: Run, *, other_levels: bool) -> Markup:
    """How to make the same run, with everything that it needs."""
    made = " and then ".join(engine.words() for engine in run.engines) or "an engine that was not recorded"
    words = f"The same seed gives the same map. Made by {made}; run {run.id}, address {summary.run_address(run)}."
    other = " The levels shown are not the run's own: they changed after the search." if other_levels else ""
    return Markup("<h2>How to repeat it</h2>{}<pre>{}</pre><p class='quiet'>{}</p>").format(
        _needed(run), command_line(run), words + other
    )


def _needed(run: Run) -> Markup:
    """The file of somebody's own problem: formulas in full, of a Python file its name and which version."""
    source, name = run.request.spec.source, problem_file(run)
    if not name:
        return Markup("")
    if source.kind == "file":
        words = f"It needs {name}, in the version whose SHA-256 begins with {json.loads(source.text)['digest'][:12]}."
        return Markup("<p>{}</p>").format(words)
    return Markup("<p>Save this as {}:</p><pre>{}</pre>").format(name, source.text.strip())


def problem_file(run: Run) -> str:
    """The file that a run's own problem is in; empty for a built-in one."""
    source = run.request.spec.source
    if source.kind == "name":
        return ""
    return str(json.loads(source.text)["file"]) if source.kind == "file" else f"{run.request.problem}{FORMULAS}"


def _tolerance_options(tolerances: Tolerances, problem: Problem) -> list[str]:
    """The options for levels, for what is hard, and for constraints that share an axis."""
    words = ["--hard", ",".join(tolerances.hard)] if tolerances.hard else []
    for name, places in zip(tolerances.names, tolerances.places, strict=False):
        if len(places) > 1:
            words += ["--group", f"{name}={','.join(problem.constraints[i].name for i in places)}"]
    for name, levels in zip(tolerances.names, tolerances.levels, strict=True):
        if name not in tolerances.hard:
            words += ["--levels", f"{name}={','.join(short(level) for level in levels)}"]
    return words


def command_line(run: Run) -> str:
    """The line that makes the same run in a terminal; settings that no option sets are named after it."""
    asked, settings = run.request, run.request.settings
    words = ["python", "-m", "mapelites", "run", asked.problem, "--dim", str(asked.dimension)]
    if name := problem_file(run):
        words += ["--problems", name]
    words += ["--search", settings.search, "--seed", str(settings.seed), "--evaluations", str(settings.evaluations)]
    usual = Settings.of(settings.search, asked.dimension, evaluations=settings.evaluations)
    changed = {k: v for k, v in settings.as_dict().items() if v != usual.as_dict()[k] and k not in ("seed",)}
    for name in OPTIONS:
        if name in changed:
            words += [f"--{name.replace('_', '-')}", str(changed.pop(name))]
    words += _tolerance_options(asked.tolerances, asked.get_problem())
    rest = "".join(f"\n# with {name} = {value!r}" for name, value in changed.items())
    return shlex.join(words) + rest
