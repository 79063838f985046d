"""The command `illuminate`: the dashboard, or with a command after it what `python -m mapelites` does."""

from __future__ import annotations

import argparse
import sys
import threading
from collections.abc import Sequence

NAME = "illuminate"
SOON = 5.0  # seconds until somebody who waits is told why
WAIT = "Compiling the searches, once after an installation or an update: about a minute.\n"


def parser() -> argparse.ArgumentParser:
    """The options of the dashboard, and all commands, for those who ask for help."""
    import app  # only here: no other command needs the dashboard, which takes a second to load
    from mapelites import __main__ as engine

    options = app.parser(NAME)
    options.description = "Without a command it starts the dashboard and opens it in a browser."
    options.epilog = f"`{NAME} run --help` tells more of the command run, and so on."
    options.usage = f"{NAME} [options of the dashboard]\n       {NAME} command ..."
    options.add_argument("--no-browser", action="store_true", help="open no browser")
    engine.add_version(options)
    engine.register(options.add_subparsers(dest="command", metavar="command", title="commands", prog=NAME))
    return options


def illuminate(arguments: Sequence[str] | None = None) -> int:
    """Do what was typed after the name; whatever begins with no dash is a command of the engine."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    load_engine()
    if given and not given[0].startswith("-"):
        from mapelites import __main__ as engine

        return engine.main(given, NAME)
    options = parser().parse_args(given)
    if options.command:
        sys.stderr.write(f"the options of the dashboard are not for `{NAME} {options.command}`; name it first\n")
        return 2
    import app
    from mapelites.system.processes import exit_at_once
    from server.browser import has_desktop

    exit_at_once(app.run(options, browser=has_desktop() and not options.no_browser))
    return 0


def load_engine() -> None:
    """Import the engine, with a word where that takes a while because it is compiled for the first time."""
    later = threading.Timer(SOON, sys.stderr.write, [WAIT])
    later.daemon = True
    later.start()
    import mapelites.__main__  # noqa: F401 (whoever asks next finds it loaded)

    later.cancel()
