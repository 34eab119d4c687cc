"""Obstacles for MoveIt from the remembered furniture and objects."""

from collections.abc import Iterator, Sequence

import numpy as np
from geometry_msgs.msg import Pose as PoseMsg
from moveit_msgs.msg import AttachedCollisionObject, CollisionObject, PlanningScene
from shape_msgs.msg import SolidPrimitive

from openral_core.arrays import Transform, Vector3
from openral_core.errors import OpenRALError
from openral_core.geometry import Pose
from openral_msgs.msg import SceneGraph, SceneNode
from openral_ros.conversions.geometry import pose_from_message, pose_message
from openral_ros.qos import LATCHED
from openral_ros.resources import ResourceScope

NEAR = 2.0
"""Distance from the target within which boxes are obstacles [m]: farther ones are out of reach."""
TARGET_RADIUS = 0.06
"""Distance of an object's centre from the target at which it is the target [m]: a localisation error."""
SURFACE_GAP = 0.01
"""Height by which furniture is lowered [m]: what stands on it must not touch it by the error of a height."""
HELD = "held_object"


class PerceivedScene:
    """Boxes of the scene graph, and the box that the hand holds."""

    def __init__(self, scope: ResourceScope, frame: str) -> None:
        self._frame = frame
        self._nodes: Sequence[SceneNode] = ()
        scope.subscription(SceneGraph, "openral/scene_graph", self._on_graph, LATCHED)

    def diff(self, target: Vector3, held: AttachedCollisionObject | None) -> PlanningScene:
        """Return the difference to MoveIt's own scene for motions near a target in map, shape (3,)."""
        scene = PlanningScene(is_diff=True)
        scene.robot_state.is_diff = True
        scene.world.collision_objects = list(self._obstacles(target))
        if held is not None:
            scene.robot_state.attached_collision_objects = [held]
        return scene

    def _obstacles(self, target: Vector3) -> Iterator[CollisionObject]:
        for node in self._nodes:
            size = (node.size.x, node.size.y, node.size.z)
            try:
                pose = pose_from_message(node.pose)
            except OpenRALError:  # reported by world_state, which owns the graph
                continue
            solid = node.kind == SceneNode.KIND_PLACE or (
                node.kind == SceneNode.KIND_OBJECT and node.presence == SceneNode.PRESENCE_PRESENT
            )
            if not (solid and min(size) > 0.0 and np.isfinite(size).all()):
                continue
            distance = float(np.linalg.norm(np.array(pose.position) - target))
            is_target = node.kind == SceneNode.KIND_OBJECT and distance < TARGET_RADIUS
            if distance < NEAR + max(size) and not is_target and not _contains(pose, size, target):
                if node.kind == SceneNode.KIND_PLACE:
                    size = (size[0], size[1], max(size[2] - SURFACE_GAP, SURFACE_GAP))
                yield box(self._frame, node.id, pose_message(pose), size)

    def _on_graph(self, message: SceneGraph) -> None:
        self._nodes = message.nodes


def _contains(pose: Pose, size: tuple[float, float, float], point: Vector3) -> bool:
    """Return True if a point is inside a box, as an object in a shelf."""
    inside = np.linalg.inv(pose.matrix()) @ np.append(point, 1.0)
    return bool((np.abs(inside[:3]) < np.array(size) / 2 - SURFACE_GAP).all())


def box(frame: str, name: str, pose: PoseMsg, size: tuple[float, float, float]) -> CollisionObject:
    """Make a collision object of extents ``size`` [m]."""
    shape = SolidPrimitive(type=SolidPrimitive.BOX, dimensions=list(size))
    message = CollisionObject(id=name, pose=pose, operation=CollisionObject.ADD)
    message.primitives, message.primitive_poses = [shape], [PoseMsg()]
    message.primitive_poses[0].orientation.w = 1.0
    message.header.frame_id = frame
    return message


def attached(
    tip: str, links: Sequence[str], T_tip_object: Transform, size: tuple[float, float, float], weight: float
) -> AttachedCollisionObject:
    """Make the box that the hand holds, which the tip and the ``links`` of the hand may touch."""
    shape = box(tip, HELD, pose_message(Pose.from_matrix(T_tip_object)), size)
    return AttachedCollisionObject(link_name=tip, object=shape, touch_links=[tip, *links], weight=weight)
