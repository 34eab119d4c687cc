"""Conversions of the scene graph, and of queries to spatial memory and their results."""

from openral_core import CONTRACT_VERSION
from openral_core.spatial_memory import (
    EditResult,
    EditStatus,
    MemoryEdit,
    NodeKind,
    ObserveResult,
    ObserveStatus,
    Opening,
    Presence,
    RecallMatch,
    RecallQuery,
    RecallResult,
    RecallStatus,
    Relation,
    ResolveQuery,
    ResolveResult,
    ResolveStatus,
    SceneEdge,
    SceneGraph,
    SceneNode,
)
from openral_msgs.msg import RecallMatch as RecallMatchMsg
from openral_msgs.msg import SceneEdge as SceneEdgeMsg
from openral_msgs.msg import SceneGraph as SceneGraphMsg
from openral_msgs.msg import SceneNode as SceneNodeMsg
from openral_msgs.srv import EditMemory, ObserveDetections, RecallObject, ResolvePlace
from openral_ros.conversions.geometry import (
    MAP,
    point_message,
    pose_from_message,
    pose_message,
    vector_message,
    xyz_tuple,
)
from openral_ros.conversions.object_states import object_state_messages, object_states_from_messages
from openral_ros.conversions.stamps import seconds, stamp_of

KINDS = (NodeKind.OBJECT, NodeKind.PLACE, NodeKind.ROOM, NodeKind.AGENT)
PRESENCES = tuple(Presence)
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
    message.header.frame_id = MAP
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
        unprompted_labels=list(node.unprompted),
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
        affordance=node.affordance,
        states=object_state_messages(node.states),
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
        unprompted=tuple(message.unprompted_labels),
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
        affordance=message.affordance,
        states=object_states_from_messages(message.states),
    )


def recall_request(query: RecallQuery, traceparent: str) -> RecallObject.Request:
    """Convert a query to a request."""
    request = RecallObject.Request(
        query=query.query,
        limit=query.limit,
        radius=float(query.radius),
        max_age=float(query.max_age),
        room=query.room,
        node_id=query.node_id,
        traceparent=traceparent,
    )
    if query.near is not None:
        request.has_near, request.near = True, point_message(query.near)
    return request


def recall_query_from_request(request: RecallObject.Request) -> RecallQuery:
    """Convert a request to a query; limit 0 means 5."""
    near = xyz_tuple(request.near) if request.has_near else None
    limit = request.limit or 5
    return RecallQuery(
        request.query, limit, near, request.radius, request.max_age, request.room, request.node_id
    )


def fill_recall_response(response: RecallObject.Response, result: RecallResult) -> RecallObject.Response:
    """Fill the response with a result."""
    response.status = int(result.status)
    response.message = result.message
    response.matches = [recall_match_message(match) for match in result.matches]
    response.near_misses = [recall_match_message(match) for match in result.near_misses]
    response.nearest_names = list(result.nearest_names)
    response.revision = result.revision
    return response


def recall_result_from_response(response: RecallObject.Response) -> RecallResult:
    """Convert a response to a result."""
    return RecallResult(
        RecallStatus(response.status),
        response.message,
        tuple(recall_match_from_message(match) for match in response.matches),
        tuple(recall_match_from_message(match) for match in response.near_misses),
        tuple(response.nearest_names),
        response.revision,
    )


def fill_observe_response(
    response: ObserveDetections.Response, result: ObserveResult
) -> ObserveDetections.Response:
    """Fill the response with a result."""
    response.status = int(result.status)
    response.message = result.message
    response.matches = [recall_match_message(match) for match in result.matches]
    response.refused = list(result.refused)
    response.revision = result.revision
    return response


def observe_result_from_response(response: ObserveDetections.Response) -> ObserveResult:
    """Convert a response to a result."""
    return ObserveResult(
        ObserveStatus(response.status),
        response.message,
        tuple(recall_match_from_message(match) for match in response.matches),
        tuple(response.refused),
        response.revision,
    )


