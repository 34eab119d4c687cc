"""Commands to the controllers of a policy's joints."""

from collections.abc import Mapping, Sequence

from rclpy.publisher import Publisher
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from openral_core.policies import Controller
from openral_ros.qos import RELIABLE
from openral_ros.resources import ResourceScope
from openral_skills_ros.backends.look_at import duration_message


class Controllers:
    """Publishes positions, to be reached within one ``period`` [s]; without another one the robot stands."""

    def __init__(self, scope: ResourceScope, options: Sequence[Controller], period: float) -> None:
        self._period = period
        self._publishers: list[tuple[Controller, Publisher]] = []
        for each in options:
            kind = JointTrajectory if each.type == "trajectory" else Float64MultiArray
            self._publishers.append((each, scope.publisher(kind, each.topic, RELIABLE)))

    @property
    def unavailable(self) -> str:
        """Reason why commands reach no controller."""
        for _, publisher in self._publishers:
            if publisher.get_subscription_count() == 0:
                return f"nothing subscribes {publisher.topic_name}; start the controller"
        return ""

    def command(self, positions: Mapping[str, float]) -> None:
        """Command a position of each joint [rad] or [m]."""
        for options, publisher in self._publishers:
            own = [positions[joint] for joint in options.joints]
            if options.type == "positions":
                publisher.publish(Float64MultiArray(data=own))
                continue
            point = JointTrajectoryPoint(positions=own, time_from_start=duration_message(self._period))
            publisher.publish(JointTrajectory(joint_names=list(options.joints), points=[point]))
