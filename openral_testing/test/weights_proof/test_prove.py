"""`openral weights prove` against a hub on this machine: five architectures, and everything that can fail."""

import json
import socket
from pathlib import Path

import cv2
import hub_server as hubs
import numpy as np
import pytest
import yaml
from torch_environments import DETECTION, FOLDER, in_environment, needs
from typer.testing import CliRunner, Result

from openral_core.rskills import DetectorManifest, Registry
from openral_testing.weights import cli
from openral_testing.weights.proofs import WeightsProof
from openral_testing.weights_proof.command import DESIGN, commands

LABELS = ["mug", "bread", "lemon", "wine glass", "bottle"]
ARCHITECTURES = {
    "rtdetr-v2-r50vd": ("rtdetr_hf", "rtdetr_v2"),
    "rtdetr-coco-r18": ("rtdetr_onnx", "rtdetr"),
    "omdet-turbo-indoor": ("zeroshot_hf", "omdet_turbo"),
    "omdet-turbo-locator": ("zeroshot_hf", "omdet_turbo"),
    "locateanything-3b-nf4": ("vlm_grounding", "tiny_vlm"),
}
SHIPPED = Path(__file__).parents[3] / "rskills"


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    """Two annotated pictures of noise."""
    folder = tmp_path / "photos"
    (folder / "images").mkdir(parents=True)
    rng, images, annotations = np.random.default_rng(0), [], []
    for number in (1, 2):
        name = f"{number}.png"
        cv2.imwrite(str(folder / "images" / name), rng.integers(0, 255, (120, 200, 3), np.uint8))
        images.append({"id": number, "file_name": name})
        box = {"image_id": number, "category_id": number, "bbox": [20, 20, 60, 60], "iscrowd": 0}
        annotations.append(box)
    categories = [{"id": number, "name": name} for number, name in enumerate(LABELS, start=1)]
    content = {"images": images, "annotations": annotations, "categories": categories}
    (folder / "annotations.json").write_text(json.dumps(content))
    return folder


def write_rskill(folder: Path, name: str, **changes: object) -> None:
    content = {
        "kind": "detector",
        "id": name,
        "description": "d",
        "mode": "continuous",
        "vocabulary": {"kind": "closed", "labels": LABELS},
        "licence": {"name": "Apache-2.0", "commercial_use": True},
        "memory_mb": 100,
        "latency": 1,
        **changes,
    }
    (folder / name).mkdir(parents=True)
    (folder / name / "rskill.yaml").write_text(yaml.safe_dump(content))


def prove(tmp_path: Path, photos: Path, *words: str, **variables: str) -> tuple[Result, dict[str, object]]:
    out = tmp_path / "proof.json"
    places = ["--weights-dir", str(tmp_path / "weights"), "--photos", str(photos), "--out", str(out)]
    command = ["weights", "prove", *words, *places, "--heavy-mb", "10"]
    result = CliRunner(env=variables).invoke(commands, command, catch_exceptions=False)
    return result, json.loads(out.read_text())


def test_a_shipped_detector_is_proved_alone_and_beside_a_heavy_skill(tmp_path: Path, photos: Path) -> None:
    result, report = prove(tmp_path, photos, "home-tiny", "--rskills", str(SHIPPED), "--by", "a tester")
    assert result.exit_code == 0, result.output
    (detector,) = report["detectors"]
    assert detector["failure"] is None
    assert detector["latency_median"] > 0.0
    assert detector["active_mb"] > 50.0
    assert detector["inactive_mb"] == 0.0
    assert detector["photographs"] == 2
    assert report["together"]["resident"] == ["home-tiny"]
    assert 60.0 < report["together"]["peak_mb"] < 8000.0
    registry = Registry.load([SHIPPED])
    manifest, folder = registry.detector("home-tiny"), registry.folder("home-tiny")
    assert WeightsProof.of(manifest, folder, str(tmp_path / "weights")).by == "a tester"
    words = ["weights", "list", "--rskills", str(SHIPPED), "--weights-dir", str(tmp_path / "weights")]
    listed = CliRunner(env={"COLUMNS": "300"}).invoke(cli.app, words).output
    assert listed.count("by a tester") == 1
    assert "never proved" in listed


def test_other_weights_than_the_proved_ones_are_not_proved(tmp_path: Path) -> None:
    write_rskill(tmp_path, "own", engine="onnx", weights={"uri": "hf://a/b", "revision": "1" * 40})
    manifest = Registry.load([tmp_path]).detector("own")
    proof = WeightsProof(rskill="own", uri="hf://a/b", revision="2" * 40, date="2026-01-01", by="x")
    proof.write(str(tmp_path / "weights"))
    assert WeightsProof.of(manifest, tmp_path / "own", str(tmp_path / "weights")) is None


