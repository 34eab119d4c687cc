from collections.abc import Callable

import numpy as np
import pytest

from openral_core.geometry import Pose
from openral_core.skill_requests import DoorRequest
from openral_sim.motion_primitives.context import SkillContext
from openral_sim.motion_primitives.door import articulated_door
from openral_sim.motion_primitives.door_base_pose import CONFIG, HandleGrasp

FRIDGE = DoorRequest(Pose.planar(0.36, 1.7, 0.0, 0.875), "fridge")


def test_a_level_hand_takes_the_handle_either_way_round(at_home: Callable[[int], SkillContext]) -> None:
    door = articulated_door(at_home(0), FRIDGE)
    hold = HandleGrasp(
        door,
        "handle of 'fridge'",
        lambda angle: door.point(angle, float(door.handle[0]), 1.0),
        lambda angle: -door.joint.normal(angle),
    )
    one, other = hold.options(0.0, np.pi)
    for option in (one, other):
        assert option.T_map_goal[:3, 3] == pytest.approx(hold.point_at(0.0))
        assert option.T_map_goal[:3, 2] == pytest.approx([-1.0, 0.0, 0.0], abs=1e-9)
        back = option.T_map_pregrasp[:3, 3] - option.T_map_goal[:3, 3]
        assert float(np.linalg.norm(back)) == pytest.approx(CONFIG.pregrasp_distance)
    assert one.T_map_goal[:3, 1] == pytest.approx(-other.T_map_goal[:3, 1])
