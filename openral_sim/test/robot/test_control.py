from collections.abc import Callable

import numpy as np
import pytest

from openral_sim.motion_primitives.context import SkillContext
from openral_sim.robot.sim_robot import load_sim_robot


def test_reads_what_it_commanded_once_the_servos_settle(
    context: SkillContext, wait: Callable[[int], None]
) -> None:
    control = context.control
    control.move_reach(load_sim_robot().comfortable)
    control.point_head(0.4, 0.3)
    control.grip(0.05)
    wait(150)
    assert control.reach == pytest.approx(load_sim_robot().comfortable, abs=0.02)
    assert control.head == pytest.approx((0.4, 0.3), abs=0.02)
    assert control.opening == pytest.approx(0.05, abs=0.003)


def test_clips_commands_to_what_the_robot_can_do(context: SkillContext, wait: Callable[[int], None]) -> None:
    context.control.point_head(9.0, -9.0)
    context.control.grip(1.0)
    wait(150)
    limits = [context.model.joint(name).range for name in context.names.head_joints]
    assert context.control.head == pytest.approx((limits[0][1], limits[1][0]), abs=0.03)
    assert context.control.opening == pytest.approx(load_sim_robot().gripper.max_opening, abs=0.005)


def test_drives_along_the_axes_of_map_and_holds(context: SkillContext, wait: Callable[[int], None]) -> None:
    context.control.drive(np.array([-0.2, 0.0, 0.0]))
    assert context.control.commanded_velocity == pytest.approx((-0.2, 0.0, 0.0))
    wait(50)
    assert context.control.base_velocity[0] == pytest.approx(-0.2, abs=0.03)
    context.control.hold()
    wait(50)
    assert np.abs(context.control.base_velocity).max() < 0.02
