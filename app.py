"""Builds the dashboard, starts the worker beside it and serves both: `python app.py`."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from dash import Dash
from flask import Flask

from components.compare import page as compare_page
from components.experiments import campaign as campaign_page
from components.experiments import page as experiments_page
from components.problems import editor as problem_editor
from components.problems import page as problems_page
from components.run import page as run_page
from components.runs import page as runs_page
from components.shared import summary
from components.shared.context import Context
from components.shared.notices import callback_failed
from components.shell import assets, frame
from components.shell.pages import Page
from components.start import page as start_page
from mapelites.commands.parsing import CommandParser, whole_number
from mapelites.core.errors import InputError
from mapelites.evaluation.scheduler import SCHEDULER_EXAMPLE
from mapelites.problems import own_problems
from mapelites.runs import Store
from mapelites.system import logs
from mapelites.system.processes import exit_at_once
from server import access as access_checks
from server import base_path, health, metrics, serve
from server.access import HERE, Access
from server.cache import open_memory
from server.limits import SHARED, USUAL, ClientLimits, LimitedQueue
from server.login import VARIABLE as TOKEN_VARIABLE
from server.login import is_remotely_reachable
from server.options import StartOptions

SCHEDULER_VARIABLE = "MAPELITES_SCHEDULER"
PAGES: tuple[Page, ...] = (
    Page("/", "Explore", start_page),
    Page("/runs", "Runs", runs_page),
    Page("/run/<run_id>", "Run", run_page, navigation=False),
    Page("/compare/<ids>", "Compare", compare_page, navigation=False),
    Page("/experiments", "Experiments", experiments_page),
    Page("/experiments/<campaign_id>", "Experiment", campaign_page, navigation=False),
    Page("/problems", "Problems", problems_page),
    Page("/problems/new", "Write a problem", problem_editor, navigation=False),
)

MOST = {  # the limit that each option sets, and what it bounds
    "runs": ("unfinished", "runs that one client may have waiting or running"),
    "starts": ("per_minute", "runs, imports and campaigns that one client may begin in a minute"),
    "evaluations": ("evaluations", "evaluations of one run"),
    "cells": ("cells", "cells of one map"),
}


def assets_folder() -> Path:
    """Where styles, scripts and fonts are: inside the components once installed, beside this file in a checkout."""
    here = Path(__file__).parent
    installed = here / "components" / "assets"
    return installed if installed.is_dir() else here / "assets"


def create_app(
    store: Store, pages: Sequence[Page] = PAGES, access: Access = HERE, problems: Sequence[Path | str] = ()
) -> Dash:
    """The dashboard over a store of runs.

    `access` says who may reach it, and where; `problems` are files and folders of one's own problems.
    """
    own_problems.watch(problems, store.path / "problems", in_background=True)
    own_problems.entries()  # begin to read them
    app = Dash(
        "illuminate",
        title=frame.NAME,
        update_title=None,
        assets_folder=str(assets_folder()),
        assets_ignore=assets.NONE_BY_ITSELF,
        suppress_callback_exceptions=True,
        enable_mcp=False,
        on_error=callback_failed,
        index_string=assets.page_frame(frame.INDEX, assets_folder(), access.base_path),
        requests_pathname_prefix=f"{access.base_path}/",
        routes_pathname_prefix="/",
    )
    queue = LimitedQueue(store, access.limits, access.schedulers)
    context = Context(store, open_memory(app.server, store.path / "figures"), queue)
    assets.serve_assets(app)
    app.layout = frame.layout(pages)
    frame.register(app, context, pages)
    summary.register(app, context)
    for page in pages:
        page.module.register(app, context)
    health.register(app, context)
    metrics.register(app, context)
    base_path.live_under(app, access.base_path)
    access_checks.protect_app(app, access, store.path)
    return app


def server(options: str) -> Flask:
    """What gunicorn serves; the token comes by the environment, where no list of processes shows it."""
    logs.set_up("web", logging.INFO if logs.log_format() == "json" else logging.WARNING)
    start = StartOptions.from_text(options)
    access = start.access(os.environ.get(TOKEN_VARIABLE) or None)
    served: Flask = create_app(Store(start.data), access=access, problems=start.problem_files).server
    return served


def parser(name: str | None = None) -> argparse.ArgumentParser:
    """The options of the command line."""
    options = CommandParser(prog=name, description=__doc__)
    options.add_argument("--host", default="127.0.0.1", help="the address to listen on (default: this machine only)")
    options.add_argument("--port", type=whole_number, default=8050, help="the port to listen on (default: 8050)")
    options.add_argument("--data", type=Path, help=f"where runs are kept (default: {Store.default_path()})")
    options.add_argument(
        "--trust",
        action="append",
        default=[],
        metavar="NAME",
        help="a further name by which browsers may call it; a token is asked for then",
    )
    options.add_argument(
        "--problems", type=Path, action="append", default=[], metavar="FILE",
        help="a file or folder of your own problems; may be repeated",
    )  # fmt: skip
    options.add_argument(
        "--processes",
        type=whole_number,
        metavar="N",
        help="runs that search at the same time (default: cores less one)",
    )
    options.add_argument(
        "--scheduler", action="append", default=os.environ.get(SCHEDULER_VARIABLE, "").split(), metavar="ADDRESS",
        help=f"a Dask scheduler that campaigns may be given to, such as {SCHEDULER_EXAMPLE}; may be repeated",
    )  # fmt: skip
    options.add_argument(
        "--base-path", default=os.environ.get(base_path.VARIABLE, ""), metavar="PATH",
        help="the path under which a proxy shows it, such as /illuminate",
    )  # fmt: skip
    options.add_argument(
        "--log", choices=logs.KINDS, default=logs.log_format(), help="lines for people, or JSON for programs"
    )
    options.add_argument(
        "--proxy",
        action="store_true",
        help="only a proxy reaches it: believe it when it says who the client is, and ask for a token",
    )
    for name, (limit, words) in MOST.items():
        usual = f"default {getattr(SHARED, limit):,} where others can come, {getattr(USUAL, limit):,} where they cannot"
        options.add_argument(f"--most-{name}", type=whole_number, metavar="N", help=f"{words} ({usual})")
    return options


def client_limits(options: argparse.Namespace) -> ClientLimits:
    """The most that a client may ask for: what was said, and otherwise what is usual where it listens."""
    usual = SHARED if is_remotely_reachable(options.host, options.trust, proxied=options.proxy) else USUAL
    said = {limit: getattr(options, f"most_{name}") for name, (limit, _) in MOST.items()}
    return replace(usual, **{limit: most for limit, most in said.items() if most is not None})


def start_options(options: argparse.Namespace) -> StartOptions:
    """What was typed, checked."""
    return StartOptions(
        data=str(options.data or Store.default_path()),
        host=options.host,
        port=options.port,
        trusted=tuple(map(access_checks.checked_name, options.trust)),
        base_path=base_path.checked_base_path(options.base_path),
        limits=client_limits(options),
        problems=tuple(str(path.expanduser().resolve()) for path in options.problems),
        schedulers=tuple(options.scheduler),
        proxied=options.proxy,
        processes=options.processes,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until told to stop."""
    return run(parser().parse_args(arguments))


def run(options: argparse.Namespace, browser: bool = False) -> int:
    """Serve as these options say, and have a browser show it once it answers."""
    try:
        os.environ[logs.VARIABLE] = options.log  # for the processes that are started from here
        start = start_options(options)
        own_problems.watch(start.problem_files)  # says which of them are not there
        return serve.until_stopped(start, browser=browser)
    except InputError as error:
        sys.stderr.write(f"{error}\n")
        return 2


if __name__ == "__main__":
    exit_at_once(main())
