"""Which page lies at which address."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any
from urllib.parse import parse_qsl, unquote

from dash.development.base_component import Component

from components.shared.context import Context


@dataclass(frozen=True)
class Page:
    """One page: its address (`/run/<run_id>`), its title and its module.

    The module has `layout(context, query, **parts) -> Component`, where `query` holds the arguments after
    the question mark and `parts` the pieces of the address in angle brackets, and
    `register(app, context) -> None` for its callbacks. Where it has `tab_title(context, **parts) -> str`, that is what
    the tab of the browser is called. `navigation` says whether the header links to it.
    """

    path: str
    title: str
    module: ModuleType
    navigation: bool = True

    def parts(self, path: str) -> dict[str, str] | None:
        """The named pieces of an address, or None where it is not this page's.

        >>> from components.shell import pages
        >>> Page("/run/<run_id>", "Run", pages).parts("/run/k3x")
        {'run_id': 'k3x'}
        """
        pattern = re.sub(r"<(\w+)>", r"(?P<\1>[^/]+)", self.path)
        found = re.fullmatch(pattern, path.rstrip("/") or "/")
        return {name: unquote(value) for name, value in found.groupdict().items()} if found else None

    def layout(self, context: Context, query: Mapping[str, str], parts: Mapping[str, str]) -> Component:
        """The page's content."""
        return self.module.layout(context, query, **parts)

    def tab_title(self, context: Context, parts: Mapping[str, str]) -> str:
        """What the tab of the browser is called."""
        own = getattr(self.module, "tab_title", None)
        return str(own(context, **parts)) if own else self.title


def find_page(pages: Sequence[Page], path: str) -> tuple[Page, dict[str, str]] | None:
    """The page at an address with its named pieces, or None."""
    for page in pages:
        parts = page.parts(path)
        if parts is not None:
            return page, parts
    return None


def query_arguments(search: Any) -> dict[str, str]:
    """What stands after the question mark, as names and values.

    >>> query_arguments("?problem=C17&dimension=10")
    {'problem': 'C17', 'dimension': '10'}
    """
    text = search if isinstance(search, str) else ""
    return dict(parse_qsl(text.removeprefix("?"), keep_blank_values=True))
