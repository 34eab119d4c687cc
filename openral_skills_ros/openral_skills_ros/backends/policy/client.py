"""Sessions with policy servers, each on a thread of its own; every wait is bounded.

A protocol is a class with the methods of `PolicyConnection` and a line in `PROTOCOLS`.
"""

import re
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack, closing
from queue import SimpleQueue
from threading import Thread
from typing import Protocol, TypeAlias

import msgpack
import numpy as np
from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.sync.client import ClientConnection, connect

from openral_core.errors import format_choices
from openral_core.policies import PolicyContract
from openral_core.skill_errors import SkillFailed
from openral_core.skills import SkillStatus
from openral_ros.callback_guard import describe_error

Message: TypeAlias = Mapping[str, object]
"""Observation, answer or metadata of a server."""
MAX_MESSAGE = 1 << 24
"""Largest accepted message of a server [bytes]; 1000 actions of 100 numbers are 0.8 MB."""
CLOSE_TIMEOUT = 1.0
"""Longest wait for the server's part in closing a connection [s]."""
_SHOWN = 300
"""Longest text of a server in a message [characters]."""
_ARRAY, _SCALAR = b"__ndarray__", b"__npgeneric__"
_NUMBERS = re.compile(r"[<>|=]?(b1|[iu][1248]|f[248])")
"""NumPy types that are read: truth values and numbers."""


class ServerUnreachable(SkillFailed):
    """A policy server to which there is no connection."""

    status = SkillStatus.INACTIVE

    def __init__(self, server: str, error: object) -> None:
        super().__init__(f"no policy server at {server}: {error}; start it, or correct robot.yaml")


class ServerSilent(SkillFailed):
    """A policy server that did not answer in time."""

    status = SkillStatus.TIMEOUT

    def __init__(self, server: str, what: str, timeout: float) -> None:
        super().__init__(f"{server} sent no {what} within {timeout:.1f} s")


class ServerClosed(SkillFailed):
    """A policy server that closed the connection."""

    def __init__(self, server: str, error: object) -> None:
        super().__init__(f"{server} closed the connection: {error}")


class ServerSaid(SkillFailed):
    """A policy server that answered with the text of an error."""

    def __init__(self, server: str, text: str) -> None:
        last = text.strip().splitlines()[-1:] or [""]
        super().__init__(f"{server} reported an error: {last[0][:_SHOWN]!r}")


class UnreadableMessage(SkillFailed):
    """A message of a policy server that does not follow the protocol."""

    def __init__(self, server: str, problem: object) -> None:
        super().__init__(f"{server} sent what is no message of its protocol: {str(problem)[:_SHOWN]}")


class WrongPolicy(SkillFailed):
    """A policy server that announces another policy."""

    status = SkillStatus.INACTIVE

    def __init__(self, server: str, key: str, expected: object, metadata: Message) -> None:
        actual = repr(metadata[key])[:_SHOWN] if key in metadata else "(none)"
        keys = format_choices(sorted(map(str, metadata)))[:_SHOWN]
        super().__init__(
            f"{server} serves another policy: its metadata has {key!r} {actual}, expected {expected!r};"
            f" its keys are {keys}"
        )


class PolicyConnection(Protocol):
    """Connection to a policy server; its calls belong to one thread."""

    @property
    def metadata(self) -> Message:
        """Announcement of the server."""

    def infer(self, observation: Message) -> Message:
        """Return the answer to an observation.

        Raises:
            SkillFailed: If there is none in time.
        """

    def close(self) -> None:
        """End the connection."""


def pack(message: Message) -> bytes:
    """Encode a message with arrays by msgpack."""
    return bytes(msgpack.packb(message, default=_encode))


def _encode(value: object) -> object:
    if isinstance(value, np.ndarray):
        return {_ARRAY: True, b"data": value.tobytes(), b"dtype": value.dtype.str, b"shape": value.shape}
    if isinstance(value, np.generic):
        return {_SCALAR: True, b"data": value.item(), b"dtype": value.dtype.str}
    raise TypeError(f"a message cannot hold {type(value).__name__}")


def unpack(data: bytes) -> Message:
    """Decode a message; arrays of numbers only.

    Raises:
        ValueError: If it is no msgpack, or holds an array that is none.
        TypeError: If it is no mapping.
    """
    message = msgpack.unpackb(data, object_hook=_decode, strict_map_key=False)
    if not isinstance(message, dict):
        raise TypeError(f"expected a mapping, found {type(message).__name__}")
    return {str(key): value for key, value in message.items()}


