"""The mapper on real DDS, with a camera and transforms around it."""

import json
import time
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

rclpy = pytest.importorskip("rclpy")
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import TransformStamped
from nav_msgs.msg import OccupancyGrid
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import CameraInfo, Image
from std_msgs.msg import Header, String
from tf2_msgs.msg import TFMessage
from vision_msgs.msg import Detection2DArray

from openral_core.detectors import Detection
from openral_core.floor_map import FREE, OCCUPIED, FloorMap
from openral_core.geometry import Pose
from openral_core.home_edits import EDIT_HOME, HOME_EDITS
from openral_core.home_map import HomeMap
from openral_mapping.floor.scan_matching import ScanMatcher
from openral_mapping.floor.surfaces import UprightSurfaces
from openral_mapping.ros.mapper_node import MapperNode
from openral_ros.conversions.detections import detections_message
from openral_ros.conversions.geometry import pose_from_transform, transform_message
from openral_ros.conversions.images import image_message
from openral_ros.conversions.stamps import seconds, stamp_of
from openral_ros.qos import LATCHED, RELIABLE, SENSOR
from openral_testing.synthetic_depth import (
    Block,
    Plane,
    SyntheticDepthImage,
    Triple,
    look_at_pose,
    render_depth,
)

FRAME = "head_camera_optical_frame"
SHOT = render_depth(
    {"_wall": Plane((1.0, 0.0, 0.0), 3.0), "_floor": Plane((0.0, 0.0, 1.0), 0.0)},
    look_at_pose((0.0, 0.0, 1.3), (2.0, 0.0, 0.3)),
    stamp=10.0,
)


