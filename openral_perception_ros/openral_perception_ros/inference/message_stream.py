"""The node's end of the line to a worker, which may run code that keeps to no protocol."""

import socket
import struct

from openral_core.errors import OpenRALError

LONGEST = 16 << 20
"""Of one message [bytes]: 100,000 detections take about half of it."""
CHUNK = 1 << 16
_LENGTH = struct.Struct("!i")


class InvalidMessage(OpenRALError):
    """Bytes that are no message of the protocol."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"the worker broke the protocol: {problem}")


class Line:
    """Messages as `multiprocessing.connection.Connection` frames them: the worker's end is one.

    Reading never waits, and writing waits for no longer than it is told, so whoever holds this end can always
    be stopped. ``theirs`` is the end to hand to the worker.
    """

    def __init__(self) -> None:
        self._socket, self.theirs = socket.socketpair()
        self._socket.settimeout(0.0)
        self._received = bytearray()

    def fileno(self) -> int:
        """Becomes readable when bytes arrive or the worker ends."""
        return self._socket.fileno()

    def send(self, data: bytes, seconds: float) -> None:
        """Write one message.

        Raises:
            TimeoutError: If the worker does not read it within ``seconds``.
            OSError: If it is gone.
        """
        self._socket.settimeout(seconds)
        try:
            self._socket.sendall(_LENGTH.pack(len(data)) + data)
        finally:
            self._socket.settimeout(0.0)

    def receive(self) -> bytes | None:
        """The next message if all of it is here, else None.

        Raises:
            EOFError: If the worker ended.
            InvalidMessage: If what it sent cannot be one message.
        """
        while (missing := self._missing()) > 0:
            try:
                chunk = self._socket.recv(min(missing, CHUNK))
            except BlockingIOError:
                return None
            if not chunk:
                raise EOFError
            self._received += chunk
        if self._more():
            raise InvalidMessage("more than one answer to one request")
        message, self._received = bytes(self._received[_LENGTH.size :]), bytearray()
        return message

    def close(self) -> None:
        """Give the descriptor back."""
        self._socket.close()

    def _more(self) -> bool:
        try:
            return bool(self._socket.recv(1, socket.MSG_PEEK))
        except BlockingIOError:
            return False

    def _missing(self) -> int:
        """Bytes until the message, or first its length, is complete."""
        if len(self._received) < _LENGTH.size:
            return _LENGTH.size - len(self._received)
        (length,) = _LENGTH.unpack_from(self._received)
        if not 0 <= length <= LONGEST:
            raise InvalidMessage(f"a message of {length} bytes, at most {LONGEST} are taken")
        return int(_LENGTH.size + length - len(self._received))
