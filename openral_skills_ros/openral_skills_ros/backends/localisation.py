"""Gate that refuses to drive while the robot's pose estimate is poor or absent."""

from math import isfinite

from geometry_msgs.msg import PoseWithCovarianceStamped
from rclpy.node import Node

from openral_core.robot import LocalisationLimits
from openral_core.skill_errors import SkillFailed
from openral_core.skills import SkillStatus
from openral_ros.foreign_topics import subscribe_state
from openral_ros.resources import ResourceScope

X, Y, YAW = 0, 7, 35
"""Indices of variances in the row-major 6x6 covariance of a pose."""


class PoorLocalisation(SkillFailed):
    """A drive that was refused because the robot does not know where it is."""

    status = SkillStatus.INACTIVE

    def __init__(self, problem: str) -> None:
        super().__init__(f"not driving: {problem}; localise the robot, as by an initial pose in RViz")


class LocalisationGate:
    """Newest covariance of a pose topic, latched or not: a localiser at rest may publish nothing new."""

    def __init__(self, scope: ResourceScope, node: Node, limits: LocalisationLimits) -> None:
        self._limits = limits
        self._topic = str(node.resolve_topic_name(limits.topic))
        self._variances: tuple[float, float, float] | None = None
        subscribe_state(scope, PoseWithCovarianceStamped, limits.topic, self._on_pose)

    def check(self) -> None:
        """Return if the pose is good enough.

        Raises:
            PoorLocalisation: If it is not, or unknown.
        """
        if self._variances is None:
            raise PoorLocalisation(f"no pose was received on {self._topic}")
        x, y, yaw = self._variances
        limit, yaw_limit = self._limits.max_position_variance, self._limits.max_yaw_variance
        # NaN is never within a limit.
        if not (isfinite(x + y) and max(x, y) <= limit):
            raise PoorLocalisation(f"position variance {max(x, y):.3f} m^2 on {self._topic} exceeds {limit}")
        if not (isfinite(yaw) and yaw <= yaw_limit):
            raise PoorLocalisation(f"yaw variance {yaw:.3f} rad^2 on {self._topic} exceeds {yaw_limit}")

    def _on_pose(self, message: PoseWithCovarianceStamped) -> None:
        covariance = message.pose.covariance
        self._variances = (float(covariance[X]), float(covariance[Y]), float(covariance[YAW]))
