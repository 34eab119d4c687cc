"""Subscriptions to what explains a blocked way: the floor, the map of the home and the people in memory."""

from contextlib import suppress

from nav_msgs.msg import OccupancyGrid
from pydantic import ValidationError
from std_msgs.msg import String

from openral_core.errors import OpenRALError
from openral_core.floor_map import FloorMap
from openral_core.home_map import HomeMap
from openral_core.spatial_memory import SceneGraph
from openral_core.surroundings import Surroundings
from openral_msgs.msg import SceneGraph as SceneGraphMsg
from openral_ros.conversions.floor_maps import floor_map_from_message
from openral_ros.conversions.geometry import MAP
from openral_ros.conversions.spatial_memory import scene_graph_from_message
from openral_ros.foreign_topics import subscribe_state
from openral_ros.qos import LATCHED
from openral_ros.resources import ResourceScope


class SurroundingsSubscription:
    """Newest surroundings, called for when a skill has failed; messages are converted only then.

    Subscribes map, home_map and openral/scene_graph. An invalid message counts as one that has not come.

    Args:
        scope: Of the subscriptions.
        home: Map of the home until one comes on home_map, None if none is known.
        map_frame: Frame that map must have.
    """

    def __init__(self, scope: ResourceScope, home: HomeMap | None = None, map_frame: str = MAP) -> None:
        self._home, self._map_frame = home, map_frame
        self._earlier = {item.id: item.pose for item in home.fixtures} if home else {}
        self._floor: OccupancyGrid | None = None
        self._graph: SceneGraphMsg | None = None
        subscribe_state(scope, OccupancyGrid, "map", self._on_floor)
        scope.subscription(String, "home_map", self._on_home, LATCHED)
        scope.subscription(SceneGraphMsg, "openral/scene_graph", self._on_graph, LATCHED)

    def __call__(self) -> Surroundings:
        """Return what is known now."""
        floor: FloorMap | None = None
        graph = SceneGraph()
        with suppress(OpenRALError):
            if self._floor is not None:
                floor = floor_map_from_message(self._floor, self._map_frame)
        with suppress(OpenRALError):
            graph = scene_graph_from_message(self._graph) if self._graph is not None else graph
        return Surroundings.of(floor, self._home, graph, self._earlier)

    def _on_floor(self, message: OccupancyGrid) -> None:
        self._floor = message

    def _on_graph(self, message: SceneGraphMsg) -> None:
        self._graph = message

    def _on_home(self, message: String) -> None:
        with suppress(ValidationError):
            self._home = HomeMap.model_validate_json(message.data)
            for item in self._home.fixtures:
                self._earlier.setdefault(item.id, item.pose)
