"""The form of a new campaign: its fields, how they are read, and the button that starts it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import dash_mantine_components as dmc
from dash import Dash, Input, Output, State, ctx, html, no_update
from dash.development.base_component import Component

from components.experiments.words import count_in_words
from components.problems.chooser import preferred_problem, short_title
from components.shared.context import Context
from components.shared.notices import icon
from components.shared.queue import RunQueue
from components.shell.frame import URL
from components.start.form import SEARCH_LABELS, number_or_text
from mapelites.campaign import Campaign
from mapelites.campaign.description import ALL_CONSTRAINTS
from mapelites.campaign.process import launch_campaign
from mapelites.core.errors import InputError, unknown
from mapelites.core.settings import SEARCHES
from mapelites.evaluation.scheduler import check_scheduler
from mapelites.problems import get, names, own_problems, suites
from mapelites.problems.suites.cec2010 import NAMES

PAPER = ("paper-1", "paper-2", "paper-3")
PRESETS: dict[str, tuple[str, dict[str, Any]]] = {
    "paper": ("The paper's experiment", {"problems": list(NAMES), "dimensions": "10, 30", "searches": list(PAPER),
                                         "runs": "25"}),
    "taste": ("A taste of it", {"problems": ["C01", "C07", "C16", "C17"], "dimensions": "10",
                                "searches": list(PAPER), "runs": "5"}),
}  # fmt: skip
FIELDS = ("problems", "dimensions", "searches", "runs", "seed", "evaluations", "levels", "scheduler")
HERE = "here"  # where a campaign is worked on unless a scheduler is chosen


def layout(schedulers: Sequence[str]) -> Component:
    """The form, filled with a small campaign; it may be given to this machine or to one of the schedulers."""
    values = PRESETS["taste"][1]
    problems = dmc.MultiSelect(
        id="campaign-problems", label="Problems", data=_choices(),
        value=values["problems"], searchable=True, clearable=True, hidePickedOptions=True, maxDropdownHeight=300,
        selectFirstOptionOnChange=True, nothingFoundMessage="No problem matches",
    )  # fmt: skip
    searches = dmc.MultiSelect(
        id="campaign-searches", label="Searches", value=values["searches"],
        data=[{"value": name, "label": SEARCH_LABELS.get(name, name).split(":")[0]} for name in SEARCHES],
    )  # fmt: skip
    return html.Section(
        [
            html.Div(
                [
                    html.Div(
                        [
                            dmc.Title("A new campaign", order=2, size="h4"),
                            dmc.Group([_preset(key) for key in PRESETS], gap=8),
                        ],
                        className="experiments-head",
                    ),
                    problems,
                    searches,
                    html.Div(_numbers(values), className="fields"),
                    html.Details(
                        [html.Summary("Advanced"), html.Div(_advanced(schedulers), className="fields")],
                        className="advanced",
                    ),
                ],
                className="form-part",
            ),
            html.Div(
                [
                    dmc.Button(
                        "Start the campaign", id="campaign-start", size="lg", leftSection=icon("play"),
                        className="start-button",
                    ),
                    html.Div(id="campaign-sum", role="status", className="experiments-sum"),
                ],
                className="go",
            ),
        ],
        id="campaign-form",
        className="card form",
        **{"aria-label": "A new campaign"},
    )  # fmt: skip


def _choices() -> list[dict[str, Any]]:
    """All problems that a campaign can have, by where they come from."""
    functions = {name for name in own_problems.names() if get(name).source.kind == "file"}
    return [
        {"group": title, "items": [_choice(name) for name in found if name not in functions]}
        for title, found in suites().items()
    ]


def _choice(name: str) -> dict[str, str]:
    return {"value": name, "label": short_title(preferred_problem(name))}


def _preset(key: str) -> Component:
    return dmc.Button(PRESETS[key][0], id={"campaign-preset": key}, size="compact-sm", variant="default")


def _numbers(values: Mapping[str, Any]) -> list[Component]:
    return [
        _text("dimensions", "Dimensions", "Of problems that leave the choice, such as 10, 30", values["dimensions"]),
        _text("runs", "Runs of each", "The competition asks for 25", values["runs"]),
        _text("seed", "Seed", "Of the whole campaign", "1"),
    ]


def _advanced(schedulers: Sequence[str]) -> list[Component]:
    return [
        _text("evaluations", "Evaluations of each run", "Empty: as many as the search has", ""),
        _text("levels", "Tolerance levels", "Empty: as every problem has them", ""),
        _where(schedulers),
    ]


def _where(schedulers: Sequence[str]) -> Component:
    hint = "This machine, or a Dask cluster" if schedulers else "A cluster is named at the start: --scheduler"
    places = [{"value": HERE, "label": "This machine"}, *({"value": each, "label": each} for each in schedulers)]
    return dmc.Select(
        id="campaign-scheduler", label="Where", description=hint, data=places, value=HERE, allowDeselect=False
    )


def _text(name: str, label: str, hint: str, value: str) -> Component:
    return dmc.TextInput(
        id=f"campaign-{name}", label=label, description=hint, value=value, autoComplete="off", spellCheck=False,
    )  # fmt: skip


def read_campaign(values: Mapping[str, Any]) -> Campaign:
    """The campaign a form asks for; an `InputError` in words where it asks for none."""
    levels = _parts(values.get("levels"))
    return Campaign(
        _names("problems", values.get("problems")),
        tuple(number_or_text(part) for part in _parts(values.get("dimensions"))),
        _names("searches", values.get("searches")),
        number_or_text(values.get("runs")),
        number_or_text(values.get("seed")),
        {ALL_CONSTRAINTS: levels} if levels else {},
        {"evaluations": number_or_text(values.get("evaluations"))},
    )


def read_scheduler(value: Any, queue: RunQueue) -> str | None:
    """The scheduler that was chosen, or None for this machine; an `InputError` for one that nobody offered."""
    if value in (None, "", HERE):
        return None
    queue.check_scheduler(str(value))
    return str(value)


def _names(name: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise InputError(f"{name} must be a list of names, but it was {value!r}")
    order = names() if name == "problems" else tuple(SEARCHES)
    return tuple(sorted(value, key=lambda each: order.index(each) if each in order else -1))


def _parts(value: Any) -> tuple[str, ...]:
    text = value if isinstance(value, str) else ""
    return tuple(part for part in text.replace(";", ",").replace(" ", ",").split(",") if part)


def register(app: Dash, context: Context) -> None:
    """Presets fill the form, every edit is checked, and the button starts the campaign."""
    values = [State(f"campaign-{name}", "value") for name in FIELDS]

    @app.callback(
        [Output(f"campaign-{name}", "value") for name in ("problems", "dimensions", "searches", "runs")],
        [Input({"campaign-preset": key}, "n_clicks") for key in PRESETS],
        prevent_initial_call=True,
    )
    def fill(*clicks: int | None) -> Any:
        if not any(clicks) or not isinstance(ctx.triggered_id, dict):
            return [no_update] * 4
        preset = str(ctx.triggered_id["campaign-preset"])
        if preset not in PRESETS:
            raise unknown("preset", preset, PRESETS)
        return list(PRESETS[preset][1].values())

    @app.callback(
        Output("campaign-sum", "children"),
        Output("campaign-start", "disabled"),
        [Input(f"campaign-{name}", "value") for name in FIELDS],
    )
    def check(*given: Any) -> Any:
        try:
            return f"{count_in_words(read_campaign(dict(zip(FIELDS, given, strict=True))))}.", False
        except InputError as error:
            text = str(error)
            return html.Span(f"{text[:1].upper()}{text[1:]}.", className="error-text"), True

    @app.callback(
        Output(URL, "href", allow_duplicate=True),
        Input("campaign-start", "n_clicks"),
        *values,
        prevent_initial_call=True,
    )
    def start(clicks: int | None, *given: Any) -> Any:
        if not clicks:
            return no_update
        form = dict(zip(FIELDS, given, strict=True))
        campaign = read_campaign(form)
        scheduler = read_scheduler(form["scheduler"], context.queue)
        context.queue.admit_campaign(campaign)
        if scheduler:
            check_scheduler(scheduler)
        return f"/experiments/{launch_campaign(context.store.path, campaign, scheduler).id}"
