from math import hypot

import numpy as np
import pytest

from openral_core.home_map import Pose2
from openral_sim.scene.schema import Walk
from openral_sim.scene.walking import NEAREST_ROBOT, Walker

STEP = 0.02
START = Pose2(x=0.0, y=0.0, yaw=0.0)


def walked(walker: Walker, seconds: float, robot: tuple[float, float] | None = None) -> list[Pose2]:
    at = None if robot is None else np.array(robot)
    return [walker.advance(STEP * number, STEP, at) for number in range(round(seconds / STEP))]


def test_walks_over_every_point_at_its_speed_and_faces_where_it_goes() -> None:
    walker = Walker(START, Walk(path=((1.0, 0.0), (1.0, 2.0)), speed=0.5))
    poses = walked(walker, 8.0)
    assert poses[49].x == pytest.approx(0.5, abs=0.02)
    assert poses[49].yaw == pytest.approx(0.0)
    assert (poses[-1].x, poses[-1].y) == pytest.approx((1.0, 2.0))
    assert poses[-1].yaw == pytest.approx(np.pi / 2)
    assert walker.has_arrived


def test_sets_out_late_rests_and_begins_again() -> None:
    walker = Walker(START, Walk(path=((1.0, 0.0), (0.0, 0.0)), speed=1.0, start=1.0, pause=1.0, loop=True))
    poses = walked(walker, 7.0)
    xs = [poses[round(time / STEP) - 1].x for time in (0.9, 2.5, 4.5, 6.5)]
    assert xs == pytest.approx([0.0, 1.0, 0.0, 1.0], abs=0.05)
    assert not walker.has_arrived


def test_does_not_walk_into_the_robot_and_may_walk_away_from_it() -> None:
    robot = (2.0, 0.0)
    walker = Walker(START, Walk(path=((4.0, 0.0),), speed=1.0))
    poses = walked(walker, 6.0, robot)
    assert min(hypot(pose.x - robot[0], pose.y - robot[1]) for pose in poses) >= NEAREST_ROBOT - 0.03
    away = Walker(Pose2(x=1.8, y=0.0), Walk(path=((0.0, 0.0),), speed=1.0))
    walked(away, 3.0, robot)
    assert away.has_arrived
