"""People who walk: along the points of their way, around nothing, and not into the robot."""

from collections.abc import Iterator
from math import atan2, hypot

import numpy as np

from openral_core.arrays import Vector2
from openral_core.home_map import Pose2
from openral_sim.scene.schema import Walk

NEAREST_ROBOT = 0.7
"""Distance from the middle of the robot's base at which a person waits [m]; both are 0.3 m in radius."""


class Walker:
    """One person on their way.

    Args:
        pose: Where they stand at first.
        walk: Their way.
    """

    def __init__(self, pose: Pose2, walk: Walk) -> None:
        self.pose, self._walk = pose, walk
        self._points = self._way()
        self._goal = next(self._points, None)
        self._rests_until = walk.start

    @property
    def has_arrived(self) -> bool:
        """True at the end of a way that is no loop."""
        return self._goal is None

    def advance(self, time: float, seconds: float, robot: Vector2 | None) -> Pose2:
        """Walk on for some time and return the pose then.

        Args:
            time: Simulated time [s].
            seconds: Time to walk [s].
            robot: Position of the robot's base in map [m], shape (2,); None without a robot.
        """
        if self._goal is None or time < self._rests_until:
            return self.pose
        dx, dy = self._goal[0] - self.pose.x, self._goal[1] - self.pose.y
        distance = hypot(dx, dy)
        step = min(1.0, self._walk.speed * seconds / max(distance, 1e-9))
        x, y = self.pose.x + step * dx, self.pose.y + step * dy
        if robot is not None and _comes_too_close(robot, (self.pose.x, self.pose.y), (x, y)):
            return self.pose
        self.pose = Pose2(x=x, y=y, yaw=atan2(dy, dx) if distance > 1e-6 else self.pose.yaw)
        if step == 1.0:
            self._goal, self._rests_until = next(self._points, None), time + self._walk.pause
        return self.pose

    def _way(self) -> Iterator[tuple[float, float]]:
        yield from self._walk.path
        while self._walk.loop:
            yield from self._walk.path


def _comes_too_close(robot: Vector2, here: tuple[float, float], there: tuple[float, float]) -> bool:
    """Return True if a step leads towards a robot that is near."""
    before, after = (hypot(*(robot[:2] - np.array(point))) for point in (here, there))
    return after < NEAREST_ROBOT and after < before
