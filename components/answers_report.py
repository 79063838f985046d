"""`/run/<id>/report.html`: a run on one page, whole in one file, to print or to send to a colleague."""

from __future__ import annotations

import re
import shlex
from html import escape
from typing import Any

from dash import Dash
from flask import Response, abort, request

from components import summary
from components.answers_drawing import front_picture, levels_in_words, map_picture, price_picture
from components.answers_parts import violated
from components.answers_price import held_in_words
from components.answers_state import Asked, from_query, read
from components.context import Context
from components.format import count, date, duration, many, state
from components.run_view import Maps, Shown
from components.run_view import from_query as view_from_query
from mapelites.answers import Designs, front, price, ranking, telling
from mapelites.answers.words import VERDICTS, amount, percent_change, tolerance
from mapelites.answers.words import worth as worth_in_words
from mapelites.archive import Archive
from mapelites.campaign.task import engine_mark
from mapelites.errors import InputError
from mapelites.problem import Array
from mapelites.runs import Run
from mapelites.search.settings import Settings
from mapelites.tolerances import short

MOST_CONSTRAINTS = 10  # rows of the price table, so that one page is enough
MOST_VARIABLES = 30
SIGNS = {r"\,": " ", r"\left": "", r"\right": "", r"\le": "≤", r"\ge": "≥", r"\pi": "π", r"\cdot": "·"}
STYLE = """
@page { size: A4; margin: 11mm; }
* { box-sizing: border-box; }
body { font: 13px/1.42 Inter, 'Segoe UI', system-ui, Arial, sans-serif; color: #1f2430; max-width: 840px; margin: 24px auto; padding: 0 20px; }
h1 { font-size: 23px; margin: 0 0 2px; letter-spacing: -.01em; } h2 { font-size: 14.5px; margin: 16px 0 5px; }
p { margin: 3px 0; } .quiet { color: #5b6270; } .lead { font-size: 15.5px; font-weight: 600; margin: 10px 0; }
table { width: 100%; border-collapse: collapse; } th { text-align: left; font-weight: 600; }
thead th { color: #5b6270; font-weight: 500; font-size: 12px; border-bottom: 1px solid #d0d5dd; }
td, th { padding: 3px 10px 3px 0; vertical-align: middle; } tbody tr + tr > * { border-top: 1px solid #eceff3; }
.two { display: grid; grid-template-columns: 1.1fr 1fr; gap: 18px; align-items: start; } svg { max-width: 100%; height: auto; display: block; }
code, pre { font: 11.5px/1.4 ui-monospace, 'SF Mono', 'DejaVu Sans Mono', Menlo, monospace; overflow-wrap: anywhere; white-space: pre-wrap; }
pre { background: #f4f5f8; padding: 8px 10px; border-radius: 6px; margin: 4px 0; } .x { font-size: 11px; color: #5b6270; }
@media print { body { margin: 0; padding: 0; font-size: 10.5px; } h1 { font-size: 18px; } h2 { font-size: 12px; margin: 9px 0 3px; }
  .lead { font-size: 12.5px; margin: 6px 0; } .screen { display: none; } td, th { padding: 1.5px 10px 1.5px 0; }
  .two svg { max-height: 66mm; width: auto; } td svg { height: 20px; width: auto; } pre { padding: 4px 8px; } tr, .two { break-inside: avoid; } code, pre, .x { font-size: 8.6px; } }
"""  # noqa: E501 - a style sheet has long lines


def register(app: Dash, context: Context, maps: Maps) -> None:
    """The report has an address of its own; moment, levels and tolerances go along in it."""

    @app.server.get("/run/<run_id>/report.html")
    def run_report(run_id: str) -> Response:
        try:
            own = context.store.run(run_id).request.tolerances
            view = view_from_query(request.args, own)
            shown = maps.shown(run_id, view["at"], view["levels"])
            asked = read(from_query(request.args, shown.tolerances), shown.tolerances)
            text = page(shown, maps.archive(shown), asked)
        except InputError as error:
            abort(404, description=str(error))
        return Response(text, mimetype="text/html", headers={"Cache-Control": "no-store"})


