"""What the skill server tells the graph: what it can do now, and what went wrong."""
# MERGED Brings calls from other threads home to the executor.

from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from time import monotonic

from openral_core import CONTRACT_VERSION
from openral_core.skills import SkillResult, SkillStatus
from openral_msgs.action import ExecuteRskill
from openral_msgs.msg import FailureTrigger, KeyValue, SkillCatalogue
from openral_ros.callback_guard import callback_name
from openral_ros.conversions.geometry import stamp_of
from openral_ros.conversions.skills import key_values
from openral_ros.qos import LATCHED, RELIABLE
from openral_ros.resources import ResourceScope

SOURCE = "skill_server"
REPEAT = 1.0
"""Between two of the same catalogue [s]."""


class SkillPublishers:
    """A latched catalogue, repeated; a failure for every goal that fails; how far doors stand open."""

    def __init__(self, scope: ResourceScope) -> None:
        self._catalogue = scope.publisher(SkillCatalogue, "openral/skills", LATCHED)
        self._failures = scope.publisher(FailureTrigger, f"openral/failure/{SOURCE}", RELIABLE)
        self._openings = scope.publisher(KeyValue, "openral/openings", RELIABLE)
        self._said: SkillCatalogue | None = None
        self._repeat_at = 0.0

    def catalogue(self, verbs: Sequence[str], holding: str, busy_with: str, time: float) -> None:
        """What the robot can do now; ``time`` in [s] of simulated time.

        It is repeated, so that one that a stranger published does not stand for it.
        """
        said = SkillCatalogue(
            contract_version=CONTRACT_VERSION, verbs=list(verbs), holding=holding, busy_with=busy_with
        )
        if said == self._said and monotonic() < self._repeat_at:
            return
        self._said, self._repeat_at = said, monotonic() + REPEAT
        stamped = SkillCatalogue(
            contract_version=CONTRACT_VERSION, verbs=list(verbs), holding=holding, busy_with=busy_with
        )
        stamped.header.stamp = stamp_of(time)
        self._catalogue.publish(stamped)

    def failure(self, request: ExecuteRskill.Goal, result: SkillResult, time: float) -> None:
        """How a goal failed; a success or a cancelled goal is no failure."""
        if result.success or result.status is SkillStatus.CANCELLED:
            return
        broken = result.status is SkillStatus.SKILL_ERROR
        message = FailureTrigger(
            source=SOURCE,
            kind=result.status.name.lower(),
            severity=FailureTrigger.SEVERITY_ERROR if broken else FailureTrigger.SEVERITY_WARNING,
            message=f"{request.rskill_id}: {result.message}",
            evidence=key_values({**result.evidence, "rskill": request.rskill_id}),
            traceparent=request.traceparent,
        )
        message.header.stamp = stamp_of(time)
        self._failures.publish(message)

    def opening(self, result: SkillResult) -> None:
        """How far the door that a goal was about stands open, whether or not the goal succeeded."""
        container, share = result.evidence.get("container_id"), result.evidence.get("opening")
        if isinstance(container, str) and isinstance(share, float):
            self._openings.publish(KeyValue(key=container, type=KeyValue.TYPE_FLOAT, float_value=share))

    def stopped(self, reason: str, time: float) -> None:
        """That the simulation itself broke."""
        message = FailureTrigger(source=SOURCE, kind="simulation_stopped", message=reason)
        message.severity, message.header.stamp = FailureTrigger.SEVERITY_FATAL, stamp_of(time)
        self._failures.publish(message)


class ExecutorQueue:
    """Calls posted from any thread are made on the node's executor, in order."""

    def __init__(self, scope: ResourceScope) -> None:
        self._calls: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._scope = scope
        self._guard = scope.guard_condition(self._deliver)

    def post(self, call: Callable[[], None]) -> None:
        """Have ``call`` made on the executor soon; one that breaks does not keep back those behind it."""
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
