"""Topics on which the world is told."""
# MERGED What the robot sees and remembers, as messages for people and other nodes.

import time
from collections.abc import Iterable

from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.clock import Clock
from std_msgs.msg import ColorRGBA, Header
from vision_msgs.msg import BoundingBox3D, Detection3D, Detection3DArray, ObjectHypothesisWithPose
from visualization_msgs.msg import Marker, MarkerArray

from openral_core.geometry import Pose
from openral_core.scene_graph import NodeKind, Presence, SceneGraph, SceneNode
from openral_msgs.msg import SceneGraph as SceneGraphMessage
from openral_msgs.msg import WorldState
from openral_ros.conversions.geometry import pose_message, seconds, stamp_of, vector_message
from openral_ros.conversions.scene_graph import scene_graph_message
from openral_ros.qos import LATCHED, RELIABLE
from openral_ros.resources import ResourceScope
from openral_world_state.world import IntegrationResult, WorldModel

_COLOURS = {
    NodeKind.OBJECT: (0.2, 0.7, 0.3),
    NodeKind.PLACE: (0.3, 0.5, 0.9),
    NodeKind.ROOM: (0.6, 0.6, 0.6),
    NodeKind.AGENT: (0.9, 0.5, 0.2),
}
_OPAQUENESS = {Presence.PRESENT: 0.9, Presence.STALE: 0.35, Presence.GONE: 0.0}


def detections_3d(seen: Iterable[IntegrationResult], now: Time, frame: str) -> Detection3DArray:
    """What detectors saw last, in map, each with the stamp of its image; its id is its node's.

    The whole has the stamp of the newest image, and ``now`` when there is none.
    """
    looks = list(seen)
    message = Detection3DArray(header=Header(stamp=now, frame_id=frame))
    if looks:
        message.header.stamp = stamp_of(max(look.snapshot.stamp for look in looks))
    for look in looks:
        header = Header(stamp=stamp_of(look.snapshot.stamp), frame_id=frame)
        for observation, record in zip(look.snapshot.observations, look.records, strict=True):
            detection = Detection3D(header=header, id=record.id)
            result = ObjectHypothesisWithPose()
            result.hypothesis.class_id = observation.label
            result.hypothesis.score = float(observation.score)
            result.pose.pose = pose_message(observation.pose)
            detection.results = [result]
            detection.bbox = BoundingBox3D(
                center=pose_message(observation.pose), size=vector_message(observation.size)
            )
            message.detections.append(detection)
    return message


def markers(graph: SceneGraph, stamp: Time, frame: str) -> MarkerArray:
    """Boxes with their names; what is gone, or of another map, leaves no mark."""
    clear = Marker(action=Marker.DELETEALL)
    clear.header.frame_id = frame
    marks = [clear]
    for index, node in enumerate(graph.nodes):
        if node.kind is NodeKind.OBJECT and node.map_epoch != graph.map_epoch:
            continue
        if _OPAQUENESS[node.presence] > 0.0 and node.kind is not NodeKind.ROOM:
            marks.append(_box(node, index, stamp, frame))
        marks.append(_name(node, index, stamp, frame))
    return MarkerArray(markers=marks)


def _box(node: SceneNode, index: int, stamp: Time, frame: str) -> Marker:
    mark = Marker(ns=node.kind.value, id=index, type=Marker.CUBE, pose=pose_message(node.pose))
    mark.header.stamp, mark.header.frame_id = stamp, frame
    x, y, z = (max(side, 0.02) for side in node.size)
    mark.scale = vector_message((x, y, z))
    r, g, b = _COLOURS[node.kind]
    fixed = 1.0 if node.kind is NodeKind.OBJECT else 0.25
    mark.color = ColorRGBA(r=r, g=g, b=b, a=_OPAQUENESS[node.presence] * fixed)
    return mark


def _name(node: SceneNode, index: int, stamp: Time, frame: str) -> Marker:
    mark = Marker(
        ns="names", id=index, type=Marker.TEXT_VIEW_FACING, text=node.label, pose=pose_message(node.pose)
    )
    mark.header.stamp, mark.header.frame_id = stamp, frame
    mark.pose.position.z += node.size[2] / 2.0 + 0.06
    mark.scale.z = 0.08
    mark.color = ColorRGBA(r=1.0, g=1.0, b=1.0, a=_OPAQUENESS[node.presence])
    return mark


_REST = 9.0
"""How many times as long as a graph took to make the next one waits."""


class WorldStatePublishers:
    """Scene graph (latched, when changed), summary, detections in map, markers, diagnostics."""

    def __init__(self, scope: ResourceScope, clock: Clock, name: str, map_frame: str) -> None:
        self._clock, self._name, self._map = clock, name, map_frame
        self._graph = scope.publisher(SceneGraphMessage, "openral/scene_graph", LATCHED)
        self._state = scope.publisher(WorldState, "openral/world_state", RELIABLE)
        self._objects = scope.publisher(Detection3DArray, "openral/world_state/objects", RELIABLE)
        self._markers = scope.publisher(MarkerArray, "openral/world_state/markers", LATCHED)
        self._diagnostics = scope.publisher(DiagnosticArray, "/diagnostics", RELIABLE)
        self._published, self._due = -1, 0.0

    def publish_graph(self, world: WorldModel) -> None:
        """The scene graph, if it changed since the last time; a large one less often."""
        began = time.monotonic()
        if world.memory.revision == self._published or began < self._due:
            return
        self._published = world.memory.revision
        graph, now = world.graph(), self._clock.now().to_msg()
        self._graph.publish(scene_graph_message(graph, seconds(now)))
        if self._markers.get_subscription_count():
            self._markers.publish(markers(graph, now, self._map))
        ended = time.monotonic()
        self._due = ended + _REST * (ended - began)

    def publish_state(self, world: WorldModel, robot: Pose | None, seen: Iterable[IntegrationResult]) -> None:
        """Where the robot is and what its detectors see."""
        now = self._clock.now().to_msg()
        state = WorldState(revision=world.memory.revision, map_epoch=world.settings.map_epoch)
        state.header.stamp, state.header.frame_id = now, self._map
        if robot is not None:
            state.robot_pose_known, state.robot_pose = True, pose_message(robot)
            site = world.home.nearest_site(robot.position, 1.5)
            state.robot_place = site.node.id if site else ""
            state.robot_room = world.home.room_at(robot.position)
        state.detected_objects = detections_3d(seen, now, self._map)
        state.remembered_objects = len(world.memory)
        state.stale_objects = sum(record.presence is not Presence.PRESENT for record in world.memory)
        self._state.publish(state)

    def publish_objects(self, seen: IntegrationResult) -> None:
        """What one look saw, in map."""
        if self._objects.get_subscription_count():
            self._objects.publish(detections_3d([seen], self._clock.now().to_msg(), self._map))

    def publish_diagnostics(self, facts: dict[str, object], trouble: str) -> None:
        """Counts of what was taken in and refused; ``trouble`` is why memory is not kept, "" when it is."""
        level = DiagnosticStatus.ERROR if trouble else DiagnosticStatus.OK
        status = DiagnosticStatus(level=level, name=self._name, message=trouble or "remembering")
        status.values = [KeyValue(key=key, value=str(value)) for key, value in facts.items()]
        message = DiagnosticArray(status=[status])
        message.header.stamp = self._clock.now().to_msg()
        self._diagnostics.publish(message)
