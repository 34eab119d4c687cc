"""Prompts: which can be acted on, which wait their turn, and what became of the last ones."""

from collections import OrderedDict, deque
from dataclasses import dataclass

from openral_core.missions import MissionState, PromptOutcome
from openral_reasoner.commands import Command, MissionReport, PublishPrompt, PublishReceipt, PublishStatus
from openral_reasoner.events import PromptReceived

PROMPT_CHARACTERS = 4000
"""Characters of a prompt that are taken: about a thousand tokens of every decision."""
NAME_CHARACTERS = 200
"""Characters of a prompt's ids that are taken."""
RECEIPTS_KEPT = 256
"""Prompts remembered; a sender gives up repeating one long before that many others came."""
_QUOTED = 80


@dataclass(frozen=True, slots=True)
class Goal:
    """A prompt and the mission it asks for."""

    mission_id: str
    prompt: PromptReceived


class Receipts:
    """What became of the last prompts that were acted on, so that one said again is not acted on again."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, str, str], PublishReceipt] = OrderedDict()

    def of(self, prompt: PromptReceived) -> PublishReceipt | None:
        """The receipt that this very prompt was given; a caller may use one id for different words."""
        return self._kept.get(_key(prompt)) if prompt.id else None

    def write(
        self, prompt: PromptReceived, outcome: PromptOutcome, message: str, mission_id: str = ""
    ) -> PublishReceipt:
        """A receipt. Stops and refusals are not kept: a stop acts each time, a refusal may be over."""
        name = prompt.id[:NAME_CHARACTERS]
        receipt = PublishReceipt(prompt_id=name, outcome=outcome, mission_id=mission_id, message=message)
        if prompt.id and outcome not in (PromptOutcome.STOPPED, PromptOutcome.REFUSED):
            self._kept[_key(prompt)] = receipt
            while len(self._kept) > RECEIPTS_KEPT:
                self._kept.popitem(last=False)
        return receipt


class GoalQueue:
    """Goals that wait for the mission before them."""

    def __init__(self, length: int) -> None:
        self._length = length
        self._waiting: deque[Goal] = deque()

    @property
    def full(self) -> bool:
        """Whether no more goals are taken."""
        return len(self._waiting) >= self._length

    def put(self, goal: Goal) -> int:
        """Queue a goal; how many wait before it."""
        self._waiting.append(goal)
        return len(self._waiting) - 1

    def next(self) -> Goal | None:
        """The goal whose turn it is."""
        return self._waiting.popleft() if self._waiting else None

    def drop(self) -> tuple[Goal, ...]:
        """Empty the queue; what was in it."""
        dropped = tuple(self._waiting)
        self._waiting.clear()
        return dropped


def refusal(prompt: PromptReceived) -> str:
    """Why a prompt cannot be acted on; "" when it can."""
    if prompt.source != "operator":
        return "header.frame_id is empty: a goal or an answer needs frame_id 'operator'"
    if not prompt.text.strip():
        return "the text is empty: say what to do, for example 'find the mug'"
    if len(prompt.text) > PROMPT_CHARACTERS:
        return f"the text is too long: at most {PROMPT_CHARACTERS} characters are taken"
    names = {"id": prompt.id, "in_reply_to": prompt.in_reply_to, "requester": prompt.requester}
    long = next((name for name, value in names.items() if len(value) > NAME_CHARACTERS), "")
    return f"{long} is too long: at most {NAME_CHARACTERS} characters are taken" if long else ""


def dropped(goals: tuple[Goal, ...], why: str) -> list[Command]:
    """What those hear whose goals will not be pursued."""
    told: list[Command] = []
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
        told.append(say(reason, goal.prompt, goal.mission_id))
        told.append(PublishStatus(report=report))
    return told


def say(text: str, prompt: PromptReceived, mission_id: str = "") -> PublishPrompt:
    """Words for whoever sent a prompt."""
    return PublishPrompt(source="reasoner", text=text, in_reply_to=prompt.id, mission_id=mission_id)


def quoted(text: str) -> str:
    """A goal as part of a sentence."""
    short = " ".join(text.split())
    return repr(short if len(short) <= _QUOTED else f"{short[: _QUOTED - 3]}...")


def _key(prompt: PromptReceived) -> tuple[str, str, str]:
    return prompt.id, prompt.text, prompt.in_reply_to
