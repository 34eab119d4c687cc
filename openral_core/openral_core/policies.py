"""Policy rSkills: the contract of observations and actions, and the controllers and limits of one robot."""

import re
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from openral_core.documents import Document
from openral_core.ros_names import CameraId, Frame, RosName

Interval = tuple[float, float]
Joint = Annotated[str, StringConstraints(min_length=1)]
_PARAMETER = re.compile(r"\{([^{}]*)\}")


def parameters_in(template: str) -> list[str]:
    """Return the names in braces in a text template."""
    return _PARAMETER.findall(template)


def fill_template(template: str, values: Mapping[str, str]) -> str:
    """Replace each ``{name}`` of a template by that value; the values are not templates themselves.

    Raises:
        KeyError: If a value is missing.
    """
    return _PARAMETER.sub(lambda match: values[match[1]], template)


class CameraInput(Document):
    """Newest image of a camera of robot.yaml, uint8, shape (height, width, 3)."""

    source: Literal["camera"]
    camera: CameraId
    size: tuple[int, int] = Field(description="(width, height) that the policy expects [px]")
    fit: Literal["pad", "stretch"] = Field(default="pad", description="pad keeps the proportions")
    encoding: Literal["rgb8", "bgr8"] = "rgb8"

    @model_validator(mode="after")
    def _size_is_possible(self) -> Self:
        if not all(1 <= length <= 4096 for length in self.size):
            raise ValueError(f"size must be two lengths from 1 to 4096 px, found {list(self.size)}")
        return self


def _check_unit_range(unit_range: Interval | None) -> None:
    if unit_range is not None and unit_range[0] == unit_range[1]:
        raise ValueError(f"unit_range must be two different positions, found {list(unit_range)}")


class JointInput(Document):
    """Positions of joints in joint_states, float32, shape (number of joints,)."""

    source: Literal["joints"]
    joints: tuple[Joint, ...] = Field(min_length=1)
    unit_range: Interval | None = Field(
        default=None, description="positions that become 0 and 1, as of a gripper; None = [rad] or [m]"
    )

    @model_validator(mode="after")
    def _unit_range_is_possible(self) -> Self:
        _check_unit_range(self.unit_range)
        return self


class TextInput(Document):
    """Text in which ``{name}`` stands for a parameter of the skill's goal."""

    source: Literal["text"]
    text: str = Field(min_length=1, max_length=500)


Input = Annotated[CameraInput | JointInput | TextInput, Field(discriminator="source")]


class ActionKind(StrEnum):
    """Meaning of the numbers of an action."""

    POSITION = "position"
    """Positions [rad] or [m]."""
    DELTA = "delta"
    """Changes from the previous action [rad] or [m]."""
    OFFSET = "offset"
    """Changes from the positions in the observation [rad] or [m]."""
    VELOCITY = "velocity"
    """Velocities during one period [rad/s] or [m/s]."""


class ActionGroup(Document):
    """Adjacent numbers of an action: one for each joint, or ``ignore`` many that are not used."""

    joints: tuple[Joint, ...] = ()
    kind: ActionKind = ActionKind.POSITION
    unit_range: Interval | None = Field(
        default=None, description="positions for which the policy says 0 and 1; None = [rad] or [m]"
    )
    ignore: int = Field(default=0, ge=0, le=1024)

    @property
    def width(self) -> int:
        """Count of the numbers of an action that belong to the group."""
        return self.ignore or len(self.joints)

    @model_validator(mode="after")
    def _group_is_consistent(self) -> Self:
        if bool(self.joints) == bool(self.ignore):
            raise ValueError("a group of an action needs either 'joints' or 'ignore'")
        if self.unit_range is not None and self.kind is not ActionKind.POSITION:
            raise ValueError(f"unit_range needs the kind 'position', found {self.kind.value!r}")
        _check_unit_range(self.unit_range)
        return self


class ActionSpec(Document):
    """Actions in an answer of the policy: numbers of shape (actions, numbers of all groups)."""

    key: str = Field(default="actions", min_length=1)
    layout: tuple[ActionGroup, ...] = Field(min_length=1)
    execute: int = Field(ge=1, le=1000, description="actions carried out before the next observation")
    done_key: str = Field(default="", description="true in an answer ends the motion; empty = never")

    @property
    def width(self) -> int:
        """Count of the numbers of an action."""
        return sum(group.width for group in self.layout)

    @property
    def joints(self) -> tuple[str, ...]:
        """Joints that are moved, in the order of the action."""
        return tuple(joint for group in self.layout for joint in group.joints)

    @model_validator(mode="after")
    def _joints_are_unique(self) -> Self:
        repeated = _repeated(self.joints)
        if repeated:
            raise ValueError(f"joints {repeated} are in the layout twice")
        if not self.joints:
            raise ValueError("the layout moves no joint")
        return self


class LocateCheck(Document):
    """Ask a locator for words; found means that the goal was reached, or the reverse."""

    by: Literal["locate"]
    query: str = Field(min_length=1, max_length=200, description="words, with {name} as in a text")
    camera: str = Field(default="", description="camera id; empty = the primary one")
    expect: Literal["found", "absent"] = "found"
    timeout: float = Field(default=20.0, gt=0.0, le=120.0, description="longest wait for the answer [s]")


class MemoryCheck(Document):
    """Look a node up in the scene graph of memory."""

    by: Literal["memory"]
    node: str = Field(min_length=1, max_length=200, description="node id, with {name} as in a text")
    expect: Literal["open", "closed", "present", "gone"]
    timeout: float = Field(default=10.0, gt=0.0, le=120.0, description="longest wait for that state [s]")


class JointCheck(Document):
    """Compare a joint in joint_states, as the fingers that hold something."""

    by: Literal["joint"]
    joint: Joint
    range: Interval = Field(description="positions that prove the goal [rad] or [m]")


