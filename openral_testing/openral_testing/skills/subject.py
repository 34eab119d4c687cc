"""The skill server under test, driven over ROS only."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from action_msgs.msg import GoalInfo, GoalStatus, GoalStatusArray
from action_msgs.srv import CancelGoal
from numpy.typing import NDArray
from rclpy.action import ActionClient
from rclpy.client import Client
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import qos_profile_action_status_default
from rclpy.task import Future
from std_srvs.srv import Trigger
from unique_identifier_msgs.msg import UUID

from openral_core.errors import OpenRALError
from openral_core.geometry import StaleTransform, UnknownFrame
from openral_core.skills import SkillStatus
from openral_msgs.action import ExecuteRskill
from openral_msgs.msg import SkillCatalogue
from openral_ros.conversions.skills import params_of
from openral_ros.qos import LATCHED
from openral_ros.resources import ResourceScope
from openral_ros.skill_server import EXECUTE
from openral_ros.tf_buffer import TransformBuffer

Message: TypeAlias = Any
"""A message whose type is known only at run time."""
DISCOVERY_TIMEOUT = 30.0
"""Longest wait for the server and its catalogue [s]."""
ACCEPT_TIMEOUT = 5.0
"""Longest wait for a goal or a cancellation to be accepted or rejected [s]."""
REFUSAL_TIMEOUT = 5.0
"""Longest wait for the result of a goal that moves nothing [s]."""
STOP_TIMEOUT = 15.0
"""Longest wait for the result of a cancelled or late goal [s]: the server's grace and a margin."""
SUCCESS_TIMEOUT = 60.0
"""Longest duration of the quick goal [s]."""
STANDSTILL_TIME = 0.5
"""Time over which the base must stand still [s]."""
STANDSTILL = 0.02
"""Largest motion of a base that stands still [m]: the noise of a localiser is below it."""
_RUNNING = (GoalStatus.STATUS_ACCEPTED, GoalStatus.STATUS_EXECUTING, GoalStatus.STATUS_CANCELING)


class SkillServerSilent(OpenRALError):
    """The skill server did not react in time."""

    def __init__(self, what: str, seconds: float) -> None:
        super().__init__(f"the skill server did not {what} within {seconds:g} s")


@dataclass(frozen=True, slots=True)
class GoalReply:
    """End of a goal: its terminal action status, its result, and the time from sending it [s]."""

    end: int
    result: ExecuteRskill.Result
    seconds: float

    @property
    def status(self) -> SkillStatus:
        """Typed outcome; raises ValueError if there is none of that number."""
        return SkillStatus(self.result.status)

    def problems(self, *, cancelled: bool) -> list[str]:
        """List contradictions between result and action status; ``cancelled``: it was requested to cancel."""
        succeeded = self.status is SkillStatus.SUCCEEDED
        evidence = params_of(self.result.evidence)
        contradictions = {
            f"success is {self.result.success}, status {self.status.name}": self.result.success != succeeded,
            f"status is {self.status.name}, the goal ended with {self.end}": succeeded
            != (self.end == GoalStatus.STATUS_SUCCEEDED),
            "the goal ended as cancelled, but was not": self.end == GoalStatus.STATUS_CANCELED
            and not cancelled,
            f"the goal ended with {self.end}, which is no end": self.end
            not in (GoalStatus.STATUS_SUCCEEDED, GoalStatus.STATUS_CANCELED, GoalStatus.STATUS_ABORTED),
            "the message is empty": not self.result.message,
            "evidence is given twice": len(evidence) != len(self.result.evidence),
        }
        return [problem for problem, holds in contradictions.items() if holds]


class SentGoal:
    """A goal that was sent; ``cancelled`` is True once its cancellation was requested."""

    def __init__(self, server: "SkillServerUnderTest", message: ExecuteRskill.Goal, goal_id: UUID) -> None:
        self.goal_id, self.feedback = goal_id, list[ExecuteRskill.Feedback]()
        self.cancelled = False
        self._server, self._began = server, time.monotonic()
        sent = server.actions.send_goal_async(message, self._on_feedback, goal_id)
        self._handle = server.wait_for(sent, "accept or reject a goal", ACCEPT_TIMEOUT)
        self.accepted = bool(self._handle.accepted)
        self._answer: Future | None = self._handle.get_result_async() if self.accepted else None

    @property
    def running(self) -> bool:
        """True until its result has come."""
        return self._answer is not None and not self._answer.done()

    @property
    def elapsed(self) -> float:
        """Time since it was sent [s]."""
        return time.monotonic() - self._began

    def cancel(self) -> None:
        """Request its cancellation and wait for the answer."""
        self.cancelled = True
        self._server.wait_for(self._handle.cancel_goal_async(), "answer a cancellation", ACCEPT_TIMEOUT)

    def reply(self, timeout: float) -> GoalReply:
        """Wait for its result and check that it is consistent."""
        assert self._answer is not None, "the skill server rejected the goal; it must accept and answer it"
        answer = self._server.wait_for(self._answer, "end a goal", timeout)
        reply = GoalReply(answer.status, answer.result, self.elapsed)
        assert reply.problems(cancelled=self.cancelled) == []
        return reply

    def ask_again(self) -> GoalReply:
        """Ask for its result once more."""
        again = self._handle.get_result_async()
        answer = self._server.wait_for(again, "repeat a result", ACCEPT_TIMEOUT)
        return GoalReply(answer.status, answer.result, self.elapsed)

    def _on_feedback(self, message: ExecuteRskill.Impl.FeedbackMessage) -> None:
        self.feedback.append(message.feedback)


