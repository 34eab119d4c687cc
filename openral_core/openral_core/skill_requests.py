"""Requests of the skills, read from a goal's typed parameters, and validation of goals."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from math import isfinite

import numpy as np

from openral_core.arrays import Vector3
from openral_core.errors import format_choices
from openral_core.geometry import Pose
from openral_core.rskills import ParameterSpec, ParameterType, Registry, SkillManifest, UnknownId
from openral_core.skill_errors import BadRequest, UnservedVerb
from openral_core.skills import ParamValue, SkillGoal, Verb

_MAX_LENGTH = 1.0
"""Largest extent of an object in a request [m]; longer ones are mistakes such as millimetres."""
_MISPLACED = 0.06
"""Largest error of the expected centre of an object that is to be grasped [m]."""
_MAX_FURNITURE = 10.0
"""Largest extent of a piece of furniture in a request [m]."""


class Params:
    """Typed access to a goal's parameters."""

    def __init__(self, values: Mapping[str, ParamValue]) -> None:
        self._values = values

    def given(self, name: str) -> bool:
        """Return True if a parameter was given."""
        return name in self._values

    def pose(self, name: str) -> Pose:
        """Read a pose in map.

        Raises:
            BadRequest: If it is missing or not a pose.
        """
        value = self._values.get(name)
        if not isinstance(value, Pose):
            raise BadRequest(f"parameter '{name}' must be a pose; given: {format_choices(self._values)}")
        return value

    def text(self, name: str, default: str = "") -> str:
        """Read a string."""
        return str(self._values.get(name, default))

    def length(self, name: str, most: float = _MAX_LENGTH) -> float:
        """Read a length in [m]; 0 if not given.

        Raises:
            BadRequest: If it is not a number in range.
        """
        value = self._values.get(name, 0.0)
        if isinstance(value, Pose | str) or not 0.0 <= float(value) <= most:
            raise BadRequest(f"parameter '{name}' must be a length from 0 to {most} m, not {value!r}")
        return float(value)

    def flag(self, name: str) -> bool:
        """Read a truth value.

        Raises:
            BadRequest: If it is missing or not one.
        """
        value = self._values.get(name)
        if not isinstance(value, bool):
            raise BadRequest(f"parameter '{name}' must be true or false, not {value!r}")
        return value

    def count(self, name: str) -> int:
        """Read a number of things; 0 if not given.

        Raises:
            BadRequest: If it is not a whole number from 0 on.
        """
        value = self._values.get(name, 0)
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise BadRequest(f"parameter '{name}' must be a whole number from 0 on, not {value!r}")
        return value


@dataclass(frozen=True)
class NavigateRequest:
    """Drive to a pose in map, or, if only ``facing`` is given, to where the robot faces it."""

    goal: Pose | None
    facing: Pose | None

    @classmethod
    def read(cls, params: Params) -> "NavigateRequest":
        """Read ``goal`` or ``target``."""
        if params.given("goal"):
            return cls(params.pose("goal"), None)
        if params.given("target"):
            return cls(None, params.pose("target"))
        raise BadRequest("NAVIGATE needs a pose 'goal' to drive to or a pose 'target' to face")


_MAX_ROOM = 1000.0
"""Largest extent of a room in a request [m]."""


@dataclass(frozen=True)
class ExploreRequest:
    """Look around until the reachable floor is known."""

    room: Pose | None = None  # Middle of the rectangle in map whose floor counts; None for all floor.
    size: tuple[float, float] = (0.0, 0.0)  # Extents of the rectangle along that pose's axes in [m].
    views: int = 0  # Views after which it ends [1]; 0 for no such bound.

    @classmethod
    def read(cls, params: Params) -> "ExploreRequest":
        """Read ``room``, ``size_x``, ``size_y`` and ``views``.

        Raises:
            BadRequest: If a room is given without its size.
        """
        size = params.length("size_x", _MAX_ROOM), params.length("size_y", _MAX_ROOM)
        room = params.pose("room") if params.given("room") else None
        if room is not None and not all(size):
            raise BadRequest("EXPLORE with a pose 'room' needs its 'size_x' and 'size_y' in [m]")
        return cls(room, size, params.count("views"))


@dataclass(frozen=True)
class LookAtRequest:
    """Aim the head at a point in map; with ids, at a node that may lie ``inside`` another."""

    target: Pose
    node_id: str = ""
    inside: str = ""

    @classmethod
    def read(cls, params: Params) -> "LookAtRequest":
        """Read ``target``, ``node_id`` and ``inside``."""
        return cls(params.pose("target"), params.text("node_id"), params.text("inside"))


