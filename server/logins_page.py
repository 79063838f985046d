"""`/logins`: which browsers are signed in, and a button for each that signs it out."""

from __future__ import annotations

import time
from html import escape

from flask import Flask, Response, abort, redirect, request
from werkzeug.wrappers import Response as Answer

from mapelites.core.errors import InputError
from server.logins import Login, Logins

LONGEST_FORM = 10_000  # bytes
# What stands in the name by which a browser calls itself, and what people call it; the first found counts.
BROWSERS = {"Edg": "Edge", "OPR": "Opera", "Firefox": "Firefox", "Chrome": "Chrome", "Safari": "Safari"}
SYSTEMS = {
    "Windows": "Windows",
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Android": "Android",
    "Mac OS": "Mac",
    "Linux": "Linux",
}


def register(server: Flask, logins: Logins, cookie: str, base_path: str) -> None:
    """The page, and what its buttons send."""

    @server.get("/logins")
    def list_logins() -> Response:
        own = (request.cookies.get(cookie) or "").partition(".")[0]
        rows = "".join(_row(each, own, base_path) for each in logins.listed())
        answer = Response(PAGE.replace("{rows}", rows).replace("{home}", escape(f"{base_path}/")))
        answer.headers["Cache-Control"] = "no-store"
        return answer

    @server.post("/logins/end")
    def end_login() -> Answer:
        request.max_content_length = LONGEST_FORM
        try:
            logins.end(request.form.get("login", ""))
        except InputError as error:
            abort(404, description=str(error))
        return redirect(f"{base_path}/logins", 303)


def browser_words(agent: str) -> str:
    """A browser as people call it, where it is a known one.

    >>> browser_words("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36")
    'Chrome on Linux'
    """
    browser, system = (
        next((word for sign, word in known.items() if sign in agent), "") for known in (BROWSERS, SYSTEMS)
    )
    return f"{browser} on {system}" if browser and system else agent or "unknown"


def _row(login: Login, own: str, base_path: str) -> str:
    here = " <strong>(this one)</strong>" if login.id == own else ""
    words = browser_words(login.browser)
    whole = f' title="{escape(login.browser)}"' if words != login.browser else ""
    return (
        f"<tr><td{whole}>{escape(words)}{here}</td>"
        f'<td data-label="Address">{escape(login.address)}</td>'
        f'<td data-label="Since">{_when(login.since)}</td><td data-label="Seen last">{_when(login.seen)}</td>'
        f'<td><form method="post" action="{escape(base_path)}/logins/end">'
        f'<input type="hidden" name="login" value="{escape(login.id)}">'
        f'<button aria-label="Sign out {escape(login.id)}">Sign out</button></form></td></tr>'
    )


def _when(moment: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(max(0.0, min(moment, 2e11))))


PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Logins · Illuminate</title>
<link rel="icon" href="data:,">
<style>
  body { margin: 24px auto; max-width: 70rem; padding: 0 16px; line-height: 1.5;
         font-family: Inter, "Segoe UI", system-ui, -apple-system, "Helvetica Neue", Arial, sans-serif; }
  h1 { font-size: 1.6rem; }
  .scroll { overflow-x: auto; }
  table { border-collapse: collapse; width: 100%; }
  th, td { text-align: left; padding: .5rem .75rem .5rem 0; border-bottom: 1px solid #868e9655; overflow-wrap: anywhere;
           min-width: 7rem; }
  @media (max-width: 640px) {
    thead { display: none; }
    tr, td { display: block; border: 0; padding: .15rem 0; }
    tr { padding: .75rem 0; border-bottom: 1px solid #868e9655; }
    td[data-label]::before { content: attr(data-label) ": "; opacity: .7; }
  }
  button { font: inherit; padding: .4rem .75rem; border: 1px solid #868e96; border-radius: 8px; cursor: pointer; }
</style>
</head>
<body>
<h1>Who is signed in</h1>
<p>Each browser that has shown the token is here until it is signed out, or for 30 days.
<a href="{home}">Back to the dashboard</a></p>
<div class="scroll"><table>
<thead><tr><th>Browser</th><th>Address</th><th>Since</th><th>Seen last</th><th></th></tr></thead>
<tbody>{rows}</tbody>
</table></div>
</body>
</html>
"""
