"""Objects and people that the goals of a skill server are about, by memory's graph.

Subscribes openral/scene_graph.
"""

from dataclasses import replace

from rclpy.node import Node

from openral_core.consent.identities import Identity
from openral_core.consent.policy import Subject
from openral_core.errors import OpenRALError
from openral_core.home_map import HomeMap
from openral_core.skill_requests import ValidatedGoal
from openral_core.skills import Verb
from openral_core.spatial_memory import SceneGraph
from openral_msgs.msg import SceneGraph as SceneGraphMsg
from openral_ros.conversions.spatial_memory import scene_graph_from_message
from openral_ros.qos import LATCHED
from openral_ros.resources import ResourceScope

SCENE_GRAPH = "openral/scene_graph"


class KnownObjects:
    """Objects as memory knows them; without memory, and after it is gone, none is known."""

    def __init__(self, scope: ResourceScope, node: Node) -> None:
        self._node, self._held = node, Identity()
        self._graph: SceneGraphMsg | None = None
        self._topic = node.resolve_topic_name(SCENE_GRAPH)
        self._read: SceneGraph | None = None
        scope.subscription(SceneGraphMsg, SCENE_GRAPH, self._on_graph, LATCHED)

    def subject(self, goal: ValidatedGoal, holding: str, home: HomeMap | None) -> Subject:
        """Return what a goal is about; the hand holds what a goal took, whatever it is called now."""
        held = replace(self._held, name=holding) if holding else Identity()
        return Subject.of(goal, held, home, self._current())

    def began(self, subject: Subject, holding: str) -> None:
        """Note what the hand takes."""
        if subject.verb is Verb.GRASP and not holding:
            self._held = subject.objects[0]

    def _on_graph(self, message: SceneGraphMsg) -> None:
        self._graph, self._read = message, None

    def _current(self) -> SceneGraph | None:
        if self._graph is None or not self._node.count_publishers(self._topic):
            return None
        if self._read is None:
            try:
                self._read = scene_graph_from_message(self._graph)
            except OpenRALError as error:
                self._node.get_logger().error(
                    f"openral/scene_graph is not valid, so no object is known: {error}"
                )
        return self._read
