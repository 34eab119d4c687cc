"""Between missions: who was woken for one task sleeps again, who had to go for it comes back."""

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
    """One transition under way since ``begun`` [s]."""

    call_id: str
    step: Transition
    begun: float


class IdleResidencyManager:
    """One transition at a time, each with a deadline; what fails is not tried again."""

    def __init__(self, rules: ResidencyRules, deadline: float) -> None:
        self._rules, self._deadline = rules, deadline
        self._chronicle = ResidencyState()
        self._palette: ToolPalette | None = None
        self._chore: PendingTransition | None = None
        self._alarm = ""
        self._count = 0
        self._outbox: list[Command] = []

    def begin(self, chronicle: ResidencyState, palette: ToolPalette, now: float) -> None:
        """A mission has ended: take over what it owes."""
        self._chronicle = chronicle
        self.look(palette, now)

    def look(self, palette: ToolPalette, now: float) -> None:
        """The graph as it is now, while no mission runs."""
        self._palette = palette
        self._chronicle = self._chronicle.reclaimed(idle=palette.robot_idle)
        self._go_on(now)

    def hand_over(self, now: float) -> ResidencyState:
        """A mission begins: it takes over; what is under way is taken to succeed."""
        self._clear_alarm()
        if self._chore is not None:
            self._finish(self._chore, "INTERRUPTED")
            self._chronicle = after(self._chronicle, self._chore.step, now, now - self._chore.begun)
        self._chore, self._palette = None, None
        return self._chronicle

    def answered(self, event: Event, now: float) -> bool:
        """Take what concerns the caretaker; whether it was that."""
        call_id = event.call_id if isinstance(event, CallEvent) else ""
        if isinstance(event, SkillEnded) and call_id == self._chronicle.borrower != "":
            self._chronicle = self._chronicle.lent_to("")
        elif self._chore is not None and call_id == self._chore.call_id:
            self._ended(self._chore, event, now)
        elif isinstance(event, DeadlinePassed) and call_id == self._alarm != "":
            self._alarm = ""
        else:
            return False
        self._go_on(now)
        return True

    def drain(self) -> tuple[Command, ...]:
        """The commands since the last time."""
        batch, self._outbox = tuple(self._outbox), []
        return batch

    def _go_on(self, now: float) -> None:
        if self._palette is None or self._chore is not None:
            return
        self._clear_alarm()
        residents = residents_of(self._palette, self._chronicle, self._rules)
        due = next_restore_action(residents, self._chronicle, self._rules, now)
        if isinstance(due, Transition):
            self._start(due, now)
        elif due is not None:
            self._alarm = self._next_id("warm")
            self._outbox.append(SetDeadline(call_id=self._alarm, seconds=max(0.05, due - now)))

    def _start(self, step: Transition, now: float) -> None:
        call_id = self._next_id("transition")
        self._chore = PendingTransition(call_id, step, now)
        transition = "activate" if step.activate else "deactivate"
        words: dict[str, str | float | int | bool] = {"peer": step.peer, "transition": transition}
        self._outbox += [
            SpanStarted(span=call_id, parent="", name="execute_tool lifecycle_transition", attributes=words),
            ChangeState(
                call_id=call_id, peer=step.peer, transition="activate" if step.activate else "deactivate"
            ),
            SetDeadline(call_id=call_id, seconds=self._deadline),
        ]

    def _ended(self, chore: PendingTransition, event: Event, now: float) -> None:
        made = isinstance(event, StateChanged) and event.success
        self._finish(chore, "SUCCEEDED" if made else "FAILED")
        self._chore = None
        if made:
            self._chronicle = after(self._chronicle, chore.step, now, now - chore.begun)
        else:
            self._chronicle = self._chronicle.let_go(chore.step.peer)

    def _finish(self, chore: PendingTransition, status: str) -> None:
        self._outbox += [
            ClearDeadline(call_id=chore.call_id),
            SpanEnded(span=chore.call_id, status=status),
        ]

    def _clear_alarm(self) -> None:
        if self._alarm:
            self._outbox.append(ClearDeadline(call_id=self._alarm))
        self._alarm = ""

    def _next_id(self, what: str) -> str:
        self._count += 1
        return f"chore-{self._count}/{what}"
