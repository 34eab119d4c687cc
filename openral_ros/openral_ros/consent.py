"""Consent in a skill server: publishes the policy and every decision, and hears the operator's answers.

Publishes openral/policy and openral/consent; subscribes openral/prompt, where an answer names its question in
``in_reply_to``, and openral/prompt_receipt, since an answer that the reasoner refuses permits nothing.
"""

import time
import uuid
from typing import TypeVar

from diagnostic_msgs.msg import DiagnosticStatus, KeyValue
from pydantic import Field
from rclpy.node import Node
from rclpy.task import Future
from std_msgs.msg import String

from openral_core.consent.decisions import OPEN_QUESTIONS, Consent, ConsentDecision, ConsentOutcome, is_yes
from openral_core.consent.policy import Policy, Subject
from openral_core.prompts import STOP_SOURCES, prompt_refusal
from openral_core.skill_errors import SkillFailed
from openral_core.skills import SkillStatus
from openral_core.text.stop_words import contains_stop_word
from openral_msgs.msg import PromptReceipt, PromptStamped
from openral_ros.emergency_stop import StopParameters
from openral_ros.prompt_client import PROMPT, RECEIPT
from openral_ros.qos import LATCHED, LATCHED_HISTORY, RECEIPTS, RELIABLE
from openral_ros.resources import ResourceScope

T = TypeVar("T")
POLICY = "openral/policy"
CONSENT = "openral/consent"
ANSWER_GRACE = 2.0
"""Time that a goal whose question is open waits for the answer [s]: the goal can overtake the answer."""
WATCH_PERIOD = 0.1
"""Period at which waiting goals are checked [s]."""
MAX_CHARACTERS = 200
"""Longest text of a published decision [characters]."""
LEVELS = {
    ConsentOutcome.PERMITTED: DiagnosticStatus.OK,
    ConsentOutcome.ASKED: DiagnosticStatus.WARN,
    ConsentOutcome.REFUSED: DiagnosticStatus.ERROR,
}


class SkillServerOptions(StopParameters):
    """Parameters of every skill server."""

    policy: str = Field(
        default="", description="file of the consent policy; '' = everything is permitted unasked"
    )


def decision_message(decision: ConsentDecision, rskill: str) -> DiagnosticStatus:
    """Convert a decision about a goal of an rSkill."""
    values = {
        "rskill": rskill,
        "outcome": decision.outcome,
        "rule": decision.rule,
        "permission": decision.permission,
        "reason": decision.reason,
        "question_id": decision.question_id,
    }
    return DiagnosticStatus(
        level=LEVELS[decision.outcome],
        name="consent",
        message=f"{decision.outcome}: {decision.step}"[:MAX_CHARACTERS],
        values=[KeyValue(key=key, value=value[:MAX_CHARACTERS]) for key, value in values.items()],
    )


class StoppedWhileAsking(SkillFailed):
    """The operator stopped the robot while a goal waited for their answer."""

    status = SkillStatus.CANCELLED

    def __init__(self) -> None:
        super().__init__("stopped by the operator before they answered; the question is withdrawn")


class OperatorConsent:
    """Decides about goals before anything moves. All of its state belongs to the node's executor.

    A stop, of either kind, withdraws every open question and every yes that was not used.

    Args:
        scope: Owns the interfaces.
        node: Its log tells what is asked, answered and refused.
        policy: The rules.
    """

    def __init__(self, scope: ResourceScope, node: Node, policy: Policy) -> None:
        self.policy = policy
        self._log = node.get_logger()
        self._consent = Consent(policy, uuid.uuid4().hex[:8])
        self._pending: list[tuple[str, float, Future]] = []
        self._answers: dict[str, str] = {}
        self._refused: dict[str, None] = {}
        self._voids = 0
        self._decisions = scope.publisher(DiagnosticStatus, CONSENT, LATCHED_HISTORY)
        self._policies = scope.publisher(String, POLICY, LATCHED)
        self._policies.publish(String(data=policy.to_yaml()))
        scope.subscription(PromptStamped, PROMPT, self._on_prompt, RELIABLE)
        scope.subscription(PromptReceipt, RECEIPT, self._on_receipt, RECEIPTS)
        self._timer = scope.timer(WATCH_PERIOD, self._check, autostart=False)

    async def wait_for_answer(self, subject: Subject) -> None:
        """Wait for the answer to a goal's question if that was asked before, at most `ANSWER_GRACE`.

        Raises:
            StoppedWhileAsking: If the operator stops the robot meanwhile.
        """
        question_id = self._consent.open_question(subject)
        if question_id:
            answered, voids = Future(), self._voids
            self._pending.append((question_id, time.monotonic() + ANSWER_GRACE, answered))
            self._timer.reset()
            await answered
            if self._voids != voids:
                raise StoppedWhileAsking

    def void(self) -> None:
        """Withdraw every open question and every yes that was not used, since the robot is stopped."""
        self._voids += 1
        if count := self._consent.void():
            self._log.info(f"Stopped: {count} open questions and unused permissions are withdrawn")
        self._answers.clear()
        self._check()

    def decide(self, subject: Subject, rskill: str) -> ConsentDecision:
        """Decide about a goal of an rSkill, and publish the decision.

        Raises:
            NotPermitted: If a rule forbids it.
            ConsentNeeded: If the operator has to be asked first.
        """
        decision = self._consent.decide(subject, time.monotonic())
        self._decisions.publish(decision_message(decision, rskill))
        if decision.outcome is not ConsentOutcome.PERMITTED:
            self._log.warning(f"{decision.outcome}: {decision.step[:MAX_CHARACTERS]} (by {decision.rule})")
        return decision.permitted()

    def _on_prompt(self, message: PromptStamped) -> None:
        source, question_id = message.header.frame_id, message.in_reply_to
        if source in STOP_SOURCES and contains_stop_word(message.text):
            self.void()
            return
        names = {"id": message.id, "in_reply_to": question_id, "requester": message.requester}
        if not question_id or prompt_refusal(source, message.text, **names) or message.id in self._refused:
            return
        yes = is_yes(message.text)
        if self._consent.answer(question_id, yes=yes, now=time.monotonic()):
            _remember(self._answers, message.id, question_id)
            self._log.info(f"The operator says {'yes' if yes else 'no'} to {question_id}")
            self._check()

    def _on_receipt(self, message: PromptReceipt) -> None:
        """Take back a yes that the reasoner refused: it answers a question that is no longer put."""
        if message.outcome != PromptReceipt.OUTCOME_REFUSED:
            return
        if message.prompt_id:  # else it can be any prompt without an id
            _remember(self._refused, message.prompt_id, None)
        if question_id := self._answers.pop(message.prompt_id, ""):
            self._log.warning(f"The reasoner refused the answer to {question_id}: it permits nothing")
            self._consent.retract(question_id)

    def _check(self) -> None:
        now, pending = time.monotonic(), self._pending
        self._pending = []
        for question_id, until, answered in pending:
            if self._consent.is_open(question_id) and now < until:
                self._pending.append((question_id, until, answered))
            else:
                answered.set_result(None)
        if not self._pending:
            self._timer.cancel()


def _remember(entries: dict[str, T], key: str, value: T) -> None:
    """Add an item; the oldest are forgotten."""
    entries[key] = value
    while len(entries) > OPEN_QUESTIONS:
        entries.pop(next(iter(entries)))
