"""Publishers of the world state: scene graph, summary, detections in map, markers and diagnostics."""

import time
from collections.abc import Iterable, Sequence

import numpy as np
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from geometry_msgs.msg import Point
from rclpy.clock import Clock
from std_msgs.msg import ColorRGBA, Header
from vision_msgs.msg import (
    BoundingBox3D,
    Detection2D,
    Detection2DArray,
    Detection3D,
    Detection3DArray,
    ObjectHypothesisWithPose,
)
from visualization_msgs.msg import Marker, MarkerArray

from openral_core.geometry import Pose
from openral_core.spatial_memory import NodeKind, Presence, SceneGraph, SceneNode
from openral_msgs.msg import SceneGraph as SceneGraphMessage
from openral_msgs.msg import WorldState
from openral_ros.conversions.geometry import pose_message, vector_message
from openral_ros.conversions.spatial_memory import scene_graph_message
from openral_ros.conversions.stamps import seconds, stamp_of
from openral_ros.qos import LATCHED, RELIABLE
from openral_ros.resources import ResourceScope
from openral_world_state.depth_camera import Intrinsics
from openral_world_state.world.world_model import IntegrationResult, WorldModel

_COLOURS = {
    NodeKind.OBJECT: (0.2, 0.7, 0.3),
    NodeKind.PLACE: (0.3, 0.5, 0.9),
    NodeKind.ROOM: (0.6, 0.6, 0.6),
    NodeKind.AGENT: (0.9, 0.5, 0.2),
}
_OPACITY = {Presence.PRESENT: 0.9, Presence.STALE: 0.35, Presence.GONE: 0.0}


_SITE_OPACITY = 0.25  # of furniture, as a fraction of an object's, so that objects inside it are visible
_MIN_SIDE = 0.02  # of a marker [m], so that flat objects are visible
_TEXT_HEIGHT = 0.08  # of a name [m]
_TEXT_OFFSET = 0.06  # of a name above its box [m]
MAX_MARKED = 1000
"""Most nodes that are drawn [1]: what RViz and Foxglove show fluently."""
IN_VIEW = 3.0  # age up to which an object counts as in view [s]: slow detectors run at 1 Hz
_OLDEST = 3.2e7  # age from which a time is of another clock [s]: a year
_FRUSTUM_DEPTH = 0.6  # depth to which a field of view is drawn [m]
_EDGE_WIDTH = 0.01  # of a field of view [m]
_MARKERS_PERIOD = 5.0  # between two sets of markers whose ages alone have changed [s]
_NEAREST_PLACE = 1.5  # largest distance of the robot from the place it is reported at [m]


def detections_3d(results: Iterable[IntegrationResult], now: Time, frame: str) -> Detection3DArray:
    """Convert the last frames of detectors; each detection has its image's stamp and its node's id.

    The array has the stamp of the newest image, or ``now`` if there is none.
    """
    frames = list(results)
    message = Detection3DArray(header=Header(stamp=now, frame_id=frame))
    if frames:
        message.header.stamp = stamp_of(max(result.frame.stamp for result in frames))
    for integrated in frames:
        header = Header(stamp=stamp_of(integrated.frame.stamp), frame_id=frame)
        for observation, record in zip(integrated.frame.observations, integrated.records, strict=True):
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


def markers(
    graph: SceneGraph, stamp: Time, frame: str, cameras: Iterable[tuple[str, Intrinsics]] = ()
) -> MarkerArray:
    """Convert a graph to boxes with names and ages, and cameras to their fields of view.

    Objects that are gone, or of another map, have no box; of more than `MAX_MARKED` nodes, places and the
    objects seen last are drawn. A camera is its optical frame and its intrinsics.
    """
    clear = Marker(action=Marker.DELETEALL)
    clear.header.frame_id = frame
    marks = [clear]
    nodes = [n for n in graph.nodes if n.kind is not NodeKind.OBJECT or n.map_epoch == graph.map_epoch]
    if len(nodes) > MAX_MARKED:
        nodes.sort(key=lambda node: (node.kind is NodeKind.OBJECT, -node.last_seen))
    for index, node in enumerate(nodes[:MAX_MARKED]):
        if _OPACITY[node.presence] > 0.0 and node.kind is not NodeKind.ROOM:
            marks.append(box_marker(node, index, stamp, frame))
        marks.append(name_marker(node, index, stamp, frame))
    marks += [frustum_marker(*camera, index, stamp) for index, camera in enumerate(cameras)]
    return MarkerArray(markers=marks)


def box_marker(node: SceneNode, index: int, stamp: Time, frame: str) -> Marker:
    """Draw a node as a box, more transparent the older its last sighting."""
    mark = Marker(ns=node.kind.value, id=index, type=Marker.CUBE, pose=pose_message(node.pose))
    mark.header.stamp, mark.header.frame_id = stamp, frame
    x, y, z = (max(side, _MIN_SIDE) for side in node.size)
    mark.scale = vector_message((x, y, z))
    r, g, b = _COLOURS[node.kind]
    opacity = 1.0 if node.kind is NodeKind.OBJECT else _SITE_OPACITY
    mark.color = ColorRGBA(r=r, g=g, b=b, a=_OPACITY[node.presence] * opacity)
    return mark


def name_marker(node: SceneNode, index: int, stamp: Time, frame: str) -> Marker:
    """Draw the label of a node above it; of an object that is not in view, when it was seen last."""
    text = node.label
    if node.kind is NodeKind.OBJECT and (age := age_words(seconds(stamp) - node.last_seen)):
        text = f"{text}\n{age} ago"
    mark = Marker(ns="names", id=index, type=Marker.TEXT_VIEW_FACING, text=text, pose=pose_message(node.pose))
    mark.header.stamp, mark.header.frame_id = stamp, frame
    mark.pose.position.z += node.size[2] / 2.0 + _TEXT_OFFSET
    mark.scale.z = _TEXT_HEIGHT
    mark.color = ColorRGBA(r=1.0, g=1.0, b=1.0, a=_OPACITY[node.presence])
    return mark


