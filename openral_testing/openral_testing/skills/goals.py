"""Goals that a user names for a robot, and goals derived from them that a skill server must refuse."""

from collections.abc import Callable, Mapping
from copy import deepcopy
from math import inf, nan
from pathlib import Path

from pydantic import Field

from openral_core.documents import Document, InvalidDocument, load_document
from openral_core.errors import OpenRALError
from openral_core.geometry import Pose
from openral_core.rskills import ParameterType, Registry, SkillManifest
from openral_core.skills import ParamValue
from openral_msgs.action import ExecuteRskill
from openral_msgs.msg import KeyValue
from openral_ros.conversions.skills import key_values


class PlanarPose(Document):
    """A pose in map: position [m] and yaw [rad]."""

    x: float
    y: float
    z: float = 0.0
    yaw: float = 0.0

    def pose(self) -> Pose:
        """Convert it."""
        return Pose.planar(self.x, self.y, self.yaw, self.z)


class NamedGoal(Document):
    """A goal of one rSkill."""

    rskill: str = Field(description="id of the rSkill")
    params: dict[str, PlanarPose | bool | int | float | str] = Field(default_factory=dict)

    def message(self) -> ExecuteRskill.Goal:
        """Return the goal without a deadline."""
        params: dict[str, ParamValue] = {
            name: value.pose() if isinstance(value, PlanarPose) else value
            for name, value in self.params.items()
        }
        return ExecuteRskill.Goal(rskill_id=self.rskill, params=key_values(params))


class RobotGoals(Document):
    """Two goals of a robot that can be sent any number of times."""

    quick: NamedGoal = Field(description="succeeds wherever the robot is")
    long: NamedGoal = Field(description="takes at least 5 s wherever the robot is, and can be cancelled")


class InvalidGoals(InvalidDocument):
    """A file of goals whose content does not match its schema."""


class NoPoseParameter(OpenRALError):
    """A long goal without a pose, from which goals with invalid poses cannot be made."""

    def __init__(self, goal: NamedGoal) -> None:
        super().__init__(f"the long goal of {goal.rskill} has no pose: name one with a pose, as of NAVIGATE")


def load_goals(file: Path) -> RobotGoals:
    """Load a file of goals.

    Raises:
        InvalidGoals: Naming every wrong key.
        NoPoseParameter: If the long goal has no pose.
    """
    goals = load_document(RobotGoals, file, InvalidGoals)
    if not any(isinstance(value, PlanarPose) for value in goals.long.params.values()):
        raise NoPoseParameter(goals.long)
    return goals


Change = Callable[[ExecuteRskill.Goal], None]


def pose_of(goal: ExecuteRskill.Goal) -> KeyValue:
    """Return the first parameter that is a pose."""
    return next(param for param in goal.params if param.type == KeyValue.TYPE_POSE)


def _position(value: float) -> Change:
    return lambda goal: setattr(pose_of(goal).pose_value.pose.position, "x", value)


def _orientation(value: float) -> Change:
    return lambda goal: setattr(pose_of(goal).pose_value.pose.orientation, "w", value)


def _deadline(value: float) -> Change:
    return lambda goal: setattr(goal, "deadline", value)


def _parameters(make: Callable[[list[KeyValue]], list[KeyValue]]) -> Change:
    return lambda goal: setattr(goal, "params", make(list(goal.params)))


def _retype(goal: ExecuteRskill.Goal) -> None:
    param = pose_of(goal)
    param.type, param.string_value = KeyValue.TYPE_STRING, "the kitchen"


MALFORMED: Mapping[str, Change] = {
    "an unknown skill": lambda goal: setattr(goal, "rskill_id", "no-such-skill"),
    "no skill": lambda goal: setattr(goal, "rskill_id", ""),
    "a skill id of 10,000 characters": lambda goal: setattr(goal, "rskill_id", "x" * 10_000),
    "no parameters": _parameters(lambda params: []),
    "an unknown parameter": _parameters(lambda params: [*params, *key_values({"no_such_parameter": 1.0})]),
    "1,000 unknown parameters": _parameters(
        lambda params: [*params, *key_values({f"p{index}": index for index in range(1_000)})]
    ),
    "a parameter given twice": _parameters(lambda params: [*params, params[0]]),
    "a text instead of a pose": _retype,
    "a parameter of an unknown type": lambda goal: setattr(pose_of(goal), "type", 200),
    "a position that is not a number": _position(nan),
    "an infinite position": _position(inf),
    "an orientation that is not a number": _orientation(nan),
    "an infinite orientation": _orientation(inf),
    "a pose in another frame": lambda goal: setattr(
        pose_of(goal).pose_value.header, "frame_id", "no_such_frame"
    ),
    "a deadline that is not a number": _deadline(nan),
    "an infinite deadline": _deadline(inf),
    "a negative deadline": _deadline(-1.0),
}
"""Changes that make a valid goal with a pose malformed, by name."""


def malformed(goal: ExecuteRskill.Goal, name: str) -> ExecuteRskill.Goal:
    """Return a copy of a valid goal with one change of `MALFORMED`."""
    copy = deepcopy(goal)
    MALFORMED[name](copy)
    return copy


_PLAUSIBLE: Mapping[ParameterType, ParamValue] = {
    ParameterType.STRING: "x",
    ParameterType.FLOAT: 0.1,
    ParameterType.INT: 1,
    ParameterType.BOOL: False,
    ParameterType.POSE: Pose(),
}


def unserved_goals(registry: Registry, verbs: list[str]) -> list[ExecuteRskill.Goal]:
    """Return a well-formed goal of each rSkill whose verb is not in ``verbs``."""
    return [_plausible(manifest) for manifest in registry.skills if manifest.verb not in verbs]


def _plausible(manifest: SkillManifest) -> ExecuteRskill.Goal:
    params = {spec.name: _PLAUSIBLE[spec.type] for spec in manifest.parameters if spec.required}
    return ExecuteRskill.Goal(rskill_id=manifest.id, params=key_values(params))
