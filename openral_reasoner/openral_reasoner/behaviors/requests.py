"""Requests to peers: each spends budget, has a deadline, is recorded, and always ends with a typed answer.

Peers that are unavailable are waited for, bounded, at the start of a mission or when one is lost.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from openral_core.detectors import LocateResult, LocateStatus
from openral_core.errors import OpenRALError
from openral_core.geometry import Pose
from openral_core.spatial_memory import (
    EditResult,
    MemoryEdit,
    ObserveResult,
    RecallQuery,
    RecallResult,
    RecallStatus,
    ResolveQuery,
    ResolveResult,
    ResolveStatus,
    SceneGraph,
)
from openral_reasoner.commands import (
    CallEdit,
    CallLocate,
    CallObserve,
    CallRecall,
    CallResolve,
    ChangeState,
    ClearDeadline,
    Command,
    ReadScene,
    SetDeadline,
)
from openral_reasoner.events import (
    CallFailed,
    Edited,
    Event,
    Located,
    Observed,
    Recalled,
    Resolved,
    SceneRead,
    StateChanged,
)
from openral_reasoner.evidence import Answered, Referred, Source
from openral_reasoner.mission import Mission, Procedure, Wait
from openral_reasoner.mission_objects import MissionObject
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.sentences.noun_lists import MAX_COUNT


@dataclass(frozen=True, slots=True)
class PeerRequirement:
    """Peer that must be available, and the message for its absence."""

    there: Callable[[ToolPalette], bool]
    absent: str


MEMORY = PeerRequirement(
    lambda palette: palette.spatial_memory_available, "no spatial memory service is available"
)
SKILLS = PeerRequirement(lambda palette: bool(palette.skills), "no skill server is available")
LOCATOR = PeerRequirement(lambda palette: palette.detector_available, "no locator is available")


def wait_for_peers(mission: Mission) -> Procedure[tuple[str, ...]]:
    """Wait for memory and, if the robot has skills, their server, then for a locator; return what is missing.

    A missing locator is not returned.
    """
    needs = (MEMORY, SKILLS) if mission.settings.has_skills else (MEMORY,)
    yield from wait_for(mission, *needs)
    yield from wait_for(mission, LOCATOR)
    return tuple(need.absent for need in needs if not need.there(mission.palette))


def wait_for(mission: Mission, *needs: PeerRequirement) -> Procedure[None]:
    """Wait until all peers are available or the timeout expires; not again for one that timed out."""
    deadlines = mission.settings.deadlines
    yield from wait_at_most(mission, deadlines.locator if LOCATOR in needs else deadlines.palette, *needs)


def wait_at_most(mission: Mission, seconds: float, *needs: PeerRequirement) -> Procedure[None]:
    """Wait for these peers with an explicit timeout [s]."""
    if any(is_hoped_for(mission, need) for need in needs):
        yield from _wait(mission, needs, seconds)
    for need in needs:
        mission.peers.note_wait(need.absent, ended=need.there(mission.palette))


def _wait(mission: Mission, needs: tuple[PeerRequirement, ...], seconds: float) -> Procedure[None]:
    if seconds <= 0.0:
        return
    call_id = mission.next_id("palette")
    mission.say("waiting: " + ", ".join(need.absent for need in needs if not need.there(mission.palette)))
    mission.emit(SetDeadline(call_id=call_id, seconds=seconds))
    kind = ""
    while any(is_hoped_for(mission, need) for need in needs) and kind != "deadline_passed":
        kind = (yield Wait(call_id, palette=True)).kind
    mission.emit(ClearDeadline(call_id=call_id))


def is_hoped_for(mission: Mission, need: PeerRequirement) -> bool:
    """Return True if the peer is unavailable and no wait for it has timed out."""
    return not need.there(mission.palette) and need.absent not in mission.peers.exhausted_waits


T = TypeVar("T")
_REMEMBERED = (RecallStatus.FOUND, RecallStatus.AMBIGUOUS, RecallStatus.ONLY_STALE)
RECORDS_ASKED = 50
"""Matches asked for when one record is sought among those of its label."""
SLACK = 1.0
"""Margin between a peer's deadline and ours, so that its typed answer can still arrive [s]."""


@dataclass(frozen=True, slots=True)
class RequestFailed:
    """Failure of a peer to answer a request."""

    condition: str
    message: str


