"""Every peer of the reasoner, what lives of them, and which command goes to whom."""

from collections.abc import Mapping

from rclpy.node import Node

from openral_reasoner.exchanges import commands as c
from openral_reasoner.palettes import LiveGraph
from openral_reasoner_ros.adapters.lifecycle import LifecycleAdapter
from openral_reasoner_ros.adapters.locate import LocateAdapter
from openral_reasoner_ros.adapters.memory import MemoryAdapter
from openral_reasoner_ros.adapters.scene import SceneAdapter
from openral_reasoner_ros.adapters.skill import SkillAdapter
from openral_reasoner_ros.carrier import Adapter, Post
from openral_reasoner_ros.detectors import Detectors
from openral_reasoner_ros.failures import Failures
from openral_reasoner_ros.parameters import ReasonerParameters
from openral_reasoner_ros.traces import Traces
from openral_ros.scopes import Scope


class Peers:
    """World state, detectors, lifecycle peers and the skill server."""

    def __init__(
        self, scope: Scope, node: Node, post: Post, traces: Traces, parameters: ReasonerParameters
    ) -> None:
        timeout = parameters.peer_timeout
        self._detectors = Detectors(scope, node, timeout)
        self._looks = LocateAdapter(self._detectors, post, traces)
        self._memory = MemoryAdapter(
            scope, node, post, traces, self._looks, parameters.memory_deadline, timeout
        )
        self._skill = SkillAdapter(scope, node, post, traces, timeout)
        self._scene = SceneAdapter(scope, node, post)
        self._lifecycle = LifecycleAdapter(scope, node, post, parameters.transition_deadline)
        self._failures = Failures(scope, node, post)
        self._allowed = parameters.lifecycle_peer_node_ids

    @property
    def table(self) -> Mapping[type, Adapter]:
        """Which adapter carries which command."""
        return {
            c.CallRecall: self._memory.recall,
            c.CallResolve: self._memory.resolve,
            c.CallObserve: self._memory.observe,
            c.CallLocate: self._looks.locate,
            c.ReadScene: self._scene.read,
            c.SendSkill: self._skill.send,
            c.CancelSkill: self._skill.cancel,
            c.ChangeState: self._lifecycle.change,
        }

    def poll(self) -> LiveGraph:
        """Look at the graph again."""
        self._detectors.poll()
        self._failures.poll()
        self._memory.poll()
        self._skill.poll()
        return LiveGraph(
            detectors=self._detectors.seen(),
            memory_alive=self._memory.alive,
            skill_server_alive=self._skill.alive,
            verbs=self._skill.verbs,
            holding=self._skill.holding,
            busy=self._skill.busy,
            scene=self._scene.graph,
            peers=self._switchable(),
        )

    def _switchable(self) -> tuple[str, ...]:
        """Living detectors that may be switched, and whose nodes can be asked to."""
        allowed = self._allowed
        return tuple(
            peer
            for peer, name in self._detectors.lifecycle_nodes()
            if (not allowed or peer in allowed or name in allowed) and self._lifecycle.meet(peer, name)
        )
