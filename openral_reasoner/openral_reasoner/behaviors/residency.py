"""Lifecycle transitions that make memory available for a detector or a skill, and their restoration."""

from openral_core.detectors import LifecycleState
from openral_core.skills import SkillResult, SkillStatus
from openral_reasoner.behaviors.requests import RequestFailed, change_state
from openral_reasoner.budget import BudgetExhausted
from openral_reasoner.commands import ChangeState, ClearDeadline, SetDeadline
from openral_reasoner.mission import Mission, Procedure, Wait
from openral_reasoner.palette.entries import SkillEntry, ToolPalette
from openral_reasoner.residency.policy import (
    LONG_AGO,
    MemoryRequest,
    MinResidencyNotElapsed,
    ResidencyRefused,
    ResidencyRules,
    Resident,
    Transition,
    plan_residency,
)
from openral_reasoner.residency.state import ResidencyState, next_restore_action


def residents_of(palette: ToolPalette, state: ResidencyState, rules: ResidencyRules) -> tuple[Resident, ...]:
    """List the detectors of the palette; one that is not a lifecycle peer is pinned."""
    return tuple(
        Resident(
            id=each.id,
            declared=each.memory,
            active=each.state is LifecycleState.ACTIVE,
            streams=each in palette.continuous_detectors,
            pinned=each.id in rules.pinned or each.id not in palette.peers,
            load_time=state.load_times.get(each.id, each.memory / rules.load_rate),
            since=state.since.get(each.id, LONG_AGO),
        )
        for each in palette.detectors
    )


def activate_for_task(mission: Mission, detector: str) -> Procedure[str]:
    """Activate a detector for one task; return "" on success, else the reason."""
    refused = yield from make_room(mission, MemoryRequest(detector, detector))
    if not refused:
        mission.residency = mission.residency.used_at(detector, mission.now)
    return refused


def activate_peer(mission: Mission, detector: str) -> Procedure[str]:
    """Activate a detector until it is deactivated explicitly; return "" on success, else the reason."""
    refused = yield from make_room(mission, MemoryRequest(detector, detector))
    if not refused:
        mission.residency = mission.residency.forget(detector)
    return refused


def deactivate_peer(mission: Mission, detector: str) -> Procedure[str]:
    """Deactivate a detector that has been active long enough; return "" on success, else the reason."""
    came = mission.residency.since.get(detector, LONG_AGO)
    minimum = mission.settings.residency.min_residency
    if mission.now - came < minimum:
        return f"{detector} was activated less than {minimum:g} s ago and cannot be deactivated yet"
    refused = yield from run_transition(mission, Transition(detector, activate=False))
    mission.residency = mission.residency.forget(detector)
    return refused


def make_room(mission: Mission, request: MemoryRequest) -> Procedure[str]:
    """Carry out the planned transitions, waiting once if needed; return "" on success, else the reason."""
    mission.residency = mission.residency.reconciled(mission.palette.awake)
    for attempt in (1, 2):
        try:
            plan = plan_residency(_residents(mission), request, mission.settings.residency, mission.now)
        except MinResidencyNotElapsed as refused:
            if attempt == 2:
                return _recorded(mission, request, refused)
            yield from _wait_until(mission, refused.until)
        except ResidencyRefused as refused:
            return _recorded(mission, request, refused)
        else:
            return (yield from _carry_out(mission, plan, request))
    return ""


def free_memory_for_skill(mission: Mission, entry: SkillEntry) -> Procedure[SkillResult | None]:
    """Free the skill's memory and verify it is measured free; None on success, else the failed result."""
    if entry.gpu_memory_mb <= 0.0:
        return None
    refused = yield from make_room(mission, MemoryRequest(entry.id, memory=entry.gpu_memory_mb))
    if not refused:
        refused = yield from _measured_back(mission)
    if not refused:
        return None
    return SkillResult(SkillStatus.BUSY, f"goal not sent because its memory could not be freed: {refused}")


def keep_evicted(mission: Mission, requested: set[str]) -> None:
    """Deactivate evicted detectors that became active again, for example after a restart of their process.

    Each is requested once per reappearance (``requested``) and not waited for: the palette shows the result.
    """
    awake = [each for each in mission.residency.evicted_peers if each in mission.palette.awake]
    requested.intersection_update(awake)
    for peer in awake:
        if peer in requested or peer not in mission.palette.peers or mission.ledger.left("transitions") < 1:
            continue
        requested.add(peer)
        mission.spend("transitions")
        call_id = mission.next_id("transition")
        mission.begin(call_id, "lifecycle_transition", peer=peer, transition="deactivate")
        mission.emit(ChangeState(call_id=call_id, peer=peer, transition="deactivate"))
        mission.finish(call_id, "SENT", f"{peer} became active while its memory is reserved for a skill")


