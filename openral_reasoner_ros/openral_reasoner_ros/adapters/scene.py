"""The scene graph and the robot's pose, as last published."""

from rclpy.node import Node

from openral_core.errors import OpenRALError
from openral_core.geometry import Pose
from openral_core.scene_graph import SceneGraph
from openral_msgs.msg import SceneGraph as SceneGraphMsg
from openral_msgs.msg import WorldState
from openral_reasoner.exchanges.commands import ReadScene
from openral_reasoner.exchanges.events import SceneRead
from openral_reasoner_ros.adapters.answers import BAD_ANSWERS
from openral_reasoner_ros.carrier import Post
from openral_reasoner_ros.names import SCENE_GRAPH, WORLD_STATE
from openral_ros.conversions.geometry import pose_from_message
from openral_ros.conversions.scene_graph import scene_graph_from_message
from openral_ros.qos import LATCHED, RELIABLE
from openral_ros.scopes import Scope


class SceneAdapter:
    """Holds the newest messages; a graph is converted only when it is read."""

    def __init__(self, scope: Scope, node: Node, post: Post) -> None:
        self._post, self._node = post, node
        self._message: SceneGraphMsg | None = None
        self._graph, self._refused = SceneGraph(), ""
        self._robot: Pose | None = None
        scope.subscription(SceneGraphMsg, SCENE_GRAPH, self._on_graph, LATCHED)
        scope.subscription(WorldState, WORLD_STATE, self._on_state, RELIABLE)

    def read(self, command: ReadScene) -> None:
        """Give the newest graph."""
        self._post(SceneRead(call_id=command.call_id, graph=self.graph, robot=self._robot))

    @property
    def graph(self) -> SceneGraph:
        """The newest graph that was consistent."""
        message, self._message = self._message, None
        if message is not None:
            try:
                self._graph = scene_graph_from_message(message)
            except BAD_ANSWERS as error:
                if str(error) != self._refused:
                    self._node.get_logger().warning(f"the scene graph is not valid: {error}")
                self._refused = str(error)
        return self._graph

    def _on_graph(self, message: SceneGraphMsg) -> None:
        self._message = message

    def _on_state(self, message: WorldState) -> None:
        try:
            self._robot = pose_from_message(message.robot_pose) if message.robot_pose_known else None
        except OpenRALError as error:
            self._node.get_logger().warning(f"the robot's pose is not valid: {error}")
