"""robot.yaml of a simulated robot: its model, joints, hand, cameras, postures, and what planners need.

The file and a MuJoCo model (MJCF) are all that a further robot needs; see docs/simulation.md.
"""

from itertools import chain
from typing import Annotated, Literal, Self

from pydantic import Field, NonNegativeFloat, PositiveFloat, model_validator

from openral_core.documents import Document
from openral_core.errors import format_choices
from openral_core.geometry import Quaternion
from openral_core.grasping.gripper import GripperGeometry
from openral_core.home_map import Point3
from openral_sim.robot.joints import PREFIX, RobotNames

Range = tuple[float, float]
Distances = Annotated[tuple[PositiveFloat, ...], Field(min_length=1)]


class ModelSource(Document):
    """Model of the robot: an MJCF file, or one that is composed in code; paths are relative to the YAML file.

    A folder may also be ``package:folder``, in an installed Python package that is not imported.
    """

    mjcf: str = Field(default="", description="MJCF file")
    builtin: Literal["", "franka"] = Field(
        default="", description="model composed in code, instead of a file"
    )
    includes: str = Field(default="", description="folder of the files that the MJCF includes")
    meshes: str = Field(default="", description="folder of its mesh files")
    install: str = Field(default="", description="command that installs the package of these folders")
    strip_prefix: str = Field(default="", description="prefix to drop from the names of bodies and joints")

    @model_validator(mode="after")
    def _has_one_source(self) -> Self:
        if bool(self.mjcf) == bool(self.builtin):
            raise ValueError("needs either 'mjcf', a file, or 'builtin'")
        return self


class DriveLimits(Document):
    """Bounds on the base; below what its servos can do, and gentle on what it carries."""

    speed: PositiveFloat = Field(default=0.8, description="top speed [m/s]")
    turn_rate: PositiveFloat = Field(default=1.5, description="top turn rate [rad/s]")
    acceleration: PositiveFloat = Field(default=1.0, description="[m/s^2]")
    turn_acceleration: PositiveFloat = Field(default=4.0, description="[rad/s^2]")


class BaseServo(Document):
    """Velocity servo of the base along or about one axis."""

    gain: PositiveFloat = Field(description="[N s/m] or [N m s/rad]")
    force: PositiveFloat = Field(description="[N] or [N m]")


class Base(Document):
    """The mobile base; it moves in any direction over the floor, as by omnidirectional wheels."""

    link: str = Field(description="root body of the robot in the model; it becomes base_link")
    radius: PositiveFloat = Field(description="of the footprint [m]")
    clearance: PositiveFloat = Field(description="from the middle to any obstacle while driving [m]")
    clearance_holding: PositiveFloat = Field(description="the same with an object in the hand [m]")
    height: PositiveFloat = Field(description="below which geometry obstructs the robot [m]")
    limits: DriveLimits = DriveLimits()
    slow: DriveLimits = Field(
        default=DriveLimits(speed=0.35, turn_rate=0.9, acceleration=0.7, turn_acceleration=3.0),
        description="limits near furniture",
    )
    translation: BaseServo = BaseServo(gain=6000.0, force=2000.0)
    rotation: BaseServo = BaseServo(gain=1500.0, force=600.0)

    @model_validator(mode="after")
    def _clearances_contain_the_footprint(self) -> Self:
        if not self.radius <= self.clearance <= self.clearance_holding:
            raise ValueError(
                f"radius {self.radius} <= clearance {self.clearance} <= clearance_holding "
                f"{self.clearance_holding} must hold"
            )
        return self


class Servo(Document):
    """Position servo of a joint; what is left out of the last three is the model's own."""

    stiffness: PositiveFloat = Field(description="[N/m] or [N m/rad]")
    damping: PositiveFloat = Field(description="[N s/m] or [N m s/rad]")
    force: PositiveFloat = Field(description="largest force [N] or torque [N m]")
    friction: NonNegativeFloat | None = Field(default=None, description="passive damping of the joint")
    armature: NonNegativeFloat | None = Field(default=None, description="inertia of the motor")
    range: Range | None = Field(
        default=None, description="limits [m] or [rad]; a continuous joint needs them"
    )


class LiftedArm(Document):
    """The arm, with the lift that carries it."""

    lift: str = Field(default="", description="joint that lifts the arm; empty = none")
    joints: tuple[str, ...] = Field(min_length=4, description="from the shoulder to the wrist")
    reach: PositiveFloat = Field(
        description="from the first joint to the point between the pads [m]; a bound"
    )
    speeds: tuple[PositiveFloat, ...] = Field(description="top speeds of lift [m/s] and joints [rad/s]")
    distances: Distances = Field(description="from the base to a target that it works at [m], the best first")
    door_distances: Distances = Field(description="from the base to a handle [m], the best first")


