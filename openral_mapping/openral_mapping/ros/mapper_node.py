"""The mapper node: builds the occupancy of the floor from depth images and transforms.

Subscribes: <camera>/depth, <camera>/camera_info, <camera>/depth/camera_info, tf, tf_static;
robot_description, by which the robot's own links are left out; with the parameter furniture,
openral/perception/*/objects and info, and openral/edit_home (std_msgs/String), edits by people.
Publishes: map, map_walls (nav_msgs/OccupancyGrid, latched, when they changed; the same cells and stamp, the
second with tall obstacles alone), /diagnostics; with furniture, home_map and openral/home_edits
(std_msgs/String, latched); with localise, tf: map -> odom, corrected by every image.
"""

from collections import Counter
from dataclasses import replace
from pathlib import Path

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from nav_msgs.msg import OccupancyGrid

from openral_core.arrays import Array
from openral_core.errors import OpenRALError
from openral_mapping.floor.depth_mapper import DepthMapper, PixelRays
from openral_mapping.floor.recent_people import RecentPeople
from openral_mapping.floor.robot_body import without_body
from openral_mapping.furniture.file import furniture_path
from openral_mapping.ros.body_subscription import BodySubscription
from openral_mapping.ros.furniture_inputs import FurnitureInputs
from openral_mapping.ros.map_localiser import MapLocaliser
from openral_mapping.ros.parameters import MapperParameters
from openral_ros.conversions.floor_maps import occupancy_grid_message
from openral_ros.lifecycle_node import LifecycleNodeBase
from openral_ros.parameters import declare
from openral_ros.qos import LATCHED, RELIABLE
from openral_ros.resources import ResourceScope
from openral_ros.run_node import run_process
from openral_ros.stream_watchdog import StreamWatchdog, SuspensionPolicy
from openral_ros.tf_buffer import TransformBuffer
from openral_world_state.depth_camera import DepthView, Intrinsics
from openral_world_state.ros.depth_subscription import DepthSubscription, find_camera

DEPTH_HISTORY = 2.0
"""Time for which depth images wait for their transforms [s]."""
STAMP_TOLERANCE = 1e-4
"""Difference of two stamps of one image [s]; they are compared as floating-point seconds."""


class PoseLost(OpenRALError):
    """An image that no pose in the map fits, after the odometry has jumped."""

    def __init__(self) -> None:
        super().__init__(
            "the odometry has jumped, and no pose near it fits the map: the image is not used; the robot"
            " looks for its pose in the next ones"
        )


