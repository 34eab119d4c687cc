"""Tests of the environment file that the build writes."""

import os
import subprocess
from pathlib import Path

import pytest

from workspace.environments import write_environment_file
from workspace.paths import Layout
from workspace.ros_sources import RosSource

PREFIX_SCRIPT = """
export PYTHONPATH="$COLCON_CURRENT_PREFIX/lib/python:$PYTHONPATH"
export AMENT_PREFIX_PATH="$COLCON_CURRENT_PREFIX:$AMENT_PREFIX_PATH"
"""


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    layout = Layout(tmp_path / "a tree")
    layout.install.mkdir(parents=True)
    (layout.install / "local_setup.sh").write_text(PREFIX_SCRIPT)
    write_environment_file(layout, RosSource(None))
    return layout


def enter(layout: Layout, times: int = 1, **caller: str) -> dict[str, str]:
    """The variables after sourcing the file, in a shell that has the caller's variables."""
    script = '. "$0"\n' * times + "env -0"
    env = {"PATH": os.environ["PATH"], **caller}
    shell = ["/bin/sh", "-c", script, layout.environment_file]
    output = subprocess.run(shell, env=env, stdout=subprocess.PIPE, text=True, check=True, timeout=20).stdout
    return dict(entry.split("=", 1) for entry in output.split("\0") if entry)


def test_the_virtual_environment_and_the_install_come_first(layout: Layout) -> None:
    variables = enter(layout)
    commands = layout.install / "lib/openral_bringup"
    assert variables["PATH"] == f"{commands}:{layout.venv}/bin:{os.environ['PATH']}"
    assert variables["AMENT_PREFIX_PATH"] == f"{layout.install}:{layout.venv}"
    assert variables["PYTHONPATH"].startswith(f"{layout.install}/lib/python")


def test_benchmarks_can_be_imported_once_the_lab_is_built(layout: Layout) -> None:
    lab = str(layout.root / "lab")
    assert lab not in enter(layout)["PYTHONPATH"].split(":")
    write_environment_file(layout, RosSource(None), lab=True)
    assert lab in enter(layout)["PYTHONPATH"].split(":")


def test_entering_twice_is_entering_once(layout: Layout) -> None:
    assert enter(layout, times=2) == enter(layout)


def test_another_ros_on_the_callers_search_paths_is_not_mixed_in(layout: Layout) -> None:
    variables = enter(layout, PYTHONPATH="/opt/ros/humble/py", AMENT_PREFIX_PATH="/opt/ros/humble")
    assert not [name for name, value in variables.items() if "humble" in value]


def test_the_callers_libraries_stay_in_reach(layout: Layout) -> None:
    assert enter(layout, LD_LIBRARY_PATH="/usr/local/cuda/lib64")["LD_LIBRARY_PATH"].endswith(
        ":/usr/local/cuda/lib64"
    )


@pytest.mark.parametrize(
    ("name", "default", "chosen"),
    [("MUJOCO_GL", "egl", "osmesa")],
)
def test_a_default_gives_way_to_the_callers_choice(
    layout: Layout, name: str, default: str, chosen: str
) -> None:
    assert enter(layout)[name] == default
    assert enter(layout, **{name: chosen})[name] == chosen


def test_the_reach_is_this_machine_whatever_ros_has_exported_unless_the_deployment_opens_it(
    layout: Layout,
) -> None:
    exported = {"ROS_AUTOMATIC_DISCOVERY_RANGE": "SUBNET", "ROS_STATIC_PEERS": "10.0.0.9"}
    limited = enter(layout, ROS_LOCALHOST_ONLY="0", ROS_DISCOVERY_SERVER="10.0.0.9:11811", **exported)
    assert limited["ROS_AUTOMATIC_DISCOVERY_RANGE"] == "LOCALHOST"
    assert not {"ROS_STATIC_PEERS", "ROS_DISCOVERY_SERVER", "ROS_LOCALHOST_ONLY"} & set(limited)
    opened = enter(layout, OPENRAL_DISCOVERY="subnet", **exported)
    assert {name: opened[name] for name in exported} == exported