@dataclass(frozen=True)
class GraspRequest:
    """Grasp an object."""

    target: Pose  # Pose of its centre in map.
    size: tuple[float, float, float]  # Extents along that pose's axes in [m]; 0 if unknown.
    label: str  # Name of the object.
    # True to try lateral and oblique approaches before one from above: an object held from above does not fit
    # between two shelves.
    from_side: bool = False

    @classmethod
    def read(cls, params: Params) -> "GraspRequest":
        """Read ``target``, ``size_x``, ``size_y``, ``size_z``, ``label`` and ``from_side``."""
        size = (params.length("size_x"), params.length("size_y"), params.length("size_z"))
        from_side = params.given("from_side") and params.flag("from_side")
        return cls(params.pose("target"), size, params.text("label", "thing"), from_side)

    @property
    def position(self) -> Vector3:
        """Centre in map in [m], shape (3,)."""
        return np.array(self.target.position)

    @property
    def height(self) -> float:
        """Extent along z in [m]; a guess for an object on a table if unknown."""
        return self.size[2] or 0.10

    @property
    def is_slender(self) -> bool:
        """True if it is more than twice as tall as wide."""
        return self.size[2] > 2.0 * max(self.size[0], self.size[1], 0.05)

    @property
    def outline(self) -> float:
        """Distance from the expected centre within which the object lies in [m]; no limit if unknown."""
        diagonal = float(np.hypot(*self.size[:2]))
        return diagonal / 2 + _MISPLACED if min(self.size[:2]) > 0.0 else np.inf

    @property
    def reach(self) -> float:
        """Half the greatest horizontal extent in [m]; a guess if unknown."""
        return max(self.size[0], self.size[1], 0.08) / 2


@dataclass(frozen=True)
class DoorRequest:
    """Open or close the door of a container, given its pose in map and its id."""

    target: Pose
    container_id: str

    @classmethod
    def read(cls, params: Params) -> "DoorRequest":
        """Read ``target`` and ``container_id``."""
        return cls(params.pose("target"), params.text("container_id"))


@dataclass(frozen=True)
class PlaceRequest:
    """Put the held object down at a point of a surface, or on or in a piece of furniture."""

    target: Pose  # The point, or the middle of the furniture, in map.
    # Extents of the furniture along that pose's axes in [m], x out of its front; 0 if unknown.
    size: tuple[float, float, float] = (0.0, 0.0, 0.0)

    @classmethod
    def read(cls, params: Params) -> "PlaceRequest":
        """Read ``target``, ``size_x``, ``size_y`` and ``size_z``."""
        x, y, z = (params.length(f"size_{axis}", _MAX_FURNITURE) for axis in "xyz")
        return cls(params.pose("target"), (x, y, z))


@dataclass(frozen=True)
class PourRequest:
    """Pour from the held bottle into a vessel, given the pose of its centre in map and its name."""

    target: Pose
    label: str

    @classmethod
    def read(cls, params: Params) -> "PourRequest":
        """Read ``target`` and ``label``."""
        return cls(params.pose("target"), params.text("label", "vessel"))


@dataclass(frozen=True)
class HandoverRequest:
    """Hand the held object to a person."""

    agent: Pose
    agent_id: str

    @classmethod
    def read(cls, params: Params) -> "HandoverRequest":
        """Read ``agent`` and ``agent_id``."""
        return cls(params.pose("agent"), params.text("agent_id"))


@dataclass(frozen=True)
class SwitchRequest:
    """Turn a lamp or screen on or off by its control."""

    target: Pose  # Middle of the control's face in map, x out of the face.
    control_id: str  # Id of the control.
    on: bool  # State to bring about.

    @classmethod
    def read(cls, params: Params) -> "SwitchRequest":
        """Read ``target``, ``control_id`` and ``on``."""
        return cls(params.pose("target"), params.text("control_id"), params.flag("on"))


@dataclass(frozen=True)
class PressRequest:
    """Press a button or switch once, given the middle of its face in map, x out of it, and its id."""

    target: Pose
    control_id: str

    @classmethod
    def read(cls, params: Params) -> "PressRequest":
        """Read ``target`` and ``control_id``."""
        return cls(params.pose("target"), params.text("control_id"))


_TYPES: Mapping[ParameterType, tuple[type[ParamValue], ...]] = {
    ParameterType.STRING: (str,),
    ParameterType.FLOAT: (float, int),
    ParameterType.INT: (int,),
    ParameterType.BOOL: (bool,),
    ParameterType.POSE: (Pose,),
}


@dataclass(frozen=True, slots=True)
class ValidatedGoal:
    """A goal that matches its manifest; ``deadline`` in [s] of wall-clock time."""

    rskill_id: str
    verb: Verb
    params: Mapping[str, ParamValue]
    deadline: float


def validate_goal(goal: SkillGoal, registry: Registry, served: Collection[Verb]) -> ValidatedGoal:
    """Validate a goal against the rSkill that it names and the verbs that the robot serves.

    Raises:
        BadRequest: If the rSkill is unknown, or parameters or deadline are invalid; lists every problem.
        UnservedVerb: If the robot does not serve the rSkill's verb.
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


def _parameter_problems(manifest: SkillManifest, params: Mapping[str, ParamValue]) -> Iterator[str]:
    specs = {spec.name: spec for spec in manifest.parameters}
    for name, spec in specs.items():
        if name in params:
            yield from _type_problems(spec, params[name])
        elif spec.required:
            yield f"parameter '{name}' ({spec.type}) is missing"
    for extra in sorted(set(params) - set(specs)):
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
