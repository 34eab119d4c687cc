"""Backends of a hand that MoveIt moves; imported only for robots with an arm, as moveit_msgs is optional."""

from rclpy.node import Node

from openral_core.robot import ArmDescription, MoveItBackend, RobotDescription
from openral_core.skills import Verb
from openral_ros.resources import ResourceScope
from openral_ros.tf_buffer import TransformBuffer
from openral_skills_ros.backends.arm import Arm
from openral_skills_ros.backends.backend import Backend, Pauses
from openral_skills_ros.backends.grasp import GraspBackend
from openral_skills_ros.backends.gripper import Gripper
from openral_skills_ros.backends.manipulation import Hand
from openral_skills_ros.backends.object_scan import ObjectScanner
from openral_skills_ros.backends.planning_scene import PerceivedScene
from openral_skills_ros.backends.release import HandoverBackend, PlaceBackend


class HandBackends:
    """Makes the backends of one hand, which they share.

    ``drive`` brings it within reach, ``look_at`` points the camera.
    """

    def __init__(
        self,
        scope: ResourceScope,
        node: Node,
        robot: RobotDescription,
        arm: ArmDescription,
        transforms: TransformBuffer,
        drive: Backend | None,
        look_at: Backend | None,
    ) -> None:
        self._pauses = Pauses(scope)
        self._scanner = ObjectScanner(node, robot, transforms, self._pauses)
        self._hand = Hand(
            Arm(scope, node, robot.frames, arm),
            Gripper(scope, node, arm.gripper),
            PerceivedScene(scope, robot.frames.map),
            transforms,
            robot.frames,
            drive,
            look_at,
        )

    @property
    def holding(self) -> str:
        """Label of the held object, "" for none."""
        return self._hand.held.label if self._hand.held else ""

    def make(self, verb: Verb, options: MoveItBackend) -> Backend:
        """Make the backend of GRASP, PLACE or HANDOVER."""
        match verb:
            case Verb.PLACE:
                return PlaceBackend(self._hand, options, self._scanner)
            case Verb.HANDOVER:
                return HandoverBackend(self._hand, options, self._pauses)
            case _:
                return GraspBackend(self._hand, options, self._scanner, self._pauses)
