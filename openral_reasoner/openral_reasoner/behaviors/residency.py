"""Room in memory for a look or a skill: who goes, who comes, and what it means when that fails."""

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


def residents_of(
    palette: ToolPalette, chronicle: ResidencyState, rules: ResidencyRules
) -> tuple[Resident, ...]:
    """Every detector of the palette; one that is no lifecycle peer cannot be sent away."""
    return tuple(
        Resident(
            id=each.id,
            declared=each.memory,
            active=each.state is LifecycleState.ACTIVE,
            streams=each in palette.continuous_detectors,
            pinned=each.id in rules.pinned or each.id not in palette.peers,
            load_time=chronicle.load_times.get(each.id, each.memory / rules.load_rate),
            since=chronicle.since.get(each.id, LONG_AGO),
        )
        for each in palette.detectors
    )


def activate_for_task(mission: Mission, detector: str) -> Procedure[str]:
    """Have a detector resident for one task; "" when it is, else why not."""
    refused = yield from make_room(mission, MemoryRequest(detector, detector))
    if not refused:
        mission.chronicle = mission.chronicle.touched(detector, mission.now)
    return refused


def activate_peer(mission: Mission, detector: str) -> Procedure[str]:
    """Have a detector resident until somebody decides otherwise; "" when it is, else why not."""
    refused = yield from make_room(mission, MemoryRequest(detector, detector))
    if not refused:
        mission.chronicle = mission.chronicle.let_go(detector)
    return refused


def deactivate_peer(mission: Mission, detector: str) -> Procedure[str]:
    """Free a detector's memory; "" when it is free. One that has come only just now stays."""
    came = mission.chronicle.since.get(detector, LONG_AGO)
    if mission.now - came < mission.settings.residency.min_residency:
        return f"{detector} has come only just now"
    refused = yield from run_transition(mission, Transition(detector, activate=False))
    mission.chronicle = mission.chronicle.let_go(detector)
    return refused


def make_room(mission: Mission, room: MemoryRequest) -> Procedure[str]:
    """Make the planned transitions, waiting once where the plan is to wait; "" when done, else why not."""
    mission.chronicle = mission.chronicle.reconciled(mission.palette.awake)
    for attempt in (1, 2):
        try:
            plan = plan_residency(_residents(mission), room, mission.settings.residency, mission.now)
        except MinResidencyNotElapsed as refused:
            if attempt == 2:
                return _recorded(mission, room, refused)
            yield from _wait_until(mission, refused.until)
        except ResidencyRefused as refused:
            return _recorded(mission, room, refused)
        else:
            return (yield from _carry_out(mission, plan, room))
    return ""


def free_memory_for_skill(mission: Mission, entry: SkillEntry) -> Procedure[SkillResult | None]:
    """Have the skill's memory free and measured free; None when it is, else the result of not having it."""
    if entry.gpu_memory_mb <= 0.0:
        return None
    refused = yield from make_room(mission, MemoryRequest(entry.id, memory=entry.gpu_memory_mb))
    if not refused:
        refused = yield from _measured_back(mission)
    if not refused:
        return None
    return SkillResult(SkillStatus.BUSY, f"not sent, its memory is not free: {refused}")


def keep_out(mission: Mission, told: set[str]) -> None:
    """Send away again who had to go and is awake all the same, as after its process died and came back.

    Said once for each time it comes (``told``), and not waited for: the palette shows when it is gone.
    """
    awake = [each for each in mission.chronicle.displaced if each in mission.palette.awake]
    told.intersection_update(awake)
    for peer in awake:
        if peer in told or peer not in mission.palette.peers or mission.ledger.left("transitions") < 1:
            continue
        told.add(peer)
        mission.spend("transitions")
        call_id = mission.next_id("transition")
        mission.begin(call_id, "lifecycle_transition", peer=peer, transition="deactivate")
        mission.emit(ChangeState(call_id=call_id, peer=peer, transition="deactivate"))
        mission.finish(call_id, "SENT", f"{peer} came back while its memory is lent")


def restore_pending(mission: Mission) -> Procedure[None]:
    """Pay what is owed now, as far as the budget of transitions goes."""
    while mission.ledger.left("transitions") >= 1:
        chore = next_restore_action(
            _residents(mission), mission.chronicle, mission.settings.residency, mission.now
        )
        if not isinstance(chore, Transition):
            return
        yield from run_transition(mission, chore)


