"""Publications of the skill server: its catalogue of skills, failures and door openings."""

from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from time import monotonic

from openral_core import CONTRACT_VERSION
from openral_core.skills import SkillResult, SkillStatus
from openral_msgs.action import ExecuteRskill
from openral_msgs.msg import FailureTrigger, KeyValue, SkillCatalogue
from openral_ros.callback_guard import callback_name
from openral_ros.conversions.skills import key_values
from openral_ros.conversions.stamps import stamp_of
from openral_ros.qos import LATCHED, RELIABLE
from openral_ros.resources import ResourceScope

SOURCE = "skill_server"
"""Source named in failure messages."""
REPEAT_PERIOD = 1.0
"""Period at which an unchanged catalogue is repeated [s]."""


class SkillPublishers:
    """Publishers of the catalogue (latched and repeated), of failed goals, and of doors' openings."""

    def __init__(self, scope: ResourceScope) -> None:
        self._catalogue = scope.publisher(SkillCatalogue, "openral/skills", LATCHED)
        self._failures = scope.publisher(FailureTrigger, f"openral/failure/{SOURCE}", RELIABLE)
        self._openings = scope.publisher(KeyValue, "openral/openings", RELIABLE)
        self._last: SkillCatalogue | None = None
        self._repeat_at = 0.0

    def catalogue(self, verbs: Sequence[str], holding: str, busy_with: str, time: float) -> None:
        """Publish the available verbs, the held object and the current goal at simulated ``time`` [s].

        The catalogue is repeated so that it replaces one that another node published by mistake.
        """
        current = SkillCatalogue(
            contract_version=CONTRACT_VERSION, verbs=list(verbs), holding=holding, busy_with=busy_with
        )
        if current == self._last and monotonic() < self._repeat_at:
            return
        self._last, self._repeat_at = current, monotonic() + REPEAT_PERIOD
        stamped = SkillCatalogue(
            contract_version=CONTRACT_VERSION, verbs=list(verbs), holding=holding, busy_with=busy_with
        )
        stamped.header.stamp = stamp_of(time)
        self._catalogue.publish(stamped)

    def failure(self, request: ExecuteRskill.Goal, result: SkillResult, time: float) -> None:
        """Publish the failure of a goal; a success or a cancelled goal is not a failure."""
        if result.success or result.status is SkillStatus.CANCELLED:
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

    def opening(self, result: SkillResult) -> None:
        """Publish the opening of the door that a goal moved, if any, even if the goal failed."""
        container, opening = result.evidence.get("container_id"), result.evidence.get("opening")
        if isinstance(container, str) and isinstance(opening, float):
            self._openings.publish(KeyValue(key=container, type=KeyValue.TYPE_FLOAT, float_value=opening))

    def stopped(self, reason: str, time: float) -> None:
        """Publish that the simulation itself failed."""
        message = FailureTrigger(source=SOURCE, kind="simulation_stopped", message=reason)
        message.severity, message.header.stamp = FailureTrigger.SEVERITY_FATAL, stamp_of(time)
        self._failures.publish(message)


class ExecutorQueue:
    """Queue of calls that any thread posts and the node's executor runs, in order."""

    def __init__(self, scope: ResourceScope) -> None:
        self._calls: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._scope = scope
        self._guard = scope.guard_condition(self._deliver)

    def post(self, call: Callable[[], None]) -> None:
        """Run ``call`` on the executor soon; an exception in it does not block later calls."""
        self._calls.put(self._scope.guarded(f"call {callback_name(call)}", call))
        self._guard.trigger()

    def _deliver(self) -> None:
        while (call := self._next()) is not None:
            call()

    def _next(self) -> Callable[[], None] | None:
        try:
            return self._calls.get_nowait()
        except Empty:
            return None
