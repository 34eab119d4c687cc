"""Client of an action of another package: every goal ends with a status or a typed failure.

The id of a goal begins with a digest of this node's name. A running goal with that beginning that is not the
current one, as after a crash of this process or an acceptance that came too late, is cancelled.
"""

import hashlib
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from time import monotonic
from weakref import WeakKeyDictionary

from action_msgs.msg import GoalInfo, GoalStatus, GoalStatusArray
from action_msgs.srv import CancelGoal
from rclpy.action import ActionClient
from rclpy.node import Node
from rclpy.qos import qos_profile_action_status_default
from rclpy.task import Future
from rclpy.timer import Timer
from unique_identifier_msgs.msg import UUID

from openral_core.emergency_stop import EmergencyStopped
from openral_core.errors import OpenRALError
from openral_core.skill_errors import SkillFailed
from openral_core.skills import SkillStatus
from openral_ros.resources import ResourceScope
from openral_skills_ros.foreign_actions.goal_templates import Message
from openral_skills_ros.foreign_actions.status_table import GoalEnd

WATCH_PERIOD = 0.1
"""Period at which cancellation, acceptance and presence of the server are checked [s]."""
ACCEPT_TIMEOUT = 5.0
"""Time that a server has to accept or reject a goal [s]; Nav2 allows its own servers less."""
CANCEL_PERIOD = 1.0
"""Time after which a cancellation that has not ended the goal is repeated [s]."""
SERVER_LOST = 2.0
"""Time without the server in the graph after which its goal is given up [s]; a discovery gap is shorter."""
STATUS_DELAY = 0.3
"""Time that the status of a goal which replaced this one may come after the result of this one [s]."""
OWN_BYTES = 8
"""Bytes of a goal id that name this node."""
_RUNNING = (GoalStatus.STATUS_ACCEPTED, GoalStatus.STATUS_EXECUTING, GoalStatus.STATUS_CANCELING)


class InterfaceMissing(OpenRALError):
    """An action type that is not installed."""

    def __init__(self, name: str) -> None:
        package = name.split("/", maxsplit=1)[0]
        super().__init__(
            f"action type {name} is not installed: `make robot` builds those of Nav2 and ros2_control;"
            f" for another, install ros-jazzy-{package.replace('_', '-')} or source the workspace that has it"
        )


class ServerAbsent(SkillFailed):
    """An action without a server."""

    status = SkillStatus.INACTIVE

    def __init__(self, action: str) -> None:
        super().__init__(f"no action server at {action}; start it")


class NotAnswered(SkillFailed):
    """A server that neither accepted nor rejected a goal."""

    def __init__(self, action: str) -> None:
        super().__init__(f"{action} neither accepted nor rejected the goal within {ACCEPT_TIMEOUT:.0f} s")


class ServerRejected(SkillFailed):
    """A goal that the server rejected."""

    status = SkillStatus.INACTIVE

    def __init__(self, action: str) -> None:
        super().__init__(f"{action} rejected the goal; its node may be inactive or busy: see its log")


class ServerLost(SkillFailed):
    """A server that disappeared, or was restarted, while it executed a goal."""

    def __init__(self, action: str) -> None:
        super().__init__(
            f"the action server of {action} disappeared while it executed the goal, or was restarted;"
            " if it returns with the goal still running, the goal is cancelled"
        )


class ServerFailed(SkillFailed):
    """An answer of a server that the client library could not take."""

    def __init__(self, action: str, error: object) -> None:
        super().__init__(f"{action}: {error}")


class TakenOver(SkillFailed):
    """A goal that ended because another client wants something else: the operator, or a program of theirs."""

    status = SkillStatus.CANCELLED

    def __init__(self, action: str, how: str) -> None:
        super().__init__(f"another client {how} {action}: it has taken over, and the goal was given up")


def load_action(name: str) -> Message:
    """Return an action type by name, ``nav2_msgs/action/NavigateToPose``.

    Raises:
        InterfaceMissing: If it is not installed.
    """
    package, _, kind = name.split("/")
    try:
        return getattr(import_module(f"{package}.action"), kind)
    except (ImportError, AttributeError) as error:
        raise InterfaceMissing(name) from error


@dataclass(frozen=True, slots=True)
class Ended:
    """End of a goal, with the result message of its server."""

    end: GoalEnd
    result: Message


class _Sent:
    """Goal that was sent; ``ended`` gets an `Ended` or a `SkillFailed`.

    ``servers`` are the endpoints of the server that executes it; a restarted one has others. ``before`` are
    the goals that the server had when it was sent.
    """

    def __init__(self, goal_id: bytes, cancelled: Callable[[], bool], before: tuple[bytes, ...]) -> None:
        self.goal_id, self.cancelled, self.before = goal_id, cancelled, before
        self.ended = Future()
        self.servers: frozenset[bytes] = frozenset()
        self.accept_by: float | None = monotonic() + ACCEPT_TIMEOUT
        self.aborted: tuple[float, Ended] | None = None

    def end(self, outcome: Ended | SkillFailed) -> None:
        if not self.ended.done():
            self.ended.set_result(outcome)


