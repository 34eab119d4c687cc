"""Restore residency between missions: unload detectors activated on demand, reload evicted ones."""

from dataclasses import dataclass

from openral_reasoner.behaviors.residency import after, residents_of
from openral_reasoner.commands import ChangeState, ClearDeadline, Command, SetDeadline, SpanEnded, SpanStarted
from openral_reasoner.context import CallEvent
from openral_reasoner.events import DeadlinePassed, Event, SkillEnded, StateChanged
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.residency.policy import ResidencyRules, Transition
from openral_reasoner.residency.state import ResidencyState, next_restore_action


@dataclass(frozen=True, slots=True)
class PendingTransition:
    """Transition in progress since ``begun`` [s]."""

    call_id: str
    step: Transition
    begun: float


class IdleResidencyManager:
    """Run one transition at a time, each with a deadline; a failed one is not retried."""

    def __init__(self, rules: ResidencyRules, deadline: float) -> None:
        self._rules, self._deadline = rules, deadline
        self._state = ResidencyState()
        self._palette: ToolPalette | None = None
        self._pending: PendingTransition | None = None
        self._keep_warm_timer = ""
        self._count = 0
        self._outbox: list[Command] = []

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
        residents = residents_of(self._palette, self._state, self._rules)
        due = next_restore_action(residents, self._state, self._rules, now)
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
