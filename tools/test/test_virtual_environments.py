"""Tests of when the virtual environment is made, mended or left alone."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from workspace import virtual_environments
from workspace.paths import Layout
from workspace.ros_sources import RosSource
from workspace.virtual_environments import INSTALLING, STAMP, InterpreterMismatch, ensure_virtual_environment

WHEELS = RosSource(None)
VERSION = "{}.{}.{}".format(*sys.version_info[:3])
RECORD = "include-system-site-packages = {}\nversion = {}\ncommand = python -m venv {}\n"
FILES = (
    "build.txt",
    "runtime.txt",
    "models.txt",
    "mcp.txt",
    "sim.txt",
    "dev.txt",
    "ros.txt",
    "ros_robot.txt",
    "sim_assets.txt",
)


class FakeCommands:
    """Takes the place of starting programs: makes the environment's files and remembers what was asked."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.titles: list[str] = []

    def __call__(
        self, title: str, command: Sequence[str | Path], log: Path, env: Mapping[str, str] | None = None
    ) -> None:
        self.titles.append(title)
        if title == "python -m venv":
            self.layout.python.parent.mkdir(parents=True, exist_ok=True)
            self.layout.python.write_text("#!/bin/sh\necho /usr/include\n")
            self.layout.python.chmod(0o755)
            system = str("--system-site-packages" in command).lower()
            (self.layout.venv / "pyvenv.cfg").write_text(RECORD.format(system, VERSION, self.layout.venv))
            (self.layout.venv / INSTALLING).unlink(missing_ok=True)


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    layout = Layout(tmp_path)
    layout.requirements.mkdir()
    for name in FILES:
        (layout.requirements / name).write_text(f"{name}==1\n")
    return layout


@pytest.fixture
def commands(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> FakeCommands:
    commands = FakeCommands(layout)
    monkeypatch.setattr(virtual_environments, "run", commands)
    return commands


def test_the_first_time_makes_and_fills_it(layout: Layout, commands: FakeCommands) -> None:
    ensure_virtual_environment(layout, WHEELS)
    assert commands.titles == ["python -m venv", "pip install", "pip install (assets)"]


def test_the_second_time_starts_no_program(layout: Layout, commands: FakeCommands) -> None:
    ensure_virtual_environment(layout, WHEELS)
    commands.titles.clear()
    ensure_virtual_environment(layout, WHEELS)
    assert commands.titles == []


def test_another_pin_installs_into_the_same_environment(layout: Layout, commands: FakeCommands) -> None:
    ensure_virtual_environment(layout, WHEELS)
    commands.titles.clear()
    (layout.requirements / "dev.txt").write_text("dev.txt==2\n")
    ensure_virtual_environment(layout, WHEELS)
    assert commands.titles == ["pip install", "pip install (assets)"]


def test_an_interrupted_installation_starts_afresh(layout: Layout, commands: FakeCommands) -> None:
    ensure_virtual_environment(layout, WHEELS)
    commands.titles.clear()
    (layout.venv / STAMP).unlink()
    (layout.venv / INSTALLING).touch()
    ensure_virtual_environment(layout, WHEELS)
    assert commands.titles[0] == "python -m venv"
    assert (layout.venv / STAMP).exists()


@pytest.mark.parametrize(
    "made",
    [
        RECORD.format("false", VERSION, "/elsewhere/.venv"),
        RECORD.format("false", VERSION.rpartition(".")[0] + ".99", "{venv}"),
    ],
)
def test_one_of_another_place_or_python_starts_afresh(
    layout: Layout, commands: FakeCommands, made: str
) -> None:
    ensure_virtual_environment(layout, WHEELS)
    commands.titles.clear()
    (layout.venv / STAMP).write_text("made elsewhere")
    (layout.venv / "pyvenv.cfg").write_text(made.replace("{venv}", str(layout.venv)))
    ensure_virtual_environment(layout, WHEELS)
    assert commands.titles[0] == "python -m venv"


def test_one_of_another_python_version_is_kept(layout: Layout, commands: FakeCommands) -> None:
    layout.venv.mkdir()
    (layout.venv / "pyvenv.cfg").write_text("version = 3.9.1\n")
    ensure_virtual_environment(layout, WHEELS)
    assert commands.titles[0] == "python -m venv"
    assert (layout.aside("3.9") / ".venv" / "pyvenv.cfg").read_text() == "version = 3.9.1\n"


def test_one_filled_with_wheels_of_ros_starts_afresh_once_ros_is_installed(
    layout: Layout, commands: FakeCommands, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(virtual_environments, "SYSTEM_PYTHON", sys.version_info[:2])
    ensure_virtual_environment(layout, WHEELS)
    commands.titles.clear()
    for _ in range(2):
        ensure_virtual_environment(layout, RosSource(Path("/opt/ros/jazzy")))
    assert commands.titles == ["python -m venv", "pip install", "pip install (assets)"]


def test_a_shared_environment_is_never_cleared(
    layout: Layout, commands: FakeCommands, tmp_path: Path
) -> None:
    shared = tmp_path / "shared"
    (shared / "bin").mkdir(parents=True)
    (shared / "bin" / "python").write_text("#!/bin/sh\necho /usr/include\n")
    (shared / "bin" / "python").chmod(0o755)
    (shared / INSTALLING).touch()
    layout.venv.symlink_to(shared)
    ensure_virtual_environment(layout, WHEELS)
    assert commands.titles == ["pip install", "pip install (assets)"]


def test_the_systems_ros_asks_for_its_own_python(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(virtual_environments, "SYSTEM_PYTHON", (3, 99))
    with pytest.raises(
        InterpreterMismatch, match=r"needs Python 3\.99; found .* PYTHON=/usr/bin/python3\.99"
    ):
        ensure_virtual_environment(layout, RosSource(Path("/opt/ros/jazzy")))
