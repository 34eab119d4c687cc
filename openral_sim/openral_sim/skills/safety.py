"""Motion envelope: the area of work, the base's speed, and the distance from people.

It is enforced below the reasoner: a goal that would violate it is refused before anything moves; a running
skill is slowed near people and stopped if it comes too close.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from openral_core.arrays import Array, Vector2
from openral_core.consent.policy import NearPeople
from openral_core.geometry import Pose
from openral_core.skill_errors import Blocked, OutsideEnvelope
from openral_core.skills import ParamValue, Verb
from openral_sim.motion_primitives.base_motion import people_at
from openral_sim.motion_primitives.context import SkillContext

Area = tuple[tuple[float, float], tuple[float, float]]


@dataclass(frozen=True)
class MotionEnvelope:
    """Bounds on every motion; lengths in [m], speeds in [m/s]."""

    # Rectangles of floor that contain all work, each by its low and high corner in map.
    areas: tuple[Area, ...]
    highest: float = 2.0  # Greatest height of a target.
    # Distances from the middle of a person to those of base and hand, and the speed near them.
    people: NearPeople = field(default_factory=NearPeople)
    speed: float = 0.85  # Top speed of the base.

    @classmethod
    def around(
        cls, polygons: Iterable[Iterable[tuple[float, float]]], people: NearPeople | None = None
    ) -> "MotionEnvelope":
        """Make an envelope of the bounding boxes of rooms, given by their corners in map."""
        corners = [np.array(list(room)) for room in polygons]
        areas = tuple((_point(room.min(axis=0)), _point(room.max(axis=0))) for room in corners)
        return cls(areas, people=people or NearPeople())

    def admit(self, context: SkillContext, verb: Verb, params: Mapping[str, ParamValue]) -> None:
        """Ensure that a goal stays inside.

        Raises:
            OutsideEnvelope: If it does not; lists every violation.
        """
        poses = {name: value for name, value in params.items() if isinstance(value, Pose)}
        violations = [
            f"'{name}' {why}" for name in poses for why in self._violations(context, verb, poses[name])
        ]
        if violations:
            raise OutsideEnvelope(verb, violations)

    def _violations(self, context: SkillContext, verb: Verb, pose: Pose) -> Iterator[str]:
        x, y, z = pose.position
        if not any(low[0] <= x <= high[0] and low[1] <= y <= high[1] for low, high in self.areas):
            yield f"({x:.2f}, {y:.2f}) lies outside the rooms"
        if verb not in _LOOKS and not -0.05 <= z <= self.highest:
            yield f"is at a height of {z:.2f} m: allowed are 0 to {self.highest:.1f} m"
        least = self.people.base if verb is Verb.NAVIGATE else self.people.hand
        nearest = min((float(np.hypot(*(person - (x, y)))) for person in people_at(context)), default=np.inf)
        if verb not in _TO_PEOPLE and nearest < least:
            yield f"is {nearest:.2f} m from a person: the minimum is {least:.2f} m"


UNBOUNDED = MotionEnvelope((((-np.inf, -np.inf), (np.inf, np.inf)),), highest=np.inf)
"""Envelope without walls; the distance from people is still kept."""
_LOOKS = frozenset({Verb.LOOK_AT})
_TO_PEOPLE = frozenset({Verb.LOOK_AT, Verb.HANDOVER})


def _point(xy: Vector2) -> tuple[float, float]:
    return float(xy[0]), float(xy[1])


_SLACK = 0.01
"""Tolerance on the initial distance from people [m]: motion noise must not stop a skill that starts close."""


class SafetyMonitor:
    """Slow the base near people and stop a skill that comes too close to them.

    A skill that starts too close may stay that close, so that the robot can always leave.
    """

    def __init__(self, context: SkillContext, envelope: MotionEnvelope) -> None:
        self._context, self._envelope = context, envelope
        limits = np.array([[envelope.people.base], [envelope.people.hand]])
        self._least = np.minimum(limits, self._distances() - _SLACK)

    def check(self) -> None:
        """Limit the commands of one period.

        Raises:
            Blocked: If the base or the hand came too close to a person.
        """
        distances = self._distances()
        self._slow(float(distances[0].min(initial=np.inf)))
        for name, row, least in zip(("base", "hand"), distances, self._least, strict=True):
            near = row < least
            if near.any():
                distance = float(least[near].max())
                raise Blocked(f"the {name} came within {distance:.2f} m of a person")

    def _slow(self, distance: float) -> None:
        control, envelope = self._context.control, self._envelope
        near = distance < envelope.people.distance
        bound = min(envelope.speed, envelope.people.speed) if near else envelope.speed
        velocity = control.commanded_velocity
        speed = float(np.linalg.norm(velocity[:2]))
        if speed > bound:
            control.drive(np.array([*(velocity[:2] * bound / speed), velocity[2]]))

    def _distances(self) -> Array:
        """Horizontal distances from base and hand to every person in [m], shape (2, people)."""
        control = self._context.control
        people = np.array(list(people_at(self._context))).reshape(-1, 2)
        parts = np.array([control.base_pose[:2], control.T_map_grasp()[:2, 3]])
        distances: Array = np.linalg.norm(parts[:, None] - people[None], axis=2)
        return distances
