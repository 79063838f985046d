"""Notifications: what happened, in words, in the corner of the page; and what every failing callback says.

Any callback may add `Output(NOTICES, "sendNotifications", allow_duplicate=True)` and return `[notice(...)]`;
or call `show_notices(notice(...))`. An `InputError` that leaves a callback is shown by itself.
"""

from __future__ import annotations

import logging
from typing import Any, Literal

import dash_mantine_components as dmc
from dash import html, set_props
from dash.development.base_component import Component

from components.shared.format import error_sentence
from mapelites.core.errors import InputError
from mapelites.runs import StoreError

NOTICES = "notices"
Kind = Literal["done", "error", "hint"]
SECONDS = {"done": 6, "error": 12, "hint": 8}
ICONS = {"done": "check", "error": "alert", "hint": "info"}

log = logging.getLogger("dashboard")


def icon(name: str, label: str | None = None) -> Component:
    """A small picture in the colour of the text around it; `assets/shared/icons.css` has the names."""
    if label is None:
        return html.Span(className=f"icon icon-{name}", **{"aria-hidden": "true"})
    return html.Span(className=f"icon icon-{name}", role="img", **{"aria-label": label})


def notice(title: str, message: Any = "", kind: Kind = "done", key: str | None = None) -> dict[str, Any]:
    """One notification; a second one with the same key is not shown beside the first."""
    return {
        **({"id": key} if key else {}),
        "action": "show",
        "title": title,
        "message": message,
        "color": "red" if kind == "error" else None,
        "icon": icon(ICONS[kind]),
        "autoClose": SECONDS[kind] * 1_000,
        "withBorder": True,
        "closeButtonProps": {"aria-label": "Close this notice"},
    }


def show_notices(*notices: dict[str, Any]) -> None:
    """Show notifications from within a callback that has other outputs; all of them in one call."""
    if notices:
        set_props(NOTICES, {"sendNotifications": list(notices)})


def callback_failed(error: Exception) -> None:
    """What a callback that raised an error tells the person: input errors in their own words."""
    if isinstance(error, InputError):
        key = "store-error" if isinstance(error, StoreError) else None  # every part of a page says it, and the banner
        show_notices(notice("That did not work", error_sentence(str(error)), "error", key))
        return
    log.error("a callback failed", exc_info=error)
    show_notices(
        notice("Something went wrong on the server", f"{type(error).__name__}: {error}", "error", key="server-error")
    )


def notice_container() -> Component:
    """Where notifications appear."""
    return dmc.NotificationContainer(id=NOTICES, position="bottom-right", limit=5, zIndex=2_000)