class Robot(Node):
    """Camera, transforms, and what the mapper publishes."""

    def __init__(self, context: Any) -> None:
        super().__init__("robot", context=context)
        static = QoSProfile(depth=10, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self._tf = self.create_publisher(TFMessage, "tf_static", static)
        self.depth = self.create_publisher(Image, "head/depth", SENSOR)
        self._info = self.create_publisher(CameraInfo, "head/camera_info", SENSOR)
        self.maps: list[OccupancyGrid] = []
        self.problems: list[str] = []
        self.walls: list[OccupancyGrid] = []
        self.create_subscription(OccupancyGrid, "map", self.maps.append, LATCHED)
        self.create_subscription(OccupancyGrid, "map_walls", self.walls.append, LATCHED)
        self.create_subscription(DiagnosticArray, "/diagnostics", self._on_diagnostics, RELIABLE)

    def _on_diagnostics(self, message: DiagnosticArray) -> None:
        self.problems += [value.key for value in message.status[0].values]

    def place(self, links: Mapping[str, Triple] = MappingProxyType({})) -> None:
        poses = {FRAME: Pose.from_matrix(SHOT.view.T_map_camera), "base_link": Pose()}
        poses |= {name: Pose(position) for name, position in links.items()}
        found = [
            TransformStamped(child_frame_id=frame, transform=transform_message(pose))
            for frame, pose in poses.items()
        ]
        for item in found:
            item.header.frame_id = "map"
        self._tf.publish(TFMessage(transforms=found))

    def show(self, stamp: float, shot: SyntheticDepthImage = SHOT) -> None:
        intrinsics = shot.view.intrinsics
        info = CameraInfo(width=intrinsics.width, height=intrinsics.height)
        info.k, info.header.frame_id = intrinsics.K.ravel().tolist(), FRAME
        self._info.publish(info)
        self.depth.publish(image_message(shot.view.depth, "32FC1", stamp, FRAME))


@pytest.fixture
def make_node(ros_context: Any) -> Iterator[Callable[..., MapperNode]]:
    made: list[Node] = []

    def make(**parameters: object) -> MapperNode:
        given = {"image_rate": 20.0, "publish_period": 0.1, **parameters}
        overrides = [Parameter(name, value=value) for name, value in given.items()]
        made.append(MapperNode(context=ros_context, parameter_overrides=overrides))
        return made[-1]

    yield make
    for node in made:
        node.close()
        node.destroy_node()


@pytest.fixture
def robot(ros_context: Any) -> Iterator[Robot]:
    node = Robot(ros_context)
    yield node
    node.destroy_node()


def floor_of(message: OccupancyGrid) -> FloorMap:
    cells = np.array(message.data, np.int8).reshape(message.info.height, message.info.width)
    origin = FloorMap(cells, message.info.resolution).origin
    position = message.info.origin.position
    return FloorMap(
        cells, message.info.resolution, origin.model_copy(update={"x": position.x, "y": position.y})
    )


def mapped(node: MapperNode, robot: Robot, spin_until: Callable[..., None]) -> FloorMap:
    """Activate, show images until the wall is on the map, and return it."""
    node.trigger_configure()
    node.trigger_activate()
    spin_until([node, robot], lambda: robot.depth.get_subscription_count() > 0)
    stamps = iter(np.arange(10.0, 1000.0, 0.1))

    def is_mapped() -> bool:
        robot.place()
        robot.show(float(next(stamps)))
        return bool(robot.maps) and floor_of(robot.maps[-1]).value_at(2.5, 0.0) == FREE

    spin_until([node, robot], is_mapped, 20.0)
    return floor_of(robot.maps[-1])


def test_a_map_is_published_in_its_frame_and_saved(
    make_node: Callable[..., MapperNode], robot: Robot, spin_until: Callable[..., None], tmp_path: Path
) -> None:
    node = make_node(map_path=str(tmp_path / "home.npz"))
    found = mapped(node, robot, spin_until)
    assert robot.maps[-1].header.frame_id == "map"
    assert found.value_at(3.02, 0.0) == OCCUPIED
    spin_until([node, robot], lambda: bool(robot.walls) and robot.walls[-1].header == robot.maps[-1].header)
    assert robot.walls[-1].info == robot.maps[-1].info, "the same cells"
    assert floor_of(robot.walls[-1]).value_at(2.5, 0.0) == FREE
    node.trigger_deactivate()
    again = make_node(map_path=str(tmp_path / "home.npz"))
    again.trigger_configure()
    again.trigger_activate()
    before = len(robot.maps)
    robot.place()
    robot.show(2000.0)
    spin_until([again, robot], lambda: len(robot.maps) > before or bool(robot.show(2000.0)), 20.0)
    assert floor_of(robot.maps[-1]).value_at(2.5, 0.0) == FREE


def test_the_arm_that_the_description_names_is_no_obstacle(
    make_node: Callable[..., MapperNode], robot: Robot, spin_until: Callable[..., None]
) -> None:
    links = {"shoulder": (0.5, 0.0, 0.7), "hand": (1.2, 0.0, 0.7)}
    joints = '<joint><parent link="shoulder"/><child link="hand"/></joint>'
    description = robot.create_publisher(String, "robot_description", LATCHED)
    description.publish(String(data=f'<robot name="r">{joints}</robot>'))
    arm = {"arm": Block((0.85, 0.0, 0.7), (0.7, 0.1, 0.1)), "_floor": Plane((0.0, 0.0, 1.0), 0.0)}
    empty, shot = (
        render_depth(bodies, SHOT.view.T_map_camera, size=(160, 120))
        for bodies in ({"_floor": arm["_floor"]}, arm)
    )
    node = make_node()
    node.trigger_configure()
    node.trigger_activate()
    spin_until([node, robot], lambda: robot.depth.get_subscription_count() > 0)
    stamps = count(10.0, 0.1)

    def is_mapped() -> bool:
        robot.place(links)
        robot.show(next(stamps), shot if len(robot.maps) > 5 else empty)
        return len(robot.maps) > 12

    spin_until([node, robot], is_mapped, 20.0)
    assert floor_of(robot.maps[-1]).value_at(1.6, 0.5) == FREE
    assert OCCUPIED not in floor_of(robot.maps[-1]).cells


class ErringWalk:
    """A base that goes 0.1 m per 0.2 s; from the tenth step on, its odometry says 3 cm more."""

    WALLS: Mapping[str, Plane | Block] = MappingProxyType(
        {
            "_wall_x": Plane((1.0, 0.0, 0.0), 3.0),
            "_floor": Plane((0.0, 0.0, 1.0), 0.0),
            "box": Block((2.0, 0.6, 0.4), (0.4, 0.4, 0.8)),
        }
    )

    def __init__(self, robot: Robot) -> None:
        self._robot, self._odometry = robot, robot.create_publisher(TFMessage, "tf", 100)
        robot.create_subscription(TFMessage, "tf", self._note, 100)
        self._began, self._shown, self._stamps = time.monotonic(), 0.0, count(10.0, 0.1)
        self.corrections: dict[float, Pose] = {}

    def _note(self, message: TFMessage) -> None:
        for each in message.transforms:
            if (each.header.frame_id, each.child_frame_id) == ("map", "odom"):
                self.corrections[seconds(each.header.stamp)] = pose_from_transform(each.transform)

    def show(self) -> None:
        """Show the next image, ten a second."""
        if time.monotonic() - self._shown < 0.1:
            return
        self._shown = time.monotonic()
        step, stamp = min(int((self._shown - self._began) / 0.2), 14), next(self._stamps)
        at, error = 0.1 * step, 0.03 if step >= 10 else 0.0
        camera = look_at_pose((at, 0.0, 1.3), (at + 2.0, 0.3, 0.3))
        shot = render_depth(self.WALLS, camera, size=(160, 120))
        believed = camera.copy()
        believed[0, 3] += error
        frames = {"base_link": Pose((at + error, 0.0, 0.0)), FRAME: Pose.from_matrix(believed)}
        found = [
            TransformStamped(child_frame_id=frame, transform=transform_message(pose))
            for frame, pose in frames.items()
        ]
        for item in found:
            item.header.frame_id, item.header.stamp = "odom", stamp_of(stamp)
        self._odometry.publish(TFMessage(transforms=found))
        self._robot.show(stamp, shot)


def test_the_localiser_publishes_map_to_odom_and_corrects_what_the_odometry_errs(
    make_node: Callable[..., MapperNode], robot: Robot, spin_until: Callable[..., None], tmp_path: Path
) -> None:
    node = make_node(localise=True, map_path=str(tmp_path / "home.npz"))
    node.trigger_configure()
    node.trigger_activate()
    spin_until([node, robot], lambda: robot.depth.get_subscription_count() > 0)
    walk = ErringWalk(robot)

    def is_corrected() -> bool:
        walk.show()
        newest = walk.corrections[max(walk.corrections)].position[0] if walk.corrections else 0.0
        return abs(newest + 0.03) < 0.012

    spin_until([node, robot], is_corrected, 30.0)
    pose = tmp_path / "home.pose.json"
    spin_until([node, robot], lambda: pose.exists() and abs(json.loads(pose.read_text())["x"] + 0.03) < 0.012)
    node.trigger_deactivate()
    assert (tmp_path / "home.surfaces.npz").exists()
    walk.corrections.clear()
    again = make_node(localise=True, map_path=str(tmp_path / "home.npz"))
    again.trigger_configure()
    again.trigger_activate()
    spin_until([again, robot], is_corrected, 10.0)


def test_a_localiser_takes_the_kept_pose_only_while_the_odometry_goes_on(
    make_node: Callable[..., MapperNode], robot: Robot, spin_until: Callable[..., None], tmp_path: Path
) -> None:
    wall = np.array([[3.0, y] for y in np.arange(-3.0, 3.0, 0.02)])
    ScanMatcher(earlier=UprightSurfaces(wall, np.tile((-1.0, 0.0), (len(wall), 1)))).save(
        tmp_path / "home.surfaces.npz"
    )
    (tmp_path / "home.pose.json").write_text(json.dumps({"x": 0.6, "y": 0.0, "yaw": 0.0}))
    node = make_node(localise=True, map_path=str(tmp_path / "home.npz"))
    node.trigger_configure()
    node.trigger_activate()
    walk = ErringWalk(robot)

    def began_anew() -> bool:
        walk.show()
        newest = walk.corrections[max(walk.corrections)].position[0] if walk.corrections else 0.6
        return bool(robot.maps) and abs(newest) < 0.05

    spin_until([node, robot], began_anew, 20.0)


def test_images_without_transforms_are_counted_and_not_used(
    make_node: Callable[..., MapperNode], robot: Robot, spin_until: Callable[..., None]
) -> None:
    node = make_node()
    node.trigger_configure()
    node.trigger_activate()

    def is_refused() -> bool:
        robot.show(10.0)
        return "refused UnknownFrame" in robot.problems

    spin_until([node, robot], is_refused, 20.0)
    assert not robot.maps


def test_a_broken_map_file_fails_the_activation(make_node: Callable[..., MapperNode], tmp_path: Path) -> None:
    (tmp_path / "home.npz").write_bytes(b"broken")
    node = make_node(map_path=str(tmp_path / "home.npz"))
    node.trigger_configure()
    assert node.trigger_activate().name == "FAILURE"


def test_with_furniture_the_home_is_published_with_what_detectors_named(
    make_node: Callable[..., MapperNode], robot: Robot, spin_until: Callable[..., None], tmp_path: Path
) -> None:
    homes: list[String] = []
    robot.create_subscription(String, "home_map", homes.append, LATCHED)
    eyes = robot.create_publisher(Detection2DArray, "openral/perception/eyes/objects", RELIABLE)
    options = {"furniture": True, "furniture_rate": 5.0, "home_period": 0.5}
    options["map_path"] = str(tmp_path / "home.npz")
    node = make_node(**options)
    node.trigger_configure()
    node.trigger_activate()
    spin_until(
        [node, robot],
        lambda: eyes.get_subscription_count() > 0 and bool(robot.depth.get_subscription_count()),
    )
    stamps = count(10.0, 0.5)
    block = {"wardrobe": Block((2.7, 0.0, 0.9), (0.6, 1.0, 1.8)), "_wall": Plane((1.0, 0.0, 0.0), 3.0)}
    bodies = block | {"_floor": Plane((0.0, 0.0, 1.0), 0.0)}
    shot = render_depth(bodies, SHOT.view.T_map_camera, size=(160, 120))
    box = Detection(shot.boxes["wardrobe"], "wardrobe", 0.9)

    shown = [0.0]

    def is_found() -> bool:
        if time.monotonic() - shown[0] > 0.25:
            shown[0], stamp = time.monotonic(), next(stamps)
            robot.place()
            robot.show(stamp, shot)
            eyes.publish(detections_message([box], Header(frame_id=FRAME, stamp=stamp_of(stamp))))
        return bool(homes) and "wardrobe_1" in homes[-1].data

    spin_until([node, robot], is_found, 40.0)
    home = HomeMap.model_validate_json(homes[-1].data)
    assert home.fixture("wardrobe_1").kind == "wardrobe"
    assert len(home.rooms) == 1
    spin_until([node, robot], lambda: "furniture" in robot.problems)
    answers: list[String] = []
    robot.create_subscription(String, HOME_EDITS, answers.append, LATCHED)
    asking = robot.create_publisher(String, EDIT_HOME, RELIABLE)
    spin_until([node, robot], lambda: asking.get_subscription_count() > 0)
    for request, edit in EDITS.items():
        asking.publish(String(data=json.dumps({"request": request, "edit": edit})))
        spin_until([node, robot], lambda asked=request: _answered(answers, asked))
    errors = [
        state["error"] for state in map(json.loads, (each.data for each in answers)) if state["request"]
    ]
    assert errors[0] == ""
    assert errors[1].startswith("Input tag 'drive' found")
    assert errors[2] == "edit: room 'attic': no room has the id 'attic'; rooms: room_1 (bedroom)"
    spin_until([node, robot], lambda: "oak wardrobe" in homes[-1].data)
    home = HomeMap.model_validate_json(homes[-1].data)
    node.trigger_deactivate()
    homes.clear()
    again = make_node(**options)
    again.trigger_configure()
    again.trigger_activate()
    spin_until([again, robot], lambda: bool(homes))
    assert HomeMap.model_validate_json(homes[-1].data) == home, "what was found is there without another look"


EDITS: dict[str, dict[str, str]] = {
    "1": {"operation": "name_furniture", "id": "wardrobe_1", "name": "oak wardrobe"},
    "2": {"operation": "drive"},
    "3": {"operation": "name_room", "id": "attic", "name": "attic"},
}


def _answered(answers: list[String], request: str) -> bool:
    return any(json.loads(each.data)["request"] == request for each in answers)
