"""Conversions of the scene graph."""

from openral_core import CONTRACT_VERSION
from openral_core.scene_graph import NodeKind, Opening, Presence, Relation, SceneEdge, SceneGraph, SceneNode
from openral_msgs.msg import SceneEdge as SceneEdgeMsg
from openral_msgs.msg import SceneGraph as SceneGraphMsg
from openral_msgs.msg import SceneNode as SceneNodeMsg
from openral_ros.conversions.geometry import (
    pose_from_message,
    pose_message,
    seconds,
    stamp_of,
    vector_message,
    xyz_tuple,
)

KINDS = (NodeKind.OBJECT, NodeKind.PLACE, NodeKind.ROOM, NodeKind.AGENT)
PRESENCES = (Presence.PRESENT, Presence.STALE, Presence.GONE)
OPENINGS = (Opening.UNKNOWN, Opening.CLOSED, Opening.OPEN)


def scene_graph_message(graph: SceneGraph, time: float) -> SceneGraphMsg:
    """Convert the whole graph, stamped ``time`` [s], in map."""
    message = SceneGraphMsg(
        contract_version=CONTRACT_VERSION,
        map_epoch=graph.map_epoch,
        revision=graph.revision,
        nodes=[scene_node_message(node) for node in graph.nodes],
        edges=[
            SceneEdgeMsg(
                source=e.source,
                relation=e.relation.value,
                target=e.target,
                weight=float(e.weight),
            )
            for e in graph.edges
        ],
    )
    message.header.stamp = stamp_of(time)
    message.header.frame_id = "map"
    return message


def scene_graph_from_message(message: SceneGraphMsg) -> SceneGraph:
    """Convert a graph message; nodes and relations of kinds unknown to this version are left out.

    Raises:
        InvalidSceneGraph: If ids are duplicated or edges refer to missing nodes.
        InvalidGeometry: If a pose is not finite.
    """
    unknown = {node.id for node in message.nodes if node.kind >= len(KINDS)}
    edges = (e for e in message.edges if e.relation in set(Relation) and not unknown & {e.source, e.target})
    return SceneGraph(
        nodes=tuple(scene_node_from_message(node) for node in message.nodes if node.kind < len(KINDS)),
        edges=tuple(SceneEdge(e.source, Relation(e.relation), e.target, e.weight) for e in edges),
        map_epoch=message.map_epoch,
        revision=message.revision,
    )


def scene_node_message(node: SceneNode) -> SceneNodeMsg:
    """Convert one node."""
    others = [label for label in node.votes if label != node.label]
    return SceneNodeMsg(
        id=node.id,
        kind=KINDS.index(node.kind),
        label=node.label,
        aliases=list(node.aliases),
        other_labels=others,
        label_votes=[float(node.votes.get(label, 0.0)) for label in (node.label, *others)],
        pose=pose_message(node.pose),
        size=vector_message(node.size),
        position_covariance=[float(c) for c in node.covariance],
        confidence=float(node.confidence),
        presence=PRESENCES.index(node.presence),
        is_container=node.is_container,
        occludes_contents=node.occludes_contents,
        opening=OPENINGS.index(node.opening),
        first_seen=stamp_of(node.first_seen),
        last_seen=stamp_of(node.last_seen),
        observation_count=node.observations,
        source=node.source,
        map_epoch=node.map_epoch,
    )


def presence_of(number: int) -> Presence:
    """Convert a presence; one unknown to this version counts as stale, so it is verified before use."""
    return PRESENCES[number] if number < len(PRESENCES) else Presence.STALE


def scene_node_from_message(message: SceneNodeMsg) -> SceneNode:
    """Convert the message of one node of a known kind."""
    labels = (message.label, *message.other_labels)
    return SceneNode(
        id=message.id,
        kind=KINDS[message.kind],
        label=message.label,
        pose=pose_from_message(message.pose),
        size=xyz_tuple(message.size),
        aliases=tuple(message.aliases),
        votes={label: float(v) for label, v in zip(labels, message.label_votes, strict=False) if v > 0.0},
        covariance=tuple(map(float, message.position_covariance)),
        confidence=message.confidence,
        presence=presence_of(message.presence),
        is_container=message.is_container,
        occludes_contents=message.occludes_contents,
        opening=OPENINGS[message.opening] if message.opening < len(OPENINGS) else Opening.UNKNOWN,
        first_seen=seconds(message.first_seen),
        last_seen=seconds(message.last_seen),
        observations=message.observation_count,
        source=message.source,
        map_epoch=message.map_epoch,
    )
