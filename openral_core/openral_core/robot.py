"""robot.yaml: frames, cameras, localisation and the backend of each verb of one robot."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from openral_core.documents import Document, InvalidDocument, load_document
from openral_core.policies import PolicyBackend
from openral_core.ros_names import CameraId, Frame, InterfaceType, OptionalName, RosName
from openral_core.rskills import Verb
from openral_core.skills import SkillStatus


class Frames(Document):
    """Frames of REP 105."""

    map: Frame = "map"
    odom: Frame = "odom"
    base: Frame = "base_link"


class Camera(Document):
    """One camera; topics are those of its driver."""

    image: RosName = Field(description="sensor_msgs/Image, colour")
    info: RosName = Field(description="sensor_msgs/CameraInfo of that image")
    depth: OptionalName = Field(default="", description="depth image; empty = none")
    depth_info: OptionalName = Field(
        default="", description="CameraInfo of depth in a frame of its own; empty = registered to the image"
    )
    semantic: OptionalName = Field(
        default="",
        description="semantic instance images, as some simulators publish them; empty = none",
    )
    labels: OptionalName = Field(
        default="", description="vision_msgs/LabelInfo of the semantic images; empty = none"
    )
    rectified: bool = Field(
        default=False, description="the image is rectified: P of info applies, not K and D"
    )
    transport: Literal["raw", "compressed"] = Field(
        default="raw",
        description="compressed = sensor_msgs/CompressedImage on <image>/compressed",
    )
    optical_frame: Frame = Field(description="frame_id of its images, z forward (REP 103)")
    mounted_on: Literal["body", "hand"] = Field(
        default="body",
        description="hand = it moves with the arm's tip: with depth, it looks at an object before a grasp",
    )
    rate: float = Field(default=15.0, gt=0.0, description="expected images per second [Hz]")
    look_rate: float | None = Field(
        default=None,
        gt=0.0,
        description="most looks per second of a continuous detector; none = its `rate` [Hz]",
    )
    look_share: float = Field(
        default=1.0, gt=0.0, description="turns of a continuous detector, relative to the other cameras [1]"
    )

    @property
    def image_topic(self) -> str:
        """Topic of its images by its transport."""
        return f"{self.image}/compressed" if self.transport == "compressed" else self.image


class LocalisationLimits(Document):
    """Quality of the pose estimate below which the base is not driven."""

    topic: RosName = Field(default="amcl_pose", description="geometry_msgs/PoseWithCovarianceStamped")
    max_position_variance: float = Field(default=0.10, gt=0.0, description="of x and of y [m^2]")
    max_yaw_variance: float = Field(default=0.18, gt=0.0, description="[rad^2]")


class Nav2Backend(Document):
    """NAVIGATE by nav2_msgs/action/NavigateToPose."""

    backend: Literal["nav2"]
    action: RosName = "navigate_to_pose"
    navigator: OptionalName = Field(
        default="bt_navigator", description="lifecycle node that must be active; empty = none"
    )
    behavior_tree: str = Field(default="", description="behaviour tree file of Nav2; empty = its default")
    progress_timeout: float = Field(
        default=30.0, gt=0.0, description="longest time without getting nearer and without a recovery [s]"
    )


class SpinBackend(Document):
    """LOOK_AT by turning the base towards the target: nav2_msgs/action/Spin."""

    backend: Literal["spin"]
    action: RosName = "spin"
    yaw_rate: float = Field(default=0.5, gt=0.0, description="slowest turn that is waited for [rad/s]")
    tolerance: float = Field(
        default=0.1, gt=0.0, description="angle below which the base does not turn [rad]"
    )


class PanTiltDescription(Document):
    """Pan-tilt head.

    At zero pan and tilt the camera looks along x of ``pan_frame``, whose z is the pan axis.
    """

    pan_joint: str = Field(min_length=1)
    tilt_joint: str = Field(min_length=1)
    pan_frame: Frame = Field(description="link that carries the pan joint")
    tilt_height: float = Field(default=0.0, description="height of the tilt axis above pan_frame [m]")
    pan_range: tuple[float, float] = Field(default=(-1.57, 1.57), description="[rad]")
    tilt_range: tuple[float, float] = Field(default=(-0.8, 0.8), description="[rad]")
    tilt_down_is_positive: bool = True
    speed: float = Field(default=1.0, gt=0.0, description="of each joint [rad/s]")
    spin: SpinBackend | None = Field(default=None, description="turns the base where the head cannot reach")

    @model_validator(mode="after")
    def _ranges_are_ordered(self) -> Self:
        for name, (low, high) in (("pan_range", self.pan_range), ("tilt_range", self.tilt_range)):
            if low >= high:
                raise ValueError(f"{name} must be [low, high] with low < high")
        return self


class HeadBackend(PanTiltDescription):
    """LOOK_AT by a pan-tilt head with an action: control_msgs/action/FollowJointTrajectory."""

    backend: Literal["head"]
    action: RosName


class PanTiltBackend(PanTiltDescription):
    """LOOK_AT by a pan-tilt head with a topic; joint_states tells when it has arrived."""

    backend: Literal["pan_tilt"]
    topic: RosName
    type: Literal["trajectory", "positions"] = Field(
        description="trajectory = trajectory_msgs/JointTrajectory, positions = std_msgs/Float64MultiArray"
    )
    tolerance: float = Field(
        default=0.05, gt=0.0, le=0.5, description="error of each joint at which it has arrived [rad]"
    )


class GripperDescription(Document):
    """Parallel gripper of ros2_control; between its two positions the opening is linear."""

    action: RosName = Field(description="its action server")
    type: Literal["parallel", "command"] = Field(
        description="parallel = control_msgs/action/ParallelGripperCommand, command = GripperCommand"
    )
    joint: str = Field(min_length=1, description="joint that joint_states and the action report")
    opening: float = Field(gt=0.0, le=0.4, description="largest distance between the pads [m]")
    open_position: float = Field(description="position of the joint at that opening [m] or [rad]")
    closed_position: float = Field(default=0.0, description="position of the joint when closed [m] or [rad]")
    pad: tuple[float, float, float] = Field(
        description="breadth, thickness along the travel and length along the approach of a pad [m]"
    )
    tip_length: float = Field(gt=0.0, le=0.2, description="from the tip frame to the ends of the pads [m]")
    effort: float = Field(default=20.0, gt=0.0, description="force of the grip [N]")
    links: tuple[Frame, ...] = Field(
        default=(), description="links of hand and fingers, which may touch a held object"
    )
    missed_opening: float = Field(
        default=0.004, gt=0.0, description="opening below which the fingers have closed on nothing [m]"
    )

    @model_validator(mode="after")
    def _sizes_are_possible(self) -> Self:
        if self.open_position == self.closed_position:
            raise ValueError("open_position and closed_position must differ")
        if not all(0.0 < size <= 0.2 for size in self.pad):
            raise ValueError(f"pad must be three lengths above 0 and up to 0.2 m, found {list(self.pad)}")
        if self.missed_opening >= self.opening:
            raise ValueError("missed_opening must be less than opening")
        return self


Axis = Literal["x", "y", "z"]


class ArmDescription(Document):
    """Arm that MoveIt plans for, with its gripper."""

    group: str = Field(min_length=1, description="planning group")
    base: Frame = Field(description="link from which the reach is measured")
    tip: Frame = Field(description="link between the pads, for which poses are planned")
    approach_axis: Axis = Field(default="z", description="axis of the tip that points out of the hand")
    travel_axis: Axis = Field(default="y", description="axis of the tip along which the fingers travel")
    reach: float = Field(gt=0.0, le=3.0, description="largest distance from base to tip [m]")
    payload: float = Field(gt=0.0, description="heaviest object; MoveIt is told it as the weight held [kg]")
    gripper: GripperDescription
    move_action: RosName = Field(default="move_action", description="moveit_msgs/action/MoveGroup")
    carry: dict[str, float] = Field(
        default_factory=dict, description="joint positions for driving [rad] or [m]; empty = stay"
    )
    planning_time: float = Field(default=5.0, gt=0.0, le=60.0, description="longest planning of a motion [s]")
    attempts: int = Field(default=4, ge=1, le=100, description="planning attempts per motion")
    speed: float = Field(default=0.3, gt=0.0, le=1.0, description="fraction of the joints' limits")
    linear_pipeline: str = Field(
        default="",
        description="pipeline of straight motions, as pilz_industrial_motion_planner",
    )
    linear_planner: str = Field(default="", description="planner of straight motions, as LIN")
    position_tolerance: float = Field(default=0.005, gt=0.0, le=0.1, description="of the tip [m]")
    orientation_tolerance: float = Field(default=0.05, gt=0.0, le=1.0, description="of each axis [rad]")

    @model_validator(mode="after")
    def _axes_differ(self) -> Self:
        if self.approach_axis == self.travel_axis:
            raise ValueError(
                f"approach_axis and travel_axis are both {self.approach_axis!r}: they must differ"
            )
        return self


class MoveItBackend(Document):
    """GRASP, PLACE or HANDOVER by MoveIt and the gripper of `arm`."""

    backend: Literal["moveit"]
    candidates: int = Field(default=8, ge=1, le=50, description="hand poses that are planned at most")
    distance: float = Field(
        default=0.10, gt=0.0, le=0.5, description="from the hand before to the hand at the object [m]"
    )
    lift: float = Field(default=0.10, gt=0.0, le=0.5, description="height to which an object is lifted [m]")
    look_distance: float = Field(
        default=0.22,
        gt=0.0,
        le=1.0,
        description="GRASP: from a depth camera on the hand to the object in a closer look [m]",
    )
    dock: float = Field(
        default=0.65, gt=0.0, le=2.0, description="distance from arm to target after driving nearer [m]"
    )
    person_distance: float = Field(default=0.6, ge=0.3, description="HANDOVER: from the person's middle [m]")
    offer_height: float = Field(default=1.0, gt=0.0, description="HANDOVER: height of the object [m]")
    wait: float = Field(default=10.0, gt=0.0, description="HANDOVER: longest wait for the person's pull [s]")


GoalTemplate = dict[str, object]
"""Fields of a goal message; a text ``$name`` stands for that parameter of the skill."""


class ActionBackend(Document):
    """Any verb by any ROS action."""

    backend: Literal["action"]
    type: InterfaceType = Field(description="as in my_msgs/action/Pour")
    action: RosName
    goal: GoalTemplate = Field(default_factory=dict)
    status_field: str = Field(default="", description="field of the result that `statuses` maps")
    statuses: dict[int | bool | str, str] = Field(default_factory=dict, description="value -> SkillStatus")
    message_field: str = Field(default="", description="field of the result with an explanation")
    evidence: tuple[str, ...] = Field(default=(), description="fields of the result to report")

    @model_validator(mode="after")
    def _statuses_exist(self) -> Self:
        unknown = sorted(set(self.statuses.values()) - set(SkillStatus.__members__))
        if unknown:
            raise ValueError(f"statuses {unknown}: valid are {list(SkillStatus.__members__)}")
        if self.statuses and not self.status_field:
            raise ValueError("statuses need status_field, the field of the result that they map")
        return self


AnyBackend = Annotated[
    Nav2Backend | SpinBackend | HeadBackend | PanTiltBackend | MoveItBackend | PolicyBackend | ActionBackend,
    Field(discriminator="backend"),
]
VERBS_OF: Mapping[str, frozenset[Verb]] = {
    "nav2": frozenset({Verb.NAVIGATE}),
    "spin": frozenset({Verb.LOOK_AT}),
    "head": frozenset({Verb.LOOK_AT}),
    "pan_tilt": frozenset({Verb.LOOK_AT}),
    "moveit": frozenset({Verb.GRASP, Verb.PLACE, Verb.HANDOVER}),
    "policy": frozenset(Verb),
    "action": frozenset(Verb),
}
"""Verbs that each kind of backend can carry out."""


class RobotDescription(Document):
    """One robot; without ``skills`` it looks, remembers and answers, and nothing moves it."""

    name: Annotated[str, StringConstraints(pattern=r"^[a-zA-Z][a-zA-Z0-9_-]*$")]
    namespace: Annotated[str, StringConstraints(pattern=r"^(/[a-zA-Z_][a-zA-Z0-9_]*)*$")] = ""
    frames: Frames = Frames()
    map: str = Field(default="", description="map of the home, relative to this file; empty = none")
    cameras: dict[CameraId, Camera] = Field(min_length=1, description="the primary camera first")
    localisation: LocalisationLimits | None = Field(
        default=None, description="None = the pose is trusted, as of a robot that does not drive"
    )
    arm: ArmDescription | None = Field(default=None, description="needed by the backend moveit")
    skills: dict[Verb, AnyBackend] = Field(default_factory=dict)
    urdf: str = Field(
        default="",
        description="URDF, relative to this file, published on robot_description; empty = by the robot",
    )
    policy: str = Field(default="", description="consent policy, relative to this file; empty = none")
    client_lease: float = Field(
        default=20.0,
        gt=0.0,
        description="time that a goal goes on without any client of execute_rskill in the graph [s]",
    )

    @property
    def semantic(self) -> bool:
        """True if its cameras publish semantic images, as those of some simulators do."""
        return all(camera.semantic and camera.labels for camera in self.cameras.values())

    @model_validator(mode="after")
    def _cameras_have_one_transport(self) -> Self:
        transports = {name: camera.transport for name, camera in self.cameras.items()}
        if len(set(transports.values())) > 1:
            listing = ", ".join(f"{name} {transport}" for name, transport in transports.items())
            raise ValueError(
                f"cameras must have one transport, as a detector reads all alike; found {listing}"
            )
        return self

    @property
    def compressed(self) -> bool:
        """True if its cameras are read as compressed images."""
        return all(camera.transport == "compressed" for camera in self.cameras.values())

    @model_validator(mode="after")
    def _backends_fit_their_verbs(self) -> Self:
        for verb, backend in self.skills.items():
            if verb not in VERBS_OF[backend.backend]:
                valid = sorted(kind for kind, verbs in VERBS_OF.items() if verb in verbs)
                raise ValueError(
                    f"skills.{verb}: backend {backend.backend!r} cannot do it, valid are {valid}"
                )
            if isinstance(backend, MoveItBackend) and self.arm is None:
                raise ValueError(f"skills.{verb}: backend 'moveit' needs the section 'arm'")
        return self


class InvalidRobot(InvalidDocument):
    """A robot.yaml whose content does not match its schema."""


def load_robot(file: Path) -> RobotDescription:
    """Load a robot.yaml.

    Raises:
        InvalidRobot: Naming every wrong key with its valid values.
    """
    return load_document(RobotDescription, file, InvalidRobot)


def driver_topics(robot: RobotDescription) -> dict[str, str]:
    """Return the remaps from the graph's names of a robot's streams to those of its drivers."""
    remaps = {}
    for camera, topics in robot.cameras.items():
        streams = {
            "image_raw": topics.image,
            "image_raw/compressed": f"{topics.image}/compressed" if topics.transport == "compressed" else "",
            "camera_info": topics.info,
            "depth": topics.depth,
            "depth/camera_info": topics.depth_info,
            "semantic": topics.semantic,
            "labels": topics.labels,
        }
        for stream, topic in streams.items():
            if topic:
                absolute = topic if topic.startswith("/") else f"{robot.namespace}/{topic}"
                remaps[f"{robot.namespace}/{camera}/{stream}"] = absolute
    return remaps
