"""`openral weights fetch` with the real client, against a hub on this machine."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import hub_server as hubs
import pytest
import yaml

WEIGHTS = bytes(range(256)) * 8192


@pytest.fixture
def hub() -> Iterator[hubs.Hub]:
    files = {"config.json": b"{}", "preprocessor_config.json": b"{}", "model.safetensors": WEIGHTS}
    with hubs.serving(hubs.Hub(files, large=("model.safetensors",))) as made:
        yield made


@pytest.fixture
def rskills(tmp_path: Path) -> Path:
    content = {
        "kind": "detector",
        "id": "small",
        "description": "d",
        "engine": "rtdetr_onnx",
        "mode": "on_demand",
        "vocabulary": {"kind": "open"},
        "weights": {"uri": f"hf://{hubs.REPOSITORY}", "revision": hubs.COMMIT},
        "licence": {"name": "Apache-2.0", "commercial_use": True},
        "memory_mb": 1,
        "latency": 1,
    }
    (tmp_path / "rskills" / "small").mkdir(parents=True)
    (tmp_path / "rskills" / "small" / "rskill.yaml").write_text(yaml.safe_dump(content))
    return tmp_path / "rskills"


def weights(hub: hubs.Hub, rskills: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [
        sys.executable,
        "-c",
        "from openral_testing.weights.cli import main; main()",
        "weights",
        *words,
    ]
    where = ["--rskills", str(rskills), "--weights-dir", str(rskills.parent / "weights")]
    cache = str(rskills.parent / "hub")
    own = {"HF_ENDPOINT": hub.url, "HF_HUB_CACHE": cache, "HF_HUB_DISABLE_XET": "1", "COLUMNS": "2000"}
    return subprocess.run(
        [*command, *where],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **own, **variables},
    )


def test_a_fetch_brings_records_and_verifies_every_file(hub: hubs.Hub, rskills: Path) -> None:
    fetched = weights(hub, rskills, "fetch", "small")
    assert fetched.returncode == 0, fetched.stderr
    assert "licence Apache-2.0" in fetched.stdout
    assert hubs.COMMIT in fetched.stdout
    record = json.loads((rskills.parent / "weights" / "small" / "openral-weights.json").read_text())
    assert record["licence"] == "Apache-2.0"
    assert record["files"]["model.safetensors"] == hubs.sha256(WEIGHTS)
    assert weights(hub, rskills, "verify", "small").returncode == 0


def test_a_fetch_that_broke_off_fails_and_the_next_one_goes_on_from_there(
    hub: hubs.Hub, rskills: Path
) -> None:
    hub.breaks_after = len(WEIGHTS) // 2
    broken = weights(hub, rskills, "fetch", "small")
    assert broken.returncode == 1, broken.stdout
    assert "someone/small could not be fetched" in broken.stderr
    assert not (rskills.parent / "weights" / "small").exists(), "what broke off counts as nothing"
    hub.breaks_after, hub.ranges[:] = 0, []
    assert weights(hub, rskills, "fetch", "small").returncode == 0
    assert hub.ranges == [f"bytes={len(WEIGHTS) // 2}-"]
    assert [path.name for path in (rskills.parent / "weights").iterdir()] == ["small"]
    assert not (rskills.parent / "weights" / "small" / ".parts").exists()


def test_what_the_hub_cache_holds_is_not_fetched_again(hub: hubs.Hub, rskills: Path) -> None:
    snapshot = rskills.parent / "hub" / "models--someone--small" / "snapshots" / hubs.COMMIT
    snapshot.mkdir(parents=True)
    (snapshot / "model.safetensors").write_bytes(WEIGHTS)
    hub.breaks_after = 1000
    assert weights(hub, rskills, "fetch", "small").returncode == 0


def test_a_file_that_is_not_what_the_hub_says_is_refused(hub: hubs.Hub, rskills: Path) -> None:
    hub.digests["model.safetensors"] = "0" * 64
    refused = weights(hub, rskills, "fetch", "small")
    assert refused.returncode == 1
    assert "does not have the sha256 of the hub" in refused.stderr
    assert not (rskills.parent / "weights" / "small").exists()


def test_small_files_are_compared_with_the_blobs_of_their_revision(hub: hubs.Hub, rskills: Path) -> None:
    assert weights(hub, rskills, "fetch", "small").returncode == 0
    config = rskills.parent / "weights" / "small" / "config.json"
    config.write_bytes(b"[]")
    assert weights(hub, rskills, "fetch", "small").returncode == 0
    assert config.read_bytes() == b"{}", "of equal size, and yet not kept"
    record = json.loads(config.with_name("openral-weights.json").read_text())
    assert record["blobs"]["config.json"] == hubs.git_blob(b"{}")
    hub.digests["config.json"] = "0" * 40
    refused = weights(hub, rskills, "fetch", "small")
    assert refused.returncode == 1
    assert "config.json is not the blob 000000000000 of its revision" in refused.stderr
    assert config.read_bytes() == b"{}"


@pytest.mark.parametrize("name", ["../evil.json", "/{there}/evil.json", "a/../../evil.json", "a\\evil.json"])
def test_a_name_that_leaves_the_folder_is_refused(hub: hubs.Hub, rskills: Path, name: str) -> None:
    name = name.format(there=str(rskills.parent).strip("/"))
    hub.files[name] = b"{}"
    refused = weights(hub, rskills, "fetch", "small")
    assert refused.returncode == 1
    assert "the hub lists a file with the unsafe name" in refused.stderr
    assert not list(rskills.parent.rglob("*evil.json"))


def test_a_record_in_the_hub_is_not_taken_for_ours(hub: hubs.Hub, rskills: Path) -> None:
    hub.files["openral-weights.json"] = b"{}"
    assert weights(hub, rskills, "fetch", "small").returncode == 1


def test_files_of_another_revision_do_not_stay_among_those_of_this_one(hub: hubs.Hub, rskills: Path) -> None:
    assert weights(hub, rskills, "fetch", "small").returncode == 0
    folder = rskills.parent / "weights" / "small"
    (folder / "old.py").write_text("")
    assert weights(hub, rskills, "fetch", "small").returncode == 0
    assert not (folder / "old.py").exists()


def test_a_torn_record_is_one_line_and_fetching_mends_it(hub: hubs.Hub, rskills: Path) -> None:
    assert weights(hub, rskills, "fetch", "small").returncode == 0
    record = rskills.parent / "weights" / "small" / "openral-weights.json"
    record.write_text(record.read_text()[:40])
    for command in ("list", "verify"):
        reported = weights(hub, rskills, command, *(["small"] if command == "verify" else []))
        assert "Traceback" not in reported.stderr
        assert "openral-weights.json" in reported.stdout + reported.stderr
    assert weights(hub, rskills, "fetch", "small").returncode == 0
    assert weights(hub, rskills, "verify", "small").returncode == 0


def test_a_folder_without_a_record_does_not_verify(hub: hubs.Hub, rskills: Path) -> None:
    assert weights(hub, rskills, "fetch", "small").returncode == 0
    (rskills.parent / "weights" / "small" / "openral-weights.json").unlink()
    reported = weights(hub, rskills, "verify", "small")
    assert reported.returncode == 1
    assert "no record" in reported.stderr


def test_offline_mode_fetches_nothing_and_says_so(hub: hubs.Hub, rskills: Path) -> None:
    refused = weights(hub, rskills, "fetch", "small", HF_HUB_OFFLINE="1")
    assert refused.returncode == 1
    assert "offline" in refused.stderr.lower()
    assert "Traceback" not in refused.stderr


def test_a_hub_that_went_away_is_no_success_with_half_the_files(hub: hubs.Hub, rskills: Path) -> None:
    half = rskills.parent / "weights" / "small"
    half.mkdir(parents=True)
    (half / "config.json").write_text("{}")
    hub.url = "http://127.0.0.1:9"
    refused = weights(hub, rskills, "fetch", "small")
    assert refused.returncode == 1
    assert not (half / "openral-weights.json").exists()
