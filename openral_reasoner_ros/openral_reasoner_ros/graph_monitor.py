"""Monitor of the reasoner's peers: their state for the palette, their clients and their failure reports."""

from collections.abc import Mapping

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.node import Node

from openral_msgs.msg import FailureTrigger
from openral_reasoner import commands as c
from openral_reasoner.core.mission_core import NAMED, REPORTED
from openral_reasoner.events import FailureReported, StopChanged
from openral_reasoner.palette.build import GraphState
from openral_reasoner.palette.entries import BrainEntry
from openral_reasoner_ros.detector_registry import DetectorRegistry
from openral_reasoner_ros.dispatcher import Handler, Post
from openral_reasoner_ros.parameters import ReasonerParameters
from openral_reasoner_ros.service_clients import LifecycleClient, LocateClient, MemoryClient, SceneClient
from openral_reasoner_ros.skill_client import SkillClient
from openral_reasoner_ros.telemetry import Traces
from openral_reasoner_ros.topics import FAILURE, OWN_FAILURE
from openral_ros.emergency_stop import STOP_STATE, stop_reason
from openral_ros.qos import LATCHED, RELIABLE
from openral_ros.resources import ResourceScope

FAILURE_TYPE = "openral_msgs/msg/FailureTrigger"
MAX_FAILURE_TOPICS = 64
"""Failure topics subscribed to; a graph has one per node."""


class FailureSubscription:
    """Subscriptions to the failure topics of all other nodes, found by discovery."""

    def __init__(self, scope: ResourceScope, node: Node, post: Post) -> None:
        self._scope, self._node, self._post = scope, node, post
        self._prefix = node.resolve_topic_name(FAILURE) + "/"
        self._own = node.resolve_topic_name(OWN_FAILURE)
        self._topics: set[str] = set()

    def poll(self) -> None:
        """Subscribe to newly discovered failure topics."""
        for topic, types in self._node.get_topic_names_and_types():
            if len(self._topics) >= MAX_FAILURE_TOPICS:
                return
            of_others = topic.startswith(self._prefix) and topic != self._own
            if of_others and FAILURE_TYPE in types and topic not in self._topics:
                self._topics.add(topic)
                self._scope.subscription(FailureTrigger, topic, self._on_failure, RELIABLE)

    def _on_failure(self, message: FailureTrigger) -> None:
        event = FailureReported(
            source=message.source[:NAMED], condition=message.kind[:NAMED], message=message.message[:REPORTED]
        )
        self._post(event)


class GraphMonitor:
    """World state, detectors and their lifecycle nodes, and the skill server, as seen by discovery."""

    def __init__(
        self, scope: ResourceScope, node: Node, post: Post, traces: Traces, parameters: ReasonerParameters
    ) -> None:
        timeout = parameters.peer_timeout
        self._detectors = DetectorRegistry(scope, node, timeout)
        self._locate = LocateClient(scope, self._detectors, post, traces)
        self._memory = MemoryClient(
            scope, node, post, traces, self._locate, parameters.memory_deadline, timeout
        )
        self.skill = SkillClient(scope, node, post, traces, timeout)
        self._scene = SceneClient(scope, node, post)
        self._lifecycle = LifecycleClient(scope, node, post, parameters.transition_deadline)
        self._failures = FailureSubscription(scope, node, post)
        self._allowed = {*parameters.lifecycle_peer_node_ids, *parameters.vram_lifecycle_peers}
        scope.subscription(
            DiagnosticStatus,
            STOP_STATE,
            lambda message: post(StopChanged(reason=stop_reason(message)[:REPORTED])),
            LATCHED,
        )

    @property
    def handlers(self) -> Mapping[type, Handler]:
        """Handlers of the commands that go to peers."""
        return {
            c.CallRecall: self._memory.recall,
            c.CallResolve: self._memory.resolve,
            c.CallObserve: self._memory.observe,
            c.CallEdit: self._memory.edit,
            c.CallLocate: self._locate.locate,
            c.ReadScene: self._scene.read,
            c.SendSkill: self.skill.send,
            c.CancelSkill: self.skill.cancel,
            c.ChangeState: self._lifecycle.change,
        }

    def poll(self, brain: BrainEntry | None) -> GraphState:
        """Return the current state of the graph, to which the model's worker belongs, and probe it anew."""
        self._detectors.poll()
        self._failures.poll()
        self._memory.poll()
        self.skill.poll()
        return GraphState(
            detectors=self._detectors.states(),
            memory_alive=self._memory.alive,
            skill_server_alive=self.skill.alive,
            verbs=self.skill.verbs,
            holding=self.skill.holding,
            busy=self.skill.busy,
            policy=self.skill.policy,
            scene=self._scene.graph,
            in_view=self._scene.in_view,
            peers=self._managed_detectors(),
            brain=brain,
        )

    def _managed_detectors(self) -> tuple[str, ...]:
        """Live detectors that may be activated and deactivated, and whose nodes offer that."""
        allowed = self._allowed
        return tuple(
            peer
            for peer, name in self._detectors.lifecycle_nodes()
            if (not allowed or peer in allowed or name in allowed) and self._lifecycle.register(peer, name)
        )
