"""Messages as JSON values for the page; one function per message type.

Labels and texts come from detectors, models and people. They are passed on as text; the page never
interprets them as markup.
"""

from collections.abc import Iterable
from math import atan2

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import Pose, TransformStamped
from sensor_msgs.msg import CameraInfo
from vision_msgs.msg import Detection2DArray

from openral_console.sections import Json, finite, numbers
from openral_core.geometry import frame_name
from openral_core.missions import MissionState, PromptOutcome, is_final
from openral_core.parsing import InvalidText, parse_json
from openral_msgs.msg import (
    Budget,
    DetectorInfo,
    FailureTrigger,
    Handoff,
    MissionStatus,
    PromptReceipt,
    PromptStamped,
    RecallMatch,
    SceneGraph,
    SceneNode,
    WorldState,
)
from openral_ros.conversions.stamps import seconds
from openral_ros.tf_buffer import parse_transform

MAX_NODES = 3000
"""Most nodes of the scene graph that a page gets: what a phone draws at 30 frames a second."""
MAX_BOXES = 100  # Boxes of one image that a page gets.
MAX_TEXT = 4000
"""Longest text of one field [characters]; a longer one is cut, visibly."""
KINDS = {
    SceneNode.KIND_OBJECT: "object",
    SceneNode.KIND_PLACE: "place",
    SceneNode.KIND_ROOM: "room",
    SceneNode.KIND_AGENT: "agent",
}
PRESENCE = {
    SceneNode.PRESENCE_PRESENT: "present",
    SceneNode.PRESENCE_STALE: "stale",
    SceneNode.PRESENCE_GONE: "gone",
}
OPENING = {SceneNode.OPENING_CLOSED: "closed", SceneNode.OPENING_OPEN: "open"}
SEVERITY = {
    FailureTrigger.SEVERITY_INFO: "info",
    FailureTrigger.SEVERITY_WARNING: "warning",
    FailureTrigger.SEVERITY_ERROR: "error",
    FailureTrigger.SEVERITY_FATAL: "fatal",
}
LIFECYCLE = {1: "unconfigured", 2: "inactive", 3: "active", 4: "finalized"}
HEALTH = {
    DetectorInfo.HEALTH_OK: "ok",
    DetectorInfo.HEALTH_RESTARTING: "restarting",
    DetectorInfo.HEALTH_GIVEN_UP: "degraded",
}


def cut(text: str, longest: int = MAX_TEXT) -> str:
    """Shorten a text, and say so."""
    return text if len(text) <= longest else f"{text[:longest]} … ({len(text) - longest} more characters)"


def position(pose: Pose) -> list[float | None]:
    """Return x, y, z [m]."""
    return numbers((pose.position.x, pose.position.y, pose.position.z))


def yaw(pose: Pose) -> float | None:
    """Return the rotation about z [rad]."""
    q = pose.orientation
    return finite(atan2(2.0 * (q.w * q.z + q.x * q.y), 1.0 - 2.0 * (q.y * q.y + q.z * q.z)))


def budget(lines: Iterable[Budget]) -> Json:
    """Return the budget of a mission."""
    return [
        {"name": cut(line.name, 60), "used": finite(line.used), "limit": finite(line.limit)} for line in lines
    ]


def mission(message: MissionStatus) -> dict[str, Json]:
    """Return the mission."""
    is_known = message.state in set(MissionState)
    return {
        "id": message.mission_id,
        "goal": cut(message.goal),
        "requester": cut(message.requester, 100),
        "state": MissionState(message.state).name.lower() if is_known else f"unknown {message.state}",
        "ended": is_final(message.state),
        "step": cut(message.step),
        "reason": cut(message.reason),
        "evidence": [cut(fact) for fact in message.evidence],
        "searched": [cut(place) for place in message.searched],
        "brain": cut(message.brain, 100),
        "budget": budget(message.budget),
        "calls": [
            {
                "index": call.index,
                "tool": cut(call.tool, 100),
                "arguments": cut(call.arguments_json),
                "status": cut(call.status, 100),
                "message": cut(call.message),
                "duration": finite(call.duration),
            }
            for call in message.calls
        ],
    }