class NoCheck(Document):
    """No check: the result says ``verified: false``."""

    by: Literal["none"]


Check = Annotated[LocateCheck | MemoryCheck | JointCheck | NoCheck, Field(discriminator="by")]


class PolicyContract(Document):
    """Observation, actions, timing and judgement of a policy."""

    protocol: Literal["openpi"] = Field(description="openpi = msgpack with arrays over a websocket")
    observation: dict[Annotated[str, StringConstraints(min_length=1)], Input] = Field(min_length=1)
    action: ActionSpec
    metadata: dict[str, str | int | float | bool] = Field(
        default_factory=dict, description="values that the server must announce"
    )
    rate: float = Field(ge=1.0, le=100.0, description="actions per second [Hz]")
    connect_timeout: float = Field(default=5.0, gt=0.0, le=60.0, description="of the connection [s]")
    response_timeout: float = Field(default=2.0, gt=0.0, le=60.0, description="of each answer [s]")
    max_duration: float = Field(gt=0.0, le=3600.0, description="after which the motion ends [s]")
    max_age: float = Field(default=0.5, gt=0.0, le=10.0, description="of images and joint states [s]")
    verify: Check

    @property
    def inputs(self) -> Iterable[CameraInput | JointInput | TextInput]:
        """Sources of the observation."""
        return self.observation.values()

    @property
    def templates(self) -> tuple[str, ...]:
        """Texts in which parameters of the skill stand."""
        texts = [each.text for each in self.inputs if isinstance(each, TextInput)]
        match self.verify:
            case LocateCheck():
                texts.append(self.verify.query)
            case MemoryCheck():
                texts.append(self.verify.node)
        return tuple(texts)


class JointLimits(Document):
    """Limits of one joint for a policy."""

    range: Interval = Field(description="positions [rad] or [m]")
    speed: float = Field(gt=0.0, description="fastest motion; faster actions are slowed [rad/s] or [m/s]")
    excess: float = Field(
        default=0.05, ge=0.0, description="beyond the range an action is limited to it, farther it is refused"
    )
    jump: float = Field(
        default=0.5, gt=0.0, description="distance between two actions from which they are refused"
    )
    lag: float | None = Field(
        default=0.35,
        gt=0.0,
        description="distance from its command at which the joint is blocked; None = it may stall, as fingers"
        " on an object, and a hold keeps its command",
    )

    @model_validator(mode="after")
    def _range_is_ordered(self) -> Self:
        if self.range[0] >= self.range[1]:
            raise ValueError(f"range must be [low, high] with low < high, found {list(self.range)}")
        return self


class Controller(Document):
    """Controller of ros2_control that follows a topic, with the limits of its joints."""

    topic: RosName
    type: Literal["trajectory", "positions"] = Field(
        description="trajectory = trajectory_msgs/JointTrajectory, positions = std_msgs/Float64MultiArray"
    )
    joints: dict[Joint, JointLimits] = Field(min_length=1, description="in the controller's order")


class Workspace(Document):
    """Box that the tip must not leave, as measured by tf."""

    frame: Frame
    tip: Frame
    low: tuple[float, float, float] = Field(description="corner in frame [m]")
    high: tuple[float, float, float] = Field(description="opposite corner in frame [m]")

    @model_validator(mode="after")
    def _corners_are_ordered(self) -> Self:
        if not all(low < high for low, high in zip(self.low, self.high, strict=True)):
            raise ValueError(f"low {list(self.low)} must be less than high {list(self.high)} in x, y and z")
        return self


class PolicyBackend(Document):
    """Any verb by a policy rSkill on a remote server."""

    backend: Literal["policy"]
    rskill: str = Field(min_length=1, description="id of a manifest of kind policy")
    server: Annotated[str, StringConstraints(pattern=r"^wss?://[^\s/]+(/\S*)?$")] = Field(
        description="address as ws://host:8000"
    )
    controllers: tuple[Controller, ...] = Field(min_length=1)
    workspace: Workspace | None = Field(default=None, description="None = not watched")
    watchdog: float = Field(
        default=0.5, gt=0.0, le=10.0, description="time without an action after which the robot holds [s]"
    )

    @property
    def limits(self) -> dict[str, JointLimits]:
        """Limits of each joint."""
        return {name: limits for each in self.controllers for name, limits in each.joints.items()}

    @model_validator(mode="after")
    def _joints_have_one_controller(self) -> Self:
        repeated = _repeated(name for each in self.controllers for name in each.joints)
        if repeated:
            raise ValueError(f"joints {repeated} have two controllers")
        return self


def _repeated(names: Iterable[str]) -> list[str]:
    listed = list(names)
    return sorted({name for name in listed if listed.count(name) > 1})


def mismatches(
    contract: PolicyContract, backend: PolicyBackend, cameras: Iterable[str], parameters: Iterable[str]
) -> Iterator[str]:
    """Describe what a contract needs that a robot or its verb lacks, with what would be valid.

    Args:
        backend: Use of the policy in robot.yaml.
    """
    needs = {
        "camera": ([each.camera for each in contract.inputs if isinstance(each, CameraInput)], cameras),
        "joint with a controller": (contract.action.joints, backend.limits),
        "parameter": ([name for text in contract.templates for name in parameters_in(text)], parameters),
    }
    for what, (needed, offered) in needs.items():
        valid = list(offered)
        for name in dict.fromkeys(needed):
            if name not in valid:
                yield f"there is no {what} {name!r}, valid are {sorted(valid)}"
    idle = sorted(set(backend.limits) - set(contract.action.joints))
    if idle:
        # A controller of positions expects a number for each of its joints.
        yield f"the policy's layout moves no joint {idle}, which the controllers have"