def restore_pending(mission: Mission) -> Procedure[None]:
    """Carry out the restore actions that are due, while the budget of transitions lasts."""
    while mission.ledger.left("transitions") >= 1:
        chore = next_restore_action(
            _residents(mission), mission.residency, mission.settings.residency, mission.now
        )
        if not isinstance(chore, Transition):
            return
        yield from run_transition(mission, chore)


def run_transition(mission: Mission, step: Transition) -> Procedure[str]:
    """Carry out one transition and update the residency state; return "" on success, else the reason."""
    begun = mission.now
    answer = yield from change_state(mission, step.peer, step.activate)
    if isinstance(answer, RequestFailed):
        mission.residency = unknown_after(mission.residency, step)
        return f"{step.peer}: {answer.condition}, {answer.message}"
    if not answer.success:
        mission.residency = mission.residency.forget(step.peer)
        return f"{step.peer} refused: {answer.message}"
    state = LifecycleState.ACTIVE if step.activate else LifecycleState.INACTIVE
    mission.palette = mission.palette.with_state(step.peer, state)
    mission.residency = after(mission.residency, step, mission.now, mission.now - begun)
    return ""


def unknown_after(state: ResidencyState, step: Transition) -> ResidencyState:
    """Return the state after an unconfirmed transition: a detector that may be inactive is still restored."""
    return state.forget(step.peer) if step.activate else state.deactivated(step.peer)


def after(state: ResidencyState, step: Transition, now: float, load_time: float) -> ResidencyState:
    """Return the residency state after a successful transition."""
    if step.activate:
        return state.activated(step.peer, now, load_time)
    return state.deactivated(step.peer)


def _residents(mission: Mission) -> tuple[Resident, ...]:
    return residents_of(mission.palette, mission.residency, mission.settings.residency)


def _carry_out(mission: Mission, plan: tuple[Transition, ...], request: MemoryRequest) -> Procedure[str]:
    for step in plan:
        if mission.ledger.left("transitions") < 1:
            raise BudgetExhausted("transitions", mission.ledger.limit("transitions"))
        mission.residency = _intended(mission.residency, step)
        failed = yield from run_transition(mission, step)
        if failed:
            return f"not enough memory for {request.requester}: {failed}"
    return ""


def _intended(state: ResidencyState, step: Transition) -> ResidencyState:
    """Return the state before a transition, so that an interrupted one is restored too."""
    if step.activate:
        return state if step.peer in state.evicted_peers else state.activated_on_demand(step.peer)
    return state if step.peer in state.on_demand_peers else state.evicted(step.peer)


def _wait_until(mission: Mission, until: float) -> Procedure[None]:
    call_id = mission.next_id("residency")
    mission.say("waiting for the minimum residency of a detector")
    mission.emit(SetDeadline(call_id=call_id, seconds=max(0.05, until - mission.now)))
    yield Wait(call_id)


def _measured_back(mission: Mission) -> Procedure[str]:
    """Wait, bounded, until every inactive or evicted detector is measured to hold no memory."""
    call_id = mission.next_id("memory")
    if not _holding(mission):
        return ""
    mission.begin(call_id, "memory_back", peers=", ".join(_holding(mission)))
    mission.emit(SetDeadline(call_id=call_id, seconds=mission.settings.residency.memory_back))
    kind, requested = "", set[str]()
    while _holding(mission) and kind != "deadline_passed":
        keep_evicted(mission, requested)
        kind = (yield Wait(call_id, palette=True)).kind
    mission.emit(ClearDeadline(call_id=call_id))
    held = _holding(mission)
    mission.finish(call_id, "TIMEOUT" if held else "SUCCEEDED", ", ".join(held))
    return f"{', '.join(held)} should be inactive but still hold memory" if held else ""


def _holding(mission: Mission) -> tuple[str, ...]:
    """Return the detectors that should hold no memory but do."""
    palette, displaced = mission.palette, mission.residency.evicted_peers
    asleep = (e for e in palette.detectors if e.id not in palette.awake or e.id in displaced)
    return tuple(each.id for each in asleep if each.held)


def _recorded(mission: Mission, request: MemoryRequest, refused: ResidencyRefused) -> str:
    """Record a refused plan as a call that ended with its reason."""
    call_id = mission.next_id("residency")
    mission.begin(call_id, "make_room", peer=request.requester)
    mission.finish(call_id, type(refused).__name__, str(refused))
    return str(refused)
