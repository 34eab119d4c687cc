"""The weights commands against a hub that is a plain function."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from openral_core.rskills import DetectorManifest, Registry, Weights
from openral_perception_ros.engines import MissingWeights
from openral_perception_ros.engines.checkpoints import checkpoint_folder
from openral_perception_ros.engines.weights_record import (
    ChecksumDiffers,
    WeightsRecord,
    check,
    digests_of,
    sha256_of,
)
from openral_perception_ros.weights.download import Fetched
from openral_perception_ros.weights.fetch import (
    FetchInProgress,
    LicenceNotAccepted,
    NothingToFetch,
    SizeDiffers,
    fetch,
    weights_status,
)
from openral_testing.weights import cli

REVISION = "0123456789abcdef0123456789abcdef01234567"
CONTENT = {"config.json": "{}", "preprocessor_config.json": "{}", "model.safetensors": "weights"}


def manifest_of(**changes: object) -> DetectorManifest:
    content = {
        "kind": "detector",
        "id": "small",
        "description": "d",
        "engine": "rtdetr_onnx",
        "mode": "on_demand",
        "vocabulary": {"kind": "open"},
        "weights": {"uri": "hf://someone/small", "revision": REVISION},
        "licence": {"name": "Apache-2.0", "commercial_use": True},
        "memory_mb": 1,
        "latency": 1,
        **changes,
    }
    return DetectorManifest.model_validate(content)


def hub(weights: Weights, folder: Path) -> Fetched:
    assert weights.uri == "hf://someone/small"
    for name, text in CONTENT.items():
        (folder / name).unlink(missing_ok=True)
        (folder / name).write_text(text)
    return Fetched(weights.revision or REVISION, {"config.json": "b" * 40})


def test_fetched_weights_are_recorded_and_found(tmp_path: Path) -> None:
    record = fetch(manifest_of(), str(tmp_path), (), hub)
    assert record.revision == REVISION
    assert set(record.files) == set(CONTENT)
    folder = checkpoint_folder(manifest_of(), tmp_path, str(tmp_path), ("config.json",))
    assert WeightsRecord.read(folder) == record
    assert check(folder, record.files) == 3
    assert weights_status(manifest_of(), tmp_path, str(tmp_path)).state == "to be exported"
    (folder / "model.onnx").write_text("half")
    assert weights_status(manifest_of(), tmp_path, str(tmp_path)).state == "to be exported", "half an export"
    record.model_copy(update={"files": digests_of(folder), "exported": ("model.onnx",)}).write(folder)
    assert weights_status(manifest_of(), tmp_path, str(tmp_path)).state == "here"
    again = fetch(manifest_of(), str(tmp_path), (), hub)
    assert again.exported == ("model.onnx",), "what was made of the same revision stays"
    assert weights_status(manifest_of(), tmp_path, str(tmp_path)).state == "here"


def test_a_pointer_in_place_of_a_model_is_not_here(tmp_path: Path) -> None:
    manifest = manifest_of(engine="onnx", weights={"uri": "file://weights"})
    (tmp_path / "weights").mkdir()
    (tmp_path / "weights" / "model.onnx").write_text(
        "version https://git-lfs.github.com/spec/v1\noid sha256:0"
    )
    status = weights_status(manifest, tmp_path, str(tmp_path))
    assert status.state == "to be fetched again"
    assert "git lfs pull" in status.problem


def test_two_rskills_of_one_checkpoint_bring_it_once(tmp_path: Path) -> None:
    brought: list[str] = []

    def careful(weights: Weights, folder: Path) -> Fetched:
        lacking = [name for name in CONTENT if not (folder / name).exists()]
        brought.extend(lacking)
        return hub(weights, folder) if lacking else Fetched(weights.revision)

    first = fetch(manifest_of(), str(tmp_path), (), careful)
    second = fetch(manifest_of(id="twin"), str(tmp_path), (), careful)
    assert first.files == second.files
    assert brought == [*CONTENT], "the twin brought nothing"


def test_a_second_fetch_of_one_rskill_is_refused_until_the_first_has_ended(tmp_path: Path) -> None:
    def slow(weights: Weights, folder: Path) -> Fetched:
        with pytest.raises(FetchInProgress, match="'small' are being fetched"):
            fetch(manifest_of(), str(tmp_path), (), hub)
        return hub(weights, folder)

    fetch(manifest_of(), str(tmp_path), (), slow)
    assert fetch(manifest_of(), str(tmp_path), (), hub).revision == REVISION
    assert [each.name for each in tmp_path.iterdir()] == ["small"]


def test_a_changed_file_is_found(tmp_path: Path) -> None:
    record = fetch(manifest_of(), str(tmp_path), (), hub)
    (tmp_path / "small" / "model.safetensors").write_text("other")
    (tmp_path / "small" / "config.json").unlink()
    with pytest.raises(ChecksumDiffers, match=r"config.json is missing; model.safetensors has sha256"):
        check(tmp_path / "small", record.files)


def test_weights_that_are_not_what_the_manifest_pins_are_refused(tmp_path: Path) -> None:
    weights = {"uri": "hf://someone/small", "revision": REVISION, "files": {"config.json": "0" * 64}}
    with pytest.raises(ChecksumDiffers, match="expected 000000000000"):
        fetch(manifest_of(weights=weights), str(tmp_path), (), hub)
    assert WeightsRecord.read(tmp_path / "small") is None


def test_a_licence_that_asks_for_a_word_gets_it_or_nothing_is_fetched(tmp_path: Path) -> None:
    licence = {"name": "NC", "commercial_use": False, "accept": "non-commercial"}
    with pytest.raises(LicenceNotAccepted, match="--accept-licence non-commercial"):
        fetch(manifest_of(licence=licence), str(tmp_path), ("other",), hub)
    assert not list(tmp_path.iterdir())
    assert fetch(manifest_of(licence=licence), str(tmp_path), ("non-commercial",), hub).accepted


def test_weights_that_come_with_the_rskill_need_no_fetching(tmp_path: Path) -> None:
    with pytest.raises(NothingToFetch, match="file://weights"):
        fetch(manifest_of(weights={"uri": "file://weights"}), str(tmp_path), (), hub)


def test_a_checkpoint_without_its_onnx_file_names_the_export(tmp_path: Path) -> None:
    fetch(manifest_of(), str(tmp_path), (), hub)
    with pytest.raises(MissingWeights, match="openral weights export small"):
        checkpoint_folder(manifest_of(), tmp_path, str(tmp_path), ("model.onnx",))


def test_the_list_shows_every_detector_and_its_licence(rskills: Path, tmp_path: Path) -> None:
    result = CliRunner().invoke(
        cli.app,
        ["weights", "list", "--rskills", str(rskills), "--weights-dir", str(tmp_path)],
        env={"COLUMNS": "200"},
    )
    assert result.exit_code == 0
    rows = {line.split()[1]: line for line in result.output.splitlines() if line.count("│") > 4}
    assert {"sim-groundtruth", *(each.id for each in Registry.load([rskills]).detectors)} <= set(rows)
    assert "needs none" in rows["sim-groundtruth"]
    assert "15.3 declared" in rows["dfine-nano"]
    assert "4255.1 declared" in rows["qwen3-vl-2b-locator"]
    assert "unknown until fetched" in rows["rfdetr-small"]
    assert "2.3" in rows["home-tiny"].split()
    assert all("Apache-2.0" in rows[name] for name in ("dfine-nano", "rfdetr-small", "home-tiny"))


@pytest.mark.parametrize(("size", "declared"), [(7, True), (8, False)])
def test_a_declared_size_is_that_of_the_file(tmp_path: Path, size: int, declared: bool) -> None:
    digest = hashlib.sha256(CONTENT["model.safetensors"].encode()).hexdigest()
    files = {"model.safetensors": digest}
    manifest = manifest_of(
        weights={"uri": "hf://someone/small", "files": files, "sizes": {"model.safetensors": size}}
    )
    assert weights_status(manifest, tmp_path, str(tmp_path)).declared == size / 1e6
    if declared:
        assert fetch(manifest, str(tmp_path), (), hub).files["model.safetensors"] == digest
        return
    with pytest.raises(SizeDiffers, match="has 7 bytes, the manifest declares 8"):
        fetch(manifest, str(tmp_path), (), hub)
    assert not list(tmp_path.iterdir())


def test_a_size_without_a_digest_is_refused() -> None:
    weights = {"uri": "hf://someone/small", "sizes": {"model.safetensors": 8}}
    with pytest.raises(
        ValueError, match=r"'sizes' names 'model.safetensors', whose sha256 is not in 'files'"
    ):
        manifest_of(weights=weights)


def test_an_unknown_detector_is_one_line_naming_those_there_are(rskills: Path) -> None:
    command = [sys.executable, "-c", "from openral_testing.weights.cli import main; main()"]
    done = subprocess.run(
        [*command, "weights", "fetch", "nonsense", "--rskills", str(rskills)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "COLUMNS": "2000"},
    )
    assert done.returncode == 1
    assert "unknown detector 'nonsense'" in done.stderr
    assert "Traceback" not in done.stderr


def test_digests_are_sha256(tmp_path: Path) -> None:
    (tmp_path / "file").write_text(json.dumps({}))
    assert sha256_of(tmp_path / "file") == "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