def page(shown: Shown, archive: Archive, asked: Asked) -> str:
    """The whole page."""
    run, designs = shown.run, Designs.of(archive, asked.hard)
    name = f"{summary.name(run)}: what its constraints cost"
    limits = designs.limits(asked.allow)
    body = [
        f"<h1>{escape(name)}</h1>",
        f'<p class="quiet">{escape(_facts(shown))}</p>',
        *(_answers(designs, archive, limits, asked) if len(designs) else ["<p>Nothing has been found yet.</p>"]),
        _problem(archive),
        _repeat(run, shown),
        '<p class="quiet screen">To keep it as PDF, print this page. It holds everything it shows.</p>',
    ]
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{escape(name)}</title>'
    return (
        f'<!DOCTYPE html><html lang="en"><head>{head}<style>{STYLE}</style></head><body>{"".join(body)}</body></html>'
    )


def _facts(shown: Shown) -> str:
    run = shown.run
    spent = f"evaluation {count(shown.evaluations)} of {count(run.request.settings.evaluations)}"
    when = date(run.finished or run.started or run.created)
    return f"{summary.method(run)} · {spent} · {state(run.state)} · {duration(run.seconds)} computed · {when}"


def _answers(designs: Designs, archive: Archive, limits: Array, asked: Asked) -> list[str]:
    worths = ranking(designs, limits)
    first = worths[0]
    shown = front(designs)
    hard = f" Hard: {', '.join(asked.hard)}." if asked.hard else ""
    return [
        f'<p class="lead">{escape(worth_in_words(designs.names[first.constraint], first))}</p>',
        '<div class="two"><div>',
        f"<h2>The map: {count(len(archive))} elites, the brighter the lower the objective</h2>{map_picture(archive)}",
        f"</div><div><h2>Objective against violation</h2>{front_picture(designs, shown)}",
        f'<p class="quiet">Each dot is an elite that no other beats in both. From objective '
        f"{amount(float(designs.f.max()), 4)} down to {amount(float(designs.f.min()), 4)} over the whole map.</p>",
        "</div></div>",
        "<h2>What relaxing each constraint buys</h2>",
        f'<p class="quiet">{escape(held_in_words(designs, limits) + hard)}</p>',
        _prices(designs, limits),
        "<h2>Designs worth a look</h2>",
        _designs(designs, limits),
    ]


def _prices(designs: Designs, limits: Array) -> str:
    worths = ranking(designs, limits)
    rows = []
    for worth in worths[:MOST_CONSTRAINTS]:
        end = worth.told
        name = designs.names[worth.constraint]
        cells = [VERDICTS[worth.verdict], "", "", "", ""]
        if end is not None:
            known = worth.start.f is not None and worth.verdict != "unknown"
            change = _gain(worth.start.f, end.f) if known else ""
            cells = [
                VERDICTS[worth.verdict],
                f"{tolerance(worth.start.tolerance)} → {tolerance(end.tolerance)}",
                "not found" if end.f is None or worth.verdict == "unknown" else amount(end.f),
                change,
                price_picture(price(designs, worth.constraint, limits)),
            ]
        rows.append([name, *cells])
    heads = ("constraint", "", "tolerance", "objective becomes", "gain", "over all levels")
    more = len(worths) - MOST_CONSTRAINTS
    rest = f'<p class="quiet">And {many(more, "further constraint")} that buy less.</p>' if more > 0 else ""
    return _table(heads, rows) + rest


def _gain(start: float, end: float) -> str:
    return f"{amount(start - end, 4)}{percent_change(start, end)}" if end != start else "none found"


