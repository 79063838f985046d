"""`/run/<id>/report.html`: a run on one page, whole in one file, to print or to send to a colleague."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from dash import Dash
from flask import Response, abort, request
from markupsafe import Markup

from components.answers.drawing import front_drawing, map_drawing, price_drawing
from components.answers.parts import broken_constraints
from components.answers.price import PROVEN_HEAD, gain_in_words, held_in_words, proven_of
from components.page_state.state import PageState, figure_view
from components.page_state.view import Maps, ShownMap
from components.proof.report import proven_part
from components.run.limits import limit_rows, sentence_of
from components.run.map import READING_NAMES
from components.shared import summary
from components.shared.context import Context
from components.shared.format import count, duration, local_time, many, run_state_text
from components.shared.report_parts import problem_part, repeat_part, report_table
from mapelites.answers import (
    Designs,
    RelaxationGain,
    notable_designs,
    price_of,
    rank_constraints,
    relaxation_gains,
    trade_off_front,
)
from mapelites.answers.front import FEWEST
from mapelites.answers.words import VERDICTS, format_apart, objective_head
from mapelites.core.archive import Archive
from mapelites.core.errors import InputError
from mapelites.core.format import amount
from mapelites.core.nested_map.view import FigureView
from mapelites.core.problem import Array
from mapelites.core.terms import violation_text
from mapelites.proof.proofs import Proofs
from mapelites.proof.words import is_proven
from mapelites.snapshot.findings import Findings

MOST_VARIABLES = 30
STYLE = """
@page { size: A4; margin: 10mm 11mm; }
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
.wide { overflow-x: auto; margin: 4px 0 10px; } math { font-size: 1.05em; math-style: normal; } p:has(> math) { overflow-x: auto; }
@media screen and (max-width: 640px) { .two { grid-template-columns: minmax(0, 1fr); } body { margin: 14px auto; padding: 0 14px; }
  .wide { mask-image: linear-gradient(90deg, black calc(100% - 24px), transparent); } .wide table { width: max-content; min-width: calc(100% - 20px); margin-right: 20px; } .wide td { max-width: 220px; } }
@media print { body { margin: 0; padding: 0; font-size: 10px; line-height: 1.3; } h1 { font-size: 18px; } h2 { font-size: 11.5px; margin: 7px 0 2px; break-after: avoid; }
  .lead { font-size: 12.5px; margin: 5px 0; } thead th { font-size: 9.5px; } p { margin: 2px 0; } .wide { margin: 2px 0 5px; } .screen { display: none; } td, th { padding: 1.5px 10px 1.5px 0; }
  .two svg { max-height: 66mm; width: auto; } td svg { height: 20px; width: auto; } pre { padding: 4px 8px; } tr, .two { break-inside: avoid; } code, pre, .x { font-size: 8.6px; } }