def _decode(value: dict[object, object]) -> object:
    if _ARRAY not in value and _SCALAR not in value:
        return value
    content, shape, dtype = value.get(b"data"), value.get(b"shape", ()), str(value.get(b"dtype"))
    if not _NUMBERS.fullmatch(dtype):
        raise ValueError(f"an array of {dtype[:64]!r} is not accepted, only truth values and numbers")
    if _SCALAR in value:
        return np.array(content, dtype)[()]
    if not (isinstance(content, bytes) and isinstance(shape, list | tuple)):
        raise TypeError("an array without bytes or shape")
    if not all(isinstance(length, int) and length >= 0 for length in shape):
        raise ValueError("an array whose shape is not a list of lengths")
    return np.frombuffer(content, dtype).reshape(shape)


def _connection(server: str, timeout: float) -> AbstractContextManager[ClientConnection]:
    return connect(
        server,
        compression=None,
        max_size=MAX_MESSAGE,
        open_timeout=timeout,
        close_timeout=CLOSE_TIMEOUT,
        ping_interval=None,
        proxy=None,
    )


class OpenPi:
    """Connection by openpi's protocol: the server's metadata first, then an answer to each observation.

    Source: openpi, ``packages/openpi-client``; messages are msgpack with arrays, an error is a text.
    """

    def __init__(self, server: str, contract: PolicyContract) -> None:
        self._server, self._timeout = server, contract.response_timeout
        self._stack = ExitStack()
        try:
            self._socket = self._stack.enter_context(_connection(server, contract.connect_timeout))
        except (OSError, WebSocketException) as error:
            raise ServerUnreachable(server, describe_error(error)) from error
        try:
            self.metadata = self._receive("metadata", contract.connect_timeout)
        except SkillFailed:
            self.close()
            raise

    def infer(self, observation: Message) -> Message:
        """Send an observation and return the answer; raises as `PolicyConnection.infer` does."""
        try:
            self._socket.send(pack(observation))
        except ConnectionClosed as error:
            raise ServerClosed(self._server, error) from error
        return self._receive("actions", self._timeout)

    def close(self) -> None:
        """End the connection."""
        self._stack.close()

    def _receive(self, what: str, timeout: float) -> Message:
        try:
            data = self._socket.recv(timeout)
        except TimeoutError as error:
            raise ServerSilent(self._server, what, timeout) from error
        except ConnectionClosed as error:
            raise ServerClosed(self._server, error) from error
        if isinstance(data, str):
            raise ServerSaid(self._server, data)
        try:
            return unpack(data)
        except (ValueError, TypeError, OverflowError, RecursionError, msgpack.UnpackException) as error:
            raise UnreadableMessage(self._server, describe_error(error)) from error


PROTOCOLS: Mapping[str, Callable[[str, PolicyContract], PolicyConnection]] = {"openpi": OpenPi}
"""Connections by the ``protocol`` of a contract."""


class Session:
    """One connection during one goal.

    On the session's thread, ``on_event`` gets the server's metadata, then each answer, or a failure.
    """

    def __init__(
        self, server: str, contract: PolicyContract, on_event: Callable[[Message | SkillFailed], None]
    ) -> None:
        self._server, self._contract, self._on_event = server, contract, on_event
        self._observations: SimpleQueue[Message | None] = SimpleQueue()
        self._thread = Thread(target=self._run, name="policy", daemon=True)
        self._thread.start()

    def ask(self, observation: Message) -> None:
        """Send an observation."""
        self._observations.put(observation)

    def end(self) -> None:
        """Close the connection once the answer that is awaited has come or is overdue."""
        self._observations.put(None)

    def _run(self) -> None:
        try:
            with closing(PROTOCOLS[self._contract.protocol](self._server, self._contract)) as connection:
                self._check(connection.metadata)
                self._on_event(connection.metadata)
                while (observation := self._observations.get()) is not None:
                    self._on_event(connection.infer(observation))
        except SkillFailed as error:
            self._on_event(error)
        except Exception as error:
            self._on_event(UnreadableMessage(self._server, describe_error(error)))

    def _check(self, metadata: Message) -> None:
        for key, expected in self._contract.metadata.items():
            actual = metadata.get(key)
            if isinstance(actual, np.ndarray) or actual != expected:
                raise WrongPolicy(self._server, key, expected, metadata)
