"""Node end of the message stream to a worker, which may run untrusted code."""

import socket
import struct

from openral_core.errors import OpenRALError

MAX_MESSAGE_BYTES = 16 << 20
"""Largest message [bytes]: 100,000 detections take about half of it."""
CHUNK = 1 << 16
"""Read size [bytes]: the default capacity of a Linux pipe."""
_LENGTH = struct.Struct("!i")


class InvalidMessage(OpenRALError):
    """Bytes that are not a message of the protocol."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"the worker violated the protocol: {problem}")


class MessageStream:
    """Messages in the framing of `multiprocessing.connection.Connection`, which is the worker's end.

    Reads never block and writes block for a bounded time, so that the node can always stop. ``worker_end`` is
    the socket the worker inherits.
    """

    def __init__(self) -> None:
        self._socket, self.worker_end = socket.socketpair()
        self._socket.settimeout(0.0)
        self._received = bytearray()

    def fileno(self) -> int:
        """Return the descriptor; readable when bytes arrive or the worker exits."""
        return self._socket.fileno()

    def send(self, data: bytes, seconds: float) -> None:
        """Write one message.

        Raises:
            TimeoutError: If the worker does not read it within ``seconds``.
            OSError: If the worker has exited.
        """
        self._socket.settimeout(seconds)
        try:
            self._socket.sendall(_LENGTH.pack(len(data)) + data)
        finally:
            self._socket.settimeout(0.0)

    def receive(self) -> bytes | None:
        """Return the next complete message, or None.

        Raises:
            EOFError: If the worker has exited.
            InvalidMessage: If its bytes cannot be one message.
        """
        while (missing := self._missing()) > 0:
            try:
                chunk = self._socket.recv(min(missing, CHUNK))
            except BlockingIOError:
                return None
            if not chunk:
                raise EOFError
            self._received += chunk
        if self._has_more():
            raise InvalidMessage("more than one reply to one request")
        message, self._received = bytes(self._received[_LENGTH.size :]), bytearray()
        return message

    def close(self) -> None:
        """Close the descriptor."""
        self._socket.close()

    def _has_more(self) -> bool:
        try:
            return bool(self._socket.recv(1, socket.MSG_PEEK))
        except BlockingIOError:
            return False

    def _missing(self) -> int:
        """Return the bytes missing from the message, or from its length prefix."""
        if len(self._received) < _LENGTH.size:
            return _LENGTH.size - len(self._received)
        (length,) = _LENGTH.unpack_from(self._received)
        if not 0 <= length <= MAX_MESSAGE_BYTES:
            raise InvalidMessage(f"message of {length} bytes, the limit is {MAX_MESSAGE_BYTES}")
        return int(_LENGTH.size + length - len(self._received))
