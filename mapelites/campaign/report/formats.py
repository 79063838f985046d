"""A report as text for the terminal, Markdown, CSV, JSON, and LaTeX in the paper's form."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol
from unicodedata import combining

from mapelites.campaign.description import OWN, table_words
from mapelites.campaign.report.published import Agreement, PublishedRow, general_faults, known_faults, published_sources
from mapelites.campaign.report.scores import problem_dimensions
from mapelites.campaign.report.significance import count_wins
from mapelites.campaign.report.table import (
    CampaignReport,
    TableRow,
    other_conditions,
    ranks_with_published,
    scores_among_entrants,
    sign_words,
    versions,
)
from mapelites.campaign.statistics import Summary

COLUMNS = ("Function", "Best", "Worst", "Median", "c", "v̄", "Mean", "Std", "FR")
BESIDE = (
    "Function", "Median", "FR", "Paper median", "Paper FR", "Feasibility", "Objective", "εDEag median", "εDEag FR",
    "Against εDEag",
)  # fmt: skip


class _Solution(Protocol):
    @property
    def f(self) -> float: ...

    @property
    def violated(self) -> int: ...


def paper_number(value: float) -> str:
    """A number as the paper prints it."""
    return "0" if value == 0 else f"{value:.3e}"


def paper_solution(each: _Solution) -> str:
    """An objective with the number of violated constraints, as the paper prints it."""
    return f"{each.f:.3e}({each.violated})"


def paper_rate(value: float) -> str:
    """A feasibility rate as the paper prints it."""
    return str(round(value, 2))


def paper_columns(row: TableRow) -> list[str]:
    """The columns of the paper's tables."""
    s = row.summary
    return [
        row.instance.problem, paper_solution(s.best), paper_solution(s.worst), paper_solution(s.median), str(s.counts),
        paper_number(s.mean_violation), f"{s.mean:.3e}", f"{s.std:.3e}", paper_rate(s.feasibility_rate),
    ]  # fmt: skip


def as_terminal_text(report: CampaignReport) -> str:
    """Plain text: one table for each dimension and search, beside the published ones; then who beats whom."""
    parts = list(filter(None, (other_conditions(report.departures), sign_words(report.campaign))))
    for place, rows in report.tables.items():
        parts.append(f"{_title(place)}\n{_aligned([COLUMNS, *map(paper_columns, rows)])}")
        if any(row.paper or row.edeag for row in rows):
            parts.append(f"{_title(place)}, beside published results\n{_aligned([BESIDE, *map(_beside, rows)])}")
    parts += [f"{head}\n{_aligned([heads, *rows])}" for head, heads, rows in competitions(report)]
    if report.pairs:
        lines = [f"  {_pair_words(key)}: {_score(each)}" for key, each in report.pairs.items()]
        parts.append("Wilcoxon rank-sum at 5 %, problems won, tied and lost by the first\n" + "\n".join(lines))
    return "\n\n".join(parts) + "\n"


def as_markdown(report: CampaignReport) -> str:
    """Markdown: the tables, then each beside the published ones, then who beats whom."""
    parts = [_about(report)]
    for place, rows in report.tables.items():
        parts.append(f"## {_title(place)}\n\n{_piped(COLUMNS, map(paper_columns, rows))}")
        if any(row.paper or row.edeag for row in rows):
            parts.append(f"### {_title(place)}, beside published results\n\n{_piped(BESIDE, map(_beside, rows))}")
    parts += [f"## {head}\n\n{_piped(heads, rows)}" for head, heads, rows in competitions(report)]
    if report.pairs:
        parts.append(_significance(report))
    if any(row.paper for row in report.rows):
        parts.append(_faults(report))
    return "\n\n".join(parts) + "\n"


def as_latex(report: CampaignReport) -> str:
    """LaTeX in the paper's form: one `table*` for each dimension and search."""
    tables = [_latex_table(report, place, rows) for place, rows in report.tables.items()]
    return "\n".join([*tables, *(_latex_competition(*each) for each in competitions(report))])


