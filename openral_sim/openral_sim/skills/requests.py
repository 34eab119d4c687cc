"""What each verb is asked, read from a goal's typed parameters."""
# MERGED Checks a goal against the rSkill it names and against what this robot serves.

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from openral_core.errors import format_choices
from openral_core.geometry import Pose
from openral_core.names import UnknownId
from openral_core.rskills import ParameterSpec, ParameterType, Registry, SkillManifest
from openral_core.skills import ParamValue, SkillGoal, Verb
from openral_sim.skills.errors import BadRequest, UnservedVerb

_LARGEST = 1.0


class Params:
    """A goal's parameters, each read once as the type it must have."""

    def __init__(self, values: Mapping[str, ParamValue]) -> None:
        self._values = values

    def given(self, name: str) -> bool:
        """Whether a parameter was given."""
        return name in self._values

    def pose(self, name: str) -> Pose:
        """A pose in map.

        Raises:
            BadRequest: If it is missing or no pose.
        """
        value = self._values.get(name)
        if not isinstance(value, Pose):
            raise BadRequest(f"parameter '{name}' must be a pose; given: {format_choices(self._values)}")
        return value

    def text(self, name: str, default: str = "") -> str:
        """A string."""
        return str(self._values.get(name, default))

    def length(self, name: str) -> float:
        """A length in [m]; 0 when not given.

        Raises:
            BadRequest: If it is no length of something a hand could meet.
        """
        value = self._values.get(name, 0.0)
        if isinstance(value, Pose | str) or not 0.0 <= float(value) <= _LARGEST:
            raise BadRequest(f"parameter '{name}' must be a length from 0 to {_LARGEST} m, not {value!r}")
        return float(value)


@dataclass(frozen=True)
class NavigateRequest:
    """Stand at a pose in map, or, where only ``facing`` is given, somewhere near that looks at it."""

    goal: Pose | None
    facing: Pose | None

    @classmethod
    def read(cls, params: Params) -> "NavigateRequest":
        """From ``goal`` or ``target``."""
        if params.given("goal"):
            return cls(params.pose("goal"), None)
        if params.given("target"):
            return cls(None, params.pose("target"))
        raise BadRequest("NAVIGATE needs a pose 'goal' to stand at or a pose 'target' to face")


@dataclass(frozen=True)
class LookAtRequest:
    """Point the head at a point in map; of a node, which may lie ``inside`` another, when ids are given."""

    target: Pose
    node_id: str = ""
    inside: str = ""

    @classmethod
    def read(cls, params: Params) -> "LookAtRequest":
        """From ``target``, ``node_id`` and ``inside``."""
        return cls(params.pose("target"), params.text("node_id"), params.text("inside"))


@dataclass(frozen=True)
class GraspRequest:
    """Take a thing: where its centre is in map, its extents along that pose's axes [m], its name.

    An extent of 0 is unknown.
    """

    target: Pose
    size: tuple[float, float, float]
    label: str

    @classmethod
    def read(cls, params: Params) -> "GraspRequest":
        """From ``target``, ``size_x``, ``size_y``, ``size_z`` and ``label``."""
        size = (params.length("size_x"), params.length("size_y"), params.length("size_z"))
        return cls(params.pose("target"), size, params.text("label", "thing"))

    @property
    def position(self) -> NDArray[np.float64]:
        """Centre in map in [m], shape (3,)."""
        return np.array(self.target.position)

    @property
    def height(self) -> float:
        """Extent along z, or a guess for something on a table, in [m]."""
        return self.size[2] or 0.10

    @property
    def is_slender(self) -> bool:
        """Whether it stands more than twice as tall as it is wide."""
        return self.size[2] > 2.0 * max(self.size[0], self.size[1], 0.05)

    @property
    def reach(self) -> float:
        """Half the greatest horizontal extent, or a guess, in [m]."""
        return max(self.size[0], self.size[1], 0.08) / 2


