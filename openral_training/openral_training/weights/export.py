"""Export of a fetched checkpoint to the ONNX file its engine reads."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from openral_core.errors import OpenRALError
from openral_core.rskills import DetectorManifest
from openral_perception_ros.engines.checkpoints import CONFIG_FILE, PREPROCESSOR_FILE, checkpoint_folder
from openral_perception_ros.engines.weights_record import WeightsRecord, digests_of
from openral_perception_ros.engines.weights_record import default_weights_folder as default_folder
from openral_perception_ros.inference.worker_command import package_roots
from openral_perception_ros.weights.environments import Run
from openral_perception_ros.weights.fetch import EXPORTED_ENGINE

ENVIRONMENT = "transformers-5"
MODULE = "openral_training.weights.onnx_export"


class NotExportable(OpenRALError):
    """A detector whose engine does not read ONNX files."""

    def __init__(self, manifest: DetectorManifest) -> None:
        super().__init__(
            f"{manifest.id!r} runs on {manifest.engine!r}; only {EXPORTED_ENGINE!r} reads ONNX files"
        )


class ExportEnvironmentMissing(OpenRALError):
    """A missing environment with PyTorch and ONNX, which an export needs."""

    def __init__(self, interpreter: Path) -> None:
        super().__init__(f"{interpreter} does not exist: run `openral weights prepare rtdetr-v2-r50vd`")


class ExportFailed(OpenRALError):
    """An export that failed, or whose boxes differ from the checkpoint's."""

    def __init__(self, rskill_id: str, status: int) -> None:
        super().__init__(f"{rskill_id!r} could not be exported (exit code {status}); see the output above")


def export(
    manifest: DetectorManifest, folder: Path, weights_folder: str, environments: Path, run: Run
) -> Path:
    """Export a detector's checkpoint and return the folder its engine will read.

    Raises:
        NotExportable: If its engine does not read ONNX files.
        MissingWeights: If the checkpoint has not been fetched.
        WeightsRefused: If it has changed since it was fetched.
        ExportEnvironmentMissing: If the environment for exports is missing.
        ExportFailed: If the export fails or its boxes differ.
    """
    if manifest.engine != EXPORTED_ENGINE:
        raise NotExportable(manifest)
    interpreter = environments / ENVIRONMENT / "bin" / "python"
    if not interpreter.exists():
        raise ExportEnvironmentMissing(interpreter)
    checkpoint = checkpoint_folder(manifest, folder, weights_folder, (CONFIG_FILE, PREPROCESSOR_FILE))
    target = (Path(weights_folder).expanduser() if weights_folder else default_folder()) / manifest.id
    status = run(_command(interpreter, checkpoint, target))
    if status != 0:
        raise ExportFailed(manifest.id, status)
    _record(manifest, checkpoint, target)
    return target


def _record(manifest: DetectorManifest, checkpoint: Path, target: Path) -> None:
    """Record the exported files and their revision: engines load only recorded files."""
    before, digests = WeightsRecord.read(target), digests_of(target)
    if before is None:
        weights, licence = manifest.weights, manifest.licence.name
        uri, pinned = (weights.uri, weights.revision) if weights else ("", "")
        before = WeightsRecord(
            rskill=manifest.id, uri=uri, revision=pinned or checkpoint.name, licence=licence, files={}
        )
    made = tuple(name for name in digests if name not in before.files or name in before.exported)
    files = {**before.files, **{name: digests[name] for name in made}}
    before.model_copy(update={"files": files, "exported": made}).write(target)


def _command(interpreter: Path, checkpoint: Path, target: Path) -> Sequence[str]:
    variables: Mapping[str, str] = {
        "PYTHONPATH": os.pathsep.join(package_roots(MODULE)),
        "HF_HUB_OFFLINE": "1",
    }
    assignments = [f"{key}={value}" for key, value in variables.items()]
    return ["env", *assignments, str(interpreter), "-m", MODULE, str(checkpoint), str(target)]