def send_request(
    mission: Mission, call_id: str, command: Command, seconds: float, needs: str = ""
) -> Procedure[Event]:
    """Send a command and wait for its event, its deadline, or the loss of the detector it ``needs``."""
    mission.emit(command)
    mission.emit(SetDeadline(call_id=call_id, seconds=seconds))
    event = yield Wait(call_id, needs=needs)
    mission.emit(ClearDeadline(call_id=call_id))
    return event


def pause(mission: Mission, seconds: float) -> Procedure[None]:
    """Wait for a while, so that a peer can catch up."""
    call_id = mission.next_id("pause")
    mission.emit(SetDeadline(call_id=call_id, seconds=seconds))
    yield Wait(call_id)


def recall(mission: Mission, words: str) -> Procedure[RecallResult | RequestFailed]:
    """Ask memory for an object."""
    return (yield from ask_memory(mission, lambda: _recall(mission, words)))


def resolve(mission: Mission, reference: str) -> Procedure[ResolveResult | RequestFailed]:
    """Ask memory to resolve a reference to a place, room, agent or object."""
    return (yield from ask_memory(mission, lambda: _resolve(mission, reference)))


def ask_memory(
    mission: Mission, ask: Callable[[], Procedure[T | RequestFailed]]
) -> Procedure[T | RequestFailed]:
    """Ask memory, and ask again if it was lost during the request and has come back."""
    yield from wait_for(mission, MEMORY)
    answer = yield from ask()
    if isinstance(answer, RequestFailed) and not MEMORY.there(mission.palette):
        yield from wait_for(mission, MEMORY)
        if MEMORY.there(mission.palette):
            answer = yield from ask()
    return answer


def _recall(mission: Mission, words: str) -> Procedure[RecallResult | RequestFailed]:
    mission.spend("recalls")
    call_id = mission.next_id("recall")
    mission.begin(call_id, "recall_object", query=words)
    referent = mission.referent(words)
    query = RecallQuery(words, MAX_COUNT) if referent is None else _by_id(referent)
    command = CallRecall(call_id=call_id, query=query)
    event = yield from send_request(mission, call_id, command, mission.settings.deadlines.memory)
    if not isinstance(event, Recalled):
        return record_failure(mission, call_id, event)
    result = event.result if referent is None else _only(referent, event.result)
    mission.finish(call_id, result.status.name, result.message)
    if result.status in _REMEMBERED and result.matches:
        nodes = tuple(MissionObject.from_match(match, words).node() for match in result.matches)
        mission.note(Answered(Source.MEMORY, words, nodes))
    return result


def _by_id(referent: MissionObject) -> RecallQuery:
    """Return the query for one record; a memory that knows no query by id is asked for its label."""
    return RecallQuery(referent.label or referent.id, RECORDS_ASKED, node_id=referent.id)


def _only(referent: MissionObject, result: RecallResult) -> RecallResult:
    matches = tuple(match for match in result.matches if match.node_id == referent.id)
    is_gone = not matches and result.status in _REMEMBERED
    return replace(result, matches=matches, status=RecallStatus.NOT_IN_MEMORY if is_gone else result.status)


def _resolve(mission: Mission, reference: str) -> Procedure[ResolveResult | RequestFailed]:
    mission.spend("recalls")
    call_id = mission.next_id("resolve")
    mission.begin(call_id, "resolve_place", reference=reference)
    command = CallResolve(call_id=call_id, query=ResolveQuery(reference, mission.requester))
    event = yield from send_request(mission, call_id, command, mission.settings.deadlines.memory)
    if isinstance(event, Resolved):
        mission.finish(call_id, event.result.status.name, event.result.message)
        one = event.result.status in (ResolveStatus.FOUND, ResolveStatus.UNREACHABLE)
        ids = (event.result.node_id,) if one else event.result.candidates
        if any(ids) and (one or event.result.status is ResolveStatus.AMBIGUOUS):
            mission.note(Referred(reference, ids))
        return event.result
    return record_failure(mission, call_id, event)


