"""A formula on the page. Dash has no component for MathML; `assets/shared/formula.js` has its other half."""

from __future__ import annotations

from dash.development.base_component import Component
from markupsafe import Markup


class Formula(Component):  # type: ignore[misc]
    """Draws MathML. What is in it must be escaped where it comes from a person, which `Markup` stands for."""

    _children_props: list[str] = []  # noqa: RUF012 (as in Dash)
    _base_nodes = ["children"]  # noqa: RUF012
    _namespace = "illuminate"
    _type = "Formula"
    _prop_names = ["mathml"]  # noqa: RUF012
    _valid_wildcard_attributes: list[str] = []  # noqa: RUF012
    available_properties = ["mathml"]  # noqa: RUF012
    available_wildcard_properties: list[str] = []  # noqa: RUF012

    def __init__(self, mathml: Markup) -> None:
        super().__init__(mathml=str(mathml))
