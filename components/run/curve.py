"""Small curves of a run over its evaluations, as pictures that need no script."""

from __future__ import annotations

from urllib.parse import quote

import numpy as np
from dash import html
from dash.development.base_component import Component
from numpy.typing import NDArray

from components.shared.format import count
from mapelites.core.format import number
from mapelites.core.nested_map.colour import automatic_scale, symmetric_log

WIDTH, HEIGHT, EDGE = 150, 34, 3
STROKE = "#5c7cfa"


def progress_curves(curve: NDArray[np.float64], budget: int) -> list[Component]:
    """Occupied cells and best feasible value over evaluations."""
    known = curve[~np.isnan(curve[:, 2])]
    last = count(int(curve[-1, 1])) if len(curve) else "0"
    best = number(float(known[-1, 2])) if len(known) else number(None)
    return [
        _figure("Cells over evaluations", _picture(curve[:, 0], curve[:, 1], budget), f"now {last}"),
        _figure("Best feasible over evaluations", _picture(known[:, 0], _spread(known[:, 2]), budget), f"now {best}"),
    ]


def _figure(title: str, picture: str, now: str) -> Component:
    return html.Div(
        [
            html.Div(title, className="curve-title"),
            html.Img(src=picture, alt=f"{title}, {now}", width=WIDTH, height=HEIGHT, className="curve"),
        ],
        className="curve-box",
    )


def _spread(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values over orders of magnitude as their orders, so that the end of a curve is not a flat line."""
    if len(values) and automatic_scale(values) != "linear":
        return symmetric_log(values, max(float(np.abs(values).min()), float(np.abs(values).max()) * 1e-12, 1e-300))
    return values


def _picture(x: NDArray[np.float64], y: NDArray[np.float64], budget: int) -> str:
    """A curve as the address of a picture that holds it."""
    base = HEIGHT - EDGE
    drawing = f"<path d='M0 {base}.5H{WIDTH}' stroke='#8b93a1' stroke-opacity='.4'/>"
    if len(x):
        low, high = float(y.min()), float(y.max())
        across = x / max(budget, 1) * (WIDTH - 2 * EDGE) + EDGE
        up = base - (y - low) / ((high - low) or 1.0) * (base - EDGE)
        # Values hold until the next one: a curve of steps.
        steps = "".join(f"H{a:.1f}V{b:.1f}" for a, b in zip(across[1:], up[1:], strict=True))
        drawing += f"<path d='M{across[0]:.1f} {up[0]:.1f}{steps}' fill='none' stroke='{STROKE}' stroke-width='1.8'/>"
        drawing += f"<circle cx='{across[-1]:.1f}' cy='{up[-1]:.1f}' r='2.6' fill='{STROKE}'/>"
    head = f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {HEIGHT}'>"
    return "data:image/svg+xml," + quote(f"{head}{drawing}</svg>")
