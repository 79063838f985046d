"""Every style sheet and script is loaded once, in the order that is written down."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from plotly import graph_objects
from plotly.basedatatypes import BaseTraceType
from plotly.offline import get_plotlyjs_version

import app
from components.shell.assets import DASH_PLOTLY, PLOTLY, SCRIPT, SCRIPTS, STYLE, STYLES, joined
from mapelites.runs import Store
from server.access import Access

LOADED = re.compile(r'(?:src|href)="([^"]+\.(?:css|js)[^"]*)"')


def test_every_file_is_in_the_list_once() -> None:
    folder = app.assets_folder()
    there = [
        each.relative_to(folder).as_posix() for each in folder.rglob("*") if each.suffix in (".css", ".js", ".mjs")
    ]
    assert Counter((*STYLES, *SCRIPTS, PLOTLY)) == Counter(there)


@pytest.mark.parametrize("base", ["", "/tools/illuminate"])
def test_a_page_loads_one_sheet_and_one_script_after_the_libraries_and_each_is_whole(store: Store, base: str) -> None:
    folder = app.assets_folder()
    wanted = {STYLE: joined(folder, STYLES), SCRIPT: joined(folder, SCRIPTS), PLOTLY: (folder / PLOTLY).read_bytes()}
    with app.create_app(store, access=Access(base_path=base)).server.test_client() as client:
        page = client.get(f"{base}/").text
        addresses = LOADED.findall(page)
        own = [each for each in addresses if each.startswith(f"{base}/assets/")]
        names = [each.removeprefix(f"{base}/assets/").partition("?m=") for each in own]
        assert [name for name, _, _ in names] == list(wanted)
        assert all(digest for _, _, digest in names), "else a browser keeps the file of before"
        answers = [client.get(each, buffered=True) for each in own]
        assert [each.data for each in answers] == list(wanted.values())
        assert all("max-age=31536000" in each.headers["Cache-Control"] for each in answers)
        assert client.get(f"{base}{DASH_PLOTLY}", buffered=True).data == wanted[PLOTLY]
    assert max(i for i, each in enumerate(addresses) if "dash_" in each) < addresses.index(own[1])
    assert page.index(own[1]) < page.index('id="_dash-renderer"') < page.index(own[2])


def test_the_plotly_that_is_served_is_the_one_that_is_installed_and_draws_every_trace_of_the_pages() -> None:
    served = (app.assets_folder() / PLOTLY).read_text()
    assert f"plotly.js v{get_plotlyjs_version()}:" in served
    root = Path(app.__file__).parent
    sources = "".join(each.read_text() for name in ("components", "mapelites") for each in (root / name).rglob("*.py"))
    named = set(re.findall(r'"type": "(\w+)"', sources))
    used = {each for each in named if issubclass(getattr(graph_objects, each.capitalize(), object), BaseTraceType)}
    assert {"scatter", "heatmap", "box"} <= used
    assert [each for each in used if f'moduleType:"trace",name:"{each}"' not in served] == []


def test_what_style_sheets_name_is_there() -> None:
    folder = app.assets_folder()
    named = [
        (folder / sheet).parent / target
        for sheet in STYLES
        for target in re.findall(r'url\("((?!data:)[^"]+)"\)', (folder / sheet).read_text())
    ]
    assert named
    assert [each for each in named if not each.is_file()] == []
