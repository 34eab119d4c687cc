from collections.abc import Callable

import numpy as np
import pytest

from openral_core.geometry import Pose
from openral_core.skills import SkillResult, Verb
from openral_sim.motion_primitives import retract
from openral_sim.motion_primitives.arm_motion import reach_to
from openral_sim.motion_primitives.base_motion import shift_by
from openral_sim.motion_primitives.context import Move, SkillContext
from openral_sim.motion_primitives.retract import stow_arm
from openral_sim.planning.arm_planner import NoArmPath
from openral_sim.robot.sim_robot import load_sim_robot

CAN = {"target": Pose((1.80, -0.10, 0.805)), "label": "can", "size_x": 0.064, "size_y": 0.064, "size_z": 0.11}
BESIDE_THE_WALL = np.array([0.0, 1.24])
Play = Callable[[Move[None]], None]


def test_tucks_where_it_stands_when_there_is_room(context: SkillContext, play: Play) -> None:
    play(reach_to(context, load_sim_robot().comfortable, "reaching"))
    before = context.control.base_pose
    play(stow_arm(context, "folding"))
    assert context.control.reach_target == pytest.approx(load_sim_robot().stowed)
    assert np.linalg.norm(context.control.base_pose - before) < 0.02


def test_makes_room_where_what_is_held_does_not_fit_beside_the_robot(
    do: Callable[..., SkillResult], context: SkillContext, play: Play
) -> None:
    assert do(Verb.GRASP, **CAN).success
    assert do(Verb.NAVIGATE, goal=Pose.planar(0.0, 0.5, 0.0)).success
    play(reach_to(context, load_sim_robot().comfortable, "reaching"))
    play(shift_by(context, BESIDE_THE_WALL - context.control.base_pose[:2], "driving"))
    context.sync_collision_scene()
    assert not context.checker.is_free(np.array(load_sim_robot().carrying_down))
    play(stow_arm(context, "folding"))
    assert context.control.reach_target == pytest.approx(load_sim_robot().carrying_down)
    assert context.control.base_pose[1] < BESIDE_THE_WALL[1] - 0.1


def test_gives_up_when_there_is_no_way_from_anywhere(
    context: SkillContext, play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[float] = []

    def no_way(context: SkillContext, _posture: object, _stage: str) -> Move[None]:
        tried.append(float(context.control.base_pose[0]))
        raise NoArmPath("something is in the way")
        yield

    play(reach_to(context, load_sim_robot().comfortable, "reaching"))
    monkeypatch.setattr(retract, "reach_to", no_way)
    with pytest.raises(NoArmPath):
        play(stow_arm(context, "folding"))
    assert 1 <= len(tried) <= 4
