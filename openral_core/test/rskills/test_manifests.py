"""Invalid manifests are rejected with file, key and valid values."""

from pathlib import Path

import pytest
import yaml

from openral_core.rskills import InvalidManifest, Registry

DETECTOR = {
    "kind": "detector",
    "id": "finder",
    "description": "Finds things.",
    "engine": "sim_groundtruth",
    "mode": "on_demand",
    "vocabulary": {"kind": "open"},
    "licence": {"name": "Apache-2.0", "commercial_use": True},
    "memory_mb": 10,
    "latency": 0.1,
}


def write(root: Path, *manifests: dict[str, object]) -> Path:
    for manifest in manifests:
        folder = root / str(manifest["id"])
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "rskill.yaml").write_text(yaml.safe_dump(manifest))
    return root


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"colour": 1}, r"unknown key 'colour': valid here are .*'engine'.*'vocabulary'"),
        ({"engine": "yolo"}, r"engine: .*'rtdetr_onnx'.*found 'yolo'"),
        (
            {"licence": {"nam": "x", "commercial_use": True}},
            r"unknown key 'licence.nam': valid here are .*'name'",
        ),
        ({"mode": "continuous"}, "continuous detector needs a closed vocabulary"),
        ({"vocabulary": {"kind": "closed"}}, "needs either 'labels' or 'file'"),
        ({"threshold": 2}, "threshold: .*less than or equal to 1, found 2"),
        ({"kind": "robot"}, "kind: found 'robot', expected one of 'detector', 'skill'"),
    ],
)
def test_a_wrong_manifest_names_file_key_and_what_is_valid(
    tmp_path: Path, change: dict[str, object], message: str
) -> None:
    write(tmp_path, {**DETECTOR, **change})
    with pytest.raises(InvalidManifest, match=message) as refused:
        Registry.load([tmp_path])
    assert str(tmp_path / "finder" / "rskill.yaml") in str(refused.value)


def test_the_shipped_manifests_are_valid() -> None:
    registry = Registry.load([Path(__file__).parents[3] / "rskills"])
    assert registry.detector("sim_groundtruth_locator").mode == "on_demand"
    assert {skill.verb for skill in registry.skills} >= {"NAVIGATE", "LOOK_AT", "GRASP", "PLACE", "HANDOVER"}
