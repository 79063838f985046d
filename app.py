"""Builds the dashboard, starts the worker beside it and serves both: `python app.py`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from dash import Dash
from flask import Flask

from components import (
    experiments,
    experiments_campaign,
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
from components.shell_notices import failed
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


def create_app(
    store: Store, pages: Sequence[Page] = PAGES, hosts: Sequence[str] = (), problems: Sequence[Path | str] = ()
) -> Dash:
    """The dashboard over a store of runs.

    `hosts` are further names by which it may be called, `problems` files and folders of one's own problems.
    """
    own.watch(problems, store.path / "problems")
    app = Dash(
        "illuminate",
        title=shell.NAME,
        update_title=None,
        assets_folder=str(Path(__file__).parent / "assets"),
        suppress_callback_exceptions=True,
        enable_mcp=False,
        on_error=failed,
        index_string=shell.INDEX,
    )
    context = Context(store, memory(app.server, store.path / "figures"))
    app.layout = shell.layout(pages)
    shell.register(app, context, pages)
    summary.register(app, context)
    for page in pages:
        page.module.register(app, context)
    shell_health.register(app, context)
    security.protect(app, hosts)
    return app


def server(path: str, hosts: Sequence[str] = (), problems: Sequence[str] = ()) -> Flask:
    """What gunicorn serves."""
    served: Flask = create_app(Store(path), hosts=hosts, problems=problems).server
    return served


def parser() -> argparse.ArgumentParser:
    """The options of the command line."""
    options = argparse.ArgumentParser(description=__doc__)
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
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until told to stop."""
    options = parser().parse_args(arguments)
    try:
        problems = [path.expanduser().resolve() for path in options.problems]
        own.watch(problems)
        for entry in own.entries():
            for said in filter(None, (entry.error, *entry.warnings)):
                sys.stderr.write(f"{said}\n")
        data = options.data or Store.default_path()
        return serve.until_stopped(data, options.host, options.port, options.trust, problems)
    except InputError as error:
        sys.stderr.write(f"{error}\n")
        return 2


if __name__ == "__main__":
    sys.exit(main())