class HaltSwitch:
    """Emergency stop of all actions of one node; ``reason`` is "" while they may run.

    ``motions`` stop what is commanded by topics.
    """

    def __init__(self) -> None:
        self.reason = ""
        self.actions: list[ForeignAction] = []
        self.motions: list[Callable[[str], None]] = []

    def halt(self, reason: str) -> None:
        """Cancel every goal of the actions' servers, also those of other clients, until `release`."""
        self.reason = reason
        for stop in self.motions:
            stop(reason)
        for action in self.actions:
            action.cancel_all()
            action.watch_if_needed()

    def release(self) -> None:
        """Allow goals again."""
        self.reason = ""
        for action in self.actions:
            action.watch_if_needed()


_switches: "WeakKeyDictionary[Node, HaltSwitch]" = WeakKeyDictionary()


def halt_switch_of(node: Node) -> HaltSwitch:
    """Return the switch that all actions of a node share."""
    return _switches.setdefault(node, HaltSwitch())


class ForeignAction:
    """Client of one action; at most one goal at a time. All calls belong to the node's executor."""

    def __init__(self, scope: ResourceScope, node: Node, type_name: str, name: str) -> None:
        self._node, self._type = node, load_action(type_name)
        self.name = str(node.resolve_service_name(name))
        self._own = hashlib.blake2s(node.get_fully_qualified_name().encode(), digest_size=OWN_BYTES).digest()
        self._client = ActionClient(node, self._type, name)
        scope.callback(self._client.destroy)
        self._canceller = scope.client(CancelGoal, f"{name}/_action/cancel_goal")
        scope.subscription(
            GoalStatusArray, f"{name}/_action/status", self._on_status, qos_profile_action_status_default
        )
        self._timer: Timer | None = scope.timer(WATCH_PERIOD, self._watch, autostart=False)
        scope.callback(self._abandon)
        self._scope = scope
        self._sent: _Sent | None = None
        self._last_seen = monotonic()
        self._cancel_tried: dict[bytes, float] = {}
        self._at_server: tuple[bytes, ...] = ()
        self._switch = halt_switch_of(node)
        self._switch.actions.append(self)
        scope.callback(self._switch.actions.remove, self)
        self.watch_if_needed()

    @property
    def ready(self) -> bool:
        """True while a server is in the graph."""
        return bool(self._client.server_is_ready())

    @property
    def awaited(self) -> bytes | None:
        """Id of the goal whose end is awaited."""
        return None if self._sent is None else self._sent.goal_id

    def goal(self) -> Message:
        """Return an empty goal message."""
        return self._type.Goal()

    async def run(
        self, goal: object, on_feedback: Callable[[Message], None], cancelled: Callable[[], bool]
    ) -> Ended:
        """Send a goal and await its end; while ``cancelled`` returns True, its cancellation is requested.

        Raises:
            EmergencyStopped: During an emergency stop.
            ServerAbsent: If there is no server.
            NotAnswered: If it neither accepts nor rejects the goal in time.
            ServerRejected: If it rejects the goal.
            ServerLost: If it disappears.
            TakenOver: If another client cancels or replaces it.
            ServerFailed: If its answer cannot be taken.
        """
        if self._switch.reason:
            raise EmergencyStopped(self._switch.reason)
        if not self.ready:
            raise ServerAbsent(self.name)
        goal_id = self._own + os.urandom(16 - OWN_BYTES)
        sent = self._sent = _Sent(goal_id, cancelled, self._at_server)
        self._last_seen = monotonic()
        self.watch_if_needed()
        feedback = self._scope.guarded(
            f"feedback of {self.name}", lambda message: on_feedback(message.feedback)
        )
        accepted = self._client.send_goal_async(goal, feedback, UUID(uuid=list(sent.goal_id)))
        accepted.add_done_callback(lambda future: self._on_answer(sent, future))
        try:
            outcome = await sent.ended
        finally:
            self._sent = None
            self.watch_if_needed()
        if isinstance(outcome, SkillFailed):
            raise outcome
        ended: Ended = outcome
        return ended

    def _on_answer(self, sent: _Sent, future: Future) -> None:
        sent.accept_by = None
        if future.exception() is not None:
            sent.end(ServerFailed(self.name, future.exception()))
        elif not future.result().accepted:
            sent.end(ServerRejected(self.name))
        elif sent.ended.done():  # given up meanwhile
            self._request_cancel(sent.goal_id)
        else:
            future.result().get_result_async().add_done_callback(lambda result: self._on_result(sent, result))

    def _on_result(self, sent: _Sent, future: Future) -> None:
        if future.exception() is not None:
            sent.end(ServerFailed(self.name, future.exception()))
            return
        answer = future.result()
        if answer.status not in tuple(GoalEnd):
            sent.end(ServerFailed(self.name, f"its result has goal status {answer.status}, which is no end"))
            return
        ended = Ended(GoalEnd(answer.status), answer.result)
        if ended.end is GoalEnd.CANCELED and not (sent.cancelled() or self._switch.reason):
            sent.end(TakenOver(self.name, "cancelled the goal at"))
        elif ended.end is GoalEnd.ABORTED:
            sent.aborted = (monotonic() + STATUS_DELAY, ended)
            self._conclude_aborted(sent)
        else:
            sent.end(ended)

    def _conclude_aborted(self, sent: _Sent) -> None:
        """End an aborted goal once it is known whether the goal of another client has replaced it."""
        if sent.aborted is None:
            return
        until, ended = sent.aborted
        if any(not each.startswith(self._own) and each not in sent.before for each in self._at_server):
            sent.end(TakenOver(self.name, "sent a newer goal to"))
        elif monotonic() >= until:
            sent.end(ended)

    def cancel_all(self) -> None:
        """Cancel every goal of the server, also of other clients."""
        self._canceller.call_async(CancelGoal.Request())

    def watch_if_needed(self) -> None:
        """Watch a goal whose end is awaited, and all goals during an emergency stop."""
        if self._timer is None:
            return
        if self._sent is None and not self._switch.reason:
            self._timer.cancel()
        elif self._timer.is_canceled():
            self._timer.reset()

    def _watch(self) -> None:
        if self._switch.reason:
            self._request_cancels(self._at_server)
        sent, now = self._sent, monotonic()
        if sent is None:
            return
        self._conclude_aborted(sent)
        if self.ready and self._is_same_server(sent):
            self._last_seen = now
        elif now - self._last_seen > SERVER_LOST:
            sent.end(ServerLost(self.name))
            return
        if sent.accept_by is not None:
            if now > sent.accept_by:
                sent.end(NotAnswered(self.name))
                self._request_cancel(sent.goal_id)
        elif sent.cancelled():
            self._request_cancel(sent.goal_id)

    def _is_same_server(self, sent: _Sent) -> bool:
        """Return False if the server was restarted since: it never ends the goal of its predecessor."""
        status = f"{self.name}/_action/status"
        publishers = self._node.get_publishers_info_by_topic(status)
        current = frozenset(bytes(info.endpoint_gid) for info in publishers)
        sent.servers = sent.servers or current
        return not current or bool(sent.servers & current)

    def _on_status(self, message: GoalStatusArray) -> None:
        """Cancel goals of this node that it no longer awaits, and during an emergency stop all goals."""
        # Two verbs may have the same action: what one awaits is no orphan of the other.
        awaited = {action.awaited for action in self._switch.actions}
        self._at_server = tuple(
            bytes(goal.goal_info.goal_id.uuid) for goal in message.status_list if goal.status in _RUNNING
        )
        unwanted = self._switch.reason != ""
        self._request_cancels(
            goal_id
            for goal_id in self._at_server
            if unwanted or (goal_id.startswith(self._own) and goal_id not in awaited)
        )

    def _request_cancels(self, goal_ids: Iterable[bytes]) -> None:
        for goal_id in goal_ids:
            self._request_cancel(goal_id)

    def _request_cancel(self, goal_id: bytes) -> None:
        now = monotonic()
        if now - self._cancel_tried.get(goal_id, 0.0) < CANCEL_PERIOD:
            return
        self._cancel_tried = {
            key: time for key, time in self._cancel_tried.items() if now - time < 60.0 * CANCEL_PERIOD
        }
        self._cancel_tried[goal_id] = now
        request = CancelGoal.Request(goal_info=GoalInfo(goal_id=UUID(uuid=list(goal_id))))
        answered = self._canceller.call_async(request)
        answered.add_done_callback(lambda future: self._on_cancel_answer(goal_id, future))

    def _on_cancel_answer(self, goal_id: bytes, future: Future) -> None:
        """Give up an accepted goal of which its server knows nothing."""
        sent, answer = self._sent, future.result()
        if sent is None or answer is None or sent.goal_id != goal_id or sent.accept_by is not None:
            return
        if answer.return_code == CancelGoal.Response.ERROR_UNKNOWN_GOAL_ID:
            sent.end(ServerLost(self.name))

    def _abandon(self) -> None:
        """Cancel the current goal when the scope closes; its end is no longer awaited."""
        self._timer = None
        if self._sent is not None:
            self._cancel_tried.clear()
            self._request_cancel(self._sent.goal_id)
            self._sent.end(ServerFailed(self.name, "the skill server was deactivated"))