def resolve_request(query: ResolveQuery, traceparent: str) -> ResolvePlace.Request:
    """Convert a query to a request."""
    request = ResolvePlace.Request(
        reference=query.reference, requester=query.requester, traceparent=traceparent
    )
    if query.start is not None:
        request.has_start, request.start.position = True, point_message(query.start)
    return request


def resolve_query_from_request(request: ResolvePlace.Request) -> ResolveQuery:
    """Convert a request to a query."""
    return ResolveQuery(
        request.reference,
        request.requester,
        xyz_tuple(request.start.position) if request.has_start else None,
    )


def fill_resolve_response(response: ResolvePlace.Response, result: ResolveResult) -> ResolvePlace.Response:
    """Fill the response with a result; poses stay zero unless FOUND."""
    response.status = int(result.status)
    response.message = result.message
    if result.goal_pose is not None:
        response.goal_pose = pose_message(result.goal_pose)
    if result.target_pose is not None:
        response.target_pose = pose_message(result.target_pose)
    response.kind = result.kind
    response.node_id = result.node_id
    response.path = list(result.path)
    response.path_length = float(result.path_length)
    response.candidates = list(result.candidates)
    return response


def resolve_result_from_response(response: ResolvePlace.Response) -> ResolveResult:
    """Convert a response to a result, without poses unless FOUND."""
    is_resolved = response.status == ResolvePlace.Response.FOUND
    return ResolveResult(
        status=ResolveStatus(response.status),
        message=response.message,
        goal_pose=pose_from_message(response.goal_pose) if is_resolved else None,
        target_pose=pose_from_message(response.target_pose) if is_resolved else None,
        kind=response.kind,
        node_id=response.node_id,
        path=tuple(response.path),
        path_length=response.path_length,
        candidates=tuple(response.candidates),
    )


def edit_request(edit: MemoryEdit, traceparent: str) -> EditMemory.Request:
    """Convert an edit to a request."""
    return EditMemory.Request(
        operation=edit.operation,
        node_id=edit.node_id,
        label=edit.label,
        position=point_message(edit.position),
        other=edit.other,
        traceparent=traceparent,
    )


def edit_from_request(request: EditMemory.Request) -> MemoryEdit:
    """Convert a request to an edit."""
    return MemoryEdit(
        request.operation, request.node_id, request.label, xyz_tuple(request.position), request.other
    )


def fill_edit_response(response: EditMemory.Response, result: EditResult) -> EditMemory.Response:
    """Fill the response with a result."""
    response.status = int(result.status)
    response.message = result.message
    response.known = list(result.known)
    response.revision = result.revision
    return response


def edit_result_from_response(response: EditMemory.Response) -> EditResult:
    """Convert a response to a result."""
    return EditResult(EditStatus(response.status), response.message, tuple(response.known), response.revision)


def recall_match_message(match: RecallMatch) -> RecallMatchMsg:
    """Convert one remembered object."""
    message = RecallMatchMsg(
        node_id=match.node_id,
        label=match.label,
        score=float(match.score),
        pose=pose_message(match.pose),
        size=vector_message(match.size),
        room=match.room,
        place=match.place,
        containers=list(match.containers),
        must_open=match.must_open,
        presence=PRESENCES.index(match.presence),
        last_seen=stamp_of(match.last_seen),
        observation_count=match.observations,
        source=match.source,
        why=match.why,
        states=object_state_messages(match.states),
    )
    if match.viewpoint is not None:
        message.viewpoint, message.viewpoint_known = pose_message(match.viewpoint), True
    return message


def recall_match_from_message(message: RecallMatchMsg) -> RecallMatch:
    """Convert the message of one remembered object."""
    return RecallMatch(
        node_id=message.node_id,
        label=message.label,
        score=message.score,
        pose=pose_from_message(message.pose),
        size=xyz_tuple(message.size),
        why=message.why,
        viewpoint=pose_from_message(message.viewpoint) if message.viewpoint_known else None,
        room=message.room,
        place=message.place,
        containers=tuple(message.containers),
        must_open=message.must_open,
        presence=presence_of(message.presence),
        last_seen=seconds(message.last_seen),
        observations=message.observation_count,
        source=message.source,
        states=object_states_from_messages(message.states),
    )
