"""Consent: decisions about goals by a policy, with the operator's answers."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Self

from openral_core.consent.hazards import load_hazards
from openral_core.consent.policy import Permission, Policy, Rule, Subject
from openral_core.skill_errors import SkillFailed
from openral_core.skills import ParamValue, SkillStatus

YES = frozenset({"yes", "y", "ok", "approve", "approved", "go", "do it"})


def is_yes(answer: str) -> bool:
    """Return True if an answer permits; anything else does not."""
    return answer.strip().lower().rstrip(".!") in YES


ASKS, ANSWERS = "May I ", ("yes", "no")
"""Begin of a question for permission, and the answers to choose from."""


def question_of(step: str) -> str:
    """Return the question for permission to make a step, such as "open the fridge"."""
    return f"{ASKS}{step}?"


DEFAULT_RULE = "default"
"""Name of the policy's default in decisions."""
HEARSAY = "only answers to searches name the object, so the rule may be about it"
"""Reason of a question about an object whose labels a model has chosen."""
QUESTION_PREFIX = "consent-"
"""Begin of every question's id, which sets it apart from ids of missions and calls."""
QUESTION, STEP = "consent_question", "consent_step"
"""Evidence keys of a goal that needs a yes: id of the question, and the step in words."""


class ConsentOutcome(StrEnum):
    """Outcome of a decision."""

    PERMITTED = "permitted"
    ASKED = "asked"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class ConsentDecision:
    """Decision about one goal, and the rule that led to it."""

    outcome: ConsentOutcome
    rule: str
    permission: Permission
    step: str
    reason: str
    question_id: str = ""

    def permitted(self) -> Self:
        """Return the decision if the goal may be carried out.

        Raises:
            NotPermitted: If a rule forbids it.
            ConsentNeeded: If the operator has to be asked first.
        """
        if self.outcome is ConsentOutcome.REFUSED:
            raise NotPermitted(self)
        if self.outcome is ConsentOutcome.ASKED:
            raise ConsentNeeded(self)
        return self

    @property
    def evidence(self) -> Mapping[str, ParamValue]:
        """Evidence of the goal's result; none of a decision without a rule."""
        if self.outcome is ConsentOutcome.PERMITTED and self.rule == DEFAULT_RULE:
            return {}
        by = f"{self.rule}: {self.permission}" + (f" ({self.reason})" if self.reason else "")
        question = {QUESTION: self.question_id, STEP: self.step} if self.question_id else {}
        return {str(self.outcome): by, **question}


class NotPermitted(SkillFailed):
    """A goal that the policy forbids."""

    status = SkillStatus.BAD_REQUEST

    def __init__(self, decision: ConsentDecision) -> None:
        self.evidence = decision.evidence
        why = f" ({decision.reason})" if decision.reason else ""
        super().__init__(f"not permitted to {decision.step}: {decision.rule}{why}")


class ConsentNeeded(SkillFailed):
    """A goal that the operator has to permit first."""

    status = SkillStatus.INACTIVE

    def __init__(self, decision: ConsentDecision) -> None:
        self.evidence = decision.evidence
        why = f" ({decision.reason})" if decision.reason else ""
        super().__init__(
            f"the operator has to permit this first, by {decision.rule}{why}: {question_of(decision.step)} "
            f"Answer {decision.question_id!r} with yes"
        )


OPEN_QUESTIONS = 64
"""Questions that may be open; an older one is forgotten."""
YES_LASTS = 120.0
"""Time after which a yes that was not used expires [s]."""


@dataclass
class Consent:
    """Decides about goals by a policy, and remembers what the operator answered."""

    policy: Policy  # The rules.
    session: str  # Prefix of question ids, unique per run of the skill server.
    _question_count: int = 0
    _open: dict[str, tuple[str, str]] = field(default_factory=dict)
    _lasting: set[tuple[str, str]] = field(default_factory=set)
    _single: dict[tuple[str, str], tuple[float, str]] = field(default_factory=dict)

    def decide(self, subject: Subject, now: float) -> ConsentDecision:
        """Decide about a goal at steady time ``now`` [s]; a yes to a single step is used up."""
        name, permit, reason = self._rule_of(subject)
        step, key = subject.in_words(), (name, subject.in_words())
        if permit is Permission.ALWAYS:
            return ConsentDecision(ConsentOutcome.PERMITTED, name, permit, step, reason)
        if permit is Permission.NEVER:
            return ConsentDecision(ConsentOutcome.REFUSED, name, permit, step, reason)
        permitted_at, _ = self._single.pop(key, (-math.inf, ""))
        if key in self._lasting or permitted_at + YES_LASTS > now:
            if permit is Permission.ASK_ONCE:
                self._lasting.add(key)
            return ConsentDecision(ConsentOutcome.PERMITTED, name, permit, step, "the operator said yes")
        return ConsentDecision(ConsentOutcome.ASKED, name, permit, step, reason, self._question(key))

    def open_question(self, subject: Subject) -> str:
        """Return the id of the open question about a goal, "" for none."""
        return self._open_id((self._rule_of(subject)[0], subject.in_words()))

    def is_open(self, question_id: str) -> bool:
        """Return True if a question waits for its answer."""
        return question_id in self._open

    def answer(self, question_id: str, *, yes: bool, now: float) -> bool:
        """Take the operator's answer at steady time ``now`` [s]; return False if no such question is open."""
        key = self._open.pop(question_id, None)
        if key is not None and yes:
            self._single[key] = now, question_id
        return key is not None

    def retract(self, question_id: str) -> None:
        """Take back the yes to a question, if that was not used."""
        self._single = {key: each for key, each in self._single.items() if each[1] != question_id}

    def void(self) -> int:
        """Withdraw every open question, and every yes that was not used; return how many there were."""
        count = len(self._open) + len(self._single)
        self._open.clear()
        self._single.clear()
        return count

    def _rule_of(self, subject: Subject) -> tuple[str, Permission, str]:
        for zone in self.policy.keep_out:
            if subject.drives_to and zone.contains(*subject.drives_to):
                reason = f"the goal lies in the keep-out zone {zone.name!r}"
                return f"keep_out {zone.id}", Permission.NEVER, reason
        rules = (*self.policy.named_rules, (DEFAULT_RULE, Rule(permit=self.policy.default)))
        number, (name, rule) = next(each for each in enumerate(rules) if each[1][1].matches(subject))
        if rule.permit is Permission.ALWAYS and not rule.is_about_a_pair:
            hazard = load_hazards().of(subject)
            if hazard is not None:
                return f"hazard {hazard.id}", Permission.ASK_EACH_TIME, hazard.reason
        doubt = next((earlier for earlier, other in rules[:number] if other.may_match(subject)), "")
        if doubt and rule.permit in (Permission.ALWAYS, Permission.ASK_ONCE):
            return doubt, Permission.ASK_EACH_TIME, HEARSAY
        return name, rule.permit, rule.reason

    def _open_id(self, key: tuple[str, str]) -> str:
        return next((question_id for question_id, open_key in self._open.items() if open_key == key), "")

    def _question(self, key: tuple[str, str]) -> str:
        """Return the id of the open question about a step, or open one."""
        if question_id := self._open_id(key):
            return question_id
        self._question_count += 1
        question_id = f"{QUESTION_PREFIX}{self.session}-{self._question_count}"
        self._open[question_id] = key
        while len(self._open) > OPEN_QUESTIONS:
            self._open.pop(next(iter(self._open)))
        return question_id
