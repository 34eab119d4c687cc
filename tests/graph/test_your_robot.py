"""The commands of docs/your-robot.md, with the simulated foreign robot as the robot."""

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
import yaml

pytest.importorskip("openral_msgs")
pytest.importorskip("mujoco")
for package in ("nav2_msgs", "moveit_msgs", "control_msgs"):
    pytest.importorskip(package, reason="the interfaces of Nav2 and MoveIt are not built: make robot")
from graph.deployments import REAL, ROOT, Deployment, alive, foreign_robot

from openral_core.robot import load_robot

pytestmark = [pytest.mark.graph, pytest.mark.xdist_group("graph"), pytest.mark.timeout(400)]

PAGE = (ROOT / "docs" / "your-robot.md").read_text()
BLOCK = re.compile(r"^```(?P<language>\w+)[^\n]*\n(?P<code>.*?)^```", re.DOTALL | re.MULTILINE)
ROBOT = "robots/foreign_sim.yaml"
AS_FAST_AS_PROMISED = ("rate", "transform")
"""Findings that depend on how busy this machine is."""


def commands(program: str) -> Sequence[Sequence[str]]:
    """Commands of the page with a program, for the robot of these tests."""
    lines = [line for found in BLOCK.finditer(PAGE) for line in found["code"].splitlines()]
    words = [shlex.split(line, comments=True) for line in lines if program in line]
    return [[ROBOT if word == "my_robot.yaml" else word for word in each] for each in words]


def ran(command: Sequence[str]) -> "subprocess.CompletedProcess[str]":
    """Run a command of the page to its end."""
    return subprocess.run(
        command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.parametrize("command", commands("deploy_robot.py"), ids=" ".join)
def test_each_deployment_of_the_page_is_valid(command: Sequence[str]) -> None:
    offline = [word for word in command[2:] if word != "--fetch"]
    known = ["--detectors", "embedded"] if "--detectors" not in offline else []
    result = ran([sys.executable, *command[1:2], *offline, *known, "--dry-run"])
    assert result.returncode == 0, result.stdout + result.stderr
    assert "/reasoner" in result.stdout


def test_the_robot_of_the_page_is_valid(tmp_path: Path) -> None:
    described = [found["code"] for found in BLOCK.finditer(PAGE) if found["language"] == "yaml"]
    robot, arm = (yaml.safe_load(code) for code in described)
    (tmp_path / "my_robot.yaml").write_text(yaml.safe_dump({**robot, **arm}))
    assert set(load_robot(tmp_path / "my_robot.yaml").skills) == {"NAVIGATE", "LOOK_AT"}


@pytest.mark.slow
def test_check_it_and_find_the_mug(ros_domain: int, tmp_path: Path) -> None:
    (check,) = commands("robot check")
    find = next(
        command for command in commands("deploy_robot.py") if ROBOT in command and "--goal" in command
    )
    arguments = [word for word in find[2:] if word != "--fetch"] + ["--detectors", "embedded"]
    with foreign_robot(tmp_path / "robot.log", real_time_factor=0.5, camera_rate=10.0):
        checked = ran([*check, "--seconds", "15", "--json"])
        findings = json.loads(checked.stdout)["findings"]
        assert len(findings) > 30, checked.stderr
        bad = [finding["what"] for finding in findings if finding["verdict"] == "bad"]
        assert [what for what in bad if not any(word in what for word in AS_FAST_AS_PROMISED)] == []
        with Deployment(tmp_path / "run", *arguments, program=REAL) as deployment:
            assert deployment.wait(300.0) == 0, deployment.output
            assert alive(deployment.family()) == []
    outcome = json.loads((tmp_path / "run" / "outcomes.jsonl").read_text().splitlines()[-1])
    assert "mug" in outcome["mission"]["reason"]
