"""rSkills are found by id, alias or slug; conflicting names are rejected."""

from pathlib import Path

import pytest
import yaml

from openral_core.documents import InvalidDocument
from openral_core.names import UnknownId
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
SKILL = {"kind": "skill", "id": "grasp", "description": "Takes.", "verb": "GRASP", "deadline": 5.0}


def write(root: Path, *manifests: dict[str, object]) -> Path:
    for manifest in manifests:
        folder = root / str(manifest["id"])
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "rskill.yaml").write_text(yaml.safe_dump(manifest))
    return root


def test_both_kinds_are_found_by_any_of_their_names(tmp_path: Path) -> None:
    registry = Registry.load([write(tmp_path, {**DETECTOR, "aliases": ["eye"]}, SKILL)])
    assert registry.detector("eye").id == "finder"
    assert registry.skill("grasp").verb == "GRASP"
    assert registry.folder("finder") == tmp_path / "finder"


def test_an_unknown_id_lists_those_of_its_kind(tmp_path: Path) -> None:
    registry = Registry.load([write(tmp_path, DETECTOR, SKILL)])
    with pytest.raises(UnknownId, match="unknown detector 'grasp': expected one of 'finder'"):
        registry.detector("grasp")


def test_two_ids_with_one_slug_are_refused(tmp_path: Path) -> None:
    write(tmp_path, {**DETECTOR, "id": "my-eye"}, {**DETECTOR, "id": "my_eye"})
    with pytest.raises(InvalidManifest, match="name 'my_eye' is already used by"):
        Registry.load([tmp_path])


def test_an_id_that_is_not_its_folder_is_refused(tmp_path: Path) -> None:
    write(tmp_path, DETECTOR)
    (tmp_path / "finder").rename(tmp_path / "seeker")
    with pytest.raises(InvalidManifest, match="'finder' must equal the folder name 'seeker'"):
        Registry.load([tmp_path])


@pytest.mark.parametrize("content", ["- a list", "{broken", "\x00"])
def test_a_file_that_is_no_mapping_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "rskill.yaml").write_text(content)
    with pytest.raises(InvalidDocument, match=r"rskill\.yaml"):
        Registry.load([tmp_path])


def test_a_folder_without_rskills_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidManifest, match="no rSkill found"):
        Registry.load([tmp_path])
