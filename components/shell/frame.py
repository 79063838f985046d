"""What stands around every page: header, navigation, theme, notifications, and the way to the right page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dash_mantine_components as dmc
from dash import ClientsideFunction, Dash, Input, Output, State, dcc, html
from dash.development.base_component import Component

from components.shared.context import Context
from components.shared.format import error_sentence
from components.shared.links import without_base_path
from components.shared.notices import callback_failed, icon, notice_container
from components.shell import help as shell_help
from components.shell.pages import Page, find_page, query_arguments
from mapelites.campaign.process import UnknownCampaignError
from mapelites.core.errors import InputError
from mapelites.runs.errors import UnknownRunError

NAME = "Illuminate"
URL = "url"  # set its `href` from a callback (allow_duplicate=True) to go to another page
SCHEME = "scheme"  # a Store with "light" or "dark": an Input for every figure
PAGE = "page"
INDEX = """<!DOCTYPE html>
<html lang="en">
<head>
{%metas%}
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{%title%}</title>
<link rel="icon" type="image/svg+xml" href="/assets/icon.svg">
{%css%}
</head>
<body>
{%app_entry%}
<footer>{%config%}{%scripts%}{%renderer%}</footer>
</body>
</html>"""
# Greys with the blue of the dark surfaces; from that of text to that of the ground.
DARK = ["#d5d9e0", "#b7bdc9", "#a4abb8", "#8c94a3", "#3a3f4a", "#323742", "#262a33", "#1d2027", "#181b21", "#14161b"]
THEME = {
    "primaryColor": "indigo",
    "primaryShade": 7,
    "fontFamily": "Inter, 'Segoe UI', system-ui, -apple-system, 'Helvetica Neue', Arial, sans-serif",
    "fontFamilyMonospace": "ui-monospace, 'SF Mono', 'Cascadia Mono', 'DejaVu Sans Mono', Menlo, monospace",
    "defaultRadius": "md",
    "cursorType": "pointer",
    "colors": {"dark": DARK},
    "headings": {"fontWeight": "650"},
    "components": {"Tooltip": {"defaultProps": {"withArrow": True, "openDelay": 300}}},
}


def layout(pages: Sequence[Page]) -> Component:
    """The frame; the page itself is put into it by the callback below."""
    return dmc.MantineProvider(
        [
            dcc.Location(id=URL, refresh="callback-nav"),
            dcc.Store(id=SCHEME),
            dcc.Store(id="title"),
            html.A("Skip to the content", href=f"#{PAGE}", className="skip-link"),
            _header(pages),
            html.Div(id="banner", className="banner", role="status", hidden=True),
            html.Main(id=PAGE, className="page", tabIndex="-1"),
            shell_help.layout(),
            notice_container(),
        ],
        theme=THEME,
        defaultColorScheme="auto",
    )


def _header(pages: Sequence[Page]) -> Component:
    brand = dmc.Anchor(
        [html.Span(className="brand-mark", **{"aria-hidden": "true"}), html.Span(NAME, className="brand-name")],
        href="/",
        className="brand",
        underline="never",
        **{"aria-label": f"{NAME}, to the start page"},
    )
    actions = html.Div(
        [
            dmc.Tooltip(
                dmc.ActionIcon(
                    icon("help"), id="help-button", variant="subtle", color="gray", size="lg", **{"aria-label": "Help"}
                ),
                label="Help (press ?)",
            ),
            dmc.Tooltip(
                dmc.ColorSchemeToggle(
                    id="scheme-toggle",
                    lightIcon=icon("sun"),
                    darkIcon=icon("moon"),
                    variant="subtle",
                    color="gray",
                    size="lg",
                    **{"aria-label": "Switch between light and dark"},
                ),
                label="Light or dark",
            ),
        ],
        className="header-actions",
    )
    navigation = html.Nav(_links(pages, "/"), id="navigation", className="navigation", **{"aria-label": "Main"})
    return html.Header(html.Div([brand, navigation, actions], className="header-inner"), className="header")


def _links(pages: Sequence[Page], path: str) -> list[Component]:
    return [
        dmc.Anchor(
            page.title,
            href=page.path,
            underline="never",
            className="navigation-link",
            **({"aria-current": "page"} if _is_at(page, path) else {}),
        )
        for page in pages
        if page.navigation
    ]


def _is_at(page: Page, path: str) -> bool:
    return page.parts(path) is not None or (page.path != "/" and path.startswith(f"{page.path}/"))


def register(app: Dash, context: Context, pages: Sequence[Page]) -> None:
    """The way to the right page, its title, the colour scheme and the help."""

    @app.callback(
        Output(PAGE, "children"),
        Output("navigation", "children"),
        Output("title", "data"),
        Input(URL, "pathname"),
        State(URL, "search"),
        on_error=lambda error: _broken(error, pages),
    )
    def go(path: Any, search: Any) -> tuple[Component, list[Component], str]:
        given = path if isinstance(path, str) and path else "/"
        path = without_base_path(app.config.requests_pathname_prefix.rstrip("/"), given)
        content, title = page_at(context, pages, path, search)
        return content, _links(pages, path), title

    app.clientside_callback(ClientsideFunction("shell", "setTitle"), Input("title", "data"))
    app.clientside_callback(
        ClientsideFunction("shell", "watchScheme"), Output(SCHEME, "data"), Input("navigation", "id")
    )
    shell_help.register(app)


def _broken(error: Exception, pages: Sequence[Page]) -> tuple[Component, list[Component], str]:
    callback_failed(error)
    text = "The page could not be made. The notification says what happened; the server's log says where."
    return nothing_page("Something went wrong", text), _links(pages, ""), NAME


def page_at(context: Context, pages: Sequence[Page], path: str, search: Any) -> tuple[Component, str]:
    """The content and the title of the page at an address; where there is none, a page that says so."""
    found = find_page(pages, path)
    if found is None:
        return nothing_page("There is no page here", f"The address {path} leads nowhere."), f"Not found · {NAME}"
    page, parts = found
    try:
        return page.layout(context, query_arguments(search), parts), f"{page.tab_title(context, parts)} · {NAME}"
    except UnknownRunError:
        text = "No run kept here has this address: it was deleted for good, or the address is not whole."
        return nothing_page("There is no such run", text), f"Not found · {NAME}"
    except UnknownCampaignError:
        text = "No campaign kept here has this address: it was deleted, or the address is not whole."
        return nothing_page(
            "There is no such campaign", text, ("To all campaigns", "/experiments")
        ), f"Not found · {NAME}"
    except InputError as error:
        return nothing_page("This cannot be shown", error_sentence(str(error))), f"Not found · {NAME}"


def nothing_page(title: str, text: str, others: tuple[str, str] = ("To all runs", "/runs")) -> Component:
    """A page with nothing on it but why, and the ways on: to the start, and to the others of what was looked for."""
    ways = dmc.Group(
        [
            dmc.Anchor(dmc.Button("To the start page", tabIndex=-1), href="/"),
            dmc.Anchor(dmc.Button(others[0], variant="default", tabIndex=-1), href=others[1]),
        ]
    )
    return dmc.Stack([dmc.Title(title, order=1), dmc.Text(text, c="dimmed"), ways], className="nothing", align="center")