class ActiveMapper:
    """Mapper with its subscriptions and publishers; closed with its scope, which saves the map.

    Raises:
        OpenRALError: If the map file cannot be used.
    """

    def __init__(self, scope: ResourceScope, node: LifecycleNodeBase, parameters: MapperParameters) -> None:
        self._node, self._parameters = node, parameters
        self._config, self._path = parameters.config(), Path(parameters.map_path)
        is_kept = bool(parameters.map_path)
        self._mapper = (
            DepthMapper.load(self._path, self._config)
            if is_kept and self._path.exists()
            else DepthMapper(self._config, parameters.map_frame)
        )
        self._transforms = TransformBuffer(scope)
        self._body = BodySubscription(scope, node, self._transforms)
        self._cameras = [
            DepthSubscription(scope, name, DEPTH_HISTORY, STAMP_TOLERANCE, 0.0, parameters.rectified_cameras)
            for name in parameters.cameras
        ]
        watchdog = StreamWatchdog(scope, node, SuspensionPolicy())
        for camera in self._cameras:
            watchdog.watch(camera.stream)
        self._localiser = (
            MapLocaliser(
                scope, node, parameters.map_frame, parameters.odom_frame, self._path if is_kept else None
            )
            if parameters.localise
            else None
        )
        self._fixed_frame = parameters.odom_frame if parameters.localise else parameters.map_frame
        self._rays: dict[str, tuple[Intrinsics, Array, PixelRays]] = {}
        self._used: dict[str, float] = {}
        self._refused: Counter[str] = Counter()
        self._published = self._saved = self._mapper.images
        self._problem = ""
        self._map = scope.publisher(OccupancyGrid, "map", LATCHED)
        self._walls = scope.publisher(OccupancyGrid, "map_walls", LATCHED)
        self._diagnostics = scope.publisher(DiagnosticArray, "/diagnostics", RELIABLE)
        self._furniture = (
            FurnitureInputs(
                scope,
                node,
                watchdog,
                self._view,
                self._mapper,
                furniture_path(self._path) if is_kept else None,
                parameters.furniture_rate,
                parameters.home_period,
                people=self._localiser.people if self._localiser is not None else RecentPeople(),
            )
            if parameters.furniture
            else None
        )
        if is_kept:
            scope.callback(self._save)
            scope.timer(parameters.save_period, self._save)
        scope.timer(1.0 / parameters.image_rate, self._update)
        scope.timer(parameters.publish_period, self._publish)

    def _update(self) -> None:
        """Fold in the newest image of each camera whose transforms have arrived."""
        for camera in self._cameras:
            try:
                newest = self._transforms.newest(self._fixed_frame, camera.frame)
                stamp = camera.newest_stamp(newest)
                if stamp is None or stamp == self._used.get(camera.name):
                    continue
                self._used[camera.name] = stamp
                self._fold_in(camera.view(stamp, self._transforms, self._fixed_frame), stamp)
            except OpenRALError as error:
                self._refused[type(error).__name__] += 1
                self._problem = str(error)

    def _fold_in(self, view: DepthView, stamp: float) -> None:
        """Fold one image into the map; with a localiser, its pose is one in odom until it was corrected."""
        rays, pixel_rays = self._rays_of(view)
        T_map_base = self._transforms.lookup(self._fixed_frame, self._parameters.base_frame, stamp)
        body = self._body.lines(self._fixed_frame, stamp)
        depth = without_body(view.depth, pixel_rays.body, view.T_map_camera, body, self._config.body_radius)
        view = replace(view, depth=depth)
        if self._localiser is not None:
            view = self._localiser.localise(view, rays, pixel_rays.body, T_map_base)
            if self._localiser.is_lost:
                raise PoseLost
            T_map_base = self._localiser.T_map_odom @ T_map_base
        base = float(T_map_base[0, 3]), float(T_map_base[1, 3])
        self._mapper.update(view.depth, pixel_rays, view.T_map_camera, base)

    def _view(self, camera: str, stamp: float) -> DepthView:
        return find_camera(self._cameras, camera).view(stamp, self._transforms, self._parameters.map_frame)

    def _rays_of(self, view: DepthView) -> tuple[Array, PixelRays]:
        """Return the rays of a camera's depth pixels, computed again only if its intrinsics change."""
        intrinsics = view.depth_intrinsics
        entry = self._rays.get(view.camera)
        if entry is None or not entry[0].matches(intrinsics):
            rays = intrinsics.image_rays()
            entry = self._rays[view.camera] = intrinsics, rays, PixelRays(rays, self._config)
        return entry[1:]

    def _publish(self) -> None:
        """Publish the map if it changed, and how the images were used."""
        now = self._node.get_clock().now()
        if self._mapper.images != self._published:
            self._published = self._mapper.images
            stamp = now.nanoseconds * 1e-9
            self._walls.publish(occupancy_grid_message(self._mapper.wall_map(), stamp))
            self._map.publish(occupancy_grid_message(self._mapper.floor_map(), stamp))
        level = DiagnosticStatus.OK if self._mapper.images else DiagnosticStatus.WARN
        text = "mapping" if self._mapper.images else self._problem or "no depth image yet"
        status = DiagnosticStatus(level=level, name=self._node.get_fully_qualified_name(), message=text)
        facts = {"images": self._mapper.images, **{f"refused {k}": v for k, v in self._refused.items()}}
        if self._furniture is not None:
            facts["furniture"] = len(self._furniture.furniture.tracks)
            facts |= {f"detections refused {k}": v for k, v in self._furniture.refused.items()}
        status.values = [KeyValue(key=key, value=str(value)) for key, value in facts.items()]
        message = DiagnosticArray(status=[status])
        message.header.stamp = now.to_msg()
        self._diagnostics.publish(message)

    def _save(self) -> None:
        """Save the map if it changed; a full disk is logged and tried again."""
        if self._mapper.images == self._saved:
            return
        try:
            self._mapper.save(self._path)
            if self._furniture is not None:
                self._furniture.save()
            if self._localiser is not None:
                self._localiser.save()
        except OSError as error:
            self._node.get_logger().error(f"the map is not saved: {error}; retrying")
            return
        self._saved = self._mapper.images


class MapperNode(LifecycleNodeBase):
    """Lifecycle node of the mapper; active, it holds an `ActiveMapper`."""

    def __init__(self, **options: object) -> None:
        super().__init__("mapper", **options)
        self._parameter_values: MapperParameters | None = None

    def configure(self, scope: ResourceScope) -> None:
        """Declare parameters."""
        self._parameter_values = declare(self, MapperParameters)

    def activate(self, scope: ResourceScope) -> None:
        """Load the map and subscribe to the streams."""
        ActiveMapper(scope, self, self._parameter_values or declare(self, MapperParameters))


def main() -> None:
    """Run the node as a process."""
    run_process(MapperNode)