def failed(report: dict[str, object]) -> tuple[str, str]:
    (detector,) = report["detectors"]
    return detector["failure"]["stage"], detector["failure"]["kind"]


def test_a_dead_hub_and_a_wrong_digest_have_their_types(tmp_path: Path, photos: Path) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        dead = f"http://127.0.0.1:{closed.getsockname()[1]}"
    weights = {"uri": f"https://{hubs.REPOSITORY}/resolve/{hubs.COMMIT}", "files": {"model.onnx": "0" * 64}}
    write_rskill(tmp_path / "rskills", "far", engine="onnx", weights=weights)
    words = ("far", "--rskills", str(tmp_path / "rskills"), "--mirror")
    result, report = prove(tmp_path, photos, *words, dead)
    assert (result.exit_code, failed(report)) == (1, ("fetch", "DownloadFailed"))
    with hubs.serving(hubs.Hub({"model.onnx": b"other"})) as hub:
        result, report = prove(tmp_path, photos, *words, hub.url)
    assert (result.exit_code, failed(report)) == (1, ("fetch", "UnexpectedContent"))
    assert report["together"] is None


def test_too_little_memory_has_its_type(tmp_path: Path, photos: Path) -> None:
    words = ("home-tiny", "--rskills", str(SHIPPED), "--gpu-budget-mb", "40")
    result, report = prove(tmp_path, photos, *words)
    assert result.exit_code == 1
    assert report["together"]["failures"]["home-tiny"]["kind"] == "TooLittleMemory"
    assert "raise --gpu-budget-mb" in report["together"]["failures"]["home-tiny"]["message"]


def checkpoints(folder: Path) -> dict[str, dict[str, bytes]]:
    """Return the files of a small random checkpoint of each architecture, by repository."""
    kinds = sorted({kind for _, kind in ARCHITECTURES.values()} - {"tiny_vlm"})
    in_environment("-m", "openral_testing.detectors.tiny_checkpoints", str(folder), *kinds, patience=240.0)
    in_environment(
        "-m", "openral_testing.detectors.tiny_vlm", str(folder / "tiny_vlm" / "weights"), patience=240.0
    )
    return {
        f"lab/{kind}": {file.name: file.read_bytes() for file in (folder / kind / "weights").iterdir()}
        for kind in (*kinds, "tiny_vlm")
    }


def write_design(folder: Path) -> None:
    shipped = Registry.load([SHIPPED])
    for name, (engine, kind) in ARCHITECTURES.items():
        manifest: DetectorManifest = shipped.detector(name)
        closed = manifest.vocabulary.kind.value == "closed"
        write_rskill(
            folder,
            name,
            engine=engine,
            mode=manifest.mode.value,
            vocabulary={"kind": "closed", "labels": LABELS} if closed else {"kind": "open"},
            weights={"uri": f"hf://lab/{kind}", "revision": hubs.COMMIT},
            environment={"name": "main" if engine == "rtdetr_onnx" else "transformers-5"},
            scores_calibrated=manifest.scores_calibrated,
            options={} if engine != "vlm_grounding" else {"precision": "fp32", "quantisation": "none"},
        )


@needs(DETECTION)
@pytest.mark.xdist_group("torch")
@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_five_detectors_of_the_design_are_proved_from_a_hub(tmp_path: Path, photos: Path) -> None:
    repositories = checkpoints(tmp_path / "checkpoints")
    write_design(tmp_path / "rskills")
    (tmp_path / "environments").mkdir()
    (tmp_path / "environments" / "transformers-5").symlink_to(FOLDER.resolve() / DETECTION)
    large = ("model.safetensors",)
    places = ("--rskills", str(tmp_path / "rskills"), "--environments", str(tmp_path / "environments"))
    with (
        hubs.serving(hubs.Hub({}, large=large, others=repositories)) as hub,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr("openral_perception_ros.weights.hub.HfApi", hub_client(hub.url))
        patch.setattr("openral_perception_ros.weights.hub.hf_hub_url", address_at(hub.url))
        result, report = prove(tmp_path, photos, *places, "--remote-code", "--gpu-budget-mb", "8000")
    assert {each["rskill"]: each["failure"] for each in report["detectors"]} == dict.fromkeys(DESIGN)
    assert result.exit_code == 0, report["together"]
    assert sorted(report["together"]["resident"]) == sorted(DESIGN)
    assert all(each["revision"] == hubs.COMMIT for each in report["detectors"])
    assert all(each["inactive_mb"] == 0.0 < each["active_mb"] for each in report["detectors"])


def hub_client(url: str) -> object:
    from huggingface_hub import HfApi

    return lambda: HfApi(endpoint=url)


def address_at(url: str) -> object:
    from huggingface_hub import hf_hub_url

    return lambda repository, name, revision: hf_hub_url(repository, name, revision=revision, endpoint=url)