def run_transition(mission: Mission, step: Transition) -> Procedure[str]:
    """One transition, and what it means for who is owed what; "" when it was made, else why not."""
    begun = mission.now
    answer = yield from change_state(mission, step.peer, step.activate)
    if isinstance(answer, RequestFailed):
        mission.chronicle = unknown_after(mission.chronicle, step)
        return f"{step.peer}: {answer.condition}, {answer.message}"
    if not answer.success:
        mission.chronicle = mission.chronicle.let_go(step.peer)
        return f"{step.peer} refused: {answer.message}"
    state = LifecycleState.ACTIVE if step.activate else LifecycleState.INACTIVE
    mission.palette = mission.palette.with_state(step.peer, state)
    mission.chronicle = after(mission.chronicle, step, mission.now, mission.now - begun)
    return ""


def unknown_after(chronicle: ResidencyState, step: Transition) -> ResidencyState:
    """The chronicle after a transition nobody confirmed: who may have gone all the same still comes back."""
    return chronicle.let_go(step.peer) if step.activate else chronicle.left(step.peer)


def after(chronicle: ResidencyState, step: Transition, now: float, load_time: float) -> ResidencyState:
    """The chronicle after a transition that was made."""
    if step.activate:
        return chronicle.came(step.peer, now, load_time)
    return chronicle.left(step.peer)


def _residents(mission: Mission) -> tuple[Resident, ...]:
    return residents_of(mission.palette, mission.chronicle, mission.settings.residency)


def _carry_out(mission: Mission, plan: tuple[Transition, ...], room: MemoryRequest) -> Procedure[str]:
    for step in plan:
        if mission.ledger.left("transitions") < 1:
            raise BudgetExhausted("transitions", mission.ledger.limit("transitions"))
        mission.chronicle = _intended(mission.chronicle, step)
        failed = yield from run_transition(mission, step)
        if failed:
            return f"no room for {room.who}: {failed}"
    return ""


def _intended(chronicle: ResidencyState, step: Transition) -> ResidencyState:
    """Noted before it is done: an interrupted transition is owed all the same."""
    if step.activate:
        return chronicle if step.peer in chronicle.displaced else chronicle.woke(step.peer)
    return chronicle if step.peer in chronicle.woken else chronicle.sent_away(step.peer)


def _wait_until(mission: Mission, until: float) -> Procedure[None]:
    call_id = mission.next_id("residency")
    mission.say("waiting: a peer has come only just now")
    mission.emit(SetDeadline(call_id=call_id, seconds=max(0.05, until - mission.now)))
    yield Wait(call_id)


def _measured_back(mission: Mission) -> Procedure[str]:
    """Until every detector that sleeps or had to go is measured to hold nothing, for a bounded time."""
    call_id = mission.next_id("memory")
    if not _holding(mission):
        return ""
    mission.begin(call_id, "memory_back", peers=", ".join(_holding(mission)))
    mission.emit(SetDeadline(call_id=call_id, seconds=mission.settings.residency.memory_back))
    kind, told = "", set[str]()
    while _holding(mission) and kind != "deadline_passed":
        keep_out(mission, told)
        kind = (yield Wait(call_id, palette=True)).kind
    mission.emit(ClearDeadline(call_id=call_id))
    held = _holding(mission)
    mission.finish(call_id, "TIMEOUT" if held else "SUCCEEDED", ", ".join(held))
    return f"{', '.join(held)} should sleep and still holds memory" if held else ""


def _holding(mission: Mission) -> tuple[str, ...]:
    """Detectors that should hold nothing and do."""
    palette, displaced = mission.palette, mission.chronicle.displaced
    asleep = (e for e in palette.detectors if e.id not in palette.awake or e.id in displaced)
    return tuple(each.id for each in asleep if each.held)


def _recorded(mission: Mission, room: MemoryRequest, refused: ResidencyRefused) -> str:
    """A plan that cannot be is a call that ended, with its reason."""
    call_id = mission.next_id("residency")
    mission.begin(call_id, "make_room", peer=room.who)
    mission.finish(call_id, type(refused).__name__, str(refused))
    return str(refused)
