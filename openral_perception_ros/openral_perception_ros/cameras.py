"""Cameras by id, and the topics their images come on."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from openral_core.errors import OpenRALError
from openral_core.rskills import Sensor

SUFFIXES = {Sensor.RGB: "image_raw", Sensor.DEPTH: "depth", Sensor.SEMANTIC: "semantic"}
LABELS_SUFFIX = "labels"
_SPEC = re.compile(r"^(?P<id>[A-Za-z][A-Za-z0-9_]*)(:=(?P<base>[A-Za-z0-9_/~]+))?$")


class InvalidCamera(OpenRALError):
    """A camera parameter that cannot be read."""

    def __init__(self, text: str, problem: str) -> None:
        super().__init__(
            f"camera {text!r}: {problem}; expected 'id' or 'id:=topic base', such as 'head:=/head'"
        )


@dataclass(frozen=True, slots=True)
class Camera:
    """``base`` is the namespace of the camera's topics."""

    id: str
    base: str

    @classmethod
    def parse(cls, text: str, robot: str = "") -> Self:
        """A camera from ``id`` (topics below ``<robot>/id``) or ``id:=base``.

        Raises:
            InvalidCamera: If it is neither.
        """
        match = _SPEC.match(text)
        if match is None:
            raise InvalidCamera(text, "not readable")
        return cls(match["id"], (match["base"] or f"{robot}/{match['id']}").rstrip("/"))

    def topic(self, sensor: Sensor) -> str:
        """Where one sensor's images come."""
        return f"{self.base}/{SUFFIXES[sensor]}"

    @property
    def labels_topic(self) -> str:
        """Where the names of instance ids are latched."""
        return f"{self.base}/{LABELS_SUFFIX}"


def parse_cameras(texts: Sequence[str], robot: str = "") -> tuple[Camera, ...]:
    """Cameras in order, the primary first; ``robot`` is the namespace that ids without a base lie in.

    Raises:
        InvalidCamera: If one cannot be read or two share an id.
    """
    cameras = tuple(Camera.parse(text, robot) for text in texts)
    for index, camera in enumerate(cameras):
        if camera.id in (other.id for other in cameras[:index]):
            raise InvalidCamera(texts[index], "its id is taken")
    return cameras
