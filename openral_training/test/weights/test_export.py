"""Exports with a fake interpreter: what is missing, what fails, and what is recorded."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from openral_core.rskills import DetectorManifest, Weights
from openral_perception_ros.engines import MissingWeights
from openral_perception_ros.engines.checkpoints import checkpoint_folder
from openral_perception_ros.engines.weights_record import WeightsRecord
from openral_perception_ros.weights.download import Fetched
from openral_perception_ros.weights.fetch import fetch
from openral_training.weights.export import (
    ENVIRONMENT,
    ExportEnvironmentMissing,
    ExportFailed,
    NotExportable,
    export,
)

REVISION = "0123456789abcdef0123456789abcdef01234567"
CONTENT = {"config.json": "{}", "preprocessor_config.json": "{}", "model.safetensors": "weights"}


def manifest_of(engine: str = "rtdetr_onnx") -> DetectorManifest:
    return DetectorManifest.model_validate(
        {
            "kind": "detector",
            "id": "small",
            "description": "d",
            "engine": engine,
            "mode": "on_demand",
            "vocabulary": {"kind": "open"},
            "weights": {"uri": "hf://someone/small", "revision": REVISION},
            "licence": {"name": "Apache-2.0", "commercial_use": True},
            "memory_mb": 1,
            "latency": 1,
        }
    )


def hub(weights: Weights, folder: Path) -> Fetched:
    for name, text in CONTENT.items():
        (folder / name).write_text(text)
    return Fetched(weights.revision, {"config.json": "b" * 40})


def export_model(command: Sequence[str]) -> int:
    (Path(command[-1]) / "model.onnx").write_text(" ".join(command))
    return 0


@pytest.fixture
def environments(tmp_path: Path) -> Path:
    interpreter = tmp_path / "environments" / ENVIRONMENT / "bin" / "python"
    interpreter.parent.mkdir(parents=True)
    interpreter.touch()
    return tmp_path / "environments"


def test_an_engine_that_reads_no_onnx_files_has_nothing_to_export(tmp_path: Path) -> None:
    with pytest.raises(NotExportable, match="zeroshot_hf"):
        export(manifest_of("zeroshot_hf"), tmp_path, "", tmp_path, export_model)


def test_a_missing_environment_names_the_command_that_makes_it(tmp_path: Path) -> None:
    with pytest.raises(ExportEnvironmentMissing, match="openral weights prepare"):
        export(manifest_of(), tmp_path, "", tmp_path, export_model)


def test_a_checkpoint_that_was_not_fetched_names_the_fetch(tmp_path: Path, environments: Path) -> None:
    with pytest.raises(MissingWeights, match="openral weights fetch small"):
        export(manifest_of(), tmp_path, str(tmp_path), environments, export_model)


def test_a_failed_export_is_reported_and_not_recorded(tmp_path: Path, environments: Path) -> None:
    fetch(manifest_of(), str(tmp_path), (), hub)
    with pytest.raises(ExportFailed, match="exit code 3"):
        export(manifest_of(), tmp_path, str(tmp_path), environments, lambda command: 3)
    record = WeightsRecord.read(tmp_path / "small")
    assert record is not None
    assert record.exported == ()


def test_an_export_is_recorded_so_that_its_engine_loads_it(tmp_path: Path, environments: Path) -> None:
    fetch(manifest_of(), str(tmp_path), (), hub)
    target = export(manifest_of(), tmp_path, str(tmp_path), environments, export_model)
    assert checkpoint_folder(manifest_of(), tmp_path, str(tmp_path), ("model.onnx",)) == target
    record = WeightsRecord.read(target)
    assert record is not None
    assert record.exported == ("model.onnx",)
    assert record.files.keys() == {*CONTENT, "model.onnx"}
    assert record.revision == REVISION


def test_an_export_runs_offline_with_its_own_interpreter(tmp_path: Path, environments: Path) -> None:
    fetch(manifest_of(), str(tmp_path), (), hub)
    target = export(manifest_of(), tmp_path, str(tmp_path), environments, export_model)
    command = (target / "model.onnx").read_text()
    assert "HF_HUB_OFFLINE=1" in command
    assert str(environments / ENVIRONMENT / "bin" / "python") in command
