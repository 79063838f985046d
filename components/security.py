"""Who may talk to the dashboard, and what a page may load.

A dashboard on one's own machine is open to every web page one visits, unless it looks at the names it is
called by (DNS rebinding) and at where a request comes from.
"""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from dash import Dash
from flask import Response, abort, request

LOCAL_NAMES = ("localhost", "127.0.0.1", "::1")
LARGEST_REQUEST = 64 * 2**20
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


def protect(app: Dash, hosts: Sequence[str] = ()) -> None:
    """Check Host and Origin, bound the size of requests and send a content policy.

    Call it last: the policy names every inline script there is by then.
    """
    trusted = {name.strip("[]").lower() for name in (*LOCAL_NAMES, *hosts)}
    app.server.config["MAX_CONTENT_LENGTH"] = LARGEST_REQUEST
    headers = {**HEADERS, "Content-Security-Policy": _policy(app)}

    @app.server.before_request
    def check_names() -> None:
        host = request.host
        name = urlsplit(f"//{host}").hostname  # Flask's own TRUSTED_HOSTS knows no IPv6
        if name not in trusted:
            abort(400, description=f"this server is not called {name}; start it with --trust {name} if it is")
        origin = request.headers.get("Origin")
        if request.method not in ("GET", "HEAD", "OPTIONS") and origin and urlsplit(origin).netloc != host:
            abort(403, description=f"requests must come from {host}, but this one came from {origin}")

    @app.server.after_request
    def add_headers(response: Response) -> Response:
        response.headers.update(headers)
        return response


def _policy(app: Dash) -> str:
    scripts = " ".join(app.csp_hashes())
    return (
        f"default-src 'self'; script-src 'self' {scripts}; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data: blob:; connect-src 'self'; font-src 'self' data:; object-src 'none'; "
        "base-uri 'self'; frame-ancestors 'none'; form-action 'self'"
    )
