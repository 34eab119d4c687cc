from collections.abc import Callable

import numpy as np
import pytest

from openral_core.geometry import angle_between
from openral_core.skill_errors import Blocked
from openral_sim.motion_primitives.base_motion import CLEARANCE, drive_to, plan_base_motion, shift_by, turn_to
from openral_sim.planning.base_planner import NoBasePath
from openral_sim.skills.context import SkillContext


def test_drives_to_a_pose(context: SkillContext, play: Callable[..., None]) -> None:
    goal = np.array([0.6, -0.5, 1.0])
    play(drive_to(context, goal, plan_base_motion(context), "driving"))
    assert context.control.base_pose == pytest.approx(goal, abs=0.02)
    assert np.abs(context.control.base_velocity).max() < 0.05


def test_refuses_a_goal_inside_furniture(context: SkillContext) -> None:
    with pytest.raises(NoBasePath, match=f"with {CLEARANCE:.2f} m of clearance"):
        next(drive_to(context, np.array([2.0, 0.0, 0.0]), plan_base_motion(context), "driving"))


def test_shifts_straight_and_keeps_its_heading(context: SkillContext, play: Callable[..., None]) -> None:
    before = context.control.base_pose
    play(shift_by(context, np.array([-0.2, 0.1]), "backing off"))
    assert context.control.base_pose == pytest.approx(before + np.array([-0.2, 0.1, 0.0]), abs=0.02)


def test_turns_on_the_spot(context: SkillContext, play: Callable[..., None]) -> None:
    before = context.control.base_pose
    play(turn_to(context, 2.0, "turning"))
    assert context.control.base_pose[:2] == pytest.approx(before[:2], abs=0.02)
    assert angle_between(float(context.control.base_pose[2]), 2.0) < 0.02


def test_notices_that_it_cannot_move(context: SkillContext, play: Callable[..., None]) -> None:
    into_the_table = np.array([1.5, 0.0])
    with pytest.raises(Blocked, match=r"did not move for 1\.5 s"):
        play(shift_by(context, into_the_table, "driving"))
