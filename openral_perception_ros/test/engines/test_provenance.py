"""Pins, records and code are compared before an engine reads anything of a checkpoint."""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from openral_core.rskills import DetectorManifest, Weights
from openral_perception_ros.engines.checkpoints import checkpoint_folder
from openral_perception_ros.engines.errors import WeightsRefused
from openral_perception_ros.engines.weights_record import (
    RECORD_FILE,
    SMALL,
    ChecksumDiffers,
    InvalidRecord,
    KnownDigests,
    WeightsRecord,
    blob_id_of,
    digests_of,
    sha256_of,
)
from openral_perception_ros.weights.download import Fetched
from openral_perception_ros.weights.fetch import RevisionDiffers, fetch, weights_status

REVISION = "0123456789abcdef0123456789abcdef01234567"
CONTENT = {"config.json": "{}", "model.safetensors": "weights", "modeling.py": "x = 1\n"}


@dataclass
class Place:
    """A folder of weights, a manifest that names them and a hub that has them."""

    base: Path
    engine: str = "vlm_grounding"
    uri: str = "hf://someone/small"
    revision: str = REVISION
    pins: dict[str, str] | None = None

    @property
    def folder(self) -> Path:
        return self.base / "small"

    @property
    def manifest(self) -> DetectorManifest:
        content = {
            "kind": "detector",
            "id": "small",
            "description": "d",
            "engine": self.engine,
            "mode": "on_demand",
            "vocabulary": {"kind": "open"},
            "weights": {"uri": self.uri, "revision": self.revision, "files": self.pins or {}},
            "licence": {"name": "Apache-2.0", "commercial_use": True},
            "memory_mb": 1,
            "latency": 1,
        }
        return DetectorManifest.model_validate(content)

    def hub(self, weights: Weights, folder: Path) -> Fetched:
        for each in folder.iterdir():
            each.unlink()
        for name, text in CONTENT.items():
            (folder / name).write_text(text)
        blobs = {name: blob_id_of(folder / name) for name in ("config.json", "modeling.py")}
        return Fetched(weights.revision or REVISION, blobs)

    def fetch(self) -> WeightsRecord:
        return fetch(self.manifest, str(self.base), (), self.hub)

    def load(self, rskill: Path | None = None) -> Path:
        return checkpoint_folder(self.manifest, rskill or self.base, str(self.base), ("config.json",))

    @property
    def state(self) -> str:
        return weights_status(self.manifest, self.base, str(self.base)).state


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return Place(tmp_path / "weights")


def rewrite(folder: Path, change: Callable[[dict], object]) -> None:
    content = json.loads((folder / RECORD_FILE).read_text())
    change(content)
    (folder / RECORD_FILE).write_text(json.dumps(content))


def test_weights_as_fetched_are_loaded(place: Place) -> None:
    place.fetch()
    assert place.load() == place.folder
    assert place.state == "here"


def add_stray_code(folder: Path) -> None:
    (folder / "helper.py").write_text("import os\n")


def map_foreign_code(folder: Path) -> None:
    config = json.dumps({"auto_map": {"AutoModel": "other/repository--modeling.Model"}})
    (folder / "config.json").write_text(config)
    rewrite(folder, lambda record: record["files"].update({"config.json": sha256_of(folder / "config.json")}))


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda folder: (folder / "model.safetensors").write_text("WEIGHTS"), "model.safetensors has sha256"),
        (lambda folder: (folder / "modeling.py").write_text("x = 2\n"), "modeling.py has sha256"),
        (lambda folder: (folder / "model.safetensors").unlink(), "model.safetensors is missing"),
        (lambda folder: (folder / RECORD_FILE).unlink(), "no record of the origin of these files"),
        (lambda folder: (folder / RECORD_FILE).write_text('{"rskill": "sm'), f"{RECORD_FILE}"),
        (
            lambda folder: rewrite(folder, lambda record: record.update(revision="0" * 40)),
            "revision 000000000000, but the manifest pins 0123456789ab",
        ),
        (lambda folder: rewrite(folder, lambda record: record.update(uri="hf://a/b")), "hf://a/b"),
        (lambda folder: rewrite(folder, lambda record: record.pop("blobs")), "modeling.py is code"),
        (add_stray_code, "helper.py is neither recorded nor pinned"),
        (map_foreign_code, "loads code from other/repository"),
    ],
)
def test_weights_that_are_not_those_meant_are_refused_and_not_here(
    place: Place, damage: Callable[[Path], object], words: str
) -> None:
    place.fetch()
    damage(place.folder)
    with pytest.raises(WeightsRefused, match="openral weights fetch small") as refused:
        place.load()
    assert words in str(refused.value)
    assert place.state == "to be fetched again"
    place.fetch()
    assert place.load() == place.folder, "fetching again mends it"
    assert place.state == "here"


def test_a_pin_counts_above_a_record(place: Place) -> None:
    place.fetch()
    place.pins = {"modeling.py": "0" * 64}
    with pytest.raises(WeightsRefused, match=r"modeling\.py has sha256"):
        place.load()


def test_files_that_are_not_the_pinned_ones_are_never_put_in_place(place: Place) -> None:
    place.pins = {"model.safetensors": "0" * 64}
    with pytest.raises(ChecksumDiffers):
        place.fetch()
    assert place.state == "missing"
    assert not list(place.base.iterdir())


def test_wrong_files_leave_the_right_ones_where_they_are(place: Place) -> None:
    before = place.fetch()
    place.pins = {"model.safetensors": "0" * 64}
    with pytest.raises(ChecksumDiffers):
        place.fetch()
    place.pins = None
    assert WeightsRecord.read(place.load()) == before


