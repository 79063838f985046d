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

from components import (
    base_path,
    experiments,
    experiments_campaign,
    metrics,
    problem_editor,
    problems_page,
    run_page,
    runs_page,
    runs_page_compare,
    security,
    serve,
    shell,
    shell_health,
    start,
    summary,
)
from components.cache import memory
from components.context import Context
from components.pages import Page
from components.security import HERE, Access
from components.security_limits import SHARED, USUAL, LimitedStore, Limits
from components.security_token import VARIABLE as TOKEN_VARIABLE
from components.security_token import others_come
from components.shell_notices import failed
from mapelites import logs
from mapelites.campaign.crews import SCHEDULER_EXAMPLE
from mapelites.commands.parsing import Parser, whole
from mapelites.errors import InputError
from mapelites.family import leave
from mapelites.problems import own
from mapelites.runs import Store

SCHEDULER_VARIABLE = "MAPELITES_SCHEDULER"
PAGES: tuple[Page, ...] = (
    Page("/", "Explore", start),
    Page("/runs", "Runs", runs_page),
    Page("/run/<run_id>", "Run", run_page, navigation=False),
    Page("/compare/<ids>", "Compare", runs_page_compare, navigation=False),
    Page("/experiments", "Experiments", experiments),
    Page("/experiments/<campaign_id>", "Experiment", experiments_campaign, navigation=False),
    Page("/problems", "Problems", problems_page),
    Page("/problems/new", "Write a problem", problem_editor, navigation=False),
)

MOST = {  # the limit that each option sets, and what it bounds
    "runs": ("unfinished", "runs that one client may have waiting or running"),
    "starts": ("per_minute", "runs, imports and campaigns that one client may begin in a minute"),
    "evaluations": ("evaluations", "evaluations of one run"),
    "cells": ("cells", "cells of one map"),
}


def create_app(
    store: Store, pages: Sequence[Page] = PAGES, access: Access = HERE, problems: Sequence[Path | str] = ()
) -> Dash:
    """The dashboard over a store of runs.

    `access` says who may reach it, and where; `problems` are files and folders of one's own problems.
    """
    own.watch(problems, store.path / "problems", in_background=True)
    own.entries()  # begin to read them
    app = Dash(
        "illuminate",
        title=shell.NAME,
        update_title=None,
        assets_folder=str(Path(__file__).parent / "assets"),
        suppress_callback_exceptions=True,
        enable_mcp=False,
        on_error=failed,
        index_string=shell.INDEX.replace('"/assets/', f'"{access.base_path}/assets/'),
        requests_pathname_prefix=f"{access.base_path}/",
        routes_pathname_prefix="/",
    )
    limited = LimitedStore(store, access.limits, access.schedulers)
    context = Context(limited, memory(app.server, store.path / "figures"), access.schedulers)
    app.layout = shell.layout(pages)
    shell.register(app, context, pages)
    summary.register(app, context)
    for page in pages:
        page.module.register(app, context)
    shell_health.register(app, context)
    metrics.register(app, context)
    base_path.live_under(app, access.base_path)
    security.protect(app, access)
    return app


def server(
    path: str,
    hosts: Sequence[str] = (),
    base: str = "",
    limits: Sequence[int] = (),
    problems: Sequence[str] = (),
    schedulers: Sequence[str] = (),
    proxied: bool = False,
) -> Flask:
    """What gunicorn serves; the token comes by the environment, where no list of processes shows it."""
    logs.set_up("web", logging.INFO if logs.kind() == "json" else logging.WARNING)
    token = os.environ.get(TOKEN_VARIABLE) or None
    access = Access(tuple(hosts), token, base, Limits(*limits), tuple(schedulers), proxied)
    served: Flask = create_app(Store(path), access=access, problems=problems).server
    return served


def parser() -> argparse.ArgumentParser:
    """The options of the command line."""
    options = Parser(description=__doc__)
    options.add_argument("--host", default="127.0.0.1", help="the address to listen on (default: this machine only)")
    options.add_argument("--port", type=whole, default=8050, help="the port to listen on (default: 8050)")
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
        "--scheduler", action="append", default=os.environ.get(SCHEDULER_VARIABLE, "").split(), metavar="ADDRESS",
        help=f"a Dask scheduler that campaigns may be given to, such as {SCHEDULER_EXAMPLE}; may be repeated",
    )  # fmt: skip
    options.add_argument(
        "--base-path", default=os.environ.get(base_path.VARIABLE, ""), metavar="PATH",
        help="the path under which a proxy shows it, such as /illuminate",
    )  # fmt: skip
    options.add_argument(
        "--log", choices=logs.KINDS, default=logs.kind(), help="lines for people, or JSON for programs"
    )
    options.add_argument(
        "--proxy",
        action="store_true",
        help="only a proxy reaches it: believe it when it says who the client is, and ask for a token",
    )
    for name, (limit, words) in MOST.items():
        usual = f"default {getattr(SHARED, limit):,} where others can come, {getattr(USUAL, limit):,} where they cannot"
        options.add_argument(f"--most-{name}", type=whole, metavar="N", help=f"{words} ({usual})")
    return options


def limits_of(options: argparse.Namespace) -> Limits:
    """The most that a client may ask for: what was said, and otherwise what is usual where it listens."""
    usual = SHARED if others_come(options.host, options.trust, proxied=options.proxy) else USUAL
    said = {limit: getattr(options, f"most_{name}") for name, (limit, _) in MOST.items()}
    return replace(usual, **{limit: most for limit, most in said.items() if most is not None})


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until told to stop."""
    try:
        options = parser().parse_args(arguments)
        os.environ[logs.VARIABLE] = options.log  # for the processes that are started from here
        base, limits = base_path.checked(options.base_path), limits_of(options)
        names, schedulers = tuple(map(security.checked_name, options.trust)), tuple(options.scheduler)
        place = serve.Place(options.host, options.port, names, base, limits, schedulers, options.proxy)
        problems = [path.expanduser().resolve() for path in options.problems]
        own.watch(problems)  # says which of them are not there
        return serve.until_stopped(options.data or Store.default_path(), place, problems)
    except InputError as error:
        sys.stderr.write(f"{error}\n")
        return 2


if __name__ == "__main__":
    leave(main())
