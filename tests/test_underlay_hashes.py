"""The underlay's interfaces have the REP-2016 type hashes of the released ones, so that they interoperate.

`underlay_hashes.json` holds the hashes of the definitions that each package's release contains, computed
with the generator of ROS 2 (rosidl_generator_type_description).
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

pytest.importorskip("rosidl_generator_type_description", reason="the generators of ROS 2 are not installed")

from ament_index_python.packages import get_package_share_directory
from rosidl_adapter import convert_to_idl
from rosidl_generator_type_description import generate_type_hash

UNDERLAY = Path(__file__).resolve().parents[1] / "underlay"
RELEASED: Mapping[str, dict[str, dict[str, str]]] = json.loads(
    Path(__file__).with_name("underlay_hashes.json").read_text()
)
IMPLIED = ("action_msgs", "builtin_interfaces", "service_msgs", "unique_identifier_msgs")
"""Packages of the types that every service and action includes."""
SUFFIXES = (".msg", ".srv", ".action")


def packages_in(*folders: Path) -> dict[str, Path]:
    """Folders of the interface packages, those that others include first."""
    found = {file.parent.name: file.parent for folder in folders for file in folder.glob("*/package.xml")}
    pending = dict(sorted(found.items()))
    ordered: dict[str, Path] = {}
    while pending:
        ready = [name for name in pending if dependencies(pending[name]).isdisjoint(set(pending) - {name})]
        ordered |= {name: pending.pop(name) for name in ready}
    return ordered


def dependencies(package: Path) -> set[str]:
    return {(tag.text or "").strip() for tag in ET.parse(package / "package.xml").iter("depend")}


def definitions(package: Path) -> Iterator[Path]:
    return (file for file in sorted(package.glob("*/*")) if file.suffix in SUFFIXES)


def type_hashes(packages: Mapping[str, Path], output: Path) -> dict[str, str]:
    """Return the hash of every definition by its name, ``nav2_msgs/action/Spin``."""
    hashes: dict[str, str] = {}
    for name, package in packages.items():
        files = [file.relative_to(package) for file in definitions(package)]
        for file in files:
            convert_to_idl(package, name, file, output / name / "idl")
        foreign = {*IMPLIED, *dependencies(package)} - set(packages)
        includes = [f"{other}:{output / other}" for other in packages]
        includes += [f"{other}:{get_package_share_directory(other)}" for other in foreign]
        arguments = {
            "package_name": name,
            "output_dir": str(output / name),
            "idl_tuples": [f"{output / name / 'idl'}:{file.with_suffix('.idl')}" for file in files],
            "include_paths": includes,
        }
        (output / f"{name}.json").write_text(json.dumps(arguments))
        generate_type_hash(str(output / f"{name}.json"))
        for file in files:
            described = json.loads((output / name / file.with_suffix(".json")).read_text())
            top = described["type_hashes"][0]
            hashes[top["type_name"]] = top["hash_string"]
    return hashes


def test_every_type_has_the_hash_of_the_released_one(tmp_path: Path) -> None:
    released = {name: value for package in RELEASED.values() for name, value in package["types"].items()}
    assert type_hashes(packages_in(UNDERLAY, UNDERLAY / "robot"), tmp_path) == released


def test_the_manifests_name_the_releases() -> None:
    manifests = {
        name: ET.parse(folder / "package.xml").findtext("version")
        for name, folder in packages_in(UNDERLAY, UNDERLAY / "robot").items()
    }
    assert manifests == {name: package["version"] for name, package in RELEASED.items()}
