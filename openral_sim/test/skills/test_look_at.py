from collections.abc import Callable

import numpy as np
import pytest

from openral_core.geometry import Pose
from openral_core.skills import SkillResult, SkillStatus, Verb
from openral_sim.motion_primitives.context import SkillContext


def off_axis(context: SkillContext, point: tuple[float, float, float]) -> float:
    """Angle between the head camera's axis and a point in [rad]."""
    T = context.control.T_map_body(context.names.head_optical_frame)
    x, y, z = np.linalg.inv(T)[:3, :3] @ (np.array(point) - T[:3, 3])
    return float(np.arctan2(np.hypot(x, y), z))


@pytest.mark.parametrize("point", [(1.8, 0.3, 0.8), (0.8, 1.0, 0.2), (2.0, -1.5, 1.7), (-1.6, -0.8, 1.4)])
def test_centres_the_point_in_the_image(
    do: Callable[..., SkillResult], context: SkillContext, point: tuple[float, float, float]
) -> None:
    assert do(Verb.LOOK_AT, target=Pose(point)).success
    assert off_axis(context, point) < np.radians(3)


def test_turns_the_base_only_for_what_is_behind(
    do: Callable[..., SkillResult], context: SkillContext
) -> None:
    do(Verb.LOOK_AT, target=Pose((1.0, 1.0, 1.0)))
    assert abs(context.control.base_pose[2]) < 0.01
    do(Verb.LOOK_AT, target=Pose((-2.0, 0.1, 1.0)))
    assert abs(context.control.base_pose[2]) > 2.5


def test_needs_a_point(do: Callable[..., SkillResult]) -> None:
    result = do(Verb.LOOK_AT, target="over there")
    assert result.status is SkillStatus.BAD_REQUEST
    assert "'target' must be a pose" in result.message