def comma_separated(report: CampaignReport) -> str:
    """CSV: one line per instance, in full precision, with the published values beside it."""
    text = io.StringIO()
    rows = [_flat(row) for row in report.rows]
    writer = csv.DictWriter(text, list(rows[0]) if rows else ["problem"], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def as_json(report: CampaignReport) -> str:
    """JSON: everything, in full precision, every run's final solution and seed included."""
    table = {
        "campaign": json.loads(report.campaign.to_json()),
        "command": report.campaign.command,
        "engine": report.engine,
        "versions": versions(),
        "sessions": list(report.sessions),
        "sources": published_sources(),
        "rows": [_record(row) for row in report.rows],
        "comparisons": [
            {"problem": c.problem, "dimension": c.dimension, "first": c.first, "second": c.second, "p": c.p,
             "outcome": c.outcome}
            for c in report.comparisons
        ],
        "scores": {name: each.printed for name, each in scores_among_entrants(report).items()},
        "ranks": {f"{n}D": sums for n, sums in ranks_with_published(report).items()},
    }  # fmt: skip
    return json.dumps(table, indent=1, ensure_ascii=False) + "\n"


FORMATS: dict[str, Callable[[CampaignReport], str]] = {
    "terminal": as_terminal_text,
    "markdown": as_markdown,
    "csv": comma_separated,
    "json": as_json,
    "latex": as_latex,
}
SUFFIXES = {"terminal": "txt", "markdown": "md", "csv": "csv", "json": "json", "latex": "tex"}


def competitions(report: CampaignReport) -> list[tuple[str, tuple[str, ...], list[tuple[str, ...]]]]:
    """The competitions' own tables: for each its heading, the heads of its columns, and its rows, the best first."""
    found: list[tuple[str, tuple[str, ...], list[tuple[str, ...]]]] = []
    if scores := scores_among_entrants(report):
        problems = len({row.instance.problem for row in report.rows} & set(problem_dimensions()))
        order = sorted(scores.items(), key=lambda each: each[1].total)
        rows = [(name, *(f"{part:.4f}" for part in score.printed)) for name, score in order]
        head = f"CEC 2020's score among its entrants, on {problems} of 57 problems"
        found.append((head, ("Algorithm", "Best", "Mean", "Median", "Total"), rows))
    for dimension, sums in ranks_with_published(report).items():
        ranked = sorted(sums.items(), key=lambda each: each[1])
        head = f"CEC 2017's sum of ranks in {dimension}D"
        found.append((head, ("Algorithm", "Sum"), [(name, f"{total:g}") for name, total in ranked]))
    return found


def _latex_competition(head: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [
        r"\begin{table}[t]",
        rf"  \caption{{{head}}}",
        rf"  \begin{{tabular}}{{l|{'c' * (len(heads) - 1)}}}",
        r"\toprule",
        " &".join(heads) + r"\\",
        r"\midrule",
        *(" &".join(row) + r"\\" for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _title(place: tuple[int, str]) -> str:
    table, search = place
    return f"{table_words(table)}, {search}"


def _pair_words(key: tuple[int, str, str]) -> str:
    dimension, first, second = key
    return f"{table_words(dimension)}, {first} against {second}"


def _score(comparisons: Sequence[Any]) -> str:
    counts = count_wins(comparisons)
    return f"{counts['win']} / {counts['tie']} / {counts['loss']}"


def _aligned(rows: Sequence[Sequence[str]]) -> str:
    """Columns to the right; the bar of v̄ takes no room of its own."""
    widths = [max(_width(row[i]) for row in rows) for i in range(len(rows[0]))]
    padded = [[" " * (width - _width(c)) + c for c, width in zip(row, widths, strict=True)] for row in rows]
    return "\n".join("  ".join(row) for row in padded)


def _width(text: str) -> int:
    return sum(not combining(letter) for letter in text)


def _piped(heading: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heading, ["---"] + ["---:"] * (len(heading) - 1), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _about(report: CampaignReport) -> str:
    c = report.campaign
    made = ", ".join(f"{name} {number}" for name, number in versions().items())
    lines = [
        "# Campaign results",
        "",
        f"{len(c.problems)} problems, {', '.join(f'{d}D' for d in c.dimensions)}, {', '.join(c.searches)}, "
        f"{c.runs} runs each, seed {c.seed}: {c.count:,} runs, {c.evaluations:,} evaluations. "
        f"Search {report.engine}, {made}.",
    ]
    lines += ["", f"    {c.command}", ""]
    for each in report.sessions:
        lines.append(
            f"Made in {each['seconds']:,.0f} s of wall time and {each['cpu_seconds']:,.0f} s of processor time "
            f"({each['runs']:,} runs)."
        )
    lines += [
        "",
        "One final solution per run; feasible before infeasible, feasible by objective, infeasible by mean violation "
        "v̄. In parentheses the number of violated constraints; c counts the violations above 1, 0.01 and 0.0001 at "
        "the median; FR is the feasibility rate; the standard deviation divides by the number of runs.",
    ]
    for words in filter(None, (other_conditions(report.departures), sign_words(report.campaign))):
        lines += ["", words]
    return "\n".join(lines)


def _beside(row: TableRow) -> list[str]:
    s, with_paper, with_edeag = row.summary, row.with_paper, row.with_edeag
    return [
        row.instance.problem, paper_solution(s.median), paper_rate(s.feasibility_rate), *_published(row.paper),
        with_paper.feasibility if with_paper else "", with_paper.objective if with_paper else "",
        *_published(row.edeag), with_edeag.objective if with_edeag else "",
    ]  # fmt: skip


def _published(row: PublishedRow | None) -> list[str]:
    return ["", ""] if row is None else [paper_solution(row.median), paper_rate(row.feasibility_rate)]


def _significance(report: CampaignReport) -> str:
    heading = ("Searches", "Won / tied / lost", "Won on", "Lost on")
    rows = [
        [_pair_words(key), _score(each), *(_problems(each, outcome) for outcome in ("win", "loss"))]
        for key, each in report.pairs.items()
    ]
    return (
        "## Which search is ahead\n\nWilcoxon rank-sum per problem at 5 %, on the competition's order, not corrected "
        "for the number of problems.\n\n" + _piped(heading, rows)
    )


def _problems(comparisons: Sequence[Any], outcome: str) -> str:
    return " ".join(each.problem for each in comparisons if each.outcome == outcome) or "none"


def _faults(report: CampaignReport) -> str:
    lines = [
        "## Known faults of the code behind the paper's tables",
        "",
        f"Source: {published_sources()['faults']}.",
        "",
    ]
    lines += [f"- All problems: {fault}" for fault in general_faults()]
    for problem in report.campaign.problems:
        lines += [f"- {problem}: {fault}." for fault in known_faults(problem)]
    return "\n".join(lines)


def _latex_table(report: CampaignReport, place: tuple[int, str], rows: Sequence[TableRow]) -> str:
    dimension, search = place
    name = search.replace("paper-", "Configuration ") if search.startswith("paper-") else search
    where = f"{dimension}D problems" if dimension != OWN else "problems, each in its own dimension"
    lines = [
        r"\begin{table*}[t]",
        rf"  \caption{{Numerical results obtained from {report.campaign.runs} independent runs of MAP-Elites "
        rf"({name.replace('_', chr(92) + '_')}) on {where}}}",
        rf"  \label{{tab:{dimension}D_{search}}}",
        r"  \begin{tabular}{c|ccccccccc}",
        r"\toprule",
        r"Function &Best &Worst &Median &$c$ &$\bar{v}$ &Mean &Std & FR\\",
        r"\midrule",
        *(" &".join(paper_columns(row)) + r"\\" for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table*}",
    ]
    return "\n".join(lines) + "\n"


def _flat(row: TableRow) -> dict[str, Any]:
    s, place = row.summary, row.instance
    return {
        "problem": place.problem, "dimension": place.dimension, "search": place.search, "runs": s.runs,
        "failed": row.failed, **_flat_summary(s), **_flat_published("paper", row.paper),
        **_flat_published("edeag", row.edeag), **_flat_agreement("paper", row.with_paper),
        **_flat_agreement("edeag", row.with_edeag),
    }  # fmt: skip


def _flat_summary(s: Summary) -> dict[str, Any]:
    solutions = {"best": s.best, "worst": s.worst, "median": s.median}
    return {
        **{name: each.f for name, each in solutions.items()},
        **{f"{name}_violated": each.violated for name, each in solutions.items()},
        **{f"{name}_seed": each.seed for name, each in solutions.items()},
        **{f"c{i}": count for i, count in enumerate(s.counts, 1)},
        "mean_violation": s.mean_violation, "mean": s.mean, "std": s.std, "feasibility_rate": s.feasibility_rate,
    }  # fmt: skip


def _flat_published(name: str, row: PublishedRow | None) -> dict[str, Any]:
    return {
        f"{name}_median": "" if row is None else row.median.f,
        f"{name}_median_violated": "" if row is None else row.median.violated,
        f"{name}_feasibility_rate": "" if row is None else row.feasibility_rate,
    }


def _flat_agreement(name: str, each: Agreement | None) -> dict[str, Any]:
    return {
        f"feasibility_against_{name}": "" if each is None else each.feasibility,
        f"objective_against_{name}": "" if each is None else each.objective,
    }


def _record(row: TableRow) -> dict[str, Any]:
    return {
        **_flat(row),
        "finals": [{"run": f.run, "seed": f.seed, "f": f.f, "violations": list(f.violations)} for f in row.finals],
    }
