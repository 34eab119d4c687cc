"""Static description of a detector: manifest, vocabulary file, cameras with their topics, namespaces.

All of it is known before any model is loaded.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from rclpy.node import Node

from openral_core.detectors import DetectorInfo, Health, LifecycleState
from openral_core.errors import OpenRALError
from openral_core.rskills import (
    MANIFEST_FILE,
    DetectorManifest,
    InvalidManifest,
    Registry,
    Sensor,
    load_manifest,
)
from openral_perception_ros.engines.vocabulary import VocabularyDocument, load_vocabulary
from openral_ros.gpu import gpus


@dataclass(frozen=True, slots=True)
class Detector:
    """A manifest with its folder, its vocabulary (None = any text) and its cameras, primary first."""

    manifest: DetectorManifest
    folder: Path
    vocabulary: VocabularyDocument | None
    cameras: tuple[str, ...]
    is_default: bool = False

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels in class order; empty if it grounds any text."""
        return tuple(self.vocabulary.labels) if self.vocabulary else ()

    def info(
        self,
        state: LifecycleState,
        memory_measured: float,
        latency: float,
        memory_resident: float = 0.0,
        health: Health = Health.OK,
        health_message: str = "",
        summary: str = "",
    ) -> DetectorInfo:
        """Build the published description; memory in [MB], ``latency`` [s] 0 until measured.

        ``summary`` tells how the engine reads the model.
        """
        manifest = self.manifest
        return DetectorInfo(
            name=manifest.name,
            mode=manifest.mode,
            engine=f"{manifest.engine}: {summary}" if summary else manifest.engine,
            vocabulary=manifest.vocabulary.kind,
            description=manifest.description,
            labels=self.labels,
            cameras=self.cameras,
            licence=manifest.licence.name,
            commercial_use=manifest.licence.commercial_use,
            memory_declared=manifest.memory_mb,
            latency=latency or manifest.latency,
            memory_measured=memory_measured,
            memory_resident=memory_resident,
            scores_calibrated=manifest.scores_calibrated,
            is_default=self.is_default,
            state=state,
            health=health,
            health_message=health_message,
        )


def find_detector(rskill: str, folders: Sequence[Path]) -> tuple[DetectorManifest, Path]:
    """Find a detector's manifest and folder, by path or by name in ``folders``.

    Raises:
        InvalidManifest: If the file is invalid or describes no detector.
        UnknownId: If no rSkill in ``folders`` has this name.
    """
    path = Path(rskill)
    if path.exists():
        file = path / MANIFEST_FILE if path.is_dir() else path
        manifest = load_manifest(file)
        if not isinstance(manifest, DetectorManifest):
            raise InvalidManifest(file, [f"kind: a detector node needs 'detector', found {manifest.kind!r}"])
        return manifest, file.parent
    registry = Registry.load(folders)
    detector = registry.detector(rskill)
    return detector, registry.folder(detector.id)


def load_detector(
    rskill: str, folders: Sequence[Path], cameras: tuple[str, ...], is_default: bool
) -> Detector:
    """Find a detector and load its vocabulary; raises what `find_detector` raises."""
    manifest, folder = find_detector(rskill, folders)
    return Detector(manifest, folder, load_vocabulary(manifest, folder), cameras, is_default)


class NoSuchDevice(OpenRALError):
    """A device that this machine does not have."""

    def __init__(self, device: str, count: int) -> None:
        super().__init__(
            f"device {device[:40]!r}: expected cpu, or cuda, cuda:N or tensorrt with an NVIDIA GPU; "
            f"this machine has {count}"
        )


def check_device(device: str) -> None:
    """Check that a device can be had here.

    Raises:
        NoSuchDevice: If it cannot.
    """
    count = len(gpus())
    match = _DEVICE.fullmatch(device)
    if match is None or (device != "cpu" and int(match["number"] or 0) >= count):
        raise NoSuchDevice(device, count)


_DEVICE = re.compile(r"cpu|tensorrt|cuda(:(?P<number>\d+))?")
SUFFIXES = {Sensor.RGB: "image_raw", Sensor.DEPTH: "depth", Sensor.SEMANTIC: "semantic"}
LABELS_SUFFIX = "labels"
_SPEC = re.compile(r"^(?P<id>[A-Za-z][A-Za-z0-9_]*)(:=(?P<base>[A-Za-z0-9_/~]+))?$")


class InvalidCamera(OpenRALError):
    """A camera parameter that cannot be parsed."""

    def __init__(self, text: str, problem: str) -> None:
        super().__init__(
            f"camera {text!r}: {problem}; expected 'id' or 'id:=topic base', such as 'head:=/head'"
        )


@dataclass(frozen=True, slots=True)
class CameraSource:
    """A camera by id; ``base`` is the namespace of its topics."""

    id: str
    base: str

    @classmethod
    def parse(cls, text: str, robot: str = "") -> Self:
        """Parse ``id`` (topics below ``<robot>/id``) or ``id:=base``.

        Raises:
            InvalidCamera: If the text matches neither form.
        """
        match = _SPEC.match(text)
        if match is None:
            raise InvalidCamera(text, "invalid syntax")
        return cls(match["id"], (match["base"] or f"{robot}/{match['id']}").rstrip("/"))

    def topic(self, sensor: Sensor) -> str:
        """Topic of one sensor's images."""
        return f"{self.base}/{SUFFIXES[sensor]}"

    @property
    def labels_topic(self) -> str:
        """Latched topic with the names of instance ids."""
        return f"{self.base}/{LABELS_SUFFIX}"


def parse_cameras(texts: Sequence[str], robot: str = "") -> tuple[CameraSource, ...]:
    """Parse cameras in order, primary first; ids without a base lie in the namespace ``robot``.

    Raises:
        InvalidCamera: If one cannot be parsed or two share an id.
    """
    cameras = tuple(CameraSource.parse(text, robot) for text in texts)
    for index, camera in enumerate(cameras):
        if camera.id in (other.id for other in cameras[:index]):
            raise InvalidCamera(texts[index], "duplicate id")
    return cameras


_ROBOT_NAMESPACE = re.compile(r"(?P<robot>.*)/openral/perception/[^/]+")


def parent_name(node: Node, levels: int, name: str) -> str:
    """Resolve ``name`` some levels up from the node's namespace: in ``/a/b``, one level up is ``/a/name``."""
    base: str = node.get_namespace().rsplit("/", levels)[0] if levels else node.get_namespace()
    return f"{base.rstrip('/')}/{name}"


def robot_of(node: Node) -> str:
    """Return the namespace of the node's robot, "" for the root.

    A robot's detector is in ``<robot>/openral/perception/<slug>``; for a node started on its own elsewhere,
    the robot is the node's own namespace.
    """
    match = _ROBOT_NAMESPACE.fullmatch(node.get_namespace())
    return str(match["robot"] if match else node.get_namespace().rstrip("/"))
