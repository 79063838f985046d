"""`campaign` and `report`: many runs on all cores or on a cluster, and the tables they make."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

from mapelites.campaign import Campaign, CampaignFolder
from mapelites.campaign.crews import DaskExecutor, LocalExecutor, TaskExecutor
from mapelites.campaign.description import ALL_CONSTRAINTS, BUDGETS
from mapelites.campaign.process import folder_of, open_campaign
from mapelites.campaign.report.formats import FORMATS
from mapelites.campaign.report.table import report_of
from mapelites.campaign.runner import CampaignStanding, work_on_campaign
from mapelites.commands.engine import add_settings_options, save_file, split_names
from mapelites.commands.parsing import whole_number
from mapelites.core.errors import InputError
from mapelites.core.format import clock_time
from mapelites.core.settings import SEARCHES
from mapelites.evaluation.scheduler import SCHEDULER_EXAMPLE
from mapelites.problems import suites
from mapelites.problems.suites.cec2010 import NAMES
from mapelites.runs import Store
from mapelites.system.progress import ProgressLine

CHANGES = ("evaluations", "initial", "sigma", "bounds")


def register(commands: Any) -> None:
    """Add these commands to the parser."""
    campaign = commands.add_parser("campaign", help="run many searches and make their table")
    add_campaign_options(campaign)
    campaign.add_argument("--processes", type=whole_number, help="processes on this machine (default: all cores)")
    campaign.add_argument("--scheduler", help=f"a Dask scheduler instead, such as {SCHEDULER_EXAMPLE}")
    campaign.add_argument("--folder", type=Path, help="where results are kept (default: a folder of the store's)")
    campaign.add_argument("--data", type=Path, help="the store whose dashboard shows the campaign")
    campaign.add_argument("--resume", type=Path, metavar="FOLDER", help="go on with the campaign in this folder")
    campaign.add_argument("--again", action="store_true", help="forget earlier results and begin anew")
    campaign.add_argument("--quiet", action="store_true", help="no progress bar and no table")
    campaign.set_defaults(action=run_campaign)

    report = commands.add_parser("report", help="the tables of a campaign")
    report.add_argument("campaign", help="a campaign's id or folder")
    report.add_argument("--format", choices=FORMATS, default="terminal", help="default: terminal")
    report.add_argument("--data", type=Path, help="the store the campaign belongs to")
    report.add_argument("--out", type=Path, help="a file instead of the terminal")
    report.set_defaults(action=show_report)


def add_campaign_options(command: argparse.ArgumentParser) -> None:
    """What describes a campaign."""
    command.add_argument(
        "--problems",
        default="all",
        help="all of CEC 2010, a suite such as 'CEC 2017', or names such as C01,C07 (default all)",
    )
    command.add_argument("--dims", default="10,30", help="numbers of variables (default 10,30)")
    command.add_argument(
        "--searches", default="paper-1,paper-2,paper-3",
        help=f"any of {', '.join(SEARCHES)} (default: the paper's three)",
    )  # fmt: skip
    command.add_argument("--runs", type=whole_number, default=25, help="runs of each (default 25)")
    command.add_argument("--seed", type=whole_number, default=1, help="every run's seed derives from it (default 1)")
    add_settings_options(command)
    command.add_argument(
        "--budget", choices=BUDGETS[1:], default="", help="evaluations of each run as the problem's competition gives"
    )


def parse_campaign(options: argparse.Namespace) -> Campaign:
    """The campaign that the options describe."""
    problems = _problems(options.problems)
    levels: dict[str, Any] = {}
    for text in options.levels:
        name, _, numbers = text.rpartition("=")
        levels[name or ALL_CONSTRAINTS] = _listed(numbers)
    return Campaign(
        problems,
        tuple(_whole("dims", text) for text in _listed(options.dims)),
        _listed(options.searches),
        options.runs,
        options.seed,
        levels,
        {name: getattr(options, name) for name in CHANGES},
        split_names(options.hard),
        options.budget,
    )


def _problems(text: str) -> tuple[str, ...]:
    """Names, `all` for those of CEC 2010, or the title of a suite, such as "CEC 2017"."""
    titles = {title.lower(): listed_there for title, listed_there in suites().items()}
    named = titles.get(text.strip().lower())
    return NAMES if text == "all" else named if named is not None else _listed(text)


def run_campaign(options: argparse.Namespace) -> int:
    """Do what is missing, show progress, print the table. Ctrl-C keeps what is done."""
    folder = _folder(options)
    signal.signal(signal.SIGTERM, _leave)
    if options.again:
        _forget(folder)
    hire: Callable[[], TaskExecutor] = partial(LocalExecutor, options.processes)
    if options.scheduler:
        hire = partial(DaskExecutor, options.scheduler)
    total = sum(task.spec.settings.evaluations for task in folder.missing()) if not folder.working() else 0
    try:
        with ProgressLine(total, quiet=options.quiet, unit="evaluations") as progress:
            standing = work_on_campaign(folder, hire, lambda now: progress.update(now.spent, _note(now)))
    except KeyboardInterrupt:
        print(f"interrupted; what is done is kept in {folder.path}, and the same command goes on")
        return 130
    if not options.quiet:
        _say_result(folder, standing)
    return 1 if standing.failed else 0


def show_report(options: argparse.Namespace) -> None:
    """Print or save a campaign's tables."""
    given = Path(options.campaign)
    folder = CampaignFolder(given) if os.path.isdir(given) else open_campaign(_data(options), options.campaign)
    text = FORMATS[options.format](report_of(folder))
    if options.out:
        save_file(options.out, text.encode())
    else:
        sys.stdout.write(text)


