"""One detector as its node knows it before any model is loaded."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ament_index_python.packages import PackageNotFoundError, get_package_share_directory

from openral_core.detectors import DetectorInfo, Health, LifecycleState
from openral_core.errors import OpenRALError
from openral_core.rskills import DetectorManifest, InvalidManifest, Registry
from openral_core.rskills.registry import MANIFEST_FILE, load_manifest
from openral_perception_ros.vocabularies import VocabularyDocument, vocabulary_of

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
