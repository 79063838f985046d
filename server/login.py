"""The token: what a browser must show once where the dashboard can be reached from other machines.

The server prints a link that has it. Whoever opens the link gets a cookie of its own (`logins.py`) and an address
without the token; everybody else gets a page that says what is missing. Programs send it as
`Authorization: Bearer <token>`.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import logging
import math
import os
import re
import secrets
import socket
from collections.abc import Sequence
from html import escape
from pathlib import Path
from urllib.parse import urlencode

from flask import Flask, Response, redirect, request
from werkzeug.wrappers import Response as Answer

from mapelites.core.errors import InputError
from mapelites.system.files import SMALL, read_file
from server import logins_page
from server.logins import LASTS, GuessLimit, Logins

VARIABLE = "MAPELITES_TOKEN"
FILE = "token"
SHORTEST = 16
SPELLING = re.compile(r"[A-Za-z0-9._~-]+")  # what an address and a header can hold as it is
OPEN_PATHS = ("/healthz",)  # says nothing but whether it works, and whoever watches over it has no cookie
LONGEST_FORM = 10_000  # bytes
COOKIE_SECONDS = int(LASTS)

log = logging.getLogger("dashboard")


def is_remotely_reachable(host: str, trusted: Sequence[str] = (), *, proxied: bool = False) -> bool:
    """Whether other machines can come: to this address, or through a proxy, by the names that it is given there."""
    return proxied or bool(trusted) or _is_reached(host)


def _is_reached(host: str) -> bool:
    """Whether other machines can reach what listens at this address."""
    try:
        found = {each[4][0] for each in socket.getaddrinfo(host or "::", None)}
    except (OSError, UnicodeError):  # nobody knows it, or it is no name at all
        return True
    return not all(ipaddress.ip_address(str(each).partition("%")[0]).is_loopback for each in found)


def token_for(folder: Path, *, shared: bool) -> str | None:
    """The token to ask for: the environment's, or the folder's own where others can come."""
    named = os.environ.get(VARIABLE)
    if named:
        return checked_token(named)
    return stored_token(folder) if shared else None


def checked_token(token: str) -> str:
    """The token somebody chose, if it is hard to guess and easy to send."""
    if len(token) < SHORTEST or not SPELLING.fullmatch(token):
        said = f"{len(token)} characters" if len(token) < SHORTEST else "others"
        raise InputError(f"{VARIABLE} must have {SHORTEST} letters, digits or ._~- or more, but it had {said}")
    return token


def stored_token(folder: Path) -> str:
    """The token in the folder of the runs, made where there is none; so links and cookies outlive a restart."""
    file = folder / FILE
    try:
        with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as new:
            new.write(secrets.token_urlsafe(32))
    except FileExistsError:
        pass
    except OSError as error:
        raise InputError(f"{file} must be writable for the token, but the system said: {error.strerror}") from None
    try:
        return checked_token(read_file(file, SMALL).decode(errors="replace").strip())
    except InputError:
        raise InputError(
            f"{file} must hold the token, but it holds something else; delete it to have a new one"
        ) from None
    except OSError as error:
        raise InputError(f"{file} must be readable for the token, but the system said: {error.strerror}") from None


def require_token(server: Flask, token: str, folder: Path, base_path: str = "") -> None:
    """Let only those in who have shown the token; their logins are kept in the folder."""
    # Cookies know no ports: two dashboards of one machine must not overwrite each other's.
    cookie = f"illuminate-{hashlib.sha256(token.encode()).hexdigest()[:8]}"
    logins, guesses = Logins(folder, token), GuessLimit()
    logins_page.register(server, logins, cookie, base_path)

    @server.before_request
    def check_token() -> Answer | None:
        if request.path in OPEN_PATHS:
            return None
        shown, said = _shown(), request.authorization
        bearer = said.token if said is not None and said.type == "bearer" else None
        if shown is None and logins.find(request.cookies.get(cookie)) is not None:
            return None
        if shown is None and bearer is None:
            return _refusal(base_path, wrong=False)
        address = request.remote_addr or "unknown"
        if wait := guesses.wait(address):
            return _not_so_fast(wait)
        if not _is_token(shown if shown is not None else bearer, token):
            guesses.note(address)
            return _refusal(base_path, wrong=shown is not None)
        return None if shown is None else _signed_in(logins, cookie, base_path, address)


def _is_token(given: str | None, token: str) -> bool:
    return given is not None and hmac.compare_digest(given.encode(errors="replace"), token.encode())


def _signed_in(logins: Logins, cookie: str, base_path: str, address: str) -> Answer:
    """The way to the page that was asked for, with a secret of this browser's own."""
    answer = redirect(_without_token(base_path), 303)
    answer.set_cookie(
        cookie, logins.begin(address, request.headers.get("User-Agent", "")), max_age=COOKIE_SECONDS,
        path=f"{base_path}/", httponly=True, samesite="Strict",
        secure=request.headers.get("X-Forwarded-Proto", request.scheme) == "https",
    )  # fmt: skip
    answer.headers["Cache-Control"] = "no-store"
    return answer


