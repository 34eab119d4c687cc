"""rSkill names, aliases and slugs."""

import re
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from openral_core.documents import InvalidDocument
from openral_core.rskills import (
    ID_PATTERN,
    InvalidManifest,
    InvalidName,
    Name,
    Registry,
    UnknownId,
    find_named,
    slug,
)

NAMES = (Name("omdet-turbo-locator", ("omdet",)), Name("sim-groundtruth"))


@given(st.text())
def test_every_slug_is_a_legal_ros_name_of_the_same_length(text: str) -> None:
    assert re.fullmatch(r"[a-z0-9_]*", slug(text))


@given(st.from_regex(ID_PATTERN, fullmatch=True))
def test_a_slug_of_a_slug_is_itself(rskill_id: str) -> None:
    rskill_id = rskill_id.rstrip("\n")
    assert slug(slug(rskill_id)) == slug(rskill_id)


@pytest.mark.parametrize("asked", ["omdet-turbo-locator", "omdet_turbo_locator", "omdet"])
def test_id_slug_and_alias_find_the_same_thing(asked: str) -> None:
    assert find_named("detector", asked, NAMES) is NAMES[0]


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(
        UnknownId, match=r"unknown detector 'yolo': expected one of .*'omdet'.*'sim-groundtruth'"
    ):
        find_named("detector", "yolo", NAMES)


@pytest.mark.parametrize("bad", ["", "Ab", "-x", "a b", "x" * 65, "abc\n"])
def test_an_id_that_cannot_be_used_is_refused(bad: str) -> None:
    with pytest.raises(InvalidName, match=re.escape(repr(bad))):
        Name(bad)


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
        ({"vocabulary": {"kind": "closed", "labels": {}}}, "needs either 'labels' or 'file'"),
        ({"vocabulary": {"kind": "closed", "labels": {-1: "cup"}}}, "labels"),
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
    registry = Registry.load([Path(__file__).parents[2] / "rskills"])
    assert registry.detector("sim_groundtruth_locator").mode == "on_demand"
    assert {skill.verb for skill in registry.skills} >= {"NAVIGATE", "LOOK_AT", "GRASP", "PLACE", "HANDOVER"}


SKILL = {"kind": "skill", "id": "grasp", "description": "Takes.", "verb": "GRASP", "deadline": 5.0}


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


def test_a_folder_that_cannot_be_read_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(InvalidManifest, match=r"zzz.*cannot be read: File name too long"):
        Registry.load([tmp_path, Path("z" * 300)])
