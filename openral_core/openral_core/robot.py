"""robot.yaml: frames, cameras, localisation and the backend of each verb of one robot."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from openral_core.documents import Document, InvalidDocument, load_document
from openral_core.rskills import Verb
from openral_core.skills import SkillStatus

RosName = Annotated[str, StringConstraints(pattern=r"^/?[a-zA-Z_][a-zA-Z0-9_]*(/[a-zA-Z_][a-zA-Z0-9_]*)*$")]
"""Name of a topic, service or action; without a slash in front it is in the robot's namespace."""
OptionalName = Annotated[
    str, StringConstraints(pattern=r"^$|^/?[a-zA-Z_][a-zA-Z0-9_]*(/[a-zA-Z_][a-zA-Z0-9_]*)*$")
]
InterfaceType = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*/action/[A-Z][A-Za-z0-9]*$")]
Frame = Annotated[str, StringConstraints(pattern=r"^[a-zA-Z0-9_][a-zA-Z0-9_/]*$")]
CameraId = Annotated[str, StringConstraints(pattern=r"^[a-zA-Z][a-zA-Z0-9_]*$")]


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
    rectified: bool = Field(
        default=False, description="the image is rectified: P of info applies, not K and D"
    )
    optical_frame: Frame = Field(description="frame_id of its images, z forward (REP 103)")
    rate: float = Field(default=15.0, gt=0.0, description="expected images per second [Hz]")


class Localisation(Document):
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


class HeadBackend(Document):
    """LOOK_AT by a pan-tilt head: control_msgs/action/FollowJointTrajectory.

    At zero pan and tilt the camera looks along x of ``pan_frame``, whose z is the pan axis.
    """

    backend: Literal["head"]
    action: RosName
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
    Nav2Backend | SpinBackend | HeadBackend | ActionBackend, Field(discriminator="backend")
]
VERBS_OF: Mapping[str, frozenset[Verb]] = {
    "nav2": frozenset({Verb.NAVIGATE}),
    "spin": frozenset({Verb.LOOK_AT}),
    "head": frozenset({Verb.LOOK_AT}),
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
    localisation: Localisation | None = Field(
        default=None, description="None = the pose is trusted, as of a robot that does not drive"
    )
    skills: dict[Verb, AnyBackend] = Field(default_factory=dict)
    client_lease: float = Field(
        default=20.0,
        gt=0.0,
        description="time that a goal goes on without any client of execute_rskill in the graph [s]",
    )

    @model_validator(mode="after")
    def _backends_fit_their_verbs(self) -> Self:
        for verb, backend in self.skills.items():
            if verb not in VERBS_OF[backend.backend]:
                valid = sorted(kind for kind, verbs in VERBS_OF.items() if verb in verbs)
                raise ValueError(
                    f"skills.{verb}: backend {backend.backend!r} cannot do it, valid are {valid}"
                )
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
            "camera_info": topics.info,
            "depth": topics.depth,
            "depth/camera_info": topics.depth_info,
        }
        for stream, topic in streams.items():
            if topic:
                absolute = topic if topic.startswith("/") else f"{robot.namespace}/{topic}"
                remaps[f"{robot.namespace}/{camera}/{stream}"] = absolute
    return remaps