def _not_so_fast(wait: float) -> Answer:
    """What an address is told from which too many wrong tokens came: no token of its is looked at."""
    log.warning("too many wrong tokens", extra={"client": request.remote_addr})
    text = f"Too many wrong tokens came from your address. Wait {math.ceil(wait)} s, then try again.\n"
    answer = Response(text, 429, mimetype="text/plain")
    answer.headers.update({"Retry-After": str(math.ceil(wait)), "Cache-Control": "no-store"})
    return answer


def _shown() -> str | None:
    """The token in a link or from the form of the refusal."""
    if request.method == "POST" and request.mimetype == "application/x-www-form-urlencoded":
        request.max_content_length = LONGEST_FORM  # anybody may send one, and it is read before they are known
        return request.form.get("token")
    return request.args.get("token") if request.method == "GET" else None


def _without_token(base_path: str) -> str:
    """This address without the token; one slash at its start, for two would lead to another server."""
    rest = urlencode([pair for pair in request.args.items(multi=True) if pair[0] != "token"])
    return f"{base_path}/{request.path.lstrip('/')}" + (f"?{rest}" if rest else "")


def _refusal(base_path: str, *, wrong: bool) -> Answer:
    log.warning("refused without the token", extra={"client": request.remote_addr, "path": request.path})
    words = "That token is not the right one." if wrong else "This dashboard wants to know who you are."
    if "text/html" not in request.headers.get("Accept", ""):
        text = f"{words} Send the header Authorization: Bearer <token>; the server printed the token at its start.\n"
        answer = Response(text, 401, mimetype="text/plain")
    elif request.headers.get("Sec-Fetch-Site") == "cross-site" and request.method == "GET":
        # Coming from another site a browser keeps the cookie to itself; asked again by this page, it sends it.
        again = escape(_without_token(base_path))
        answer = Response(f'<!DOCTYPE html><meta http-equiv="refresh" content="0;url={again}">')
    else:
        answer = Response(PAGE.replace("{words}", words), 401)
    answer.headers.update({"WWW-Authenticate": "Bearer", "Cache-Control": "no-store"})
    return answer


PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Token needed · Illuminate</title>
<link rel="icon" href="data:,">
<style>
  body { display: grid; place-items: center; min-height: 90vh; margin: 0 16px; line-height: 1.5;
         font-family: Inter, "Segoe UI", system-ui, -apple-system, "Helvetica Neue", Arial, sans-serif; }
  main { max-width: 30rem; }
  h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .5rem; }
  .name { font-weight: 700; margin: 0 0 .75rem; opacity: .75; }
  form { display: flex; gap: .5rem; margin-top: 1.25rem; flex-wrap: wrap; }
  label { flex-basis: 100%; font-weight: 600; }
  input { flex: 1 1 14rem; }
  input, button { font: inherit; padding: .5rem .75rem; border: 1px solid #868e96; border-radius: 8px; }
  button { background: #3b5bdb; border-color: #3b5bdb; color: #fff; font-weight: 600; cursor: pointer; }
  code { overflow-wrap: anywhere; }
</style>
</head>
<body>
<main>
<p class="name">Illuminate</p>
<h1>{words}</h1>
<p>Open the link that the server printed when it started, <code>http://…/?token=…</code>, or paste the token
from it here. This browser then remembers it for 30 days.</p>
<form method="post">
<label for="token">Token</label>
<input id="token" name="token" type="password" autocomplete="current-password" required autofocus>
<button>Sign in</button>
</form>
</main>
</body>
</html>
"""
