"""The style sheets and scripts of all pages, in the order in which a browser reads them.

They lie in the folder `assets`, each in the room of the components that it belongs to, and come to a browser as one
sheet and one script: what a script or sheet builds on stands before it. plotly.js comes as a part of the whole.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from dash import Dash
from flask import Response

STYLES = (
    "shell/base.css",
    "shared/icons.css",
    "start/levels.css",
    "runs/page.css",
    "map/many.css",
    "run/page.css",
    "answers/panel.css",
    "proof/panel.css",
    "experiments/page.css",
    "problems/page.css",
)
SCRIPTS = (
    "shell/frame.js",
    "shared/formula.js",
    "shared/follow.js",
    "map/cursor.js",
    "map/many.js",
    "start/levels.js",
    "run/state.js",
    "run/live.js",
    "run/map.js",
    "run/limits.js",
    "run/timeline.js",
    "answers/panel.js",
    "proof/rest.js",
    "runs/page.js",
    "compare/page.js",
    "experiments/campaign.js",
    "problems/editor.js",
)
PLOTLY = "plotly/plotly.min.js"  # built by tools/plotly
NONE_BY_ITSELF = r"\.(css|js)$"  # for Dash's `assets_ignore`
STYLE, SCRIPT = "all/style.css", "all/script.js"  # one folder deep like the files, so that their addresses hold
DASH_PLOTLY = "/_dash-component-suites/plotly/package_data/plotly.min.js"  # where Dash looks if ours came late
YEAR = 31_536_000  # seconds


def joined(folder: Path, names: tuple[str, ...]) -> bytes:
    """Several files as one."""
    return b"\n".join((folder / name).read_bytes() for name in names)


def page_frame(page: str, folder: Path, base_path: str) -> str:
    """The frame of every page with what it loads, each with a digest so that no browser keeps one of before.

    Ours come after the libraries of components and before Dash begins to draw; plotly.js comes last, so that it is
    read while the page is on its way.
    """

    def address(name: str, content: bytes) -> str:
        return f'"{base_path}/assets/{name}?m={sha256(content).hexdigest()[:12]}"'

    style = f"<link rel=stylesheet href={address(STYLE, joined(folder, STYLES))}>"
    script = f"<script src={address(SCRIPT, joined(folder, SCRIPTS))}></script>"
    plotly = f"<script src={address(PLOTLY, (folder / PLOTLY).read_bytes())}></script>"
    page = page.replace("{%css%}", "{%css%}\n" + style)
    page = page.replace("{%renderer%}", script + "{%renderer%}" + plotly)
    return page.replace('"/assets/', f'"{base_path}/assets/')


def serve_assets(app: Dash) -> None:
    """Serve them at the addresses that `page_frame` names."""
    folder = Path(app.config.assets_folder)

    def serve(name: str, names: tuple[str, ...], kind: str) -> None:
        content = joined(folder, names)

        @app.server.get(f"/assets/{name}", endpoint=f"assets-{kind}")
        def bundle() -> Response:
            return _kept(Response(content, mimetype=f"text/{kind}"))

    serve(STYLE, STYLES, "css")
    serve(SCRIPT, SCRIPTS, "javascript")

    drawing = (folder / PLOTLY).read_bytes()

    @app.server.get(f"/assets/{PLOTLY}")
    def plotly() -> Response:
        return _kept(Response(drawing, mimetype="text/javascript"))

    @app.server.get(DASH_PLOTLY)
    def plotly_for_dash() -> Response:
        return Response(drawing, mimetype="text/javascript")


def _kept(answer: Response) -> Response:
    """An answer that a browser need not ask for again: another content has another address."""
    answer.cache_control.no_cache = None
    answer.cache_control.private = True
    answer.cache_control.max_age = YEAR
    return answer
