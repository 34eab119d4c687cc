"""The motion envelope: where the robot may work, how fast it may drive, and its distance from people.

It lies below whatever sends goals: a goal that would break it is refused before anything moves, and what
runs is slowed near people and stopped if it comes too near.
"""
# MERGED Keeps a running skill inside the motion envelope, period by period.

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from openral_core.geometry import Pose
from openral_core.skills import ParamValue, Verb
from openral_sim.skills.context import SkillContext
from openral_sim.skills.errors import Blocked, OutsideEnvelope

Vector = NDArray[np.float64]
Area = tuple[tuple[float, float], tuple[float, float]]


@dataclass(frozen=True)
class MotionEnvelope:
    """Bounds on every motion; lengths in [m], speeds in [m/s].

    Attributes:
        areas: Rectangles of floor, each low and high corner in map, that all work stays in.
        highest: Height nothing is reached for above.
        base_from_people: Least distance from the base's middle to a person's.
        hand_from_people: Least distance from the hand to the middle of a person's trunk.
        speed: Of the base.
        speed_near_people: Of the base within ``near`` of a person.
        near: From the base's middle to a person's.
    """

    areas: tuple[Area, ...]
    highest: float = 2.0
    base_from_people: float = 0.50
    hand_from_people: float = 0.22
    speed: float = 0.85
    speed_near_people: float = 0.45
    near: float = 1.2

    @classmethod
    def around(cls, polygons: Iterable[Iterable[tuple[float, float]]]) -> "MotionEnvelope":
        """The bounds of rooms given by their corners in map."""
        corners = [np.array(list(room)) for room in polygons]
        return cls(tuple((_point(room.min(axis=0)), _point(room.max(axis=0))) for room in corners))

    def admit(self, context: SkillContext, verb: Verb, params: Mapping[str, ParamValue]) -> None:
        """Make sure a goal stays inside.

        Raises:
            OutsideEnvelope: If it does not; names every bound it would break.
        """
        poses = {name: value for name, value in params.items() if isinstance(value, Pose)}
        broken = [f"'{name}' {why}" for name in poses for why in self._broken(context, verb, poses[name])]
        if broken:
            raise OutsideEnvelope(verb, broken)

    def _broken(self, context: SkillContext, verb: Verb, pose: Pose) -> Iterator[str]:
        x, y, z = pose.position
        if not any(low[0] <= x <= high[0] and low[1] <= y <= high[1] for low, high in self.areas):
            yield f"({x:.2f}, {y:.2f}) lies outside the rooms"
        if verb not in _LOOKS and not -0.05 <= z <= self.highest:
            yield f"is {z:.2f} m high: allowed are 0 to {self.highest:.1f} m"
        least = self.base_from_people if verb is Verb.NAVIGATE else self.hand_from_people
        nearest = min((float(np.hypot(*(person - (x, y)))) for person in people_at(context)), default=np.inf)
        if verb not in _TO_PEOPLE and nearest < least:
            yield f"is {nearest:.2f} m from a person: at least {least:.2f} m are kept"


UNBOUNDED = MotionEnvelope((((-np.inf, -np.inf), (np.inf, np.inf)),), highest=np.inf)
"""Without walls; people are kept away from all the same."""
_LOOKS = frozenset({Verb.LOOK_AT})
_TO_PEOPLE = frozenset({Verb.LOOK_AT, Verb.HANDOVER})


def people_at(context: SkillContext) -> Iterator[Vector]:
    """Where people stand in map, each shape (2,)."""
    return (np.array(context.data.body(person.body).xpos[:2]) for person in context.world.people.values())


def _point(xy: Vector) -> tuple[float, float]:
    return float(xy[0]), float(xy[1])


_SLACK = 0.01


class SafetyMonitor:
    """Slows the base near people and stops what comes too near them.

    What begins too near may stay as near as it is, so that the robot can always leave.
    """

    def __init__(self, context: SkillContext, envelope: MotionEnvelope) -> None:
        self._context, self._envelope = context, envelope
        wanted = np.array([[envelope.base_from_people], [envelope.hand_from_people]])
        self._least = np.minimum(wanted, self._distances() - _SLACK)

    def check(self) -> None:
        """Govern the commands of one period.

        Raises:
            Blocked: If the base or the hand came nearer to a person than is kept.
        """
        distances = self._distances()
        self._slow(float(distances[0].min(initial=np.inf)))
        for name, row, least in zip(("base", "hand"), distances, self._least, strict=True):
            near = row < least
            if near.any():
                kept = float(least[near].max())
                raise Blocked(f"the {name} came within {kept:.2f} m of a person")

    def _slow(self, distance: float) -> None:
        control, envelope = self._context.control, self._envelope
        bound = envelope.speed_near_people if distance < envelope.near else envelope.speed
        velocity = control.commanded_velocity
        speed = float(np.linalg.norm(velocity[:2]))
        if speed > bound:
            control.drive(np.array([*(velocity[:2] * bound / speed), velocity[2]]))

    def _distances(self) -> Vector:
        """From base and hand to every person on the floor in [m], shape (2, people)."""
        control = self._context.control
        people = np.array(list(people_at(self._context))).reshape(-1, 2)
        parts = np.array([control.base_pose[:2], control.T_map_grasp()[:2, 3]])
        distances: Vector = np.linalg.norm(parts[:, None] - people[None], axis=2)
        return distances
