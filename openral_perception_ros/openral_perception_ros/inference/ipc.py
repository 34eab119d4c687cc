"""Communication of a node and its worker: typed messages, the stream they travel in, and shared memory.

Messages are msgpack over an inherited socket pair; frames lie in an anonymous memfd, so none is left.
"""

import fcntl
import mmap
import os
import socket
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

import msgpack
import numpy as np
from pydantic import AfterValidator, Field, TypeAdapter

from openral_core.arrays import ImagePlane
from openral_core.detectors import Detection
from openral_core.errors import OpenRALError
from openral_core.rskills import DetectorManifest
from openral_perception_ros.engines import FailureKind, LoadOptions

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


ALIGNMENT = 64
"""Alignment of every array [bytes]: one cache line, and enough for SIMD loads."""
SEALS = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL
"""A worker must neither shrink the memory, which kills the node with SIGBUS, nor seal it against writing."""


class ArrayOutOfBounds(OpenRALError):
    """An array outside the shared memory."""

    def __init__(self, name: str, end: int, size: int) -> None:
        super().__init__(f"plane {name!r} ends at byte {end} of a shared buffer of {size} bytes")


@dataclass(frozen=True, slots=True)
class ArraySpec:
    """Layout of one array in the shared memory."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    offset: int

    @property
    def end(self) -> int:
        """Offset of the first byte after it."""
        return self.offset + int(np.dtype(self.dtype).itemsize * np.prod(self.shape, dtype=np.int64))


class SharedFrameBuffer:
    """Buffer for the planes of one frame; the kernel frees it when both processes have exited."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._map: mmap.mmap | None = None

    @classmethod
    def create(cls) -> "SharedFrameBuffer":
        """Create a buffer of one page."""
        fd = os.memfd_create("openral-frame", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.ftruncate(fd, mmap.PAGESIZE)
        fcntl.fcntl(fd, fcntl.F_ADD_SEALS, SEALS)
        return cls(fd)

    def fileno(self) -> int:
        """Return the descriptor for the worker to inherit."""
        return self._fd

    def write(self, planes: Mapping[str, ImagePlane]) -> tuple[ArraySpec, ...]:
        """Copy planes in, growing the buffer as needed; overwrites the previous frame."""
        specs: list[ArraySpec] = []
        offset = 0
        for name, plane in planes.items():
            specs.append(ArraySpec(name, plane.dtype.str, plane.shape, offset))
            offset = -(-specs[-1].end // ALIGNMENT) * ALIGNMENT
        shared = self._mapped(offset, grow=True)
        for spec, plane in zip(specs, planes.values(), strict=True):
            np.ndarray(spec.shape, spec.dtype, shared, spec.offset)[...] = plane
        return tuple(specs)

    def read(self, specs: tuple[ArraySpec, ...]) -> dict[str, ImagePlane]:
        """Return read-only views of the planes, valid until the next frame is written.

        Raises:
            ArrayOutOfBounds: If a plane lies outside the shared memory.
        """
        size = os.fstat(self._fd).st_size
        for spec in specs:
            if spec.offset < 0 or spec.end > size:
                raise ArrayOutOfBounds(spec.name, spec.end, size)
        shared = self._mapped(max((spec.end for spec in specs), default=0), grow=False)
        planes = {spec.name: np.ndarray(spec.shape, spec.dtype, shared, spec.offset) for spec in specs}
        for plane in planes.values():
            plane.flags.writeable = False
        return planes

    def close(self) -> None:
        """Close the descriptor; existing views stay valid."""
        self._map = None
        os.close(self._fd)

    def _mapped(self, needed: int, grow: bool) -> mmap.mmap:
        if self._map is None or len(self._map) < needed:
            if grow and os.fstat(self._fd).st_size < needed:
                os.ftruncate(self._fd, needed)
            # Only what is needed: a worker may have grown the file to any size.
            self._map = mmap.mmap(self._fd, max(needed, mmap.PAGESIZE))
        return self._map


Measured = Annotated[float, Field(ge=0.0, allow_inf_nan=False)]
MAX_FAILURE_TEXT = 500
"""Longest error text accepted from a worker [characters]: it ends up in logs and responses."""


@dataclass(frozen=True, slots=True)
class Load:
    """Node to worker, first and once: load this detector."""

    manifest: DetectorManifest
    folder: str
    options: LoadOptions
    type: Literal["load"] = "load"


@dataclass(frozen=True, slots=True)
class Ready:
    """Worker to node: model loaded; one warm-up inference took ``warm_up`` [s].

    ``summary`` is the engine's description of how it reads the model, if it has one.
    """

    labels: tuple[str, ...]
    warm_up: Measured
    device_memory_mb: Measured = 0.0
    summary: Annotated[str, Field(max_length=200)] = ""
    type: Literal["ready"] = "ready"


@dataclass(frozen=True, slots=True)
class Detect:
    """Node to worker: run detection on the shared frame; ``terms`` None means the engine's own vocabulary."""

    planes: tuple[ArraySpec, ...]
    camera: str
    stamp: int
    instance_names: dict[int, str] = field(default_factory=dict)
    terms: tuple[str, ...] | None = None
    type: Literal["detect"] = "detect"


@dataclass(frozen=True, slots=True)
class Detected:
    """Worker to node: detections, computed in ``inference_time`` [s]."""

    detections: tuple[Detection, ...]
    inference_time: Measured
    type: Literal["detected"] = "detected"


@dataclass(frozen=True, slots=True)
class EngineFailed:
    """Worker to node: the request failed."""

    kind: FailureKind
    message: Annotated[str, AfterValidator(lambda text: text[:MAX_FAILURE_TEXT])]
    type: Literal["failed"] = "failed"


Request = Load | Detect
Reply = Ready | Detected | EngineFailed
_REQUESTS: TypeAdapter[Request] = TypeAdapter(Annotated[Request, Field(discriminator="type")])
_REPLIES: TypeAdapter[Reply] = TypeAdapter(Annotated[Reply, Field(discriminator="type")])


def pack_request(request: Request) -> bytes:
    """Serialise a request."""
    packed: bytes = msgpack.packb(_REQUESTS.dump_python(request, mode="json"))
    return packed


def unpack_request(data: bytes) -> Request:
    """Deserialise a request; raises pydantic's ValidationError if it is invalid."""
    return _REQUESTS.validate_python(msgpack.unpackb(data, strict_map_key=False))


def pack_reply(reply: Reply) -> bytes:
    """Serialise a reply."""
    packed: bytes = msgpack.packb(_REPLIES.dump_python(reply, mode="json"))
    return packed


def unpack_reply(data: bytes) -> Reply:
    """Deserialise a reply; raises pydantic's ValidationError if it is invalid."""
    return _REPLIES.validate_python(msgpack.unpackb(data, strict_map_key=False))
