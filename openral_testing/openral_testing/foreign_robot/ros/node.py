"""Foreign robot: the simulation behind the interfaces that other robots have, and nothing of this project.

Publishes tf, tf_static, odom, joint_states, robot_description, map, amcl_pose; below <name>_camera image_raw,
depth and camera_info, and with publish_semantic also semantic and labels. Serves navigate_to_pose, spin,
head_controller/follow_joint_trajectory, gripper_controller/gripper_cmd and move_action.
"""

import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from rclpy.lifecycle import TransitionCallbackReturn
from rclpy.node import Node

from openral_core.errors import format_choices
from openral_ros.lifecycle_node import LifecycleNodeBase
from openral_ros.parameters import declare
from openral_ros.resources import ResourceScope
from openral_ros.run_node import run_process
from openral_sim.ros.sim_thread import WorldLoop, start_thread
from openral_sim.ros.state_publishers import SimPublishers
from openral_sim.simulation import RealTimePacer
from openral_testing.foreign_robot.controlled_robot import ControlledRobot, MotionCommand
from openral_testing.foreign_robot.ros.action_server import Interface, MotionActionServer
from openral_testing.foreign_robot.ros.interfaces import (
    GripperInterface,
    HeadInterface,
    NavigateToPoseInterface,
    SpinInterface,
)
from openral_testing.foreign_robot.ros.localisation import LocalisationTopics
from openral_testing.foreign_robot.ros.move_group import MoveGroupInterface
from openral_testing.foreign_robot.ros.parameters import ForeignParameters

CAMERA_SUFFIX = "_camera"
"""Suffix of a camera's name in its topics."""


class ForeignLoop(WorldLoop):
    """Loop of the foreign robot; messages are stamped by the node's clock, at whatever pace it simulates."""

    def __init__(
        self, robot: ControlledRobot, publishers: SimPublishers, pacer: RealTimePacer, node: Node
    ) -> None:
        super().__init__(publishers, pacer)
        self._robot, self._clock = robot, node.get_clock()
        self._queue: SimpleQueue[MotionCommand] = SimpleQueue()

    def begin(self, command: MotionCommand) -> None:
        """Begin a motion, from any thread."""
        self._queue.put(command)

    def _advance(self) -> tuple[float, float]:
        self._begin_queued()
        with self.profiler.of("physics and motions"):
            self._robot.advance()
        return self._robot.time, self._clock.now().nanoseconds * 1e-9

    def _begin_queued(self) -> None:
        with suppress(Empty):
            while True:
                self._robot.begin(self._queue.get_nowait())

    def _abandon(self) -> None:
        self._begin_queued()
        self._robot.abandon()


class ConfiguredRobot:
    """World and topics of a configured node; while the node is inactive, simulated time stands still.

    Raises:
        InvalidParameters: If the node's parameters are invalid.
        InvalidDocument: If the scene or its map is invalid.
        RobotAssetsMissing: If the robot's model is not installed.
    """

    def __init__(self, scope: ResourceScope, node: Node) -> None:
        self._node = node
        self._parameters = parameters = declare(node, ForeignParameters)
        self._robot = robot = ControlledRobot.load(Path(parameters.scene), parameters.seed)
        self._topics = SimPublishers(
            scope, robot.world, robot.control, parameters, CAMERA_SUFFIX, clock=False
        )
        LocalisationTopics(scope, node, robot.world, robot.control, parameters)

    def run(self, scope: ResourceScope) -> None:
        """Simulate and accept goals until the scope is left.

        Raises:
            GlContextRefused: If no OpenGL context can be opened.
        """
        pacer = RealTimePacer(self._parameters.real_time_factor)
        loop = ForeignLoop(self._robot, self._topics, pacer, self._node)
        timeout = self._parameters.client_timeout
        for name, interface in interfaces(self._robot).items():
            MotionActionServer(scope, self._node, interface, name, loop.begin, timeout)
        start_thread(scope, self._node, loop, self._on_failed)
        scope.callback(self._report)

    def _report(self) -> None:
        """Log the simulation's truth, by which a benchmark judges missions."""
        handovers = format_choices(self._robot.handovers) if self._robot.handovers else "nothing"
        self._node.get_logger().info(f"simulated {self._robot.time:.1f} s; people were given: {handovers}")

    def _on_failed(self, error: Exception) -> None:
        self._node.get_logger().fatal(f"simulation failed: {type(error).__name__}: {error}")
        self._node.trigger_deactivate()


class ForeignRobotNode(LifecycleNodeBase):
    """Node of a simulated robot that is driven by Nav2's, MoveIt's and ros2_control's actions."""

    def __init__(self, **options: object) -> None:
        super().__init__("foreign_robot", **options)
        self._robot: ConfiguredRobot | None = None

    def configure(self, scope: ResourceScope) -> None:
        """Load the scene and create the publishers."""
        self._robot = ConfiguredRobot(scope, self)
        scope.callback(setattr, self, "_robot", None)

    def activate(self, scope: ResourceScope) -> None:
        """Start the simulation's thread and accept goals."""
        if self._robot is not None:
            self._robot.run(scope)


def interfaces(robot: ControlledRobot) -> Mapping[str, Interface[Any]]:
    """Return the interfaces of a robot by the names of their actions."""
    return {
        "navigate_to_pose": NavigateToPoseInterface(robot.control),
        "spin": SpinInterface(),
        "head_controller/follow_joint_trajectory": HeadInterface(robot.control),
        "gripper_controller/gripper_cmd": GripperInterface(robot.control),
        "move_action": MoveGroupInterface(robot.control),
    }


def active_node() -> ForeignRobotNode:
    """Make the node and activate it, as a driver is; a failure, which was logged, ends the process."""
    node = ForeignRobotNode()
    for transition in (node.trigger_configure, node.trigger_activate):
        if transition() is not TransitionCallbackReturn.SUCCESS:
            sys.exit(1)
    return node


def main() -> None:
    """Run the node until it is interrupted."""
    run_process(active_node)


if __name__ == "__main__":
    main()
