"""Tests of what counts as a change of a package."""

from pathlib import Path

import pytest

from workspace.packages import Package, find_packages
from workspace.paths import Layout
from workspace.ros_sources import RosSource


def write_package(path: Path, name: str, *folders: str) -> Path:
    for folder in folders:
        (path / folder).mkdir(parents=True)
    path.mkdir(parents=True, exist_ok=True)
    (path / "package.xml").write_text(f"<package><name>{name}</name></package>")
    return path


@pytest.fixture
def package(tmp_path: Path) -> Package:
    top = write_package(tmp_path / "sim", "openral_sim", "openral_sim", "test", "msg")
    (top / "openral_sim" / "node.py").write_text("pass")
    (top / "msg" / "A.msg").write_text("int32 a")
    return Package("openral_sim", top)


@pytest.mark.parametrize(
    ("file", "content", "rebuilt"),
    [
        ("openral_sim/node.py", "print()", False),
        ("openral_sim/new.py", "", True),
        ("test/test_node.py", "pass", False),
        ("openral_sim/__pycache__/node.pyc", "", False),
        ("msg/A.msg", "int32 b", True),
        ("package.xml", "<package/>", True),
        ("setup.py", "setup()", True),
    ],
)
def test_only_what_the_build_copies_or_generates_asks_for_a_build(
    package: Package, file: str, content: str, rebuilt: bool
) -> None:
    before = package.fingerprint()
    changed = package.path / file
    changed.parent.mkdir(exist_ok=True)
    changed.write_text(content)
    assert (package.fingerprint() != before) is rebuilt


def test_the_name_is_the_manifests_and_not_the_folders(tmp_path: Path) -> None:
    write_package(tmp_path / "launch", "openral_bringup")
    assert [found.name for found in find_packages(Layout(tmp_path), RosSource(None))] == ["openral_bringup"]


def test_the_underlay_is_left_out_where_ros_provides_it(tmp_path: Path) -> None:
    write_package(tmp_path / "tree" / "underlay" / "vision_msgs", "vision_msgs")
    write_package(tmp_path / "tree" / "underlay" / "tf2_msgs", "tf2_msgs")
    write_package(tmp_path / "ros" / "share" / "tf2_msgs", "tf2_msgs")
    found = find_packages(Layout(tmp_path / "tree"), RosSource(tmp_path / "ros"))
    assert [package.name for package in found] == ["vision_msgs"]


def test_packages_of_the_lab_are_built_only_when_asked_for(tmp_path: Path) -> None:
    write_package(tmp_path / "openral_core", "openral_core")
    write_package(tmp_path / "lab" / "openral_eval", "openral_eval")
    layout, wheels = Layout(tmp_path), RosSource(None)
    assert [package.name for package in find_packages(layout, wheels)] == ["openral_core"]
    assert [package.name for package in find_packages(layout, wheels, lab=True)] == [
        "openral_core",
        "openral_eval",
    ]


def test_the_mcp_server_is_built_only_when_asked_for(tmp_path: Path) -> None:
    for name in ("openral_core", "openral_mcp"):
        write_package(tmp_path / name, name)
    layout, wheels = Layout(tmp_path), RosSource(None)
    assert [package.name for package in find_packages(layout, wheels)] == ["openral_core"]
    both = find_packages(layout, wheels, mcp=True)
    assert [package.name for package in both] == ["openral_core", "openral_mcp"]


def test_interfaces_of_robots_are_built_only_when_asked_for(tmp_path: Path) -> None:
    write_package(tmp_path / "underlay" / "vision_msgs", "vision_msgs")
    write_package(tmp_path / "underlay" / "robot" / "nav2_msgs", "nav2_msgs")
    layout, wheels = Layout(tmp_path), RosSource(None)
    assert [package.name for package in find_packages(layout, wheels)] == ["vision_msgs"]
    assert [package.name for package in find_packages(layout, wheels, robot=True)] == [
        "nav2_msgs",
        "vision_msgs",
    ]
