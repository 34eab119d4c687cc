"""Prompts: validation, the queue of goals, and receipts of the last prompts."""

from collections import OrderedDict, deque
from collections.abc import Iterable
from dataclasses import dataclass

from openral_core.missions import MissionState, PromptOutcome
from openral_core.prompts import NAME_CHARACTERS, objects_refusal, prompt_refusal
from openral_reasoner.commands import Command, MissionReport, PublishPrompt, PublishReceipt, PublishStatus
from openral_reasoner.events import PromptReceived

RECEIPTS_KEPT = 256
"""Receipts kept for repeated prompts; senders stop repeating long before this many others arrive."""
_QUOTED = 80
"""Longest goal quoted in a sentence [characters]."""


@dataclass(frozen=True, slots=True)
class Goal:
    """Prompt and the id of its mission."""

    mission_id: str
    prompt: PromptReceived


class Receipts:
    """Receipts of the last prompts, so that a repeated prompt is not carried out twice."""

    def __init__(self) -> None:
        self._receipts: OrderedDict[tuple[str, str, str], PublishReceipt] = OrderedDict()

    @property
    def by_prompt(self) -> tuple[tuple[tuple[str, str, str], PublishReceipt], ...]:
        """Receipts with the prompts they belong to, to restore them from."""
        return tuple(self._receipts.items())

    def restore(self, receipts: Iterable[tuple[tuple[str, str, str], PublishReceipt]]) -> None:
        """Take over the receipts of another core."""
        self._receipts.update(receipts)

    def of(self, prompt: PromptReceived) -> PublishReceipt | None:
        """Return the receipt of this exact prompt; a caller may reuse an id for another text."""
        return self._receipts.get(_key(prompt)) if prompt.id else None

    def write(
        self, prompt: PromptReceived, outcome: PromptOutcome, message: str, mission_id: str = ""
    ) -> PublishReceipt:
        """Write a receipt; stops always act and refusals may be temporary, so neither is kept."""
        name = prompt.id[:NAME_CHARACTERS]
        receipt = PublishReceipt(prompt_id=name, outcome=outcome, mission_id=mission_id, message=message)
        if prompt.id and outcome not in (PromptOutcome.STOPPED, PromptOutcome.REFUSED):
            self._receipts[_key(prompt)] = receipt
            while len(self._receipts) > RECEIPTS_KEPT:
                self._receipts.popitem(last=False)
        return receipt


class GoalQueue:
    """Queue of goals that wait for the running mission to end."""

    def __init__(self, length: int) -> None:
        self.length = length
        self._goals: deque[Goal] = deque()

    @property
    def full(self) -> bool:
        """True if no more goals are accepted."""
        return len(self._goals) >= self.length

    def put(self, goal: Goal) -> int:
        """Queue a goal; return the number of goals before it."""
        self._goals.append(goal)
        return len(self._goals) - 1

    def next(self) -> Goal | None:
        """Return the next goal, None if the queue is empty."""
        return self._goals.popleft() if self._goals else None

    def drop(self) -> tuple[Goal, ...]:
        """Empty the queue and return its goals."""
        dropped = tuple(self._goals)
        self._goals.clear()
        return dropped


def refusal(prompt: PromptReceived) -> str:
    """Return the reason to refuse a prompt; "" if it is acceptable."""
    names = {"id": prompt.id, "in_reply_to": prompt.in_reply_to, "requester": prompt.requester}
    return prompt_refusal(prompt.source, prompt.text, **names) or objects_refusal(prompt.objects)


def reports_of_dropped(goals: tuple[Goal, ...], why: str) -> list[Command]:
    """Report to the senders of queued goals that they were dropped."""
    commands: list[Command] = []
    for goal in goals:
        reason = f"dropped from the queue: {why}"
        report = MissionReport(
            mission_id=goal.mission_id,
            prompt_id=goal.prompt.id,
            goal=goal.prompt.text,
            requester=goal.prompt.requester,
            state=MissionState.CANCELLED,
            step="ended",
            reason=reason,
            traceparent=goal.prompt.traceparent,
        )
        commands.append(say(reason, goal.prompt, goal.mission_id))
        commands.append(PublishStatus(report=report))
    return commands


def say(text: str, prompt: PromptReceived, mission_id: str = "") -> PublishPrompt:
    """Build a message to the sender of a prompt."""
    return PublishPrompt(source="reasoner", text=text, in_reply_to=prompt.id, mission_id=mission_id)


def quoted(text: str) -> str:
    """Quote a goal for use in a sentence."""
    short = " ".join(text.split())
    return repr(short if len(short) <= _QUOTED else f"{short[: _QUOTED - 3]}...")


def _key(prompt: PromptReceived) -> tuple[str, str, str]:
    return prompt.id, " ".join((prompt.text, *prompt.objects)), prompt.in_reply_to
