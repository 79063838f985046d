"""The browser of whoever starts the dashboard, opened once there is something to see."""

from __future__ import annotations

import os
import sys
import threading
import time
import webbrowser
from http.client import HTTPConnection, HTTPException

PATIENCE = 120.0  # seconds until nobody waits for the page any more
PERIOD = 0.2
ANSWER_SECONDS = 2.0  # that a server that listens already may take for its first answer


def has_desktop() -> bool:
    """Whether somebody sits before this machine, as far as it can be told."""
    if "SSH_CONNECTION" in os.environ:
        return False
    return sys.platform in ("darwin", "win32") or any(os.environ.get(each) for each in ("DISPLAY", "WAYLAND_DISPLAY"))


def show_when_ready(link: str, host: str, port: int) -> threading.Thread:
    """Open the link as soon as somebody answers there; whoever calls need not wait."""
    thread = threading.Thread(target=_show, args=(link, host, port), name="browser", daemon=True)
    thread.start()
    return thread


def is_answered(host: str, port: int) -> bool:
    """Whether a web server answers there, whatever it says."""
    connection = HTTPConnection(host, port, timeout=ANSWER_SECONDS)
    try:
        connection.request("GET", "/healthz")
        connection.getresponse().read()
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()
    return True


def _show(link: str, host: str, port: int) -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if is_answered(host, port):
            webbrowser.open(link)
            return
        time.sleep(PERIOD)
