"""Who may talk to the dashboard, and what a page may load.

A dashboard on one's own machine is open to every web page one visits, unless it looks at the names it is
called by (DNS rebinding) and at where a request comes from. One that other machines can reach asks for a
token besides (`login.py`).
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from dash import Dash
from flask import Response, abort, request
from werkzeug.middleware.proxy_fix import ProxyFix

from components.shared.upload import LARGEST_REQUEST
from mapelites.core.errors import InputError
from server import login
from server import requests as security_requests
from server.limits import USUAL, ClientLimits

LOCAL_NAMES = ("localhost", "127.0.0.1", "::1")
NAME = re.compile(r"[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63}){0,30}\.?")
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


@dataclass(frozen=True)
class Access:
    """How the dashboard may be reached, and what those who reach it may have done."""

    hosts: tuple[str, ...] = ()  # further names by which it may be called
    token: str | None = None  # None: whoever reaches it may use it
    base_path: str = ""  # such as /illuminate
    limits: ClientLimits = USUAL
    schedulers: tuple[str, ...] = ()  # the Dask schedulers that may be given work
    proxied: bool = False  # nobody but a proxy reaches it, which says who the client is


HERE = Access()  # on one's own machine


def checked_name(text: str) -> str:
    """A name by which browsers may call the server, as they send it: without scheme, port and path.

    >>> checked_name("Tools.example")
    'tools.example'
    """
    name = text.strip("[]").lower()
    if not NAME.fullmatch(name) and not _is_address(name):
        raise InputError(f"--trust must be a name or an address such as tools.example, but it was {text!r}")
    return name


def protect_app(app: Dash, access: Access, folder: Path) -> None:
    """Check Host, token and Origin, bound the size of requests and send a content policy.

    Logins are kept in the folder.

    Call it last: the policy names every inline script there is by then, and the requests every callback.
    """
    if access.proxied:
        app.server.wsgi_app = ProxyFix(app.server.wsgi_app, x_for=1, x_proto=1, x_host=0)
    trusted = {name.strip("[]").lower() for name in (*LOCAL_NAMES, *access.hosts)}
    app.server.config["MAX_CONTENT_LENGTH"] = LARGEST_REQUEST
    headers = {**HEADERS, "Content-Security-Policy": _policy(app)}

    @app.server.before_request
    def check_names() -> None:
        host = request.host
        name = _hostname(f"//{host}")  # Flask's own TRUSTED_HOSTS knows no IPv6
        # A page that was led here by a false name cannot have the cookie, and a number is no name at all.
        if name not in trusted and not (access.token and _is_address(name)):
            called = name or request.headers.get("Host", "")
            abort(400, description=f"this server is not called {called}; start it with --trust {called} if it is")
        # Dash checks no origin: without this any page that is open in the same browser could start runs.
        origin = request.headers.get("Origin")
        if request.method not in ("GET", "HEAD", "OPTIONS") and origin and _place(origin) != host:
            reason = f"requests must come from {host}, but this one came from {origin}"
            abort(403, description=f"{reason}; a proxy in between must pass the Host header on")
        if _is_used_by_another_site():
            abort(403, description="other sites may lead here, but not show or use what is here")

    if access.token:
        login.require_token(app.server, access.token, folder, access.base_path)
    security_requests.check_callback(app)

    @app.server.after_request
    def add_headers(response: Response) -> Response:
        response.headers.update(headers)
        return response


def _is_used_by_another_site() -> bool:
    """Whether a page of another site asks for itself, as for a picture or in a frame, and not a person by a link."""
    said = request.headers
    by_link = (said.get("Sec-Fetch-Mode", "navigate"), said.get("Sec-Fetch-Dest", "document")) == (
        "navigate",
        "document",
    )
    return said.get("Sec-Fetch-Site") == "cross-site" and not by_link


def _hostname(address: str) -> str | None:
    try:
        return urlsplit(address).hostname
    except ValueError:
        return None


def _place(origin: str) -> str | None:
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return None


def _is_address(name: str | None) -> bool:
    try:
        ipaddress.ip_address(name or "")
    except ValueError:
        return False
    return True


def _policy(app: Dash) -> str:
    scripts = " ".join(app.csp_hashes())
    return (
        f"default-src 'self'; script-src 'self' {scripts}; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data: blob:; connect-src 'self'; font-src 'self' data:; object-src 'none'; "
        "base-uri 'self'; frame-ancestors 'none'; form-action 'self'"
    )
