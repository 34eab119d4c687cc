"""Questions to a human: hand-offs, whose answer continues the mission, and approval of acting steps."""

from openral_core.consent.decisions import ANSWERS, ASKS, QUESTION, QUESTION_PREFIX, STEP, is_yes, question_of
from openral_core.errors import OpenRALError
from openral_core.missions import MissionState
from openral_core.skills import SkillResult
from openral_reasoner.commands import ClearDeadline, HandoffQuestion, PublishHandoff, SetDeadline
from openral_reasoner.context import plain
from openral_reasoner.events import PromptReceived
from openral_reasoner.mission import Mission, Procedure, Wait


def ask_human(
    mission: Mission, question: str, choices: tuple[str, ...] = (), *, wait: bool = True
) -> Procedure[str | None]:
    """Ask one question and return the answer, or None if none arrives in time.

    Raises:
        BudgetExhausted: If no hand-off is left.
    """
    mission.spend("handoffs")
    question = mission.with_caveats(question)
    seconds = mission.settings.deadlines.handoff if wait else 0.0
    return (yield from put(mission, question, choices, seconds))


def put(
    mission: Mission, question: str, choices: tuple[str, ...], seconds: float, question_id: str = ""
) -> Procedure[str | None]:
    """Publish a question and wait for its answer; the mission's clock is paused meanwhile."""
    call_id = question_id or mission.next_id("handoff")
    mission.begin(call_id, "ask_human", question=question)
    mission.emit(PublishHandoff(question=handoff_question(mission, call_id, question, choices)))
    if seconds <= 0.0:
        mission.finish(call_id, "HANDED_OVER")
        return None
    mission.ledger = mission.ledger.paused(mission.now)
    mission.state, mission.reason = MissionState.WAITING_FOR_HUMAN, question
    mission.say("waiting for a human")
    mission.emit(SetDeadline(call_id=call_id, seconds=seconds))
    event = yield Wait(call_id)
    mission.emit(ClearDeadline(call_id=call_id))
    mission.state, mission.reason = MissionState.ACTIVE, ""
    mission.ledger = mission.ledger.resumed(mission.now)
    answer = event.text if isinstance(event, PromptReceived) else None
    mission.finish(call_id, "UNANSWERED" if answer is None else "ANSWERED", answer or "")
    return answer


def handoff_question(
    mission: Mission, call_id: str, question: str, choices: tuple[str, ...]
) -> HandoffQuestion:
    """Build a question with what was tried and what remains of the budget."""
    calls = (
        f"{r.tool} {r.arguments}: {r.in_words()}"
        for r in mission.calls.records.values()
        if r.status != "pending"
    )
    return HandoffQuestion(
        id=call_id,
        mission_id=mission.id,
        goal=mission.prompt.text,
        tried=(*mission.search.outcomes, *calls),
        question=question,
        choices=choices,
        budget=mission.ledger.lines(mission.now),
        traceparent=mission.prompt.traceparent,
    )


def is_approval(question: str, choices: tuple[str, ...]) -> bool:
    """Return True if a question requests approval of an acting step, which only a person may grant."""
    return question.startswith(ASKS) and choices == ANSWERS


def approved(mission: Mission, step: str) -> Procedure[bool]:
    """Return True if the operator approves the step, or approval is not required; silence means no."""
    if not mission.settings.require_approval:
        return True
    answer = yield from put(mission, question_of(step), ANSWERS, mission.settings.deadlines.approval)
    return answer is not None and is_yes(answer)


class ConsentRefused(OpenRALError):
    """The operator did not permit a step that the skill server's policy asks about."""

    def __init__(self, step: str, answer: str | None) -> None:
        self.answered = answer is not None
        reply = f"the operator said {plain(answer, 40)!r}" if answer is not None else "no answer in time"
        super().__init__(f"not permitted to {step}: {reply}")


MAX_STEP = 200
"""Longest step of a skill server that reaches a question [characters]."""


def consent_to(mission: Mission, result: SkillResult) -> Procedure[bool]:
    """Ask the operator what the skill server wants to know; True if it was asked and permits.

    The question has the skill server's id: it hears the answer itself, and only that counts.

    Raises:
        ConsentRefused: If the operator does not permit it, or does not answer.
    """
    question_id, step = str(result.evidence.get(QUESTION, "")), result.evidence.get(STEP)
    if not question_id.startswith(QUESTION_PREFIX) or question_id == mission.id or not isinstance(step, str):
        return False
    step, seconds = plain(step, MAX_STEP), mission.settings.deadlines.approval
    answer = yield from put(mission, question_of(step), ANSWERS, seconds, plain(question_id, MAX_STEP))
    if answer is None or not is_yes(answer):
        raise ConsentRefused(step, answer)
    return True
