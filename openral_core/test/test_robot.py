"""robot.yaml: what is refused, and what the message says."""

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
        ({"camera": {}}, "unknown key 'camera': valid here are 'cameras'"),
        ({"cameras": {}}, "cameras: Dictionary should have at least 1 item"),
        ({"cameras": {"head": {**CAMERA, "image": "/rgb image"}}}, "cameras.head.image"),
        ({"skills": {"FLY": {"backend": "nav2"}}}, "'NAVIGATE', 'LOOK_AT'"),
        ({"skills": {"GRASP": {"backend": "nav2"}}}, "backend 'nav2' cannot do it, valid are \\['action'\\]"),
        ({"skills": {"NAVIGATE": {"backend": "move_base"}}}, "'nav2', 'spin', 'head', 'action'"),
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
