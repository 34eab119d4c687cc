"""A policy server of openpi's protocol that misbehaves as a test says."""

from collections.abc import Callable
from contextlib import suppress
from threading import Event, Thread
from typing import Any

import msgpack
import numpy as np
from websockets.exceptions import ConnectionClosed
from websockets.sync.server import ServerConnection, serve

Answer = Callable[[dict[str, Any]], Any]


def to_wire(value: Any) -> Any:
    """Encode an array as openpi's msgpack_numpy documents it."""
    return {
        b"__ndarray__": True,
        b"data": value.tobytes(),
        b"dtype": value.dtype.str,
        b"shape": value.shape,
    }


def from_wire(value: dict[Any, Any]) -> Any:
    if b"__ndarray__" not in value:
        return value
    return np.frombuffer(value[b"data"], np.dtype(value[b"dtype"])).reshape(value[b"shape"])


class PolicyServer:
    """Serves on a free port of the loopback.

    ``answer`` returns a mapping, bytes, a text, or None for silence; `ConnectionAbortedError` closes.
    ``announce`` is the first message, "" for none.
    """

    def __init__(self, answer: Answer, port: int = 0) -> None:
        self.answer = answer
        self.announce: Any = {"policy": "test"}
        self.observations: list[dict[str, Any]] = []
        self.open = self.closed = 0
        self.has_closed = Event()
        self._server = serve(self._serve, "127.0.0.1", port, compression=None, max_size=None)
        self.port = self._server.socket.getsockname()[1]
        self._thread = Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    @property
    def address(self) -> str:
        return f"ws://127.0.0.1:{self.port}"

    def stop(self) -> None:
        self._server.shutdown()
        self._thread.join()

    def _serve(self, connection: ServerConnection) -> None:
        self.open += 1
        with suppress(ConnectionClosed, ConnectionAbortedError):
            self._send(connection, self.announce)
            for message in connection:
                observation = msgpack.unpackb(message, object_hook=from_wire)
                self.observations.append(observation)
                self._send(connection, self.answer(observation))
        self.closed += 1
        self.has_closed.set()

    @staticmethod
    def _send(connection: ServerConnection, message: Any) -> None:
        if message is None or message == "":
            return
        if isinstance(message, bytes | str):
            connection.send(message)
        else:
            connection.send(msgpack.packb(message, default=to_wire))
