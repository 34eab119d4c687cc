"""What a node and its worker say to each other: typed, msgpack on an inherited socket pair."""

from dataclasses import dataclass, field
from typing import Annotated, Literal

import msgpack
from pydantic import AfterValidator, Field, TypeAdapter

from openral_core.detections import Detection
from openral_core.rskills import DetectorManifest
from openral_perception_ros.engines import FailureKind, LoadOptions
from openral_perception_ros.inference.shared_memory import ArraySpec

Measured = Annotated[float, Field(ge=0.0, allow_inf_nan=False)]
MESSAGE = 500
"""Most characters of a worker's own words that are told on."""


@dataclass(frozen=True, slots=True)
class Load:
    """Node to worker, first and once: become this detector."""

    manifest: DetectorManifest
    folder: str
    options: LoadOptions
    type: Literal["load"] = "load"


@dataclass(frozen=True, slots=True)
class Ready:
    """Worker to node: loaded, and one warm-up inference took ``warm_up`` [s]."""

    labels: tuple[str, ...]
    warm_up: Measured
    device_memory_mb: Measured = 0.0
    type: Literal["ready"] = "ready"


@dataclass(frozen=True, slots=True)
class Detect:
    """Node to worker: look at the frame in the arena; ``terms`` None asks for its own vocabulary."""

    planes: tuple[ArraySpec, ...]
    camera: str
    stamp: int
    labels: dict[int, str] = field(default_factory=dict)
    terms: tuple[str, ...] | None = None
    type: Literal["detect"] = "detect"


@dataclass(frozen=True, slots=True)
class Detected:
    """Worker to node: what was seen in ``inference_time`` [s]."""

    detections: tuple[Detection, ...]
    inference_time: Measured
    type: Literal["detected"] = "detected"


@dataclass(frozen=True, slots=True)
class Failed:
    """Worker to node: no answer, and why."""

    kind: FailureKind
    message: Annotated[str, AfterValidator(lambda words: words[:MESSAGE])]
    type: Literal["failed"] = "failed"


Request = Load | Detect
Reply = Ready | Detected | Failed
_REQUESTS: TypeAdapter[Request] = TypeAdapter(Annotated[Request, Field(discriminator="type")])
_REPLIES: TypeAdapter[Reply] = TypeAdapter(Annotated[Reply, Field(discriminator="type")])


def pack_request(request: Request) -> bytes:
    """A request as bytes."""
    packed: bytes = msgpack.packb(_REQUESTS.dump_python(request, mode="json"))
    return packed


def unpack_request(data: bytes) -> Request:
    """A request from bytes; pydantic's ValidationError if it is none."""
    return _REQUESTS.validate_python(msgpack.unpackb(data, strict_map_key=False))


def pack_reply(reply: Reply) -> bytes:
    """A reply as bytes."""
    packed: bytes = msgpack.packb(_REPLIES.dump_python(reply, mode="json"))
    return packed


def unpack_reply(data: bytes) -> Reply:
    """A reply from bytes; pydantic's ValidationError if it is none."""
    return _REPLIES.validate_python(msgpack.unpackb(data, strict_map_key=False))
