"""What there is of each detector on this machine."""

from dataclasses import dataclass
from pathlib import Path

from openral_core.rskills import DetectorManifest
from openral_perception_ros.engines.checkpoints import CONFIG_FILE, candidate_folders
from openral_perception_ros.weights.exporting import ENGINE
from openral_perception_ros.weights.records import FILE, Record

MODEL_FILE = "model.onnx"
HERE, MISSING, NOT_NEEDED, NOT_EXPORTED = "here", "missing", "needs none", "to be exported"


@dataclass(frozen=True, slots=True)
class Presence:
    """One row of the list; ``size`` in [MB]."""

    rskill: str
    licence: str
    commercial_use: bool
    revision: str
    state: str
    size: float = 0.0


def presence_of(manifest: DetectorManifest, folder: Path, weights_folder: str) -> Presence:
    """Whether a detector's weights are here, and under which licence."""
    licence, pinned = manifest.licence, manifest.weights.revision if manifest.weights else ""
    if manifest.weights is None:
        return Presence(manifest.id, licence.name, licence.commercial_use, "", NOT_NEEDED)
    folders = candidate_folders(manifest, folder, weights_folder)
    exported = manifest.engine != ENGINE or any((each / MODEL_FILE).is_file() for each in folders)
    for each in folders:
        if any((each / name).is_file() for name in (CONFIG_FILE, FILE, MODEL_FILE)):
            record = Record.read(each)
            revision = record.revision if record else pinned or each.name
            state = HERE if exported else NOT_EXPORTED
            return Presence(manifest.id, licence.name, licence.commercial_use, revision, state, _size(each))
    return Presence(manifest.id, licence.name, licence.commercial_use, pinned, MISSING)


def _size(folder: Path) -> float:
    return sum(each.stat().st_size for each in folder.rglob("*") if each.is_file()) / 1e6
