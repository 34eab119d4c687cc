"""Local socket of a skill server for commands of its operator; see `openral_core.local_commands`."""

import json
import socket
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from threading import BoundedSemaphore, Thread
from typing import Any

from rclpy.node import Node

from openral_core.local_commands import is_trusted, read_line, socket_address
from openral_ros.resources import ResourceScope
from openral_ros.worker_thread import ExecutorQueue

MAX_CONNECTIONS = 32
"""Most connections at a time; a further one is closed, and its client turns to DDS."""
READ_TIMEOUT, ANSWER_TIMEOUT = 1.0, 10.0
"""Longest waits for a request and for its answer [s]."""
Answer = Callable[[Mapping[str, Any]], None]
Handler = Callable[[Mapping[str, Any], Answer], None]


class CommandSocket:
    """Server of commands of this user and of root; each is handled on the node's executor.

    A command whose sender has gone is not carried out, except one whose handler is in ``always``.

    Args:
        scope: Owns the socket.
        node: Its log tells when there is no socket.
        stop_topic: Fully qualified; names the socket.
        handlers: By command; each calls its answer once, on the executor.
        always: Commands that are carried out late, too.
    """

    def __init__(
        self,
        scope: ResourceScope,
        node: Node,
        stop_topic: str,
        handlers: Mapping[str, Handler],
        always: frozenset[str],
    ) -> None:
        self._handlers, self._always, self._queue = handlers, always, ExecutorQueue(scope)
        self._free = BoundedSemaphore(MAX_CONNECTIONS)
        address = socket_address(node.context.get_domain_id(), stop_topic)
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._listener.bind(address or b"")
            self._listener.listen(MAX_CONNECTIONS)
        except OSError as error:
            self._listener.close()
            node.get_logger().warning(f"No local socket for commands, which then take DDS alone: {error}")
            return
        self._thread = Thread(target=self._accept, name="commands", daemon=True)
        self._thread.start()
        scope.callback(self._close)

    def _close(self) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # wakes the thread
        self._thread.join()
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                connection = self._listener.accept()[0]
                if is_trusted(connection) and self._free.acquire(blocking=False):
                    Thread(target=self._serve, args=(connection,), name="command", daemon=True).start()
                else:
                    connection.close()

    def _serve(self, connection: socket.socket) -> None:
        with connection, suppress(OSError, ValueError, RecursionError, TimeoutError):
            try:
                request = json.loads(read_line(connection, READ_TIMEOUT))
                if isinstance(request, dict):
                    answered: Future[Mapping[str, Any]] = Future()
                    self._queue.post(lambda: self._handle(connection, request, answered))
                    answer = json.dumps(dict(answered.result(ANSWER_TIMEOUT))).encode()
                    connection.settimeout(READ_TIMEOUT)
                    connection.sendall(answer + b"\n")
            finally:
                self._free.release()

    def _handle(
        self, connection: socket.socket, request: Mapping[str, Any], answered: "Future[Mapping[str, Any]]"
    ) -> None:
        name = str(request.get("command"))
        handler = self._handlers.get(name)
        if handler is None or (name not in self._always and _has_gone(connection)):
            answered.set_exception(ValueError("not carried out"))
        else:
            handler(request, answered.set_result)


def _has_gone(connection: socket.socket) -> bool:
    """Return whether the other side has closed the connection, or it has timed out here."""
    connection.settimeout(0.0)
    try:
        return connection.recv(1, socket.MSG_PEEK) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True
