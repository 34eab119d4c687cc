from collections.abc import Callable

import numpy as np
import pytest

from openral_sim.motion_primitives.context import SkillContext
from openral_sim.motion_primitives.head import aim, face, head_angles
from openral_sim.robot.sim_robot import load_sim_robot

HEAD = load_sim_robot().head


@pytest.mark.parametrize(
    ("point", "pan", "tilt"),
    [
        ((2.0 + HEAD.pan_x, 0.0, HEAD.height), 0.0, 0.0),
        ((HEAD.pan_x, 2.0, HEAD.height), np.pi / 2, 0.0),
        ((1.0 + HEAD.pan_x, 0.0, HEAD.height - 1.0), 0.0, np.pi / 4),
    ],
)
def test_angles_point_from_the_mast_to_the_point(point: tuple[float, ...], pan: float, tilt: float) -> None:
    assert head_angles(HEAD, np.array(point), np.zeros(3)) == pytest.approx((pan, tilt))


def test_angles_are_relative_to_the_base() -> None:
    base = np.array([1.0, -2.0, 0.7])
    c, s = np.cos(base[2]), np.sin(base[2])
    offset = np.array([1.5, 0.4])
    point = np.array([*(base[:2] + np.array([[c, -s], [s, c]]) @ offset), 0.8])
    assert head_angles(HEAD, point, base) == pytest.approx(
        head_angles(HEAD, np.array([*offset, 0.8]), np.zeros(3))
    )


def test_aims_without_moving_the_base(context: SkillContext, play: Callable[..., None]) -> None:
    before, point = context.control.base_pose, np.array([1.5, 0.8, 0.7])
    play(aim(context, point, "looking"))
    assert context.control.head == pytest.approx(head_angles(HEAD, point, before), abs=0.03)
    assert context.control.base_pose == pytest.approx(before, abs=0.01)


def test_turns_the_base_only_beyond_the_pan_limit(context: SkillContext, play: Callable[..., None]) -> None:
    play(face(context, np.array([1.5, 0.8, 0.7]), "turning"))
    assert context.control.base_pose[2] == pytest.approx(0.0, abs=0.01)
    behind = np.array([-2.0, 0.1, 0.7])
    play(face(context, behind, "turning"))
    assert abs(head_angles(HEAD, behind, context.control.base_pose)[0]) < HEAD.pan_limit
