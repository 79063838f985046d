"""The box around a map whose cells are walked through by keyboard; `assets/map/cursor.js` has the other half."""

from __future__ import annotations

from typing import Any

from dash import html
from dash.development.base_component import Component


def cursor_box(children: list[Component], id: Any, className: str, *, name: str, enter: str, readout: str) -> Component:
    """What takes the focus: it says what it is and which keys it knows, and the element `readout` where they led."""
    words = f"{name}. Arrow keys move from cell to cell, with Shift from outer bin to outer bin. {enter}"
    return html.Div(
        children,
        id=id,
        className=f"map-box {className}",
        tabIndex=0,
        role="application",
        **{"aria-label": words, "aria-describedby": readout},
    )
