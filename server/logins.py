"""Who is signed in: each browser has a secret of its own, of which only the check sum is kept, and can be signed out.

They lie in a file in the folder of the runs, so that they outlive a restart and the command line can end them. Whoever
guesses is made to wait.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import secrets
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from mapelites.core.errors import InputError
from mapelites.system.files import json_of, read_file, write_whole
from mapelites.system.locks import EXCLUSIVE, hold_lock

FILE = "logins.json"
LASTS = 30 * 24 * 3600.0  # seconds
LARGEST = 2**22  # bytes
MOST = 1_000  # the ones that were used longest ago go
NOTED = 300.0  # seconds after which it is put down anew when somebody was seen last
log = logging.getLogger("dashboard")
LONGEST = 200  # characters of what a browser says of itself
GUESSES, MINUTE, ADDRESSES = 10, 60.0, 10_000


@dataclass(frozen=True)
class Login:
    """One browser that has shown the token."""

    id: str
    check_sum: str  # of its secret
    token: str  # the check sum of the token that it showed: with another token it is signed out
    since: float
    seen: float
    address: str
    browser: str


class Logins:
    """The logins of a store, in a file that several processes read and write."""

    def __init__(self, folder: Path, token: str = "", now: Callable[[], float] = time.time) -> None:
        self._file, self._token, self._now = folder / FILE, _check_sum(token), now
        self._lock = threading.Lock()
        self._read: tuple[tuple[int, int], dict[str, Login]] | None = None
        self._unwritten: dict[str, Login] | None = None  # where nothing could be written: until this process ends

    def begin(self, address: str, browser: str) -> str:
        """What the cookie of a browser holds that has just shown the token."""
        login_id, secret, now = secrets.token_hex(4), secrets.token_urlsafe(32), self._now()
        new = Login(login_id, _check_sum(secret), self._token, now, now, address[:LONGEST], browser[:LONGEST])
        self._change(lambda known: {**known, login_id: new})
        return f"{login_id}.{secret}"

    def find(self, cookie: str | None) -> Login | None:
        """The login of a cookie, if it still holds."""
        login_id, _, secret = (cookie or "").partition(".")
        found = self.all().get(login_id)
        if found is None or found.token != self._token or not hmac.compare_digest(found.check_sum, _check_sum(secret)):
            return None
        if self._now() - found.seen > NOTED:
            seen = replace(found, seen=self._now())
            self._change(lambda known: {**known, login_id: seen} if login_id in known else known)
        return found

    def end(self, login_id: str) -> None:
        """Sign a browser out."""
        if login_id not in self.all():
            raise InputError(f"login: the id must be that of one, but there is no login {login_id!r}")
        self._change(lambda known: {name: each for name, each in known.items() if name != login_id})

    def all(self) -> dict[str, Login]:
        """Those that still hold, by their ids."""
        now = self._now()
        return {name: each for name, each in self._stored().items() if now - each.since < LASTS}

    def listed(self) -> list[Login]:
        """Those signed in with the present token, the one seen last first."""
        found = [each for each in self.all().values() if not self._token or each.token == self._token]
        return sorted(found, key=lambda each: each.seen, reverse=True)

    def _stored(self) -> dict[str, Login]:
        if self._unwritten is not None:
            return self._unwritten
        try:
            about = self._file.stat()
            stamp = about.st_mtime_ns, about.st_ino
            if self._read is None or self._read[0] != stamp:
                self._read = stamp, _parsed(read_file(self._file, LARGEST))
        except OSError:
            return {}
        return self._read[1]

    def _change(self, change: Callable[[dict[str, Login]], dict[str, Login]]) -> None:
        with self._lock:
            try:
                with hold_lock(self._file.with_name(f".{FILE}.lock"), EXCLUSIVE):
                    known = change(self.all())
                    kept = sorted(known.values(), key=lambda each: each.seen)[-MOST:]
                    write_whole(self._file, json.dumps([asdict(each) for each in kept]).encode())
                    self._unwritten = None
            except OSError as error:  # a full disk must not keep anybody out
                log.warning("logins could not be put down: %s", error)
                self._unwritten = change(self.all())


class GuessLimit:
    """How many wrong tokens came from each address within the last minute."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now, self._lock = now, threading.Lock()
        self._wrong: OrderedDict[str, deque[float]] = OrderedDict()

    def wait(self, address: str) -> float:
        """The seconds until the next token of this address is looked at; 0 where it is at once."""
        with self._lock:
            times = self._wrong.get(address)
            if times is None or len(times) < GUESSES:
                return 0.0
            return max(0.0, MINUTE - (self._now() - times[0]))

    def note(self, address: str) -> None:
        """One more wrong token."""
        with self._lock:
            times = self._wrong.setdefault(address, deque(maxlen=GUESSES))
            times.append(self._now())
            self._wrong.move_to_end(address)
            while len(self._wrong) > ADDRESSES:
                self._wrong.popitem(last=False)


def _check_sum(text: str) -> str:
    return hashlib.sha256(text.encode(errors="replace")).hexdigest() if text else ""


def _parsed(content: bytes) -> dict[str, Login]:
    """The logins of a file; of a damaged one none, and everybody shows the token once more."""
    try:
        found = [_login(table) for table in json_of(content)]
    except (ValueError, TypeError, KeyError, AttributeError):
        return {}
    return {each.id: each for each in found}


def _login(table: Mapping[str, Any]) -> Login:
    words = {name: str(table[name]) for name in ("id", "check_sum", "token", "address", "browser")}
    return Login(**words, since=float(table["since"]), seen=float(table["seen"]))