def handoff(message: Handoff) -> Json:
    """Return a question to a human."""
    return {
        "id": message.id,
        "mission": message.mission_id,
        "goal": cut(message.goal),
        "tried": [cut(line) for line in message.tried],
        "question": cut(message.question),
        "choices": [cut(choice, 200) for choice in message.choices],
        "budget": budget(message.budget),
    }


def prompt(message: PromptStamped) -> Json:
    """Return a prompt."""
    return {
        "id": message.id,
        "source": cut(message.header.frame_id, 60),
        "in_reply_to": message.in_reply_to,
        "text": cut(message.text),
        "stamp": finite(seconds(message.header.stamp)),
    }


def receipt(message: PromptReceipt) -> dict[str, Json]:
    """Return the reasoner's acknowledgement of a prompt."""
    is_known = message.outcome in set(PromptOutcome)
    return {
        "id": message.prompt_id,
        "outcome": PromptOutcome(message.outcome).name.lower() if is_known else "unknown",
        "mission": message.mission_id,
        "message": cut(message.message),
    }


def scene(message: SceneGraph) -> dict[str, Json]:
    """Return the scene graph; of more than `MAX_NODES` nodes, places first and then the latest seen."""
    nodes = list(message.nodes)
    if len(nodes) > MAX_NODES:
        nodes.sort(key=lambda n: (n.kind == SceneNode.KIND_OBJECT, -seconds(n.last_seen)))
    relations: dict[str, list[list[str]]] = {}
    for edge in message.edges[: 4 * MAX_NODES]:
        if edge.relation in ("in", "on", "at_place", "in_room"):
            relations.setdefault(edge.source, []).append([edge.relation, edge.target])
    return {
        "revision": message.revision,
        "stamp": finite(seconds(message.header.stamp)),
        "left_out": max(0, len(nodes) - MAX_NODES),
        "nodes": [_node(node, relations.get(node.id, [])) for node in nodes[:MAX_NODES]],
    }


def _node(node: SceneNode, relations: list[list[str]]) -> Json:
    variance = node.position_covariance
    return {
        "id": node.id,
        "kind": KINDS.get(node.kind, "object"),
        "label": cut(node.label, 200),
        "aliases": [cut(alias, 100) for alias in node.aliases[:10]],
        "position": position(node.pose),
        "yaw": yaw(node.pose),
        "size": numbers((node.size.x, node.size.y, node.size.z)),
        "sigma": finite(max(0.0, variance[0], variance[4], variance[8]) ** 0.5),
        "confidence": finite(node.confidence),
        "presence": PRESENCE.get(node.presence, "stale"),
        "container": node.is_container,
        "opening": OPENING.get(node.opening, ""),
        "first_seen": finite(seconds(node.first_seen)),
        "last_seen": finite(seconds(node.last_seen)),
        "count": node.observation_count,
        "source": cut(node.source, 100),
        "relations": relations[:20],
    }


def world(message: WorldState) -> Json:
    """Return the robot's place and the size of its memory."""
    return {
        "known": message.robot_pose_known,
        "position": position(message.robot_pose),
        "yaw": yaw(message.robot_pose),
        "place": cut(message.robot_place, 200),
        "room": cut(message.robot_room, 200),
        "remembered": message.remembered_objects,
        "stale": message.stale_objects,
        "stamp": finite(seconds(message.header.stamp)),
    }


