"""What the robot sees and remembers, as messages for people and other nodes."""

from collections.abc import Iterable

from builtin_interfaces.msg import Time
from std_msgs.msg import ColorRGBA, Header
from vision_msgs.msg import BoundingBox3D, Detection3D, Detection3DArray, ObjectHypothesisWithPose
from visualization_msgs.msg import Marker, MarkerArray

from openral_core.scene_graph import NodeKind, Presence, SceneGraph, SceneNode
from openral_ros.conversions.geometry import pose_message, vector_message
from openral_ros.conversions.times import stamp_of
from openral_world_state.worlds import Seen

_COLOURS = {
    NodeKind.OBJECT: (0.2, 0.7, 0.3),
    NodeKind.PLACE: (0.3, 0.5, 0.9),
    NodeKind.ROOM: (0.6, 0.6, 0.6),
    NodeKind.AGENT: (0.9, 0.5, 0.2),
}
_OPAQUENESS = {Presence.PRESENT: 0.9, Presence.STALE: 0.35, Presence.GONE: 0.0}


def detections_3d(seen: Iterable[Seen], now: Time, frame: str) -> Detection3DArray:
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
