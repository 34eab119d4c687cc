"""What there is of each detector on this machine."""

from dataclasses import dataclass
from pathlib import Path

from openral_core.rskills import DetectorManifest
from openral_perception_ros.engines.checkpoints import CONFIG_FILE, candidate_folders
from openral_perception_ros.engines.errors import WeightsRefused
from openral_perception_ros.engines.provenance import verify
from openral_perception_ros.engines.records import FILE, InvalidRecord, Record
from openral_perception_ros.engines.registry import BRINGS_CODE
from openral_perception_ros.weights.exporting import ENGINE

MODEL_FILE = "model.onnx"
HERE, MISSING, NOT_NEEDED, NOT_EXPORTED = "here", "missing", "needs none", "to be exported"
REFUSED = "to be fetched again"
"""Something lies there that no engine loads."""


@dataclass(frozen=True, slots=True)
class Presence:
    """One row of the list; ``size`` in [MB], ``problem`` why weights that lie there are not loaded."""

    rskill: str
    licence: str
    commercial_use: bool
    revision: str
    state: str
    size: float = 0.0
    problem: str = ""


def presence_of(manifest: DetectorManifest, folder: Path, weights_folder: str) -> Presence:
    """Whether a detector's weights are here as an engine would load them, and under which licence."""
    licence, pinned = manifest.licence, manifest.weights.revision if manifest.weights else ""
    if manifest.weights is None:
        return Presence(manifest.id, licence.name, licence.commercial_use, "", NOT_NEEDED)
    for each in candidate_folders(manifest, folder, weights_folder):
        if any((each / name).is_file() for name in (CONFIG_FILE, FILE, MODEL_FILE)):
            state, problem = _state(manifest, each)
            revision, size = _revision(each) or pinned or each.name, _size(each)
            return Presence(manifest.id, licence.name, licence.commercial_use, revision, state, size, problem)
    return Presence(manifest.id, licence.name, licence.commercial_use, pinned, MISSING)


def _state(manifest: DetectorManifest, folder: Path) -> tuple[str, str]:
    try:
        verify(manifest, folder, (), manifest.engine in BRINGS_CODE)
    except WeightsRefused as error:
        return REFUSED, "; ".join(error.problems)
    if manifest.engine != ENGINE:
        return HERE, ""
    if not (folder / MODEL_FILE).is_file():
        return NOT_EXPORTED, ""
    try:
        verify(manifest, folder, (MODEL_FILE,))
    except WeightsRefused as error:
        return NOT_EXPORTED, "; ".join(error.problems)
    return HERE, ""


def _revision(folder: Path) -> str:
    try:
        record = Record.read(folder)
    except InvalidRecord:
        return ""
    return record.revision if record else ""


def _size(folder: Path) -> float:
    return sum(each.stat().st_size for each in folder.rglob("*") if each.is_file()) / 1e6
