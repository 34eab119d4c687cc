"""Lifecycle transitions that make memory available for a detector or a skill, and their restoration.

Within a mission they are requests; between missions detectors that were activated on demand are unloaded, and
evicted ones are reloaded.
"""

from openral_core.detectors import LifecycleState
from openral_core.skills import SkillResult, SkillStatus
from openral_reasoner.behaviors.requests import MissionStuck, RequestFailed, change_state
from openral_reasoner.budget import BudgetExhausted
from openral_reasoner.commands import ChangeState, ClearDeadline, Command, SetDeadline, SpanEnded, SpanStarted
from openral_reasoner.context import CallEvent
from openral_reasoner.events import DeadlinePassed, Event, SkillEnded, StateChanged
from openral_reasoner.idle_state import IdleResidency, PendingTransition
from openral_reasoner.mission import Mission, Procedure, Wait
from openral_reasoner.palette.entries import SkillEntry, ToolPalette
from openral_reasoner.residency import (
    LONG_AGO,
    MemoryRequest,
    MinResidencyNotElapsed,
    ResidencyRefused,
    ResidencyRules,
    ResidencyState,
    Resident,
    Transition,
    next_restore_action,
    plan_residency,
)


def residents_of(palette: ToolPalette, state: ResidencyState, rules: ResidencyRules) -> tuple[Resident, ...]:
    """List the residents of the palette; one that is not a lifecycle peer is pinned."""
    return tuple(
        Resident(
            id=each.id,
            declared=each.memory,
            active=each.state is LifecycleState.ACTIVE,
            streams=each in palette.continuous_detectors,
            pinned=each.id in rules.pinned or each.id not in palette.movable,
            load_time=state.load_times.get(each.id, each.memory / rules.load_rate),
            since=state.since.get(each.id, LONG_AGO),
        )
        for each in palette.residents
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


def activate_brain(mission: Mission) -> Procedure[None]:
    """Load the model's worker, if its memory was taken, before it is asked.

    Raises:
        MissionStuck: If there is no room for it, or it does not load.
    """
    brain = mission.palette.brain
    if brain is not None and brain.state is not LifecycleState.ACTIVE:
        refused = yield from activate_peer(mission, brain.id)
        if refused:
            raise MissionStuck(f"the model is not loaded: {refused}")


def make_room(mission: Mission, request: MemoryRequest) -> Procedure[str]:
    """Carry out the planned transitions, waiting once if needed; return "" on success, else the reason."""
    mission.residency = mission.residency.reconciled(mission.palette.awake)
    for attempt in (1, 2):
        try:
            plan = plan_residency(_residents(mission), request, mission.settings.residency, mission.now)
        except MinResidencyNotElapsed as refused:
            if attempt == 2:
                return record_refusal(mission, request, refused)
            yield from _wait_until(mission, refused.until)
        except ResidencyRefused as refused:
            return record_refusal(mission, request, refused)
        else:
            return (yield from carry_out(mission, plan, request))
    return ""


def free_memory_for_skill(mission: Mission, entry: SkillEntry) -> Procedure[SkillResult | None]:
    """Free the skill's memory and verify it is measured free; None on success, else the failed result."""
    if entry.gpu_memory_mb <= 0.0:
        return None
    refused = yield from make_room(mission, MemoryRequest(entry.id, memory=entry.gpu_memory_mb))
    if not refused:
        refused = yield from wait_for_freed_memory(mission)
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
        if peer in requested or peer not in mission.palette.movable or mission.ledger.left("transitions") < 1:
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


def carry_out(mission: Mission, plan: tuple[Transition, ...], request: MemoryRequest) -> Procedure[str]:
    """Carry out a plan; return "" on success, else the reason."""
    for step in plan:
        if mission.ledger.left("transitions") < 1:
            raise BudgetExhausted("transitions", mission.ledger.limit("transitions"))
        mission.residency = intended(mission.residency, step)
        failed = yield from run_transition(mission, step)
        if failed:
            return f"not enough memory for {request.requester}: {failed}"
    return ""


def intended(state: ResidencyState, step: Transition) -> ResidencyState:
    """Return the state before a transition, so that an interrupted one is restored too."""
    if step.activate:
        return state if step.peer in state.evicted_peers else state.activated_on_demand(step.peer)
    return state if step.peer in state.on_demand_peers else state.evicted(step.peer)


def _wait_until(mission: Mission, until: float) -> Procedure[None]:
    call_id = mission.next_id("residency")
    mission.say("waiting for the minimum residency of a detector")
    mission.emit(SetDeadline(call_id=call_id, seconds=max(0.05, until - mission.now)))
    yield Wait(call_id)


def wait_for_freed_memory(mission: Mission) -> Procedure[str]:
    """Wait, bounded, until every inactive or evicted detector is measured to hold no memory."""
    call_id = mission.next_id("memory")
    if not residents_holding_memory(mission):
        return ""
    mission.begin(call_id, "memory_back", peers=", ".join(residents_holding_memory(mission)))
    mission.emit(SetDeadline(call_id=call_id, seconds=mission.settings.residency.memory_back))
    kind, requested = "", set[str]()
    while residents_holding_memory(mission) and kind != "deadline_passed":
        keep_evicted(mission, requested)
        kind = (yield Wait(call_id, palette=True)).kind
    mission.emit(ClearDeadline(call_id=call_id))
    held = residents_holding_memory(mission)
    mission.finish(call_id, "TIMEOUT" if held else "SUCCEEDED", ", ".join(held))
    return f"{', '.join(held)} should be inactive but still hold memory" if held else ""


def residents_holding_memory(mission: Mission) -> tuple[str, ...]:
    """Return the residents that should hold no memory but do."""
    palette, displaced = mission.palette, mission.residency.evicted_peers
    asleep = (e for e in palette.residents if e.id not in palette.awake or e.id in displaced)
    return tuple(each.id for each in asleep if each.held)


def record_refusal(mission: Mission, request: MemoryRequest, refused: ResidencyRefused) -> str:
    """Record a refused plan as a call that ended with its reason."""
    call_id = mission.next_id("residency")
    mission.begin(call_id, "make_room", peer=request.requester)
    mission.finish(call_id, type(refused).__name__, str(refused))
    return str(refused)


class IdleResidencyManager:
    """Run one transition at a time, each with a deadline; a failed one is not retried."""

    def __init__(self, rules: ResidencyRules, deadline: float) -> None:
        self.rules, self._deadline = rules, deadline
        self._state = ResidencyState()
        self._palette: ToolPalette | None = None
        self._pending: PendingTransition | None = None
        self._keep_warm_timer = ""
        self._count = 0
        self._outbox: list[Command] = []

    @property
    def state(self) -> IdleResidency:
        """State to restore a manager from."""
        return IdleResidency(self._state, self._palette, self._pending, self._keep_warm_timer, self._count)

    def restore(self, idle: IdleResidency) -> None:
        """Take over the state of another manager; its commands were already given."""
        self._state, self._palette, self._pending = idle.state, idle.palette, idle.pending
        self._keep_warm_timer, self._count = idle.keep_warm_timer, idle.count

    def begin(self, state: ResidencyState, palette: ToolPalette, now: float) -> None:
        """Take over the residency state of a mission that ended."""
        self._state = state
        self.update(palette, now)

    def update(self, palette: ToolPalette, now: float) -> None:
        """Update the palette while no mission runs."""
        self._palette = palette
        self._state = self._state.release_if_idle(idle=palette.robot_idle)
        self._go_on(now)

    def transfer_to_mission(self, now: float) -> ResidencyState:
        """Hand the residency state to a new mission; a transition in progress is assumed to succeed."""
        self._clear_keep_warm_timer()
        if self._pending is not None:
            self._finish(self._pending, "INTERRUPTED")
            self._state = after(self._state, self._pending.step, now, now - self._pending.begun)
        self._pending, self._palette = None, None
        return self._state

    def handle(self, event: Event, now: float) -> bool:
        """Process an event; return True if it concerned this manager."""
        call_id = event.call_id if isinstance(event, CallEvent) else ""
        if isinstance(event, SkillEnded) and call_id == self._state.memory_holder != "":
            self._state = self._state.reserve_for("")
        elif self._pending is not None and call_id == self._pending.call_id:
            self._ended(self._pending, event, now)
        elif isinstance(event, DeadlinePassed) and call_id == self._keep_warm_timer != "":
            self._keep_warm_timer = ""
        else:
            return False
        self._go_on(now)
        return True

    def drain(self) -> tuple[Command, ...]:
        """Return and clear the queued commands."""
        batch, self._outbox = tuple(self._outbox), []
        return batch

    def _go_on(self, now: float) -> None:
        if self._palette is None or self._pending is not None:
            return
        self._clear_keep_warm_timer()
        residents = residents_of(self._palette, self._state, self.rules)
        due = next_restore_action(residents, self._state, self.rules, now)
        if isinstance(due, Transition):
            self._start(due, now)
        elif due is not None:
            self._keep_warm_timer = self._next_id("warm")
            self._outbox.append(SetDeadline(call_id=self._keep_warm_timer, seconds=max(0.05, due - now)))

    def _start(self, step: Transition, now: float) -> None:
        call_id = self._next_id("transition")
        self._pending = PendingTransition(call_id, step, now)
        transition = "activate" if step.activate else "deactivate"
        attributes: dict[str, str | float | int | bool] = {"peer": step.peer, "transition": transition}
        self._outbox += [
            SpanStarted(
                span=call_id, parent="", name="execute_tool lifecycle_transition", attributes=attributes
            ),
            ChangeState(
                call_id=call_id, peer=step.peer, transition="activate" if step.activate else "deactivate"
            ),
            SetDeadline(call_id=call_id, seconds=self._deadline),
        ]

    def _ended(self, pending: PendingTransition, event: Event, now: float) -> None:
        made = isinstance(event, StateChanged) and event.success
        self._finish(pending, "SUCCEEDED" if made else "FAILED")
        self._pending = None
        if made:
            self._state = after(self._state, pending.step, now, now - pending.begun)
        else:
            self._state = self._state.forget(pending.step.peer)

    def _finish(self, pending: PendingTransition, status: str) -> None:
        self._outbox += [
            ClearDeadline(call_id=pending.call_id),
            SpanEnded(span=pending.call_id, status=status),
        ]

    def _clear_keep_warm_timer(self) -> None:
        if self._keep_warm_timer:
            self._outbox.append(ClearDeadline(call_id=self._keep_warm_timer))
        self._keep_warm_timer = ""

    def _next_id(self, what: str) -> str:
        self._count += 1
        return f"chore-{self._count}/{what}"
