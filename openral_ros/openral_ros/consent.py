"""Consent in a skill server: publishes the policy and every decision, and hears the operator's answers.

Publishes openral/policy and openral/consent; subscribes openral/prompt, where an answer names its question in
``in_reply_to``.
"""

import time
import uuid

from diagnostic_msgs.msg import DiagnosticStatus, KeyValue
from pydantic import Field
from rclpy.node import Node
from rclpy.task import Future
from std_msgs.msg import String

from openral_core.consent import Consent, ConsentDecision, ConsentOutcome, is_yes
from openral_core.consent_policy import Policy, Subject
from openral_msgs.msg import PromptStamped
from openral_ros.emergency_stop import OPERATORS, StopParameters
from openral_ros.prompt_client import PROMPT
from openral_ros.qos import LATCHED, LATCHED_HISTORY, RELIABLE
from openral_ros.resources import ResourceScope

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


class OperatorConsent:
    """Decides about goals before anything moves. All of its state belongs to the node's executor.

    Args:
        scope: Owns the interfaces.
        node: Its log tells what is asked, answered and refused.
        policy: The rules.
    """

    def __init__(self, scope: ResourceScope, node: Node, policy: Policy) -> None:
        self.policy = policy
        self._log = node.get_logger()
        self._consent = Consent(policy, uuid.uuid4().hex[:8])
        self._waiting: list[tuple[str, float, Future]] = []
        self._decisions = scope.publisher(DiagnosticStatus, CONSENT, LATCHED_HISTORY)
        self._policies = scope.publisher(String, POLICY, LATCHED)
        self._policies.publish(String(data=policy.to_yaml()))
        scope.subscription(PromptStamped, PROMPT, self._on_prompt, RELIABLE)
        self._timer = scope.timer(WATCH_PERIOD, self._check, autostart=False)

    async def wait_for_answer(self, subject: Subject) -> None:
        """Wait for the answer to a goal's question if that was asked before, at most `ANSWER_GRACE`."""
        question_id = self._consent.open_question(subject)
        if question_id:
            answered = Future()
            self._waiting.append((question_id, time.monotonic() + ANSWER_GRACE, answered))
            self._timer.reset()
            await answered

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
        if message.header.frame_id in OPERATORS and message.in_reply_to:
            yes = is_yes(message.text)
            if self._consent.answer(message.in_reply_to, yes=yes, now=time.monotonic()):
                self._log.info(f"The operator says {'yes' if yes else 'no'} to {message.in_reply_to}")
                self._check()

    def _check(self) -> None:
        now, waiting = time.monotonic(), self._waiting
        self._waiting = []
        for question_id, until, answered in waiting:
            if self._consent.is_open(question_id) and now < until:
                self._waiting.append((question_id, until, answered))
            else:
                answered.set_result(None)
        if not self._waiting:
            self._timer.cancel()
