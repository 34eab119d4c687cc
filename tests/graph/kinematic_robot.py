"""A robot without dynamics in the home of the map: it is where it was sent and sees as a camera would."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import atan2, cos, dist, sin
from typing import Any

import numpy as np
from geometry_msgs.msg import TransformStamped
from rclpy.action import ActionServer
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import CameraInfo, Image
from std_msgs.msg import Header
from tf2_msgs.msg import TFMessage

from openral_core.detectors import Detection, LocateResult, LocateStatus
from openral_core.geometry import Pose
from openral_core.skills import ParamValue, SkillResult, SkillStatus, Verb
from openral_msgs.action import ExecuteRskill
from openral_msgs.msg import DetectorInfo as DetectorInfoMsg
from openral_msgs.msg import SkillCatalogue
from openral_msgs.srv import LocateInView
from openral_ros.conversions.detections import detector_info_message, fill_locate_response
from openral_ros.conversions.geometry import transform_message
from openral_ros.conversions.images import image_message
from openral_ros.conversions.skills import fill_skill_result, skill_goal_from_message
from openral_ros.conversions.stamps import stamp_of
from openral_ros.qos import LATCHED, SENSOR
from openral_testing.detector_info import make_locator_info
from openral_testing.synthetic_depth import (
    Block,
    Cylinder,
    Plane,
    Solid,
    SyntheticDepthImage,
    look_at_pose,
    render_depth,
)

Triple = tuple[float, float, float]
Params = Mapping[str, ParamValue]
FRAME, GRIPPER = "head_camera_optical_frame", "grasp"
LOCATOR = "/openral/perception/sim_groundtruth_locator"
EYE, REACH = 1.35, 0.15
"""Height of the camera, and how far a grasp may miss [m]."""
COUNTER_TOP = 0.9
SHELL: Mapping[str, Solid] = {
    "_counter": Block((2.0, 4.19, COUNTER_TOP / 2), (2.6, 0.6, COUNTER_TOP)),
    "_floor": Plane((0.0, 0.0, 1.0), 0.0),
    "_west": Plane((1.0, 0.0, 0.0), 0.0),
    "_south": Plane((0.0, 1.0, 0.0), 0.0),
    "_north": Plane((0.0, 1.0, 0.0), 4.5),
    "_east": Plane((1.0, 0.0, 0.0), 10.0),
}
DOORS: Mapping[str, Solid] = {
    "fridge": Block((0.68, 1.7, 0.875), (0.02, 0.7, 1.75)),
    "cabinet": Block((2.0, 0.47, 0.75), (0.72, 0.02, 1.5)),
}
LOCATOR_INFO = make_locator_info(
    "sim-groundtruth-locator", memory_declared=80.0, latency=0.02, is_default=True
)


@dataclass(frozen=True)
class Vessel:
    """Something upright that can be held; ``spot`` is where on the counter it is put down [m]."""

    center: Triple
    radius: float
    height: float
    spot: float


@dataclass
class Scenario:
    """State of the world and log of performed actions."""

    things: dict[str, Vessel]
    base: Pose = field(default_factory=lambda: Pose.planar(2.0, 2.2, 1.57))
    gaze: Triple = (2.0, 4.2, 0.9)
    closed: set[str] = field(default_factory=lambda: set(DOORS))
    opened: list[str] = field(default_factory=list)
    held: str = ""
    filled: dict[str, str] = field(default_factory=dict)
    delivered: list[tuple[str, str]] = field(default_factory=list)

    def shot(self, stamp: float) -> SyntheticDepthImage:
        """Return the current view of the head camera."""
        seen = {n: Cylinder(v.center, v.radius, v.height) for n, v in self.things.items() if n != self.held}
        doors = {f"_{name}": DOORS[name] for name in self.closed}
        x, y, _ = self.base.position
        return render_depth(
            {**SHELL, **doors, **seen}, look_at_pose((x, y, EYE), self.gaze), (320, 240), stamp=stamp
        )

    @property
    def gripper(self) -> Triple:
        """Before the robot; at what was put down last."""
        x, y, _ = self.base.position
        return (x + 0.6 * cos(self.base.yaw), y + 0.6 * sin(self.base.yaw), 1.0)

    def do(self, verb: Verb, params: Params) -> SkillResult:
        """One skill."""
        return _SKILLS[verb](self, params)

    def near(self, pose: Pose) -> str:
        """The thing that stands there; "" where none does."""
        ways = {n: dist(v.center, pose.position) for n, v in self.things.items() if n != self.held}
        name = min(ways, key=lambda item: ways[item], default="")
        return name if name and ways[name] < REACH else ""


def _pose(params: Params, name: str) -> Pose:
    pose = params[name]
    assert isinstance(pose, Pose)
    return pose


_DONE = SkillResult(SkillStatus.SUCCEEDED, "done")
_NOTHING = SkillResult(SkillStatus.NOTHING_THERE, "nothing there")


def _navigate(scenario: Scenario, params: Params) -> SkillResult:
    scenario.base = _pose(params, "goal")
    x, y, _ = scenario.base.position
    scenario.gaze = (x + cos(scenario.base.yaw), y + sin(scenario.base.yaw), 1.0)
    return _DONE


def _look_at(scenario: Scenario, params: Params) -> SkillResult:
    scenario.gaze = _pose(params, "target").position
    x, y, _ = scenario.base.position
    scenario.base = Pose.planar(x, y, atan2(scenario.gaze[1] - y, scenario.gaze[0] - x))
    return _DONE


def _open(scenario: Scenario, params: Params) -> SkillResult:
    if scenario.held:
        return SkillResult(SkillStatus.BUSY, "the hand is full")
    scenario.closed.discard(str(params["container_id"]))
    scenario.opened.append(str(params["container_id"]))
    return _DONE


def _close(scenario: Scenario, params: Params) -> SkillResult:
    scenario.closed.add(str(params["container_id"]))
    return _DONE


def _grasp(scenario: Scenario, params: Params) -> SkillResult:
    scenario.held = scenario.near(_pose(params, "target"))
    return _DONE if scenario.held else _NOTHING


def _place(scenario: Scenario, params: Params) -> SkillResult:
    item = scenario.things[scenario.held]
    center = (item.spot, _pose(params, "target").position[1], COUNTER_TOP + item.height / 2)
    scenario.things[scenario.held] = replace(item, center=center)
    scenario.held = ""
    return SkillResult(SkillStatus.SUCCEEDED, "put down", {"pose": Pose(center)})


def _pour(scenario: Scenario, params: Params) -> SkillResult:
    vessel = scenario.near(_pose(params, "target"))
    if not vessel:
        return _NOTHING
    scenario.filled[vessel] = scenario.held
    return _DONE


def _handover(scenario: Scenario, params: Params) -> SkillResult:
    scenario.delivered.append((scenario.held, str(params["agent_id"])))
    scenario.held = ""
    return _DONE


_SKILLS: Mapping[Verb, Callable[[Scenario, Params], SkillResult]] = {
    Verb.NAVIGATE: _navigate,
    Verb.LOOK_AT: _look_at,
    Verb.OPEN: _open,
    Verb.CLOSE: _close,
    Verb.GRASP: _grasp,
    Verb.PLACE: _place,
    Verb.POUR: _pour,
    Verb.HANDOVER: _handover,
}


class KinematicRobot(Node):
    """Camera, transforms, one locator and the skill server around an scenario."""

    def __init__(self, context: Any, scenario: Scenario) -> None:
        super().__init__("errand_robot", context=context)
        self.scenario = scenario
        lasting = QoSProfile(depth=10, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self._tf = self.create_publisher(TFMessage, "/tf_static", lasting)
        self._depth = self.create_publisher(Image, "/head/depth", SENSOR)
        self._camera = self.create_publisher(CameraInfo, "/head/camera_info", SENSOR)
        self._skills = self.create_publisher(SkillCatalogue, "/openral/skills", LATCHED)
        self._info = self.create_publisher(DetectorInfoMsg, f"{LOCATOR}/info", LATCHED)
        self._info.publish(detector_info_message(LOCATOR_INFO))
        self.create_service(LocateInView, f"{LOCATOR}/locate_in_view", self._locate)
        self._server = ActionServer(self, ExecuteRskill, "/openral/execute_rskill", self._execute)
        self._announce()

    def destroy_node(self) -> None:
        """Also give the action server back, which rclpy leaves alone."""
        self._server.destroy()
        super().destroy_node()

    def _announce(self) -> None:
        self._transform()
        verbs = [verb.value for verb in Verb]
        self._skills.publish(SkillCatalogue(verbs=verbs, holding=self.scenario.held))

    def _transform(self) -> None:
        x, y, _ = self.scenario.base.position
        frames = {
            "base_link": self.scenario.base,
            GRIPPER: Pose(self.scenario.gripper),
            FRAME: Pose.from_matrix(look_at_pose((x, y, EYE), self.scenario.gaze)),
        }
        placed = [
            TransformStamped(child_frame_id=name, transform=transform_message(pose))
            for name, pose in frames.items()
        ]
        for item in placed:
            item.header.frame_id = "map"
        self._tf.publish(TFMessage(transforms=placed))

    def _execute(self, handle: Any) -> Any:
        goal = skill_goal_from_message(handle.request)
        verb = Verb(goal.rskill_id.upper().replace("-", "_"))
        result = self.scenario.do(verb, goal.params)
        self._announce()
        handle.succeed()
        return fill_skill_result(ExecuteRskill.Result(), result)

    def _locate(self, request: Any, response: Any) -> Any:
        shot = self.scenario.shot(self.get_clock().now().nanoseconds * 1e-9)
        named = {
            name: box for name, box in shot.boxes.items() if set(request.query.split()) <= set(name.split())
        }
        self._show(shot)
        found = tuple(Detection(box, name, 0.9) for name, box in named.items())
        status = LocateStatus.FOUND if found else LocateStatus.NOT_IN_VIEW
        result = LocateResult(status, status.name, request.query, "head", LOCATOR_INFO.name.id, found)
        header = Header(frame_id=FRAME, stamp=stamp_of(shot.view.stamp))
        return fill_locate_response(response, result, header)

    def _show(self, shot: SyntheticDepthImage) -> None:
        view = shot.view
        self._transform()
        camera = CameraInfo(width=view.intrinsics.width, height=view.intrinsics.height)
        camera.k = np.asarray(view.intrinsics.K).ravel().tolist()
        camera.header = Header(frame_id=FRAME, stamp=stamp_of(view.stamp))
        self._camera.publish(camera)
        self._depth.publish(image_message(view.depth, "32FC1", view.stamp, FRAME))