"""  # noqa: E501 - a style sheet has long lines


def register(app: Dash, context: Context, maps: Maps) -> None:
    """The report has an address of its own; moment, levels and tolerances go along in it."""

    @app.server.get("/run/<run_id>/report.html")
    def run_report(run_id: str) -> Response:
        try:
            asked = context.store.run(run_id).request
            state = PageState.from_query(request.args, asked.tolerances, asked.problem_by_axis())
            shown = maps.shown_at(run_id, state.at, state.binned)
            found = context.store.jobs.findings(run_id).by_axis(shown.run.request.tolerances)
            view = figure_view(state, shown, maps)
            with maps.turn(shown.run):
                text = report_page(shown, maps.archive(shown), state, view, found)
        except InputError as error:
            abort(404, description=str(error))
        return Response(text, mimetype="text/html", headers={"Cache-Control": "no-store"})


def report_page(shown: ShownMap, archive: Archive, state: PageState, view: FigureView, findings: Findings) -> str:
    """The whole page, with what jobs proved."""
    run, designs, asked = shown.run, Designs.of(archive), state.asked
    name = f"{summary.run_name(run)}: what its constraints cost"
    limits = designs.limits(asked.allow)

    body = [
        Markup("<h1>{}</h1><p class='quiet'>{}</p>").format(name, _facts(shown)),
        *(
            _answers(designs, archive, limits, state, shown, view, findings.proofs)
            if len(designs)
            else [_nothing(archive)]
        ),
        *proven_part(findings, archive, run.request.get_problem()),
        problem_part(archive),
        repeat_part(run, other_levels=shown.levels is not None),
        Markup("<p class='quiet screen'>To keep it as PDF, print this page. It holds everything it shows.</p>"),
    ]
    return Markup(
        "<!DOCTYPE html><html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width'><title>{}</title><style>{}</style></head>"
        "<body>{}</body></html>"
    ).format(name, Markup(STYLE), Markup("").join(body))


def _nothing(archive: Archive) -> Markup:
    words = "Nothing has been found yet."
    found, hard = len(archive.everything()), archive.tolerances.hard
    if found:
        words = f"None of {many(found, 'solution')} satisfies all that is marked hard: {', '.join(hard)}."
    return Markup("<p>{}</p>").format(words)


def _facts(shown: ShownMap) -> str:
    run = shown.run
    spent = f"evaluation {count(shown.evaluations)} of {count(run.request.settings.evaluations)}"
    when = local_time(run.finished or run.started or run.created)
    state, computed = run_state_text(run.state), f"{duration(run.seconds)} computed"
    return " · ".join((summary.search_and_seed(run), spent, state, computed, when))


def _answers(
    designs: Designs,
    archive: Archive,
    limits: Array,
    state: PageState,
    shown: ShownMap,
    view: FigureView,
    proofs: Proofs,
) -> list[Markup]:
    def proven(tolerances: Array, f: float) -> bool:
        return is_proven(proofs, tolerances, f)

    worths = rank_constraints(designs, limits)
    front = trade_off_front(designs)
    inside = [row for row in front.rows if (designs.violations[row] <= designs.scale).all()]
    rows, where = (inside, ", within the allowances") if len(inside) >= FEWEST else (list(front.rows), "")
    hard = f" Hard: {', '.join(sorted(designs.hard))}." if designs.hard else ""
    value = designs.problem.shown_objective
    high, low = amount(value(float(designs.f.max())), 4), amount(value(float(designs.f.min())), 4)
    return [
        Markup("<p class='lead'>{}</p>").format(sentence_of(designs, state, shown, proven)),
        Markup("<div class='two'><div><h2>The map. {}</h2>{}</div>").format(
            READING_NAMES[view.reading][1],
            Markup(map_drawing(archive, view)),
        ),
        Markup(
            "<div><h2>Objective against violation</h2>{}<p class='quiet'>Each dot is an elite that no other beats in "
            "both{}. Objectives on the whole map: {} to {}.</p></div></div>"
        ).format(Markup(front_drawing(designs, front, np.array(rows, dtype=np.int64))), where, high, low),
        Markup("<h2>What relaxing each constraint buys</h2><p class='quiet'>{}</p>").format(
            held_in_words(designs, designs.satisfied) + hard
        ),
        _gains(designs, shown),
        Markup("<h2>Level by level</h2><p class='quiet'>{}</p>").format(held_in_words(designs, limits)),
        _prices(designs, limits, worths, proofs),
        Markup("<h2>Designs worth a look</h2>"),
        _designs(designs, limits),
    ]


def _gains(designs: Designs, shown: ShownMap) -> Markup:
    """The rows of the page's own panel: each constraint alone, relaxed to its allowance."""
    found = relaxation_gains(designs)
    lines = []
    for each in limit_rows(designs, found)["rows"]:
        known = each["curve"][-1]
        becomes = "not found" if known is None else amount(known)
        lines.append([each["label"], each["words"], each["sizes"][-1], becomes, each["gain"] or "nothing"])
    becomes = f"{objective_head(designs.problem)} becomes"
    return report_table(("constraint", "limit", "relaxed by", becomes, "gain"), lines)


def _prices(designs: Designs, limits: Array, worths: Sequence[RelaxationGain], proofs: Proofs) -> Markup:
    rows = []
    for worth in worths:
        name, verdict, end = designs.names[worth.constraint], VERDICTS[worth.verdict], worth.told
        if end is None:
            rows.append([name, verdict, "", "", "", "", *proven_of(designs, worth.constraint, None, limits, proofs)])
            continue
        constraint = designs.problem.constraints[worth.constraint]
        way = f"{violation_text(constraint, worth.start.tolerance)} → {violation_text(constraint, end.tolerance)}"
        becomes, gain = "not found", ""
        if end.f is not None:
            shown = designs.problem.shown_objective
            becomes, gain = amount(shown(end.f)), ""
            if worth.start.f is not None:
                becomes, gain = (
                    becomes if worth.slight else format_apart(shown(worth.start.f), shown(end.f))[1],
                    gain_in_words(designs, worth.start.f, end.f),
                )
        picture = Markup(price_drawing(price_of(designs, worth.constraint, limits)))
        told = proven_of(designs, worth.constraint, end, limits, proofs)
        rows.append([name, verdict, way, becomes, gain, picture, *told])
    becomes = f"{objective_head(designs.problem)} becomes"
    heads = ("constraint", "", "tolerance", becomes, "gain", "over all levels")
    return report_table((*heads, *([PROVEN_HEAD] if len(proofs) else [])), rows)


def _designs(designs: Designs, limits: Array) -> Markup:
    rows = []
    for each in notable_designs(designs, limits):
        names = designs.problem.variables
        values = [f"{n} {amount(v)}" for n, v in zip(names, designs.found.x[each.row].tolist(), strict=True)]
        more = f" and {count(len(values) - MOST_VARIABLES)} more" if len(values) > MOST_VARIABLES else ""
        why = Markup("{}<div class='x'>{}</div>").format(each.why, ", ".join(values[:MOST_VARIABLES]) + more)
        rows.append(
            [
                amount(designs.problem.shown_objective(float(designs.f[each.row])), 8),
                why,
                broken_constraints(designs, each.row),
            ]
        )
    return report_table((objective_head(designs.problem), "why", "violates"), rows)