def _designs(designs: Designs, limits: Array) -> str:
    rows = []
    for each in telling(designs, limits):
        names = designs.problem.variables
        values = [f"{n} {amount(v)}" for n, v in zip(names, designs.found.x[each.row].tolist(), strict=True)]
        more = f" and {count(len(values) - MOST_VARIABLES)} more" if len(values) > MOST_VARIABLES else ""
        why = f"{escape(each.why)}<div class='x'>{escape(', '.join(values[:MOST_VARIABLES]))}{more}</div>"
        rows.append([amount(float(designs.f[each.row]), 8), why, escape(violated(designs, each.row))])
    return _table(("objective", "why", "violates"), rows, escaped=True)


def _problem(archive: Archive) -> str:
    problem, tolerances = archive.problem, archive.tolerances
    formula = f"<p><code>minimise {escape(plain(problem.formula))}</code></p>" if problem.formula else ""
    rows = [
        [constraint.name, constraint.kind, plain(constraint.formula), levels_in_words(levels)]
        for constraint, levels in zip(problem.constraints, tolerances.levels, strict=True)
    ][:MOST_CONSTRAINTS]
    words = (
        f"{many(problem.dimension, 'variable')}, {many(len(problem.constraints), 'constraint')}. {problem.difficulty}"
    )
    table = _table(("constraint", "kind", "formula", "tolerance levels"), rows)
    return f"<h2>The problem: {escape(problem.title or problem.name)}</h2><p>{escape(words)}</p>{formula}{table}"


def plain(formula: str) -> str:
    """A formula for those who do not read LaTeX, as far as that goes.

    >>> plain(r"0.0193\\,x_{3} - x_{1} \\le 0")
    '0.0193 x3 - x1 ≤ 0'
    """
    for mark, sign in SIGNS.items():
        formula = formula.replace(mark, sign)
    return re.sub(r"[_^]\{(\w+)\}", lambda found: f"{'^' if found[0][0] == '^' else ''}{found[1]}", formula)


def _repeat(run: Run, shown: Shown) -> str:
    words = f"The same seed gives the same map. Engine {engine_mark()}, run {run.id}, address {summary.address(run)}."
    other = " The levels shown are not the run's own: its elites were binned anew." if shown.levels else ""
    return f"<h2>How to repeat it</h2><pre>{escape(command(run))}</pre><p class='quiet'>{escape(words + other)}</p>"


def command(run: Run) -> str:
    """The line that makes the same run in a terminal; settings that no option sets are named after it."""
    asked, settings = run.request, run.request.settings
    words = ["python", "-m", "mapelites", "run", asked.problem, "--dim", str(asked.dimension)]
    words += ["--search", settings.search, "--seed", str(settings.seed), "--evaluations", str(settings.evaluations)]
    usual = Settings.of(settings.search, asked.dimension, evaluations=settings.evaluations)
    changed = {k: v for k, v in settings.as_dict().items() if v != usual.as_dict()[k] and k not in ("seed",)}
    for name in ("initial", "sigma", "bounds"):
        if name in changed:
            words += [f"--{name}", str(changed.pop(name))]
    for name, levels in zip(asked.tolerances.names, asked.tolerances.levels, strict=True):
        words += ["--levels", f"{name}={','.join(short(level) for level in levels)}"]
    rest = "".join(f"\n# with {name} = {value!r}" for name, value in changed.items())
    return shlex.join(words) + rest


def _table(heads: tuple[str, ...], rows: list[list[Any]], *, escaped: bool = False) -> str:
    """Rows of texts; an SVG is put in as it is."""

    def cell(text: str) -> str:
        return text if escaped or text.startswith("<svg") else escape(text)

    head = "".join(f"<th scope='col'>{escape(each)}</th>" for each in heads)
    lines = "".join(
        f"<tr><th scope='row'>{cell(row[0])}</th>{''.join(f'<td>{cell(each)}</td>' for each in row[1:])}</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table>"
