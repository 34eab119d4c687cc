"""Tests of what is built again."""

import os
import sys
from pathlib import Path

import pytest

from workspace import builds
from workspace.builds import BuildFailed, ensure_built
from workspace.packages import Package
from workspace.paths import Layout
from workspace.ros_sources import RosSource

WHEELS = RosSource(None)
MANIFEST = "<package><name>{}</name><depend>{}</depend></package>"


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    layout = Layout(tmp_path)
    for name, depends in (("a_msgs", "std_msgs"), ("b_msgs", "a_msgs"), ("c", "b_msgs")):
        (layout.root / name / ("msg" if name.endswith("_msgs") else "c")).mkdir(parents=True)
        (layout.root / name / "package.xml").write_text(MANIFEST.format(name, depends))
    layout.requirements.mkdir()
    for file in ("requirements/build.txt", "requirements/ros.txt", "colcon.meta"):
        (layout.root / file).write_text("1")
    layout.python.parent.mkdir(parents=True)
    layout.python.symlink_to(sys.executable)
    return layout


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Names of the packages of each build."""
    calls: list[list[str]] = []

    def build(layout: Layout, ros: RosSource, packages: list[Package], chosen: list[Package]) -> None:
        layout.build.mkdir(exist_ok=True)
        layout.install.mkdir(exist_ok=True)
        calls.append([package.name for package in chosen])

    monkeypatch.setattr(builds, "_build", build)
    monkeypatch.setattr(
        builds, "write_environment_file", lambda layout, ros, lab: layout.environment_file.touch()
    )
    return calls


def test_a_first_build_takes_everything_and_a_second_nothing(layout: Layout, built: list[list[str]]) -> None:
    ensure_built(layout, WHEELS)
    ensure_built(layout, WHEELS)
    assert built == [["a_msgs", "b_msgs", "c"]]


def test_interfaces_of_robots_once_built_are_kept_up_to_date(layout: Layout, built: list[list[str]]) -> None:
    nav2 = layout.root / "underlay" / "robot" / "nav2_msgs"
    nav2.mkdir(parents=True)
    (nav2 / "package.xml").write_text(MANIFEST.format("nav2_msgs", "std_msgs"))
    ensure_built(layout, WHEELS)
    ensure_built(layout, WHEELS, robot=True)
    ensure_built(layout, WHEELS)
    (layout.root / "colcon.meta").write_text("2")
    ensure_built(layout, WHEELS)
    everything = ["a_msgs", "b_msgs", "c", "nav2_msgs"]
    assert built == [["a_msgs", "b_msgs", "c"], ["nav2_msgs"], everything]


def test_packages_of_the_lab_once_built_are_kept_up_to_date(layout: Layout, built: list[list[str]]) -> None:
    eval_ = layout.root / "lab" / "eval"
    eval_.mkdir(parents=True)
    (eval_ / "package.xml").write_text(MANIFEST.format("eval", "c"))
    ensure_built(layout, WHEELS)
    ensure_built(layout, WHEELS, lab=True)
    (eval_ / "package.xml").write_text(MANIFEST.format("eval", "b_msgs"))
    ensure_built(layout, WHEELS)
    assert built == [["a_msgs", "b_msgs", "c"], ["eval"], ["eval"]]


def test_the_mcp_server_once_built_is_kept_up_to_date(layout: Layout, built: list[list[str]]) -> None:
    server = layout.root / "openral_mcp"
    server.mkdir()
    (server / "package.xml").write_text(MANIFEST.format("openral_mcp", "c"))
    ensure_built(layout, WHEELS)
    ensure_built(layout, WHEELS, mcp=True)
    (server / "package.xml").write_text(MANIFEST.format("openral_mcp", "b_msgs"))
    ensure_built(layout, WHEELS)
    assert built == [["a_msgs", "b_msgs", "c"], ["openral_mcp"], ["openral_mcp"]]


@pytest.mark.parametrize("moved_to", ["lab/c", "elsewhere/c"])
def test_everything_is_built_from_nothing_once_a_package_has_left_its_folder(
    layout: Layout, built: list[list[str]], moved_to: str
) -> None:
    ensure_built(layout, WHEELS)
    entry_point = layout.install / "entry_point_of_c"
    entry_point.touch()
    (layout.root / moved_to).parent.mkdir()
    (layout.root / "c").rename(layout.root / moved_to)
    ensure_built(layout, WHEELS)
    assert built[1:] == [["a_msgs", "b_msgs"]]
    assert not entry_point.exists()


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ("a_msgs/msg/A.msg", ["a_msgs", "b_msgs"]),
        ("b_msgs/msg/B.msg", ["b_msgs"]),
        ("c/setup.py", ["c"]),
        ("colcon.meta", ["a_msgs", "b_msgs", "c"]),
        ("requirements/ros.txt", ["a_msgs", "b_msgs", "c"]),
    ],
)
def test_a_change_builds_what_it_touches(
    layout: Layout, built: list[list[str]], changed: str, expected: list[str]
) -> None:
    ensure_built(layout, WHEELS)
    (layout.root / changed).write_text("2")
    ensure_built(layout, WHEELS)
    assert built[1:] == [expected]


def test_a_removed_package_does_not_stay_installed(layout: Layout, built: list[list[str]]) -> None:
    ensure_built(layout, WHEELS)
    (layout.install / "commands_of_c").touch()
    (layout.root / "c" / "package.xml").unlink()
    ensure_built(layout, WHEELS)
    assert built == [["a_msgs", "b_msgs", "c"], ["a_msgs", "b_msgs"]]
    assert not (layout.install / "commands_of_c").exists()


def test_modules_are_compiled_when_they_change_even_where_python_would_not(
    layout: Layout, built: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    good, bad = layout.root / "c" / "c" / "good.py", layout.root / "c" / "c" / "bad.py"
    bad.write_text("=")
    for size, content in enumerate(("x = 1", "x = 12"), start=len("x = 1")):
        good.write_text(content)
        os.utime(good, (size, size))
        ensure_built(layout, WHEELS)
        (compiled,) = (good.parent / "__pycache__").iterdir()
        assert int.from_bytes(compiled.read_bytes()[12:16], "little") == size  # PEP 552: size of the source
    assert len(built) == 1


@pytest.mark.parametrize("lost", ["build/fingerprints.json", "install/env.sh"])
def test_a_lost_or_unfinished_build_is_done_again(layout: Layout, built: list[list[str]], lost: str) -> None:
    ensure_built(layout, WHEELS)
    (layout.root / lost).unlink()
    ensure_built(layout, WHEELS)
    assert built[1:] == [["a_msgs", "b_msgs", "c"]]


def test_a_failed_build_is_continued_with_what_was_to_be_built(
    layout: Layout, built: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    ensure_built(layout, WHEELS)
    (layout.root / "b_msgs" / "msg" / "B.msg").write_text("2")
    with monkeypatch.context() as patched:
        patched.setattr(builds, "_build", fail)
        with pytest.raises(BuildFailed):
            ensure_built(layout, WHEELS)
    ensure_built(layout, WHEELS)
    assert built[1:] == [["b_msgs"]]


def test_a_first_build_that_failed_keeps_what_it_compiled(
    layout: Layout, built: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(builds, "_build", fail)
        with pytest.raises(BuildFailed):
            ensure_built(layout, WHEELS)
    (layout.build / "a_msgs").mkdir()
    ensure_built(layout, WHEELS)
    assert built == [["a_msgs", "b_msgs", "c"]]
    assert (layout.build / "a_msgs").exists()


def fail(layout: Layout, ros: RosSource, packages: list[Package], chosen: list[Package]) -> None:
    raise BuildFailed(chosen, 1, layout)
