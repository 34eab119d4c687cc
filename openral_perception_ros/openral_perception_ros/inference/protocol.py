"""Typed messages between a node and its worker: msgpack over an inherited socket pair."""

from dataclasses import dataclass, field
from typing import Annotated, Literal

import msgpack
from pydantic import AfterValidator, Field, TypeAdapter

from openral_core.detectors import Detection
from openral_core.rskills import DetectorManifest
from openral_perception_ros.engines import FailureKind, LoadOptions
from openral_perception_ros.inference.shared_memory import ArraySpec

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
    """Worker to node: model loaded; one warm-up inference took ``warm_up`` [s]."""

    labels: tuple[str, ...]
    warm_up: Measured
    device_memory_mb: Measured = 0.0
    type: Literal["ready"] = "ready"


@dataclass(frozen=True, slots=True)
class Detect:
    """Node to worker: run detection on the shared frame; ``terms`` None means the engine's own vocabulary."""

    planes: tuple[ArraySpec, ...]
    camera: str
    stamp: int
    labels: dict[int, str] = field(default_factory=dict)
    terms: tuple[str, ...] | None = None
    type: Literal["detect"] = "detect"


@dataclass(frozen=True, slots=True)
class Detected:
    """Worker to node: detections, computed in ``inference_time`` [s]."""

    detections: tuple[Detection, ...]
    inference_time: Measured
    type: Literal["detected"] = "detected"


@dataclass(frozen=True, slots=True)
class Failed:
    """Worker to node: the request failed."""

    kind: FailureKind
    message: Annotated[str, AfterValidator(lambda text: text[:MAX_FAILURE_TEXT])]
    type: Literal["failed"] = "failed"


Request = Load | Detect
Reply = Ready | Detected | Failed
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
