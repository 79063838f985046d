"""`/run/<id>/report.html`: a run on one page, whole in one file, to print or to send to a colleague."""

from __future__ import annotations

from collections.abc import Sequence

from dash import Dash
from flask import Response, abort, request
from markupsafe import Markup

from components import summary
from components.answers_drawing import front_picture, map_picture, price_picture
from components.answers_parts import violated
from components.answers_price import gain_in_words, held_in_words
from components.answers_report_parts import problem_part, repeat_part, table
from components.answers_state import Asked, from_query, read
from components.context import Context
from components.format import count, date, duration, many, state
from components.run_view import Maps, Shown
from components.run_view import from_query as view_from_query
from mapelites.answers import Designs, Worth, front, price, ranking, shortest, telling
from mapelites.answers.words import VERDICTS, amount, apart, tolerance
from mapelites.archive import Archive
from mapelites.errors import InputError
from mapelites.problem import Array

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
.wide { overflow-x: auto; margin: 4px 0 10px; } math { font-size: 1.05em; math-style: normal; }
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
        Markup("<h1>{}</h1><p class='quiet'>{}</p>").format(name, _facts(shown)),
        *(_answers(designs, archive, limits, asked) if len(designs) else [_nothing(archive, asked)]),
        problem_part(archive),
        repeat_part(run, other_levels=shown.levels is not None),
        Markup("<p class='quiet screen'>To keep it as PDF, print this page. It holds everything it shows.</p>"),
    ]
    return Markup(
        "<!DOCTYPE html><html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width'><title>{}</title><style>{}</style></head>"
        "<body>{}</body></html>"
    ).format(name, Markup(STYLE), Markup("").join(body))


def _nothing(archive: Archive, asked: Asked) -> Markup:
    words = "Nothing has been found yet."
    if len(archive):
        words = f"None of {many(len(archive), 'elite')} satisfies all that is marked hard: {', '.join(asked.hard)}."
    return Markup("<p>{}</p>").format(words)


def _facts(shown: Shown) -> str:
    run = shown.run
    spent = f"evaluation {count(shown.evaluations)} of {count(run.request.settings.evaluations)}"
    when = date(run.finished or run.started or run.created)
    return f"{summary.method(run)} · {spent} · {state(run.state)} · {duration(run.seconds)} computed · {when}"


def _answers(designs: Designs, archive: Archive, limits: Array, asked: Asked) -> list[Markup]:
    worths = ranking(designs, limits)
    shown = front(designs)
    hard = f" Hard: {', '.join(asked.hard)}." if asked.hard else ""
    kept = Archive(archive.problem, archive.tolerances, designs.found)
    high, low = amount(float(designs.f.max()), 4), amount(float(designs.f.min()), 4)
    return [
        Markup("<p class='lead'>{}</p>").format(shortest(designs, limits)),
        Markup("<div class='two'><div><h2>The map: {}, the brighter the lower the objective</h2>{}</div>").format(
            many(len(kept), "elite"), Markup(map_picture(kept))
        ),
        Markup(
            "<div><h2>Objective against violation</h2>{}<p class='quiet'>Each dot is an elite that no other beats in "
            "both. From objective {} down to {} over the whole map.</p></div></div>"
        ).format(Markup(front_picture(designs, shown)), high, low),
        Markup("<h2>What relaxing each constraint buys</h2><p class='quiet'>{}</p>").format(
            held_in_words(designs, limits) + hard
        ),
        _prices(designs, limits, worths),
        Markup("<h2>Designs worth a look</h2>"),
        _designs(designs, limits),
    ]


def _prices(designs: Designs, limits: Array, worths: Sequence[Worth]) -> Markup:
    rows = []
    for worth in worths:
        name, verdict, end = designs.names[worth.constraint], VERDICTS[worth.verdict], worth.told
        if end is None:
            rows.append([name, verdict, "", "", "", ""])
            continue
        way = f"{tolerance(worth.start.tolerance)} → {tolerance(end.tolerance)}"
        becomes, gain = "not found", ""
        if end.f is not None and worth.verdict != "unknown":
            becomes, gain = amount(end.f), ""
            if worth.start.f is not None:
                becomes, gain = (
                    amount(end.f) if worth.slight else apart(worth.start.f, end.f)[1],
                    gain_in_words(designs, worth.start.f, end.f),
                )
        picture = Markup(price_picture(price(designs, worth.constraint, limits)))
        rows.append([name, verdict, way, becomes, gain, picture])
    return table(("constraint", "", "tolerance", "objective becomes", "gain", "over all levels"), rows)


def _designs(designs: Designs, limits: Array) -> Markup:
    rows = []
    for each in telling(designs, limits):
        names = designs.problem.variables
        values = [f"{n} {amount(v)}" for n, v in zip(names, designs.found.x[each.row].tolist(), strict=True)]
        more = f" and {count(len(values) - MOST_VARIABLES)} more" if len(values) > MOST_VARIABLES else ""
        why = Markup("{}<div class='x'>{}</div>").format(each.why, ", ".join(values[:MOST_VARIABLES]) + more)
        rows.append([amount(float(designs.f[each.row]), 8), why, violated(designs, each.row)])
    return table(("objective", "why", "violates"), rows)
