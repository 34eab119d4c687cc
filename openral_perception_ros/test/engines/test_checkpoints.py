"""Search for a detector's weights: the folders, their order, and the command if none has them."""

from pathlib import Path

import pytest

from openral_core.rskills import DetectorManifest
from openral_perception_ros.engines.checkpoints import (
    CONFIG_FILE,
    candidate_folders,
    checkpoint_folder,
    hub_cache,
)
from openral_perception_ros.engines.errors import MissingWeights
from openral_perception_ros.engines.weights_record import default_weights_folder

REVISION = "0123456789abcdef0123456789abcdef01234567"


def manifest_of(uri: str = "hf://someone/small", revision: str = REVISION) -> DetectorManifest:
    return DetectorManifest.model_validate(
        {
            "kind": "detector",
            "id": "small",
            "description": "d",
            "engine": "rtdetr_onnx",
            "mode": "on_demand",
            "vocabulary": {"kind": "open"},
            "weights": {"uri": uri, "revision": revision},
            "licence": {"name": "Apache-2.0", "commercial_use": True},
            "memory_mb": 1,
            "latency": 1,
        }
    )


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    return tmp_path / "hub" / "models--someone--small"


def test_the_standard_hub_cache_is_honoured(tmp_path: Path, hub: Path) -> None:
    snapshot = hub / "snapshots" / REVISION
    blob = hub / "blobs" / "9e26dfeeb6e641a33dae4961196235bdb965b21b"
    for folder in (snapshot, blob.parent):
        folder.mkdir(parents=True)
    blob.write_text("{}")
    (snapshot / CONFIG_FILE).symlink_to(blob)
    assert checkpoint_folder(manifest_of(), tmp_path, str(tmp_path / "none"), (CONFIG_FILE,)) == snapshot


def test_weights_fetched_by_the_user_come_before_the_hub_cache(tmp_path: Path, hub: Path) -> None:
    folders = candidate_folders(manifest_of(), tmp_path, str(tmp_path / "own"))
    assert folders == (tmp_path / "own" / "small", hub / "snapshots" / REVISION)


@pytest.mark.parametrize(("fetched", "expected"), [(None, "main"), ("abc123\n", "abc123")])
def test_without_a_pin_the_latest_fetched_revision_counts(
    tmp_path: Path, hub: Path, fetched: str | None, expected: str
) -> None:
    if fetched:
        (hub / "refs").mkdir(parents=True)
        (hub / "refs" / "main").write_text(fetched)
    assert candidate_folders(manifest_of(revision=""), tmp_path, "")[-1] == hub / "snapshots" / expected


def test_weights_beside_the_manifest_are_searched_nowhere_else(tmp_path: Path) -> None:
    found = candidate_folders(manifest_of("file://weights"), tmp_path, str(tmp_path / "own"))
    assert found == (tmp_path / "weights",)


@pytest.mark.parametrize(("has_checkpoint", "command"), [(False, "fetch"), (True, "export")])
def test_missing_weights_name_the_folders_and_the_command(
    tmp_path: Path, hub: Path, has_checkpoint: bool, command: str
) -> None:
    own = tmp_path / "small"
    own.mkdir()
    if has_checkpoint:
        (own / CONFIG_FILE).write_text("{}")
    with pytest.raises(MissingWeights, match=f"openral weights {command} small") as missing:
        checkpoint_folder(manifest_of(), tmp_path, str(tmp_path), ("model.onnx",))
    assert str(own) in str(missing.value)
    assert str(hub) in str(missing.value)


def test_the_cache_folders_follow_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HF_HUB_CACHE", raising=False)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert hub_cache() == tmp_path / "hf" / "hub"
    assert default_weights_folder() == tmp_path / "cache" / "openral" / "weights"
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "shared"))
    assert hub_cache() == tmp_path / "shared"
