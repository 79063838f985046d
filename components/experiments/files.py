"""What leads out of a campaign: its report in every format, and the page of any of its runs."""

from __future__ import annotations

import json
from html import escape
from pathlib import Path

import dash_mantine_components as dmc
from dash import Dash, html
from dash.development.base_component import Component
from flask import Response, abort, redirect, request
from werkzeug.wrappers import Response as Answer

from components.shared.context import Context
from components.shared.notices import icon
from components.shared.queue import RunQueue
from mapelites.campaign import CampaignFolder
from mapelites.campaign.process import open_campaign
from mapelites.campaign.report.formats import FORMATS, SUFFIXES
from mapelites.campaign.report.table import report_of
from mapelites.core.errors import InputError
from mapelites.runs import Store
from mapelites.system.files import SMALL, json_of, read_file, write_whole
from mapelites.system.locks import EXCLUSIVE, hold_lock

LABELS = {"terminal": "Text", "markdown": "Markdown", "csv": "CSV", "json": "JSON, every run", "latex": "LaTeX"}
MIMES = {"csv": "text/csv", "json": "application/json", "markdown": "text/markdown"}

ASK = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>A run of a campaign · Illuminate</title>
<style>
  body { display: grid; place-items: center; min-height: 90vh; margin: 0 16px;
         font-family: Inter, system-ui, sans-serif }
  button { font: inherit; font-weight: 600; padding: .5rem .75rem; border: 0; border-radius: 8px;
           background: #3b5bdb; color: #fff; cursor: pointer }
</style>
<form method="post">
<p>The run {run} of a campaign is not among your runs yet.</p>
<button autofocus>Open it</button>
</form>
</html>
"""


def menu(campaign_id: str) -> Component:
    """Downloads."""
    items = [
        html.A(
            LABELS[name],
            href=f"/experiments/{campaign_id}/report.{suffix}",
            className="menu-link",
            role="menuitem",
            download=f"{campaign_id}.{suffix}",
        )
        for name, suffix in SUFFIXES.items()
    ]
    button = dmc.Button("Download", leftSection=icon("download"), variant="default", size="sm", id="campaign-download")
    return dmc.Menu([dmc.MenuTarget(button), dmc.MenuDropdown(items)], position="bottom-end", shadow="md")


def register(app: Dash, context: Context) -> None:
    """Reports and runs have addresses of their own."""
    by_suffix = {suffix: name for name, suffix in SUFFIXES.items()}

    @app.server.get("/experiments/<campaign_id>/report.<suffix>")
    def report(campaign_id: str, suffix: str) -> Response:
        try:
            folder = open_campaign(context.store.path, campaign_id)
        except InputError as error:
            abort(404, description=str(error))
        if suffix not in by_suffix:
            abort(404, description=f"a report ends in one of {', '.join(by_suffix)}, but not in {suffix}")
        name = by_suffix[suffix]
        headers = {
            "Content-Disposition": f'attachment; filename="{campaign_id}.{suffix}"',
            "Cache-Control": "no-store",
        }
        text = FORMATS[name](report_of(folder))
        return Response(text, mimetype=MIMES.get(name, "text/plain"), headers=headers)

    @app.server.route("/experiments/<campaign_id>/run/<name>", methods=["GET", "POST"])
    def run(campaign_id: str, name: str) -> Answer:
        """The page of a run. To look changes nothing: it is put among the runs where somebody presses a button."""
        try:
            folder = open_campaign(context.store.path, campaign_id)
            if request.method == "POST":
                run_id: str | None = take_run_in(context.queue, folder, name)
            else:
                run_id = taken_in(context.store, folder, name)
        except InputError as error:
            abort(404, description=str(error))
        if run_id is None:
            return Response(ASK.replace("{run}", escape(name)))
        query = request.query_string.decode("ascii", "ignore")
        return redirect(f"/run/{run_id}?{query}" if query else f"/run/{run_id}", 303)


def taken_in(store: Store, folder: CampaignFolder, name: str) -> str | None:
    """The id of a campaign's run where it is in the store of runs; an `InputError` where the campaign has none."""
    folder.content(name)
    run_id = _opened(folder.path / "opened.json").get(name)
    return run_id if run_id in [run.id for run in store.runs()] else None


def take_run_in(queue: RunQueue, folder: CampaignFolder, name: str) -> str:
    """The id of a campaign's run in the store of runs; the first time, it is put there."""
    content = folder.content(name)
    with hold_lock(folder.path / "opened.lock", EXCLUSIVE):
        path = folder.path / "opened.json"
        opened = _opened(path)
        if name not in opened or not _is_there(queue.store, opened[name]):
            opened[name] = queue.import_run(content)
            write_whole(path, json.dumps(opened).encode())
        queue.store.label(opened[name], campaign=folder.id)
    return opened[name]


def _opened(path: Path) -> dict[str, str]:
    """The ids of the runs that were taken in, by name; where they cannot be read, all are taken in again."""
    try:
        found = json_of(read_file(path, SMALL))
    except (FileNotFoundError, ValueError):
        return {}
    return {str(name): str(each) for name, each in found.items()} if isinstance(found, dict) else {}


def _is_there(store: Store, run_id: str) -> bool:
    """Whether the run still is in the store; a deleted one is brought back."""
    try:
        if store.run(run_id).deleted is not None:
            store.undelete(run_id)
    except InputError:
        return False
    return True