class ParallelGripper(Document):
    """A parallel gripper, whose fingers open by equal ways; at 0 of their joints the pads touch."""

    link: str = Field(description="body of the hand")
    fingers: tuple[str, str] = Field(description="bodies")
    joints: tuple[str, str] = Field(description="slides of the fingers; the second follows the first")
    servo: Servo
    grasp: Point3 = Field(description="point between the pads in the hand [m]")
    grasp_quat: Quaternion = Field(
        description="its frame (w, x, y, z): z approach, y travel of the fingers, x up in a level hand"
    )
    travel: PositiveFloat = Field(description="of each finger [m]")
    pad_half_size: Point3 = Field(description="along breadth, travel and approach [m]")
    knuckle_half_size: Point3 = Field(description="of the finger behind the pad [m]")
    tip_length: PositiveFloat = Field(description="from the grasp point to the tips [m]")

    @property
    def geometry(self) -> GripperGeometry:
        """Outline for the grasp planner."""
        return GripperGeometry(self.travel, self.pad_half_size, self.knuckle_half_size, self.tip_length)


class Head(Document):
    """Pan and tilt of the head: at 0 it looks along the base's x; pan turns about z, tilt down about y."""

    joints: tuple[str, str] = Field(description="pan and tilt")


class CameraMount(Document):
    """A camera on a link; the scene decides the size of its images."""

    link: str
    position: Point3 = Field(description="[m]")
    right: Point3 = Field(description="direction of the image's rows in the link")
    down: Point3 = Field(description="direction of its columns")
    fovy: float = Field(
        gt=1.0, lt=170.0, description="vertical field of view that the planners count on [deg]"
    )


class Cameras(Document):
    """Cameras of the robot."""

    head: CameraMount
    wrist: CameraMount


class Postures(Document):
    """Postures of the lift, if there is one, and the arm [m, rad]; each is free of collisions."""

    stowed: tuple[float, ...] = Field(description="within the footprint and below the view of the head")
    carrying_down: tuple[float, ...] = Field(description="with an object that was grasped from above")
    carrying_level: tuple[float, ...] = Field(description="with an object that was grasped from the side")
    comfortable: tuple[float, ...] = Field(description="seed of inverse kinematics, hand in front")
    wrist_pitch: float = Field(
        description="change of the last joint but one per angle of the hand below level"
    )
    wrist_roll: float = Field(description="change of the last joint per angle of its roll")
    wrist_limit: PositiveFloat = Field(description="largest angle of the last joint while carrying [rad]")

    @property
    def by_name(self) -> dict[str, tuple[float, ...]]:
        """The postures by their keys."""
        return {name: value for name, value in self if isinstance(value, tuple)}


class SimRobotDescription(Document):
    """Everything that the simulation, its planners and its interfaces know of one robot."""

    name: str
    summary: str
    licence: str = Field(description="of the model and its meshes")
    licence_notice: str = Field(
        default="", description="told when the robot is chosen; empty = nothing to tell"
    )
    model: ModelSource
    base: Base
    arm: LiftedArm
    head: Head
    gripper: ParallelGripper
    servos: dict[str, Servo] = Field(description="of every joint of lift, arm and head")
    urdf_speeds: tuple[PositiveFloat, PositiveFloat] = Field(
        default=(2.175, 0.2), description="limits in the URDF of hinges [rad/s] and slides [m/s]"
    )
    cameras: Cameras
    postures: Postures
    allowed_collisions: tuple[tuple[str, str], ...] = Field(
        default=(), description="pairs of bodies that touch or never meet"
    )

    @property
    def reach_joints(self) -> tuple[str, ...]:
        """The lift and the arm, in the order of every posture."""
        return (*filter(None, [self.arm.lift]), *self.arm.joints)

    @property
    def names(self) -> RobotNames:
        """Names in a compiled model."""
        lift = PREFIX + self.arm.lift if self.arm.lift else None
        return RobotNames(
            lift_joint=lift,
            arm_joints=_prefixed(self.arm.joints),
            head_joints=_prefixed(self.head.joints),
            finger_joints=_prefixed(self.gripper.joints),
            hand=PREFIX + self.gripper.link,
            fingers=_prefixed(self.gripper.fingers),
        )

    @model_validator(mode="after")
    def _describes_every_joint(self) -> Self:
        joints = [*self.reach_joints, *self.head.joints]
        if twice := sorted({name for name in joints if joints.count(name) > 1}):
            raise ValueError(f"joints named twice: {', '.join(twice)}")
        if set(self.servos) != set(joints):
            valid, actual = format_choices(joints), format_choices(self.servos)
            raise ValueError(f"servos: needs one for each of {valid}, found {actual}")
        sizes = {**self.postures.by_name, "arm.speeds": self.arm.speeds}
        wrong = [f"{name} has {len(size)}" for name, size in sizes.items() if len(size) != self.degrees]
        if wrong:
            order = ", ".join(self.reach_joints)
            raise ValueError(f"needs {self.degrees} values ({order}): {', '.join(wrong)}")
        return self

    @property
    def degrees(self) -> int:
        """Number of joints of the lift and the arm."""
        return len(self.reach_joints)

    @property
    def bodies(self) -> tuple[str, ...]:
        """Bodies of the model that the description names."""
        pairs = chain.from_iterable(self.allowed_collisions)
        mounts = (self.cameras.head.link, self.cameras.wrist.link)
        return (self.gripper.link, *self.gripper.fingers, *mounts, *pairs)


def _prefixed(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(PREFIX + name for name in names)