class SkillServerUnderTest:
    """A client of the skill server that also sees its catalogue, the states of its goals and the base."""

    def __init__(self, node: Node, base_frame: str) -> None:
        self._node, self._base_frame = node, base_frame
        self._executor = SingleThreadedExecutor(context=node.context)
        self._executor.add_node(node)
        self._scope = ResourceScope(node)
        self.actions = ActionClient(node, ExecuteRskill, EXECUTE)
        self._canceller = self._scope.client(CancelGoal, f"{EXECUTE}/_action/cancel_goal")
        self.catalogues: list[SkillCatalogue] = []
        self._running: dict[bytes, int] = {}
        self._triggers: dict[str, Client] = {}
        self._transforms = TransformBuffer(self._scope)
        self._scope.subscription(SkillCatalogue, "openral/skills", self.catalogues.append, LATCHED)
        self._scope.subscription(
            GoalStatusArray, f"{EXECUTE}/_action/status", self._on_status, qos_profile_action_status_default
        )

    def connect(self) -> None:
        """Wait until the server and its catalogue are there."""
        self.wait("offer its action", self.actions.server_is_ready, DISCOVERY_TIMEOUT)
        self.wait("publish its catalogue", lambda: self.catalogues, DISCOVERY_TIMEOUT)
        self.wait("offer a verb", lambda: self.catalogues[-1].verbs, DISCOVERY_TIMEOUT)

    def reconnect(self) -> None:
        """Wait for the server after a restart; what the old process still had to say is dropped."""
        self._listen(STANDSTILL_TIME)
        self.catalogues.clear()
        self._running.clear()
        self.connect()

    @property
    def catalogue(self) -> SkillCatalogue:
        """The newest catalogue."""
        return self.catalogues[-1]

    @property
    def idle(self) -> bool:
        """True if the catalogue and the states of its goals say that nothing runs."""
        return not self.catalogue.busy_with and not self._running

    def send(self, message: ExecuteRskill.Goal, goal_id: UUID | None = None) -> SentGoal:
        """Send a goal and wait until it is accepted or rejected."""
        return SentGoal(self, message, goal_id or UUID(uuid=list(os.urandom(16))))

    def cancel(self, goal_id: UUID) -> int:
        """Request the cancellation of a goal, of all for the zero id, and return the code of the answer."""
        request = CancelGoal.Request(goal_info=GoalInfo(goal_id=goal_id))
        answer = self.wait_for(self._canceller.call_async(request), "answer a cancellation", ACCEPT_TIMEOUT)
        return int(answer.return_code)

    def trigger(self, service: str) -> None:
        """Call a service that has no arguments, and check that it succeeded."""
        client = self._triggers.setdefault(service, self._scope.client(Trigger, service))
        self.wait(f"serve {service}", client.service_is_ready, DISCOVERY_TIMEOUT)
        answer = self.wait_for(client.call_async(Trigger.Request()), f"answer {service}", ACCEPT_TIMEOUT)
        assert answer.success, answer.message

    def become_idle(self) -> None:
        """Wait until nothing runs."""
        self.wait("become idle", lambda: self.idle, STOP_TIMEOUT)

    def motion(self) -> float:
        """Measure the motion of the base over `STANDSTILL_TIME` [m]; NaN if its frame is unknown."""
        before = self._position()
        self._listen(STANDSTILL_TIME)
        return float(np.linalg.norm(self._position() - before))

    def wait_for(self, future: Future, what: str, seconds: float) -> Message:
        """Spin until a future is done and return its result."""
        self.wait(what, future.done, seconds)
        return future.result()

    def wait(self, what: str, condition: Callable[[], object], seconds: float) -> None:
        """Spin until a condition holds.

        Raises:
            SkillServerSilent: If it does not hold in time.
        """
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise SkillServerSilent(what, seconds)
            self._executor.spin_once(timeout_sec=0.02)

    def _listen(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self._executor.spin_once(timeout_sec=0.02)

    def close(self) -> None:
        """Release every interface."""
        self._scope.close()
        self.actions.destroy()
        self._executor.shutdown()
        self._node.destroy_node()

    def _position(self) -> NDArray[np.float64]:
        """Position of the base in map [m], shape (3,); NaN if unknown."""
        try:
            return self._transforms.lookup_newest("map", self._base_frame)[:3, 3]
        except (UnknownFrame, StaleTransform):
            return np.full(3, np.nan)

    def _on_status(self, message: GoalStatusArray) -> None:
        self._running = {
            bytes(goal.goal_info.goal_id.uuid): goal.status
            for goal in message.status_list
            if goal.status in _RUNNING
        }
