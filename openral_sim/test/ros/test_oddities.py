"""Whatever is asked, the skill server lives and moves."""

from typing import Any

import pytest
from oddities import STYLES, besiege, interrogate, odd

from openral_core.geometry import Pose
from openral_core.skills import SkillStatus
from openral_msgs.action import ExecuteRskill
from openral_msgs.msg import KeyValue

pytestmark = [pytest.mark.usefixtures("callback_errors"), pytest.mark.timeout(300)]


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("rskill", ["", "navigate", "look-at", "grasp"])
def test_every_odd_goal_ends_typed(bench: Any, style: str, rskill: str) -> None:
    goal = odd(ExecuteRskill.Goal, style)
    goal.rskill_id = rskill or goal.rskill_id
    goal.deadline = min(goal.deadline, 2.0) if goal.deadline > 0.0 else goal.deadline
    for key, param in zip(("target", "goal"), goal.params, strict=False):
        param.key, param.type = key, KeyValue.TYPE_POSE if key == "goal" else param.type
    assert bench.send_message(goal).result().status is not SkillStatus.SUCCEEDED


def test_the_robot_moves_after_every_odd_message_and_request(bench: Any) -> None:
    besiege(bench.node, bench.client, bench.until)
    interrogate(bench.node.services, bench.client, bench.until)
    assert bench.send("navigate", goal=Pose.planar(1.6, 1.2, 0.0)).result().success
