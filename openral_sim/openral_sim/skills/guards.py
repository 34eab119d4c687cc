"""Keeps a running skill inside the motion envelope, period by period."""

import numpy as np
from numpy.typing import NDArray

from openral_sim.skills.context import SkillContext
from openral_sim.skills.envelopes import Envelope, people_at
from openral_sim.skills.failures import Blocked

Vector = NDArray[np.float64]
_SLACK = 0.01


class Guard:
    """Slows the base near people and stops what comes too near them.

    What begins too near may stay as near as it is, so that the robot can always leave.
    """

    def __init__(self, context: SkillContext, envelope: Envelope) -> None:
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
