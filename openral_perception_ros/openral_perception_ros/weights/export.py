"""A hub checkpoint as the ONNX file its engine reads."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from openral_core.errors import OpenRALError
from openral_core.rskills import DetectorManifest
from openral_perception_ros.engines.checkpoints import CONFIG_FILE, PREPROCESSOR_FILE, checkpoint_folder
from openral_perception_ros.engines.checkpoints import default_weights_folder as default_folder
from openral_perception_ros.engines.weights_record import WeightsRecord, digests_of
from openral_perception_ros.inference.worker_process import package_roots
from openral_perception_ros.weights.environments import Run

ENVIRONMENT = "transformers-5"
ENGINE = "rtdetr_onnx"
MODULE = "openral_perception_ros.weights.onnx_export"


class NotExportable(OpenRALError):
    """A detector whose engine reads no ONNX file."""

    def __init__(self, manifest: DetectorManifest) -> None:
        super().__init__(f"{manifest.id!r} runs on {manifest.engine!r}: only {ENGINE!r} reads an ONNX file")


class ExportEnvironmentMissing(OpenRALError):
    """The environment with PyTorch and ONNX that an export needs."""

    def __init__(self, interpreter: Path) -> None:
        super().__init__(f"no {interpreter}: run `openral weights prepare rtdetr-v2-r50vd`")


class ExportFailed(OpenRALError):
    """An export that broke, or whose boxes are not those of the checkpoint."""

    def __init__(self, rskill_id: str, status: int) -> None:
        super().__init__(f"{rskill_id!r} was not exported (exit code {status}): see the output above")


def export(
    manifest: DetectorManifest, folder: Path, weights_folder: str, environments: Path, run: Run
) -> Path:
    """Export one detector's checkpoint beside it; the folder its engine will read.

    Raises:
        NotExportable: If its engine reads no ONNX file.
        MissingWeights: If the checkpoint was not fetched.
        WeightsRefused: If it is not what was fetched.
        ExportEnvironmentMissing: If there is no environment to export in.
        ExportFailed: If the boxes of both differ.
    """
    if manifest.engine != ENGINE:
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
    """Write down what was made, from which revision: an engine loads nothing that is not recorded."""
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
    variables: Mapping[str, str] = {"PYTHONPATH": os.pathsep.join(package_roots()), "HF_HUB_OFFLINE": "1"}
    assignments = [f"{key}={value}" for key, value in variables.items()]
    return ["env", *assignments, str(interpreter), "-m", MODULE, str(checkpoint), str(target)]