def _folder(options: argparse.Namespace) -> CampaignFolder:
    if options.resume:
        folder = CampaignFolder(options.resume)
        _ = folder.campaign  # says so where there is none
        return folder
    campaign = parse_campaign(options)
    return CampaignFolder.create(options.folder or folder_of(_data(options), campaign), campaign)


def _data(options: argparse.Namespace) -> Path:
    return options.data or Store.default_path()


def _forget(folder: CampaignFolder) -> None:
    descriptor = folder.acquire()
    with open(descriptor):
        folder.clear()


def _say_result(folder: CampaignFolder, standing: CampaignStanding) -> None:
    """The tables, and where everything is."""
    sys.stdout.write(FORMATS["terminal"](report_of(folder)) + "\n")
    failed = f", {standing.failed:,} failed" if standing.failed else ""
    print(f"campaign {folder.id}: {standing.done:,} of {standing.runs:,} runs done{failed}")
    for result in folder.results().values():
        if result.failed is not None:
            print(f"  {result.name}: {result.failed}")
    for session in folder.sessions()[-1:]:
        rate = session["evaluations"] / max(session["seconds"], 1e-9)
        print(
            f"last time {session['runs']:,} runs in {clock_time(session['seconds'])} ({rate:,.0f} evaluations/s), "
            f"{clock_time(session['cpu_seconds'])} of processor time"
        )
    print(f"kept in {folder.path}")
    print(f"any run can be repeated alone, such as the first: {folder.campaign.tasks[0].command}")


def _note(now: CampaignStanding) -> str:
    failed = f", {now.failed} failed" if now.failed else ""
    doing = now.note or f"running {' '.join(now.running) or 'nothing'}"
    return f"{now.done:,} of {now.runs:,} runs{failed}, {doing}"


def _listed(text: str) -> tuple[str, ...]:
    return tuple(each.strip() for each in text.split(",") if each.strip())


def _whole(name: str, text: str) -> int:
    if not text.isdecimal():
        raise InputError(f"{name} must be whole numbers, such as 10,30, but one was {text!r}")
    return int(text)


def _leave(number: int, frame: FrameType | None) -> None:
    """End in order. Nobody said that the campaign should rest, so the dashboard goes on with it when it starts."""
    raise SystemExit(128 + number)
