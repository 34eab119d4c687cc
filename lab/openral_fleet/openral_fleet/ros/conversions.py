"""Conversions between messages and what the dispatcher handles."""

from collections.abc import Iterable

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue

from openral_core.missions import MissionState, PromptOutcome
from openral_core.parsing import InvalidText, parse_json
from openral_core.skills import Verb
from openral_core.spatial_memory import NodeKind, Presence, Relation, SceneGraph, SceneNode
from openral_fleet.events import MissionReported, PromptAnswered
from openral_fleet.records import ActingCall, ErrandRecord, ErrandState
from openral_fleet.robots import RememberedObject
from openral_msgs.msg import MissionStatus, PromptReceipt, ToolCallRecord
from openral_reasoner_ros.mission_client import SHUTTING_DOWN

ACTING_TOOL = "execute_rskill"
_PLACED = (Relation.AT_PLACE, Relation.IN, Relation.ON, Relation.IN_ROOM)
"""Relations that name the place of an object, the nearest first."""
_VERBS = {verb.value for verb in Verb}


def mission_reported(robot: str, message: MissionStatus) -> MissionReported:
    """Convert a mission status whose calls are complete."""
    valid = message.state in set(MissionState)
    budget = {line.name: line.limit - line.used for line in message.budget}
    return MissionReported(
        robot=robot,
        prompt_id=message.prompt_id,
        state=MissionState(message.state) if valid else MissionState.ACTIVE,
        mission_id=message.mission_id,
        step=message.step,
        reason=message.reason,
        evidence=tuple(message.evidence[:16]),
        calls=tuple(acting_call(call) for call in message.calls if call.tool == ACTING_TOOL),
        seconds_left=max(0.0, budget.get("seconds", 0.0)),
        shutting_down=message.reason.startswith(SHUTTING_DOWN),
    )


def acting_call(call: ToolCallRecord) -> ActingCall:
    """Convert a call of a skill; the shipped skills are named after their verbs."""
    try:
        arguments = parse_json(call.arguments_json)
    except InvalidText:
        arguments = None
    named = arguments.get("rskill_id", "") if isinstance(arguments, dict) else ""
    verb = str(named).replace("-", "_").upper()
    return ActingCall(verb=verb if verb in _VERBS else str(named)[:64], status=call.status)


def prompt_answered(robot: str, receipt: PromptReceipt) -> PromptAnswered:
    """Convert a receipt; an outcome unknown to this version counts as a refusal."""
    valid = receipt.outcome in set(PromptOutcome)
    outcome = PromptOutcome(receipt.outcome) if valid else PromptOutcome.REFUSED
    return PromptAnswered(robot, receipt.prompt_id, outcome, receipt.mission_id, receipt.message)


def known_objects(graph: SceneGraph) -> tuple[RememberedObject, ...]:
    """Return the objects of a scene graph with the names of their places, the nearest first."""
    nodes = {node.id: node for node in graph.nodes}
    places: dict[str, list[str]] = {}
    for relation in _PLACED:
        for edge in graph.edges:
            target = nodes.get(edge.target)
            if edge.relation is relation and target is not None and target.kind is not NodeKind.OBJECT:
                places.setdefault(edge.source, []).extend((target.id, target.label, *target.aliases))
    present = (n for n in graph.nodes if n.kind is NodeKind.OBJECT and n.presence is not Presence.GONE)
    return tuple(_known(node, tuple(dict.fromkeys(places.get(node.id, ())))) for node in present)


def _known(node: SceneNode, places: tuple[str, ...]) -> RememberedObject:
    x, y, _ = node.pose.position
    return RememberedObject(node.label, x, y, places, node.last_seen)


LEVELS = {
    ErrandState.DONE: DiagnosticStatus.OK,
    ErrandState.CLAIMED: DiagnosticStatus.WARN,
    ErrandState.FAILED: DiagnosticStatus.ERROR,
    ErrandState.HANDED_OVER: DiagnosticStatus.WARN,
    ErrandState.CANCELLED: DiagnosticStatus.WARN,
    ErrandState.ASKED: DiagnosticStatus.WARN,
    ErrandState.UNKNOWN: DiagnosticStatus.WARN,
    ErrandState.SUSPENDED: DiagnosticStatus.WARN,
}


def errands_message(records: Iterable[ErrandRecord]) -> DiagnosticArray:
    """Return the table of errands: one status each, named by its id; the state is its message."""
    return DiagnosticArray(status=[_errand_status(record) for record in records])


def _errand_status(record: ErrandRecord) -> DiagnosticStatus:
    facts = {
        "goal": record.errand.goal,
        "robot": record.robot,
        "reason": record.reason,
        "question": record.question,
        "missions": str(record.missions),
        "evidence": "; ".join(record.evidence),
    }
    return DiagnosticStatus(
        name=record.id,
        level=LEVELS.get(record.state, DiagnosticStatus.OK),
        message=record.state.value,
        hardware_id=record.robot,
        values=[KeyValue(key=key, value=value) for key, value in facts.items() if value],
    )