def age_words(age: float) -> str:
    """Describe an age [s]; "" while the object is in view, or its time is of another clock."""
    if not IN_VIEW < age < _OLDEST:
        return ""
    for unit, name in ((86400.0, "d"), (3600.0, "h"), (60.0, "min")):
        if age >= unit:
            return f"{age / unit:.0f} {name}"
    return f"{age:.0f} s"


def frustum_marker(optical_frame: str, intrinsics: Intrinsics, index: int, stamp: Time) -> Marker:
    """Draw the field of view of a camera as the edges of a pyramid, in its optical frame."""
    mark = Marker(ns="cameras", id=index, type=Marker.LINE_LIST)
    mark.header.stamp, mark.header.frame_id = stamp, optical_frame
    mark.pose.orientation.w, mark.scale.x = 1.0, _EDGE_WIDTH
    mark.color = ColorRGBA(r=1.0, g=0.85, b=0.3, a=0.8)
    right, bottom = intrinsics.width - 1.0, intrinsics.height - 1.0
    pixels = np.array([(0.0, 0.0), (right, 0.0), (right, bottom), (0.0, bottom)])
    corners = [Point(x=x, y=y, z=z) for x, y, z in (intrinsics.rays(pixels) * _FRUSTUM_DEPTH).tolist()]
    if not np.isfinite([(corner.x, corner.y) for corner in corners]).all():
        return mark  # a lens whose corners see nothing
    for corner, following in zip(corners, (*corners[1:], corners[0]), strict=True):
        mark.points += [Point(), corner, corner, following]
    return mark


GRAPH_IDLE_RATIO = 9.0
"""Pause after a graph per time it took to build and publish [1]: it uses at most a tenth of the executor."""


class WorldStatePublishers:
    """Publishers of scene graph (latched, on change), summary, detections in map, markers and diagnostics."""

    def __init__(self, scope: ResourceScope, clock: Clock, name: str, map_frame: str) -> None:
        self._clock, self.name_marker, self._map = clock, name, map_frame
        self._graph = scope.publisher(SceneGraphMessage, "openral/scene_graph", LATCHED)
        self._state = scope.publisher(WorldState, "openral/world_state", RELIABLE)
        self._objects = scope.publisher(Detection3DArray, "openral/world_state/objects", RELIABLE)
        self._unplaced = scope.publisher(Detection2DArray, "openral/world_state/in_view", RELIABLE)
        self._markers = scope.publisher(MarkerArray, "openral/world_state/markers", LATCHED)
        self._diagnostics = scope.publisher(DiagnosticArray, "/diagnostics", RELIABLE)
        self._published, self._due, self._marked = -1, 0.0, 0.0

    def publish_graph(self, world: WorldModel, cameras: Iterable[tuple[str, Intrinsics]]) -> None:
        """Publish the scene graph if it changed, a large one less often; and markers while they are shown."""
        started = time.monotonic()
        changed = world.memory.revision != self._published
        shown = self._markers.get_subscription_count() > 0
        aged = shown and started - self._marked > _MARKERS_PERIOD
        if started < self._due or not (changed or aged):
            return
        graph, now = world.graph(), self._clock.now().to_msg()
        if changed:
            self._published = world.memory.revision
            self._graph.publish(scene_graph_message(graph, seconds(now)))
        if shown:
            self._marked = started
            self._markers.publish(markers(graph, now, self._map, cameras))
        ended = time.monotonic()
        self._due = ended + GRAPH_IDLE_RATIO * (ended - started)

    def publish_state(
        self, world: WorldModel, robot: Pose | None, frames: Iterable[IntegrationResult]
    ) -> None:
        """Publish the robot's place and the current detections."""
        now = self._clock.now().to_msg()
        state = WorldState(revision=world.memory.revision, map_epoch=world.settings.map_epoch)
        state.header.stamp, state.header.frame_id = now, self._map
        if robot is not None:
            state.robot_pose_known, state.robot_pose = True, pose_message(robot)
            site = world.home.nearest_site(robot.position, _NEAREST_PLACE)
            state.robot_place = site.node.id if site else ""
            state.robot_room = world.home.room_at(robot.position)
        state.detected_objects = detections_3d(frames, now, self._map)
        state.remembered_objects = len(world.memory)
        state.stale_objects = sum(record.presence is not Presence.PRESENT for record in world.memory)
        self._state.publish(state)

    def publish_unplaced(self, detections: Sequence[Detection2D]) -> None:
        """Publish what is in view and has no place in the map."""
        header = Header(stamp=self._clock.now().to_msg())
        self._unplaced.publish(Detection2DArray(header=header, detections=detections))

    def publish_objects(self, integrated: IntegrationResult) -> None:
        """Publish the detections of one frame in map."""
        if self._objects.get_subscription_count():
            self._objects.publish(detections_3d([integrated], self._clock.now().to_msg(), self._map))

    def publish_diagnostics(self, facts: dict[str, object], error: str) -> None:
        """Publish counts, and the ``error`` that prevents memory from being written, "" if there is none."""
        level = DiagnosticStatus.ERROR if error else DiagnosticStatus.OK
        status = DiagnosticStatus(level=level, name=self.name_marker, message=error or "remembering")
        status.values = [KeyValue(key=key, value=str(value)) for key, value in facts.items()]
        message = DiagnosticArray(status=[status])
        message.header.stamp = self._clock.now().to_msg()
        self._diagnostics.publish(message)
