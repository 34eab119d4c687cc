"""One detector as its node knows it before any model is loaded."""
# MERGED Vocabulary files: the labels a closed detector can say, in class order, and what each covers.
# MERGED Cameras by id, and the topics their images come on.
# MERGED Names beside a node's own namespace, so that a whole robot can be moved below another one.

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from ament_index_python.packages import PackageNotFoundError, get_package_share_directory
from pydantic import Field, model_validator
from rclpy.node import Node

from openral_core.detectors import DetectorInfo, Health, LifecycleState, Vocabulary
from openral_core.documents import Document, load_document
from openral_core.errors import OpenRALError
from openral_core.rskills import DetectorManifest, InvalidManifest, Registry, Sensor
from openral_core.rskills.registry import MANIFEST_FILE, load_manifest


class VocabularyDocument(Document):
    """``labels`` maps each label to phrases it also stands for; ``groups`` sorts labels for people.

    A file may list ``groups`` alone: its labels are theirs, in order.
    """

    labels: dict[str, tuple[str, ...]] = Field(min_length=1)
    groups: dict[str, tuple[str, ...]] = {}

    @model_validator(mode="before")
    @classmethod
    def _labels_of_groups(cls, content: dict[str, object]) -> dict[str, object]:
        groups = content.get("groups")
        if not isinstance(groups, dict) or "labels" in content:
            return content
        listed = [label for group in groups.values() for label in group]
        twice = sorted({label for label in listed if listed.count(label) > 1})
        if twice:
            raise ValueError(f"labels in two groups or twice in one: {twice}")
        return {**content, "labels": dict.fromkeys(listed, ())}


def vocabulary_of(manifest: DetectorManifest, folder: Path) -> VocabularyDocument | None:
    """What a detector can name; None when it grounds any text.

    Raises:
        InvalidDocument: If the vocabulary file beside the manifest is missing or wrong.
    """
    if manifest.vocabulary.kind is Vocabulary.OPEN:
        return None
    if manifest.vocabulary.file:
        return load_document(VocabularyDocument, folder / manifest.vocabulary.file)
    return VocabularyDocument(labels=dict.fromkeys(manifest.vocabulary.labels, ()))


def labels_of(manifest: DetectorManifest, folder: Path) -> tuple[str, ...]:
    """What a detector can name, in class order; empty when it grounds any text.

    Raises:
        InvalidDocument: If the vocabulary file beside the manifest is missing or wrong.
    """
    vocabulary = vocabulary_of(manifest, folder)
    return tuple(vocabulary.labels) if vocabulary else ()


RSKILLS = "openral_rskills"


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
        """What it can name; empty when it grounds any text."""
        return tuple(self.vocabulary.labels) if self.vocabulary else ()

    def info(
        self,
        state: LifecycleState,
        memory_measured: float,
        latency: float,
        memory_resident: float = 0.0,
        health: Health = Health.OK,
        health_message: str = "",
    ) -> DetectorInfo:
        """What the graph is told; memory in [MB], ``latency`` [s] 0 until measured."""
        manifest = self.manifest
        return DetectorInfo(
            name=manifest.name,
            mode=manifest.mode,
            engine=manifest.engine,
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


class NoRskillsInstalled(OpenRALError):
    """No folder was named, and none is installed."""

    def __init__(self) -> None:
        super().__init__(
            f"package {RSKILLS!r} is not in this environment, and parameter rskill_folders names no folder: "
            "source the workspace's install/env.sh, or set rskill_folders"
        )


def rskill_folders(named: Sequence[str]) -> list[Path]:
    """The folders named, else that of the installed rSkills.

    Raises:
        NoRskillsInstalled: If there is neither.
    """
    if named:
        return [Path(folder) for folder in named]
    try:
        return [Path(get_package_share_directory(RSKILLS))]
    except PackageNotFoundError as error:
        raise NoRskillsInstalled from error


def find_detector(rskill: str, folders: Sequence[Path]) -> tuple[DetectorManifest, Path]:
    """A detector's manifest and folder, by the path of either or by a name among ``folders``.

    Raises:
        InvalidManifest: If the file is wrong, or no detector's.
        UnknownId: If no rSkill of the folders answers to the name.
    """
    path = Path(rskill)
    if path.exists():
        file = path / MANIFEST_FILE if path.is_dir() else path
        manifest = load_manifest(file)
        if not isinstance(manifest, DetectorManifest):
            raise InvalidManifest(file, [f"kind: a detector node needs 'detector', found {manifest.kind!r}"])
        return manifest, file.parent
    registry = Registry.load(folders)
    found = registry.detector(rskill)
    return found, registry.folder(found.id)


def load_detector(
    rskill: str, folders: Sequence[Path], cameras: tuple[str, ...], is_default: bool
) -> Detector:
    """See `find_detector`; reads the vocabulary too."""
    manifest, folder = find_detector(rskill, folders)
    return Detector(manifest, folder, vocabulary_of(manifest, folder), cameras, is_default)


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


_OF_A_ROBOT = re.compile(r"(?P<robot>.*)/openral/perception/[^/]+")


def parent_name(node: Node, levels: int, name: str) -> str:
    """``name`` so many levels above: from ``/a/b/c`` one level gives ``/a/b/name``, none ``/a/b/c/name``."""
    base: str = node.get_namespace().rsplit("/", levels)[0] if levels else node.get_namespace()
    return f"{base.rstrip('/')}/{name}"


def robot_of(node: Node) -> str:
    """The namespace of the node's robot, "" for the graph's own.

    A detector of a robot is in ``<robot>/openral/perception/<slug>``; the robot of one that was started alone
    anywhere else is its own namespace.
    """
    found = _OF_A_ROBOT.fullmatch(node.get_namespace())
    return str(found["robot"] if found else node.get_namespace().rstrip("/"))