@dataclass(frozen=True)
class DoorRequest:
    """Open or close the door of a container: where it stands in map, and its id."""

    target: Pose
    container_id: str

    @classmethod
    def read(cls, params: Params) -> "DoorRequest":
        """From ``target`` and ``container_id``."""
        return cls(params.pose("target"), params.text("container_id"))


@dataclass(frozen=True)
class PlaceRequest:
    """Put down what is held at a point of a surface in map."""

    target: Pose

    @classmethod
    def read(cls, params: Params) -> "PlaceRequest":
        """From ``target``."""
        return cls(params.pose("target"))


@dataclass(frozen=True)
class PourRequest:
    """Pour what is held into a vessel: where its centre is in map, and its name."""

    target: Pose
    label: str

    @classmethod
    def read(cls, params: Params) -> "PourRequest":
        """From ``target`` and ``label``."""
        return cls(params.pose("target"), params.text("label", "vessel"))


@dataclass(frozen=True)
class HandoverRequest:
    """Give what is held to a person of the world."""

    agent: Pose
    agent_id: str

    @classmethod
    def read(cls, params: Params) -> "HandoverRequest":
        """From ``agent`` and ``agent_id``."""
        return cls(params.pose("agent"), params.text("agent_id"))


_TYPES: Mapping[ParameterType, tuple[type[ParamValue], ...]] = {
    ParameterType.STRING: (str,),
    ParameterType.FLOAT: (float, int),
    ParameterType.INT: (int,),
    ParameterType.BOOL: (bool,),
    ParameterType.POSE: (Pose,),
}


@dataclass(frozen=True, slots=True)
class ValidatedGoal:
    """A goal that fits its manifest; ``deadline`` in [s] of wall-clock time."""

    rskill_id: str
    verb: Verb
    params: Mapping[str, ParamValue]
    deadline: float


def validate_goal(goal: SkillGoal, registry: Registry, served: Collection[Verb]) -> ValidatedGoal:
    """The goal as work for the robot.

    Raises:
        BadRequest: If the rSkill is unknown or the parameters or the deadline do not fit it; names each.
        UnservedVerb: If this robot does not serve the rSkill's verb.
    """
    try:
        manifest = registry.skill(goal.rskill_id)
    except UnknownId as error:
        raise BadRequest(str(error)) from error
    if manifest.verb not in served:
        raise UnservedVerb(manifest.verb, served)
    problems = [*_parameter_problems(manifest, goal.params), *_deadline_problems(goal.deadline)]
    if problems:
        raise BadRequest(f"{manifest.id}: " + "; ".join(problems))
    return ValidatedGoal(manifest.id, manifest.verb, goal.params, goal.deadline or manifest.deadline)


def _parameter_problems(manifest: SkillManifest, given: Mapping[str, ParamValue]) -> Iterator[str]:
    specs = {spec.name: spec for spec in manifest.parameters}
    for name, spec in specs.items():
        if name in given:
            yield from _type_problems(spec, given[name])
        elif spec.required:
            yield f"parameter '{name}' ({spec.type}) is missing"
    for extra in sorted(set(given) - set(specs)):
        yield f"unknown parameter '{extra}': valid are {format_choices(specs)}"


def _type_problems(spec: ParameterSpec, value: ParamValue) -> Iterator[str]:
    # bool is an int in Python, never on the wire.
    fits = isinstance(value, _TYPES[spec.type]) and isinstance(value, bool) is (
        spec.type is ParameterType.BOOL
    )
    if not fits:
        yield f"parameter '{spec.name}' must be a {spec.type}, found {type(value).__name__.lower()} {value!r}"
    elif isinstance(value, float) and not isfinite(value):
        yield f"parameter '{spec.name}' must be finite, found {value!r}"


def _deadline_problems(deadline: float) -> Iterator[str]:
    if not (isfinite(deadline) and deadline >= 0.0):
        yield f"deadline must be a time in [s], or 0 for the manifest's, found {deadline!r}"
