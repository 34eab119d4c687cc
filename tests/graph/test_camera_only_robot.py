"""A robot that is one camera: it looks, remembers and answers; nothing is offered that moves."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

pytest.importorskip("openral_msgs")
pytest.importorskip("mujoco")
for package in ("nav2_msgs", "moveit_msgs", "control_msgs"):
    pytest.importorskip(package, reason="the interfaces of Nav2 and MoveIt are not built: make robot")
from graph.deployments import REAL, ROOT, Deployment, alive, foreign_robot
from graph.listeners import PaletteListener

pytestmark = [pytest.mark.graph, pytest.mark.xdist_group("graph"), pytest.mark.timeout(400)]

HANDED_OVER = 3
GOALS = {
    "find the mug": (0, "I see the mug"),
    "where is the baguette?": (0, "I see the baguette"),
    "find the person": (HANDED_OVER, "I couldn't find person"),
    "bring me the mug": (HANDED_OVER, "No GRASP skill is available"),
}
"""Exit code of each goal, and words of its end."""


def shelf_camera(folder: Path) -> Path:
    """The shipped example, with the topics and frames of that driver."""
    robot: dict[str, Any] = yaml.safe_load((ROOT / "robots" / "shelf_camera.yaml").read_text())
    assert not robot.get("skills")
    robot["frames"]["base"] = "head_mount"
    robot["cameras"]["shelf"] |= {
        "image": "/head_camera/image_raw",
        "info": "/head_camera/camera_info",
        "depth": "/head_camera/depth",
        "optical_frame": "head_camera_optical_frame",
        "rate": 5.0,
    }
    file = folder / "shelf.yaml"
    file.write_text(yaml.safe_dump(robot))
    return file


def test_it_finds_what_it_sees_and_refuses_what_needs_a_verb(ros_domain: int, tmp_path: Path) -> None:
    # The robot is a camera with its driver: nothing moves, so physics goes slowly and a busy machine has time
    # for the images, which are late there and never change.
    arguments = ["--robot", str(shelf_camera(tmp_path)), "--detectors", "embedded"]
    arguments += ["--set", "home_tiny_locator.max_frame_age=30.0"]
    goals = [word for goal in GOALS for word in ("--goal", goal)]
    with (
        foreign_robot(tmp_path / "camera.log", real_time_factor=0.05, camera_rate=40.0),
        Deployment(tmp_path / "run", *arguments, *goals, program=REAL) as deployment,
    ):
        with PaletteListener(ros_domain) as listener:
            listener.seconds_until(lambda: bool(listener.locators()), 150.0)
            assert listener.palette["skills"] == []
        assert deployment.wait(300.0) == HANDED_OVER, deployment.output
        assert alive(deployment.family()) == []
    lines = (tmp_path / "run" / "outcomes.jsonl").read_text().splitlines()
    outcomes = [json.loads(line) for line in lines]
    assert [outcome["exit_code"] for outcome in outcomes] == [code for code, _ in GOALS.values()]
    for outcome, (_, words) in zip(outcomes, GOALS.values(), strict=True):
        assert words in outcome["mission"]["reason"]
        tools = [call["tool"] for call in outcome["mission"]["calls"]]
        assert tools[0] in ("recall_object", "resolve_place")
        assert "execute_rskill" not in tools
