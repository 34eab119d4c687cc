"""Topics on which the world is told."""

import time
from collections.abc import Iterable

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.clock import Clock
from vision_msgs.msg import Detection3DArray
from visualization_msgs.msg import MarkerArray

from openral_core.geometry import Pose
from openral_core.scene_graph import Presence
from openral_msgs.msg import SceneGraph, WorldState
from openral_ros.conversions.geometry import pose_message
from openral_ros.conversions.scene_graph import scene_graph_message
from openral_ros.conversions.times import seconds
from openral_ros.qos import LATCHED, RELIABLE
from openral_ros.scopes import Scope
from openral_world_state.ros.messages import detections_3d, markers
from openral_world_state.worlds import Seen, World

_REST = 9.0
"""How many times as long as a graph took to make the next one waits."""


class Publications:
    """Scene graph (latched, when changed), summary, detections in map, markers, diagnostics."""

    def __init__(self, scope: Scope, clock: Clock, name: str, map_frame: str) -> None:
        self._clock, self._name, self._map = clock, name, map_frame
        self._graph = scope.publisher(SceneGraph, "openral/scene_graph", LATCHED)
        self._state = scope.publisher(WorldState, "openral/world_state", RELIABLE)
        self._objects = scope.publisher(Detection3DArray, "openral/world_state/objects", RELIABLE)
        self._markers = scope.publisher(MarkerArray, "openral/world_state/markers", LATCHED)
        self._diagnostics = scope.publisher(DiagnosticArray, "/diagnostics", RELIABLE)
        self._published, self._due = -1, 0.0

    def publish_graph(self, world: World) -> None:
        """The scene graph, if it changed since the last time; a large one less often."""
        began = time.monotonic()
        if world.memory.revision == self._published or began < self._due:
            return
        self._published = world.memory.revision
        graph, now = world.graph(), self._clock.now().to_msg()
        self._graph.publish(scene_graph_message(graph, seconds(now)))
        if self._markers.get_subscription_count():
            self._markers.publish(markers(graph, now, self._map))
        ended = time.monotonic()
        self._due = ended + _REST * (ended - began)

    def publish_state(self, world: World, robot: Pose | None, seen: Iterable[Seen]) -> None:
        """Where the robot is and what its detectors see."""
        now = self._clock.now().to_msg()
        state = WorldState(revision=world.memory.revision, map_epoch=world.settings.map_epoch)
        state.header.stamp, state.header.frame_id = now, self._map
        if robot is not None:
            state.robot_pose_known, state.robot_pose = True, pose_message(robot)
            site = world.home.nearest_site(robot.position, 1.5)
            state.robot_place = site.node.id if site else ""
            state.robot_room = world.home.room_at(robot.position)
        state.detected_objects = detections_3d(seen, now, self._map)
        state.remembered_objects = len(world.memory)
        state.stale_objects = sum(record.presence is not Presence.PRESENT for record in world.memory)
        self._state.publish(state)

    def publish_objects(self, seen: Seen) -> None:
        """What one look saw, in map."""
        if self._objects.get_subscription_count():
            self._objects.publish(detections_3d([seen], self._clock.now().to_msg(), self._map))

    def publish_diagnostics(self, facts: dict[str, object], trouble: str) -> None:
        """Counts of what was taken in and refused; ``trouble`` is why memory is not kept, "" when it is."""
        level = DiagnosticStatus.ERROR if trouble else DiagnosticStatus.OK
        status = DiagnosticStatus(level=level, name=self._name, message=trouble or "remembering")
        status.values = [KeyValue(key=key, value=str(value)) for key, value in facts.items()]
        message = DiagnosticArray(status=[status])
        message.header.stamp = self._clock.now().to_msg()
        self._diagnostics.publish(message)
