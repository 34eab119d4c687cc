"""robot.yaml: what is refused, and what the message says."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from openral_core.robot import InvalidRobot, load_robot
from openral_core.rskills import Verb

CAMERA = {"image": "/rgb", "info": "/info", "optical_frame": "camera_optical"}
GOOD: dict[str, Any] = {
    "name": "test",
    "cameras": {"head": CAMERA},
    "skills": {"NAVIGATE": {"backend": "nav2"}},
}


def written(folder: Path, **changes: Any) -> Path:
    file = folder / "robot.yaml"
    file.write_text(yaml.safe_dump({**GOOD, **changes}))
    return file


def test_defaults_are_those_of_nav2(tmp_path: Path) -> None:
    robot = load_robot(written(tmp_path))
    backend = robot.skills[Verb.NAVIGATE]
    assert backend.action == "navigate_to_pose"
    assert robot.frames.base == "base_link"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"camera": {}}, "unknown key 'camera': valid here are 'arm', 'cameras'"),
        ({"cameras": {}}, "cameras: Dictionary should have at least 1 item"),
        ({"cameras": {"head": {**CAMERA, "image": "/rgb image"}}}, "cameras.head.image"),
        (
            {"cameras": {"head": CAMERA, "wrist": {**CAMERA, "transport": "compressed"}}},
            "cameras must have one transport.*found head raw, wrist compressed",
        ),
        ({"skills": {"FLY": {"backend": "nav2"}}}, "'NAVIGATE', 'LOOK_AT'"),
        (
            {"skills": {"GRASP": {"backend": "nav2"}}},
            "backend 'nav2' cannot do it, valid are \\['action', 'moveit', 'policy'\\]",
        ),
        (
            {"skills": {"NAVIGATE": {"backend": "move_base"}}},
            "'nav2', 'spin', 'head', 'pan_tilt', 'moveit', 'policy', 'action'",
        ),
        (
            {"skills": {"POUR": {"backend": "action", "type": "Pour", "action": "pour"}}},
            "skills.POUR.action.type: String should match pattern",
        ),
        (
            {
                "skills": {
                    "POUR": {
                        "backend": "action",
                        "type": "a_msgs/action/Pour",
                        "action": "pour",
                        "status_field": "code",
                        "statuses": {1: "SPILLED"},
                    }
                }
            },
            "statuses .'SPILLED'.: valid are .'SUCCEEDED'",
        ),
    ],
)
def test_a_mistake_names_the_key_and_what_is_valid(tmp_path: Path, changes: Any, words: str) -> None:
    with pytest.raises(InvalidRobot, match=words):
        load_robot(written(tmp_path, **changes))


def test_a_robot_without_skills_is_complete(tmp_path: Path) -> None:
    assert load_robot(written(tmp_path, skills={})).skills == {}


ARM = {
    "group": "arm",
    "base": "shoulder",
    "tip": "tcp",
    "reach": 0.9,
    "payload": 1.0,
    "gripper": {
        "action": "gripper/cmd",
        "type": "parallel",
        "joint": "finger",
        "opening": 0.08,
        "open_position": 0.04,
        "pad": [0.02, 0.012, 0.044],
        "tip_length": 0.02,
    },
}


def test_a_robot_with_an_arm_is_read(tmp_path: Path) -> None:
    robot = load_robot(written(tmp_path, arm=ARM, skills={"GRASP": {"backend": "moveit"}}))
    assert robot.arm is not None
    assert (robot.arm.gripper.opening, robot.arm.approach_axis) == (0.08, "z")


@pytest.mark.parametrize(
    ("arm", "words"),
    [
        (None, "skills.GRASP: backend 'moveit' needs the section 'arm'"),
        ({**ARM, "travel_axis": "z"}, "approach_axis and travel_axis are both 'z': they must differ"),
        ({**ARM, "payload": 0.0}, "arm.payload: Input should be greater than 0"),
        ({**ARM, "reach": 900.0}, "arm.reach: Input should be less than or equal to 3"),
        ({**ARM, "gripper": {**ARM["gripper"], "type": "vacuum"}}, "'parallel' or 'command', found 'vacuum'"),
        ({**ARM, "gripper": {**ARM["gripper"], "opening": 80.0}}, "arm.gripper.opening"),
        (
            {**ARM, "gripper": {**ARM["gripper"], "pad": [20.0, 12.0, 44.0]}},
            "pad must be three lengths above 0 and up to 0.2 m",
        ),
        (
            {**ARM, "gripper": {**ARM["gripper"], "open_position": 0.0}},
            "open_position and closed_position must differ",
        ),
        ({**ARM, "tips": "tcp"}, "unknown key 'arm.tips': valid here are"),
    ],
)
def test_a_mistake_in_the_arm_names_the_key_and_what_is_valid(tmp_path: Path, arm: Any, words: str) -> None:
    with pytest.raises(InvalidRobot, match=re.escape(words)):
        load_robot(written(tmp_path, arm=arm, skills={"GRASP": {"backend": "moveit"}}))