def detector(message: DetectorInfo) -> Json:
    """Return a detector."""
    return {
        "id": cut(message.id, 100),
        "slug": cut(message.slug, 100),
        "mode": "on demand" if message.mode == DetectorInfo.MODE_ON_DEMAND else "continuous",
        "engine": cut(message.engine, 100),
        "open": message.vocabulary == DetectorInfo.VOCABULARY_OPEN,
        "description": cut(message.description, 1000),
        "labels": len(message.labels),
        "cameras": [cut(camera, 100) for camera in message.cameras[:32]],
        "licence": cut(message.licence, 100),
        "commercial": message.commercial_use,
        "default": message.is_default,
        "declared": finite(message.memory_declared, 1),
        "resident": finite(message.memory_resident, 1),
        "latency": finite(message.latency),
        "state": LIFECYCLE.get(message.lifecycle_state, "changing"),
        "health": HEALTH.get(message.health, "unknown"),
        "health_message": cut(message.health_message),
    }


def detections(message: Detection2DArray) -> Json:
    """Return the boxes of one image: centre and size in [px] of the source image."""
    boxes = []
    for detection in message.detections[:MAX_BOXES]:
        best = max(detection.results, key=lambda result: result.hypothesis.score, default=None)
        centre = detection.bbox.center.position
        boxes.append(
            {
                "box": numbers((centre.x, centre.y, detection.bbox.size_x, detection.bbox.size_y)),
                "label": cut(best.hypothesis.class_id, 100) if best else "",
                "score": finite(best.hypothesis.score, 2) if best else None,
            }
        )
    return {
        "frame": cut(frame_name(message.header.frame_id), 100),
        "stamp": finite(seconds(message.header.stamp), 6),
        "boxes": boxes,
    }


def failure(message: FailureTrigger) -> Json:
    """Return a failure."""
    return {
        "source": cut(message.source, 100),
        "kind": cut(message.kind, 100),
        "severity": SEVERITY.get(message.severity, "error"),
        "message": cut(message.message),
        "stamp": finite(seconds(message.header.stamp)),
    }


def diagnostics(message: DiagnosticArray) -> dict[str, dict[str, Json]]:
    """Return the statuses of a message by name."""
    return {
        cut(status.name, 200): {
            "level": ("ok", "warning", "error", "stale")[min(ord(status.level), 3)],
            "message": cut(status.message, 500),
            "hardware": cut(status.hardware_id, 100),
            "values": [[cut(each.key, 200), cut(each.value, 500)] for each in status.values[:40]],
        }
        for status in message.status[:200]
    }


def transform(message: TransformStamped) -> tuple[str, Json]:
    """Return a frame, and its parent with position [m] and quaternion.

    Raises:
        InvalidTransform: If it is none.
    """
    parent, child, pose = parse_transform(message)
    q = message.transform.rotation
    rotation = numbers((q.x, q.y, q.z, q.w), 4)
    return cut(child.lstrip("/"), 200), [cut(parent.lstrip("/"), 200), *numbers(pose.position), *rotation]


def optics(message: CameraInfo) -> Json:
    """Return the optical frame of a camera with size and focal lengths and principal point [px]."""
    intrinsics = numbers(message.k[each] for each in (0, 4, 2, 5))
    return {
        "frame": cut(frame_name(message.header.frame_id), 200),
        "size": [message.width, message.height],
        "intrinsics": intrinsics,
    }


def frontier(message: DiagnosticStatus) -> Json:
    """Return the places that a search has left, best first."""
    return [{"id": cut(each.key, 200), "why": cut(each.value, 300)} for each in message.values[:50]]


def palette(text: str) -> Json:
    """Return the palette as the model receives it: JSON if it is, else text."""
    try:
        value: Json = parse_json(text)
    except InvalidText:
        return {"text": cut(text)}
    return value


def match(hit: RecallMatch) -> Json:
    """Return a remembered object as `recall_object` answers."""
    return {
        "id": hit.node_id,
        "label": cut(hit.label, 200),
        "score": finite(hit.score, 2),
        "position": position(hit.pose),
        "room": cut(hit.room, 200),
        "place": cut(hit.place, 200),
        "containers": [cut(each, 200) for each in hit.containers],
        "must_open": cut(hit.must_open, 200),
        "presence": PRESENCE.get(hit.presence, "stale"),
        "last_seen": finite(seconds(hit.last_seen)),
        "why": cut(hit.why, 500),
    }
