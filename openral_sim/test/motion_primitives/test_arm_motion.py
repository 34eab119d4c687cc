from collections.abc import Callable

import numpy as np
import pytest

from openral_sim.motion_primitives.arm_motion import CONFIG, line_postures, reach_along, reach_to
from openral_sim.motion_primitives.context import SkillContext
from openral_sim.planning.inverse_kinematics import IkFailed
from openral_sim.robot.sim_robot import load_sim_robot


def test_reaches_a_posture_and_settles(context: SkillContext, play: Callable[..., None]) -> None:
    play(reach_to(context, load_sim_robot().comfortable, "reaching"))
    assert context.control.reach == pytest.approx(load_sim_robot().comfortable, abs=2 * CONFIG.settled_error)


def test_moves_the_hand_along_a_line(context: SkillContext, play: Callable[..., bool]) -> None:
    play(reach_to(context, load_sim_robot().comfortable, "reaching"))
    goal = context.control.T_map_grasp()
    goal[2, 3] += 0.10
    assert play(reach_along(context, goal, "lifting", 0.25))
    assert context.control.T_map_grasp()[:3, 3] == pytest.approx(goal[:3, 3], abs=0.01)


def test_stops_where_it_is(context: SkillContext, play: Callable[..., bool]) -> None:
    play(reach_to(context, load_sim_robot().comfortable, "reaching"))
    goal, height = context.control.T_map_grasp(), context.control.T_map_grasp()[2, 3]
    goal[2, 3] += 0.20
    stop = lambda: bool(context.control.T_map_grasp()[2, 3] > height + 0.05)  # noqa: E731
    assert not play(reach_along(context, goal, "lifting", 0.25, stop))
    assert context.control.T_map_grasp()[2, 3] < height + 0.15


def test_postures_of_a_line_are_close_together(context: SkillContext) -> None:
    first = load_sim_robot().comfortable
    goal = context.solver.forward(first)
    goal[2, 3] += 0.10
    postures = line_postures(context, first, goal)
    heights = [context.solver.forward(posture)[2, 3] for posture in postures]
    assert len(postures) == 1 + round(0.10 / CONFIG.line_step)
    assert np.diff(heights) == pytest.approx(CONFIG.line_step, abs=0.005)


def test_a_line_out_of_reach_is_refused(context: SkillContext) -> None:
    first = load_sim_robot().comfortable
    goal = context.solver.forward(first)
    goal[0, 3] += 2.0
    with pytest.raises(IkFailed):
        line_postures(context, first, goal)
