"""The door openings that the skill server publishes."""

from typing import Any

import pytest

pytest.importorskip("rclpy")
from openral_core.skills import SkillResult, SkillStatus
from openral_msgs.msg import KeyValue
from openral_sim.ros.skill_publishers import SkillPublishers


class Ear:
    """Stands in for a scope and every publisher it makes."""

    def __init__(self) -> None:
        self.heard: list[Any] = []

    def publisher(self, *_: object) -> "Ear":
        return self

    def publish(self, message: Any) -> None:
        self.heard.append(message)


@pytest.mark.parametrize("status", [SkillStatus.SUCCEEDED, SkillStatus.BLOCKED])
def test_tells_how_far_a_door_stands_open_however_the_goal_ended(status: SkillStatus) -> None:
    ear = Ear()
    evidence = {"container_id": "fridge", "opening": 0.4, "angle": 0.7}
    SkillPublishers(ear).opening(SkillResult(status, "", evidence))
    assert ear.heard == [KeyValue(key="fridge", type=KeyValue.TYPE_FLOAT, float_value=0.4)]


def test_tells_nothing_of_doors_after_a_drive() -> None:
    ear = Ear()
    SkillPublishers(ear).opening(SkillResult(SkillStatus.SUCCEEDED, "", {"x": 1.0}))
    assert not ear.heard