def locate(mission: Mission, words: str, camera: str, detector: str) -> Procedure[tuple[str, LocateResult]]:
    """Ask one locator once; return the call's id, which `observe` needs, and a typed result."""
    if mission.palette.locator(detector) is None:
        gone = LocateResult(LocateStatus.DETECTOR_ERROR, "no longer in the graph", words, camera, detector)
        return "", gone
    mission.spend("locates")
    call_id = mission.next_id("locate")
    referent = mission.referent(words)
    words = referent.label if referent is not None else words  # detectors know no ids
    mission.begin(call_id, "locate_in_view", query=words, camera=camera, detector=detector)
    seconds = mission.settings.deadlines.locate
    command = CallLocate(
        call_id=call_id, query=words, camera=camera, detector=detector, deadline=max(0.1, seconds - SLACK)
    )
    event = yield from send_request(mission, call_id, command, seconds, needs=detector)
    if isinstance(event, Located):
        result = event.result
        mission.finish(call_id, result.status.name, result.message)
        return call_id, result
    silent = record_failure(mission, call_id, event)
    status = LocateStatus.TIMEOUT if silent.condition == "TIMEOUT" else LocateStatus.DETECTOR_ERROR
    return call_id, LocateResult(status, silent.message, words, camera, detector)


def observe(mission: Mission, located: str, look: LocateResult) -> Procedure[ObserveResult | RequestFailed]:
    """Ask memory to place the detections of a locate request."""
    yield from wait_for(mission, MEMORY)
    call_id = mission.next_id("observe")
    mission.begin(call_id, "observe", camera=look.camera, detector=look.detector)
    command = CallObserve(call_id=call_id, located=located, camera=look.camera, detector=look.detector)
    event = yield from send_request(mission, call_id, command, mission.settings.deadlines.memory)
    if isinstance(event, Observed):
        mission.finish(call_id, event.result.status.name, event.result.message)
        return event.result
    return record_failure(mission, call_id, event)


def edit_memory(mission: Mission, edit: MemoryEdit) -> Procedure[EditResult | RequestFailed]:
    """Ask memory to note what is known of an object."""
    yield from wait_for(mission, MEMORY)
    mission.spend("recalls")
    call_id = mission.next_id("edit")
    mission.begin(call_id, "edit_memory", node=edit.node_id, label=edit.label)
    command = CallEdit(call_id=call_id, edit=edit)
    event = yield from send_request(mission, call_id, command, mission.settings.deadlines.memory)
    if isinstance(event, Edited):
        mission.finish(call_id, event.result.status.name, event.result.message)
        return event.result
    return record_failure(mission, call_id, event)


def read_scene(mission: Mission) -> Procedure[tuple[SceneGraph, Pose | None]]:
    """Return the newest scene graph, empty if none is known, and the robot's pose."""
    call_id = mission.next_id("scene")
    command = ReadScene(call_id=call_id)
    event = yield from send_request(mission, call_id, command, mission.settings.deadlines.memory)
    if not isinstance(event, SceneRead):
        return SceneGraph(), None
    mission.scene_time, mission.in_view = event.now, event.in_view
    return event.graph, event.robot


def change_state(mission: Mission, peer: str, activate: bool) -> Procedure[StateChanged | RequestFailed]:
    """Request one lifecycle transition of a peer that is still in the palette."""
    if peer not in mission.palette.movable:
        return RequestFailed("UNAVAILABLE", "no longer in the graph")
    mission.spend("transitions")
    call_id = mission.next_id("transition")
    transition = "activate" if activate else "deactivate"
    mission.begin(call_id, "lifecycle_transition", peer=peer, transition=transition)
    command = ChangeState(call_id=call_id, peer=peer, transition="activate" if activate else "deactivate")
    event = yield from send_request(
        mission, call_id, command, mission.settings.deadlines.transition, needs=peer
    )
    if isinstance(event, StateChanged):
        mission.finish(call_id, "SUCCEEDED" if event.success else "REFUSED", event.message)
        return event
    return record_failure(mission, call_id, event)


def record_failure(mission: Mission, call_id: str, event: Event) -> RequestFailed:
    """Record the end of a call without an answer, and return the reason."""
    if isinstance(event, CallFailed):
        silent = RequestFailed(event.condition.upper(), event.message)
    else:
        silent = RequestFailed("TIMEOUT", "no answer within the deadline")
    mission.finish(call_id, silent.condition, silent.message)
    return silent


class MissionCancelled(OpenRALError):
    """The operator, or the node's shutdown, cancelled the mission."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)


class MissionStuck(OpenRALError):
    """The mission makes no progress towards its goal."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
