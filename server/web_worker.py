"""How gunicorn waits for requests: a client that sends half of one, or reads no answer, is let go after a while.

gunicorn's threads read for as long as a client likes, so that a few who send half a request would keep all others out.
Here a client has a thread once it has said all that it wants, and one address at most half of the threads and
connections. Only what is too long to be kept until all of it is there is read in a thread, in few of them for each
address, so that who sends files slowly keeps nobody from the pages.
waitress reads half a request without a thread too, but whoever sends a byte now and then stays for ever there, and one
address may fill every connection.
"""

from __future__ import annotations

import errno
import re
import resource
import selectors
import socket
import struct
import threading
import time
from collections import Counter, deque
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from gunicorn import util
from gunicorn.workers.gthread import TConn, ThreadWorker

from mapelites.system.processes import end_with, exit_at_once

SLOWEST = 20_000  # bytes per second; whoever sends a large file is given the time that it takes at this rate
NOTIFY_SECONDS = 1.0  # gunicorn waits thirty
SEND_SECONDS = 60  # that a client may leave an answer where it is
LOOK_SECONDS = 0.5  # between looks for those who took too long
FULL_SECONDS = 0.1  # to wait where the system lets nobody else in
LONGEST_HEAD = 2**16  # bytes; what is longer is refused in a thread
HEAD_ENDS = re.compile(rb"\n\r?\n")
LENGTH = re.compile(rb"^content-length:[ \t]*([0-9]{1,9})[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)
LONGEST_KEPT = 2**20  # bytes of a body that is waited for without a thread; what is longer is a file
MOST_KEPT = 2**25  # bytes that all who wait so may have sent
LONG_THREADS = 4  # of one address, that read what is too long to be kept
OWN_FILES = 512  # files that are open besides the connections: each thread has the store open
PASSING = (errno.EAGAIN, errno.ECONNABORTED, errno.EWOULDBLOCK)  # the client is gone again
FULL = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)  # the system has no room for one more


Lane = tuple[str, bool]  # the requests of one address, those that are long for themselves


class DeadlineSocket:
    """A socket that is read up to a moment; what has not come by then is taken for the end.

    >>> ours, theirs = socket.socketpair()
    >>> reading = DeadlineSocket(ours, 0.01)
    >>> theirs.send(b"GET /")
    5
    >>> reading.recv(100), reading.recv(100)
    (b'GET /', b'')
    >>> ours.close(), theirs.close()
    (None, None)
    """

    def __init__(self, connection: socket.socket, seconds: float) -> None:
        self._connection, self._end = connection, time.monotonic() + seconds

    def recv(self, size: int) -> bytes:
        """The next bytes, or none."""
        with selectors.DefaultSelector() as waiting:
            waiting.register(self._connection, selectors.EVENT_READ)
            if not waiting.select(max(0.0, self._end - time.monotonic())):
                return b""
        content = self._connection.recv(size)
        # Every byte buys time at the slowest rate allowed: a large file may take long, a trickle may not.
        self._end += len(content) / SLOWEST
        return content


class KeptBytes:
    """What all clients have sent of requests that are not whole yet, in bytes."""

    def __init__(self) -> None:
        self.count, self._lock = 0, threading.Lock()

    def add(self, more: int) -> None:
        """So many more, or fewer."""
        with self._lock:
            self.count += more


