"""How gunicorn waits for requests: a client that sends half of one, or reads no answer, is let go after a while.

gunicorn's threads read for as long as a client likes, so that a few who send half a request would keep all others out.
"""

from __future__ import annotations

import errno
import selectors
import socket
import struct
import time
from functools import partial
from typing import Any

from gunicorn import util
from gunicorn.workers.gthread import TConn, ThreadWorker

from mapelites.family import end_with, leave

SLOWEST = 20_000  # bytes per second; whoever sends a large file is given the time that it takes at this rate
NOTIFY_SECONDS = 1.0  # gunicorn waits thirty
SEND_SECONDS = 60  # that a client may leave an answer where it is


class Deadline:
    """A socket that is read up to a moment; what has not come by then is taken for the end.

    >>> ours, theirs = socket.socketpair()
    >>> reading = Deadline(ours, 0.01)
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
        self._end += len(content) / SLOWEST
        return content


class Connection(TConn):  # type: ignore[misc]
    """A client, whose every request has so many seconds to arrive as a connection may be idle."""

    def init(self) -> None:
        """What gunicorn calls in a thread, before each request is read."""
        super().init()
        self.parser.unreader.sock = Deadline(self.sock, self.cfg.keepalive)

    def close(self, graceful: bool = False) -> None:
        """What gunicorn calls where it accepts others, so that nothing is waited for; `Worker.handle` has done that."""
        util.close(self.sock)


class Worker(ThreadWorker):  # type: ignore[misc]
    """gunicorn's threads, without those who never finish what they say; who says nothing yet has no thread at all."""

    _notified = float("-inf")

    def init_process(self) -> None:
        """What gunicorn calls in the new process: end with the one that started it, even where we are frozen."""
        end_with(self.ppid)
        super().init_process()

    def notify(self) -> None:
        """Tell gunicorn that we live: not at every turn of its loop, of which a request takes several."""
        if time.monotonic() - self._notified > NOTIFY_SECONDS:
            self._notified = time.monotonic()
            super().notify()

    def run(self) -> None:
        """Answer until told to leave; what is not answered by then is waited for no longer."""
        super().run()
        leave(0)

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

    def accept(self, listener: socket.socket) -> None:
        """Take in a client, and wait for its first word without a thread."""
        try:
            client, address = listener.accept()
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.ECONNABORTED, errno.EWOULDBLOCK):
                raise
            return
        self.nr_conns += 1
        client.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", SEND_SECONDS, 0))
        connection: Any = Connection(self.cfg, client, address, listener.getsockname())
        connection.set_timeout()
        self.pending_conns.append(connection)
        self.poller.register(client, selectors.EVENT_READ, partial(self.on_pending_socket_readable, connection))
