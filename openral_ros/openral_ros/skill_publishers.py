"""Publishers of a skill server: its catalogue, failures of goals, and what its goals moved."""

from collections.abc import Sequence
from time import monotonic
from uuid import uuid4

from openral_core import CONTRACT_VERSION
from openral_core.consent.decisions import QUESTION
from openral_core.object_states import states_of_evidence
from openral_core.skills import SkillResult, SkillStatus
from openral_msgs.action import ExecuteRskill
from openral_msgs.msg import FailureTrigger, SkillCatalogue, StateReport
from openral_ros.conversions.object_states import state_report_message
from openral_ros.conversions.skills import key_values
from openral_ros.conversions.stamps import stamp_of
from openral_ros.qos import LATCHED, RELIABLE
from openral_ros.resources import ResourceScope

SOURCE = "skill_server"
"""Source named in failure messages."""
REPEAT_PERIOD = 1.0
"""Period at which an unchanged catalogue is repeated [s]."""


class SkillPublishers:
    """Publishers of the catalogue (latched and repeated), failed goals and states that goals change."""

    def __init__(self, scope: ResourceScope) -> None:
        self._catalogue = scope.publisher(SkillCatalogue, "openral/skills", LATCHED)
        self._failures = scope.publisher(FailureTrigger, f"openral/failure/{SOURCE}", RELIABLE)
        self._states = scope.publisher(StateReport, "openral/state_reports", RELIABLE)
        self._last: SkillCatalogue | None = None
        self._repeat_at = 0.0
        self._session = uuid4().hex

    def catalogue(self, verbs: Sequence[str], holding: str, busy_with: str, time: float) -> None:
        """Publish the available verbs, the held object and the current goal at ``time`` [s].

        The catalogue is repeated so that it replaces one that another node published by mistake.
        """
        fields = {"verbs": list(verbs), "holding": holding, "busy_with": busy_with, "session": self._session}
        current = SkillCatalogue(contract_version=CONTRACT_VERSION, **fields)
        if current == self._last and monotonic() < self._repeat_at:
            return
        self._last, self._repeat_at = current, monotonic() + REPEAT_PERIOD
        stamped = SkillCatalogue(contract_version=CONTRACT_VERSION, **fields)
        stamped.header.stamp = stamp_of(time)
        self._catalogue.publish(stamped)

    def failure(self, request: ExecuteRskill.Goal, result: SkillResult, time: float) -> None:
        """Publish the failure of a goal; a success, a cancelled goal and one to be permitted are none."""
        if result.success or result.status is SkillStatus.CANCELLED or QUESTION in result.evidence:
            return
        is_error = result.status is SkillStatus.SKILL_ERROR
        message = FailureTrigger(
            source=SOURCE,
            kind=result.status.name.lower(),
            severity=FailureTrigger.SEVERITY_ERROR if is_error else FailureTrigger.SEVERITY_WARNING,
            message=f"{request.rskill_id}: {result.message}",
            evidence=key_values({**result.evidence, "rskill": request.rskill_id}),
            traceparent=request.traceparent,
        )
        message.header.stamp = stamp_of(time)
        self._failures.publish(message)

    def states(self, result: SkillResult, time: float) -> None:
        """Publish the states that a goal brought about, even one that failed in the end, at ``time`` [s]."""
        for report in states_of_evidence(result.evidence, time):
            self._states.publish(state_report_message(report))

    def stopped(self, kind: str, reason: str, time: float) -> None:
        """Publish that the robot itself failed."""
        message = FailureTrigger(source=SOURCE, kind=kind, message=reason)
        message.severity, message.header.stamp = FailureTrigger.SEVERITY_FATAL, stamp_of(time)
        self._failures.publish(message)