class DeadlineConnection(TConn):  # type: ignore[misc]
    """A client, whose every request has so many seconds to arrive as a connection may be idle."""

    def __init__(
        self, cfg: Any, sock: socket.socket, client: Any, server: Any, left: Callable[[], None], kept: KeptBytes
    ) -> None:
        super().__init__(cfg, sock, client, server)
        self._left: Callable[[], None] | None = left
        self._said, self._kept = bytearray(), kept
        self._needed: int | None = None  # bytes of the whole request, where its head told
        self.is_long = False  # whether a thread has to read it

    @property
    def address(self) -> str:
        """Where the client is."""
        return str(self.client[0])

    def init(self) -> None:
        """What gunicorn calls in a thread, before each request is read."""
        super().init()
        self.parser.unreader.sock = DeadlineSocket(self.sock, self.cfg.keepalive)
        self.parser.unreader.unread(bytes(self._said))
        self._forget()

    def _forget(self) -> None:
        self._kept.add(-len(self._said))
        self._said, self._needed = bytearray(), None

    def is_request_complete(self) -> bool:
        """Read what has come, without waiting, and see whether it is worth a thread: a whole request, one that is too
        long to be kept, the end, or what is no request at all.
        """
        try:
            came = self.sock.recv(LONGEST_HEAD, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return False
        except OSError:  # the client is gone, as the thread will see
            return True
        before = len(self._said)
        self._said += came
        self._kept.add(len(came))
        if self._needed is None:
            head = HEAD_ENDS.search(self._said, max(0, before - 3))
            if head is None:
                # A method begins with a letter. Anything else (TLS by mistake, say) is refused in a thread at once.
                return not came or not self._said[:1].isalpha() or len(self._said) > LONGEST_HEAD
            self._read_head(head.end())
        self.timeout += len(came) / SLOWEST
        self.is_long = self.is_long or (len(self._said) < (self._needed or 0) and self._kept.count > MOST_KEPT)
        return not came or self.is_long or len(self._said) >= (self._needed or 0)

    def _read_head(self, size: int) -> None:
        """How long the request is; what does not say it in the plain way is read in a thread, which answers it."""
        head = bytes(self._said[:size])
        lengths, lowered = LENGTH.findall(head), head.lower()
        body = int(lengths[0]) if lengths else 0
        plain = len(lengths) == lowered.count(b"content-length") <= 1 and b"transfer-encoding" not in lowered
        self._needed = size + body
        self.is_long = not plain or body > LONGEST_KEPT
        if b"100-continue" in lowered and not self.is_long:
            with suppress(OSError):
                self.sock.send(b"HTTP/1.1 100 Continue\r\n\r\n", socket.MSG_DONTWAIT)

    def close(self, graceful: bool = False) -> None:
        """What gunicorn calls where it accepts others, so that nothing is waited for; `Worker.handle` has done that."""
        util.close(self.sock)
        self._forget()
        if self._left is not None:
            self._left()
            self._left = None


class DeadlineWorker(ThreadWorker):  # type: ignore[misc]
    """gunicorn's threads, without those who never finish what they say; who says nothing yet has no thread at all."""

    _notified = float("-inf")

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._here: Counter[str] = Counter()  # connections by address
        self._busy: Counter[Lane] = Counter()  # threads
        self._waiting: dict[Lane, deque[DeadlineConnection]] = {}  # for one of its threads
        self._kept = KeptBytes()
        self._looked = float("-inf")

    def init_process(self) -> None:
        """What gunicorn calls in the new process: end with the one that started it, even where we are frozen."""
        end_with(self.ppid)
        self.worker_connections: int = _room_for(self.cfg.worker_connections)
        super().init_process()

    def notify(self) -> None:
        """Tell gunicorn that we live: not at every turn of its loop, of which a request takes several."""
        if time.monotonic() - self._notified > NOTIFY_SECONDS:
            self._notified = time.monotonic()
            super().notify()

    def run(self) -> None:
        """Answer until told to leave; what is not answered by then is waited for no longer."""
        super().run()
        exit_at_once(0)

    def set_accept_enabled(self, enabled: bool) -> None:
        """What gunicorn calls to let others in or not; in the end nobody waits for those who have not said a word."""
        super().set_accept_enabled(enabled)
        while not self.alive and self.pending_conns:
            connection = self.pending_conns.popleft()
            self.poller.unregister(connection.sock)
            self.nr_conns -= 1
            connection.close()

    def handle(self, connection: Any) -> Any:
        """Answer a request in a thread, and say good-bye to a client there: some take their time to go."""
        goes_on = super().handle(connection)
        if not goes_on:
            util.close_graceful(connection.sock)
        return goes_on

    def on_pending_socket_readable(self, conn: DeadlineConnection, client: socket.socket) -> None:
        """What gunicorn calls where a new client says something; in time it has to say all of what it wants."""
        if conn.is_request_complete():
            super().on_pending_socket_readable(conn, client)

    def on_client_socket_readable(self, conn: DeadlineConnection, client: socket.socket) -> None:
        """What gunicorn calls where a client says something again; with half of it, it waits with the new ones."""
        if conn.is_request_complete():
            super().on_client_socket_readable(conn, client)
            return
        self.keepalived_conns.remove(conn)
        conn.set_timeout()
        self.pending_conns.append(conn)
        self.poller.modify(client, selectors.EVENT_READ, partial(self.on_pending_socket_readable, conn))

    def murder_pending(self) -> None:
        """What gunicorn calls now and then: those who took too long go. Not in order: who sends more has more time."""
        now = time.monotonic()
        if now - self._looked < LOOK_SECONDS:
            return
        self._looked = now
        late = [each for each in self.pending_conns if each.timeout <= now]
        for connection in late:
            self.pending_conns.remove(connection)
            self.poller.unregister(connection.sock)
            self.nr_conns -= 1
            connection.close()

    def enqueue_req(self, conn: DeadlineConnection) -> None:
        """What gunicorn calls where a client has said something: a thread for it, unless its address has enough."""
        # Half of the threads at most: whoever keeps them busy leaves the other half to all others.
        lane = conn.address, conn.is_long
        if self._busy[lane] >= min(LONG_THREADS if conn.is_long else self.cfg.threads, max(1, self.cfg.threads // 2)):
            self._waiting.setdefault(lane, deque()).append(conn)
            return
        self._busy[lane] += 1
        super().enqueue_req(conn)

    def finish_request(self, conn: DeadlineConnection, fs: Any) -> None:
        """What gunicorn calls where a thread is free again: it is for whoever waits at the same address."""
        # Half of the threads at most: whoever keeps them busy leaves the other half to all others.
        lane = conn.address, conn.is_long
        _count_down(self._busy, lane)
        conn.is_long = False
        super().finish_request(conn, fs)
        waiting = self._waiting.get(lane)
        if waiting:
            self.enqueue_req(waiting.popleft())
        if not waiting:
            self._waiting.pop(lane, None)

    def accept(self, listener: socket.socket) -> None:
        """Take in a client, and wait for its first word without a thread; more than enough of one address go again."""
        try:
            client, address = listener.accept()
        except OSError as error:
            if error.errno not in PASSING + FULL:
                raise
            if error.errno in FULL:
                time.sleep(FULL_SECONDS)  # somebody will leave; to ask again at once would only keep a core busy
            return
        place = str(address[0])
        if self._here[place] >= self.worker_connections // 2:
            util.close(client)
            return
        self._here[place] += 1
        self.nr_conns += 1
        # A client that reads no answer would keep its thread for ever; the kernel gives up the sending.
        client.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", SEND_SECONDS, 0))
        left = partial(_count_down, self._here, place)
        connection = DeadlineConnection(self.cfg, client, address, listener.getsockname(), left, self._kept)
        connection.set_timeout()
        self.pending_conns.append(connection)
        self.poller.register(client, selectors.EVENT_READ, partial(self.on_pending_socket_readable, connection))


def _count_down(counted: Counter[Any], name: str | Lane) -> None:
    """One less; what nobody has is not kept."""
    counted[name] -= 1
    if counted[name] <= 0:
        del counted[name]


def _room_for(connections: int) -> int:
    """So many connections, or as many as this process may have open at most beside its own files."""
    allowed, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if allowed == resource.RLIM_INFINITY:
        return connections
    wanted = connections + OWN_FILES
    if most != resource.RLIM_INFINITY:
        wanted = min(wanted, most)
    if allowed < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))
        allowed = wanted
    # Where the limit of open files is low, half of it is for connections: stores and logs need the rest.
    return min(connections, max(allowed // 2, allowed - OWN_FILES))
