"""Judgement of a policy's goal by a locator, by memory or by a joint, never by the policy."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from rclpy.node import Node
from rclpy.task import Future

from openral_core.policies import (
    Check,
    JointCheck,
    LocateCheck,
    MemoryCheck,
    NoCheck,
    fill_template,
)
from openral_msgs.msg import SceneGraph, SceneNode
from openral_msgs.srv import LocateInView
from openral_ros.conversions.stamps import seconds
from openral_ros.qos import LATCHED
from openral_ros.resources import ResourceScope
from openral_ros.service_client import AsyncServiceClient, CallError
from openral_skills_ros.backends.backend import Pauses, Run
from openral_skills_ros.backends.policy.observation import JointStates

LOCATE = "openral/perception/locate_in_view"


@dataclass(frozen=True, slots=True)
class VerificationResult:
    """Result of a check: ``reached`` is None if it could not be made, or none is configured."""

    reached: bool | None
    words: str


class Verifier:
    """Makes the check of one contract."""

    def __init__(
        self, scope: ResourceScope, node: Node, check: Check, joints: JointStates, pauses: Pauses
    ) -> None:
        self._node, self._check, self._joints, self._pauses = node, check, joints, pauses
        self._nodes: dict[str, SceneNode] = {}
        self._locator: AsyncServiceClient[LocateInView.Response] | None = None
        match check:
            case LocateCheck():
                self._locator = AsyncServiceClient(scope, node, LocateInView, LOCATE)
            case MemoryCheck():
                scope.subscription(SceneGraph, "openral/scene_graph", self._on_graph, LATCHED)

    async def verify(self, texts: Mapping[str, str], run: Run) -> VerificationResult:
        """Judge the state now that the robot is at rest; ``texts`` are the goal's parameters."""
        match self._check:
            case LocateCheck() as check:
                return await self._located(check, fill_template(check.query, texts))
            case MemoryCheck() as check:
                return await self._remembered(check, fill_template(check.node, texts), run)
            case JointCheck() as check:
                return self._measured(check)
            case NoCheck():
                return VerificationResult(None, "the policy's manifest has no check")

    async def _located(self, check: LocateCheck, query: str) -> VerificationResult:
        assert self._locator is not None, "made with the check"
        answered = Future()
        request = LocateInView.Request(query=query, camera=check.camera, deadline=check.timeout)
        self._locator.call(request, check.timeout, answered.set_result)
        answer: LocateInView.Response | CallError = await answered
        if isinstance(answer, CallError):
            return VerificationResult(None, str(answer))
        if answer.status not in (LocateInView.Response.FOUND, LocateInView.Response.NOT_IN_VIEW):
            return VerificationResult(None, f"the locator has not looked for {query!r}: {answer.message}")
        is_in_view = answer.status == LocateInView.Response.FOUND
        words = f"{answer.detector} {'sees' if is_in_view else 'does not see'} {query!r}"
        return VerificationResult(is_in_view is (check.expect == "found"), words)

    async def _remembered(self, check: MemoryCheck, node: str, run: Run) -> VerificationResult:
        begun = seconds(self._node.get_clock().now().to_msg())
        holds = _STATES[check.expect]

        def reached() -> bool:
            return node in self._nodes and holds(self._nodes[node], begun)

        await self._pauses.until(lambda: run.stopping() or reached(), check.timeout)
        run.check()
        if node not in self._nodes:
            return VerificationResult(None, f"memory has no node {node!r}")
        has = "has" if reached() else f"after {check.timeout:.1f} s does not have"
        return VerificationResult(reached(), f"memory {has} {node} as {check.expect}")

    def _measured(self, check: JointCheck) -> VerificationResult:
        if self._joints.missing([check.joint]):
            return VerificationResult(None, f"joint_states has no joint {check.joint!r}")
        (position,) = self._joints.positions([check.joint])
        low, high = check.range
        words = f"{check.joint} is at {position:.3g}, expected {low:.3g} to {high:.3g}"
        return VerificationResult(bool(low <= position <= high), words)

    def _on_graph(self, message: SceneGraph) -> None:
        self._nodes = {node.id: node for node in message.nodes}


_STATES: Mapping[str, Callable[[SceneNode, float], bool]] = {
    "open": lambda node, since: node.opening == SceneNode.OPENING_OPEN,
    "closed": lambda node, since: node.opening == SceneNode.OPENING_CLOSED,
    # A place that was last seen before the motion proves nothing about its result.
    "present": lambda node, since: (
        node.presence == SceneNode.PRESENCE_PRESENT and seconds(node.last_seen) >= since
    ),
    "gone": lambda node, since: node.presence == SceneNode.PRESENCE_GONE,
}
