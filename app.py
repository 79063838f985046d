"""Builds the dashboard, starts the worker beside it and serves both: `python app.py`."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Sequence
from dataclasses import astuple
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
from components.security_limits import USUAL, LimitedStore, Limits
from components.security_token import VARIABLE as TOKEN_VARIABLE
from components.shell_notices import failed
from mapelites import logs
from mapelites.commands.parsing import Parser, whole
from mapelites.errors import InputError
from mapelites.problems import own
from mapelites.runs import Store

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

MOST = {  # what each of the limits bounds, in their order
    "runs": "runs that one client may have waiting or running",
    "starts": "runs, imports and campaigns that one client may begin in a minute",
    "evaluations": "evaluations of one run",
    "cells": "cells of one map",
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
    context = Context(LimitedStore(store, access.limits), memory(app.server, store.path / "figures"))
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
    path: str, hosts: Sequence[str] = (), base: str = "", limits: Sequence[int] = (), problems: Sequence[str] = ()
) -> Flask:
    """What gunicorn serves; the token comes by the environment, where no list of processes shows it."""
    logs.set_up("web", logging.INFO if logs.kind() == "json" else logging.WARNING)
    access = Access(tuple(hosts), os.environ.get(TOKEN_VARIABLE) or None, base, Limits(*limits))
    served: Flask = create_app(Store(path), access=access, problems=problems).server
    return served


def parser() -> argparse.ArgumentParser:
    """The options of the command line."""
    options = Parser(description=__doc__)
    options.add_argument("--host", default="127.0.0.1", help="the address to listen on (default: this machine only)")
    options.add_argument("--port", type=int, default=8050, help="the port to listen on (default: 8050)")
    options.add_argument("--data", type=Path, help=f"where runs are kept (default: {Store.default_path()})")
    options.add_argument(
        "--trust", action="append", default=[], metavar="NAME", help="a further name by which browsers may call it"
    )
    options.add_argument(
        "--problems", type=Path, action="append", default=[], metavar="FILE",
        help="a file or folder of your own problems; may be repeated",
    )  # fmt: skip
    options.add_argument(
        "--base-path", default=os.environ.get(base_path.VARIABLE, ""), metavar="PATH",
        help="the path under which a proxy shows it, such as /illuminate",
    )  # fmt: skip
    options.add_argument(
        "--log", choices=logs.KINDS, default=logs.kind(), help="lines for people, or JSON for programs"
    )
    for (name, words), most in zip(MOST.items(), astuple(USUAL), strict=True):
        options.add_argument(
            f"--most-{name}", type=whole, default=most, metavar="N", help=f"{words} (default {most:,})"
        )
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until told to stop."""
    try:
        options = parser().parse_args(arguments)
        os.environ[logs.VARIABLE] = options.log  # for the processes that are started from here
        limits = Limits(*(getattr(options, f"most_{name}") for name in MOST))
        base = base_path.checked(options.base_path)
        place = serve.Place(options.host, options.port, tuple(options.trust), base, limits)
        problems = [path.expanduser().resolve() for path in options.problems]
        own.watch(problems)  # says which of them are not there
        return serve.until_stopped(options.data or Store.default_path(), place, problems)
    except InputError as error:
        sys.stderr.write(f"{error}\n")
        return 2


if __name__ == "__main__":
    sys.exit(main())