def test_a_hub_that_sends_another_commit_is_refused(place: Place) -> None:
    def liar(weights: Weights, folder: Path) -> Fetched:
        return Fetched("f" * 40, place.hub(weights, folder).blobs)

    with pytest.raises(RevisionDiffers, match="ffffffffffff instead of the pinned 0123456789ab"):
        fetch(place.manifest, str(place.base), (), liar)
    assert place.state == "missing"


def test_a_manifest_without_a_revision_takes_what_was_recorded(place: Place) -> None:
    place.revision = ""
    place.fetch()
    assert place.load() == place.folder


@pytest.mark.parametrize("pinned", [True, False])
def test_code_beside_the_manifest_is_run_only_when_every_file_is_pinned(place: Place, pinned: bool) -> None:
    place.uri = "file://own"
    rskill = place.base / "rskill"
    (rskill / "own").mkdir(parents=True)
    place.hub(place.manifest.weights, rskill / "own")
    place.pins = (
        digests_of(rskill / "own")
        if pinned
        else {"model.safetensors": sha256_of(rskill / "own" / "model.safetensors")}
    )
    if pinned:
        assert place.load(rskill) == rskill / "own"
        return
    with pytest.raises(WeightsRefused, match=r"modeling\.py is neither recorded nor pinned"):
        place.load(rskill)


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("changed", [False, True])
def test_the_hubs_cache_is_taken_at_its_word_about_contents(place: Place, large: bool, changed: bool) -> None:
    repository = place.base.parent / "hub" / "models--someone--small"
    snapshot, blobs = repository / "snapshots" / REVISION, repository / "blobs"
    for folder in (snapshot, blobs):
        folder.mkdir(parents=True)
    text = snapshot / "config.json"
    text.write_text("{}")
    blob = blobs / (sha256_of(text) if large else blob_id_of(text))
    text.rename(blob)
    text.symlink_to(blob)
    if changed:
        blob.write_text("[]")
        with pytest.raises(WeightsRefused, match=r"config\.json does not match its digest"):
            place.load()
        return
    assert place.load() == snapshot


def test_large_files_in_the_hubs_cache_are_hashed_once(
    place: Place, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    repository = place.base.parent / "hub" / "models--someone--small"
    snapshot, blobs = repository / "snapshots" / REVISION, repository / "blobs"
    for folder in (snapshot, blobs):
        folder.mkdir(parents=True)
    for name, content in (("config.json", b"{}"), ("model.safetensors", b"a" * (SMALL + 1))):
        (tmp_path / name).write_bytes(content)
        blob = blobs / sha256_of(tmp_path / name)
        (tmp_path / name).rename(blob)
        (snapshot / name).symlink_to(blob)
    read: list[str] = []
    for module in ("weights_record", "provenance"):
        monkeypatch.setattr(
            f"openral_perception_ros.engines.{module}.sha256_of",
            lambda file: (read.append(file.name), sha256_of(file))[1],
            raising=False,
        )
    states = [place.state for _ in range(3)]
    assert states == ["here"] * 3
    assert read.count("model.safetensors") == 1
    assert sorted(each.name for each in snapshot.iterdir()) == ["config.json", "model.safetensors"]
    (blobs / sha256_of(snapshot / "model.safetensors")).write_bytes(b"b" * (SMALL + 1))
    assert place.state == "to be fetched again"


def test_a_plain_file_in_the_hubs_cache_is_nobodys(place: Place) -> None:
    snapshot = place.base.parent / "hub" / "models--someone--small" / "snapshots" / REVISION
    snapshot.mkdir(parents=True)
    (snapshot / "config.json").write_text("{}")
    with pytest.raises(WeightsRefused):
        place.load()


def test_an_attempt_that_ended_between_two_renames_loses_nothing(place: Place) -> None:
    place.fetch()
    place.folder.rename(place.base / ".small.old")
    assert place.state == "missing"
    place.fetch()
    assert place.load() == place.folder
    assert sorted(each.name for each in place.base.iterdir()) == ["small"]


def test_large_files_are_read_again_only_when_they_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    target = "openral_perception_ros.engines.weights_record.sha256_of"
    monkeypatch.setattr(target, lambda file: (read.append(file.name), sha256_of(file))[1])
    large, small = tmp_path / "large", tmp_path / "small"
    large.write_bytes(b"a" * (SMALL + 1))
    small.write_bytes(b"a")

    def digests() -> tuple[str, str]:
        known = KnownDigests(tmp_path)
        found = known.digest(large), known.digest(small)
        known.save()
        return found

    first = digests()
    assert digests() == first
    assert read == ["large", "small", "small"]
    status = large.stat()
    large.write_bytes(b"b" * (SMALL + 1))
    os.utime(large, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert digests()[0] == sha256_of(large) != first[0], "of the same size and modification time"


@pytest.mark.parametrize("torn", ["", "{", '{"large": 1}', '{"large": [[1, 2, 3]]}', "[]", "null"])
def test_a_torn_cache_of_digests_is_no_cache(tmp_path: Path, torn: str) -> None:
    (tmp_path / "openral-checked.json").write_text(torn)
    (tmp_path / "large").write_bytes(b"a" * (SMALL + 1))
    assert KnownDigests(tmp_path).digest(tmp_path / "large") == sha256_of(tmp_path / "large")


@pytest.mark.parametrize("torn", ["", '{"rskill": "small"', "[]", '{"rskill": 1}', "\x00"])
def test_a_torn_record_is_named(tmp_path: Path, torn: str) -> None:
    (tmp_path / RECORD_FILE).write_text(torn)
    with pytest.raises(InvalidRecord, match=RECORD_FILE):
        WeightsRecord.read(tmp_path)
