"""People who take what the robot holds out: they reach for it, pull it out of the fingers and keep it."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from openral_core.skills import Feedback
from openral_sim.motion_primitives.context import CONTROL_PERIOD, HeldObject, Move, SkillContext
from openral_sim.motion_primitives.gripper import distance_to
from openral_sim.scene.entities import WorldPerson
from openral_sim.skills.handover import palm, pass_to


@dataclass(frozen=True)
class RecipientConfig:
    """Parameters of taking an object."""

    # Distance from the held-out palm within which a person reaches for an object in [m].
    arm_length: float = 0.45
    # Speed of every joint of the robot below which the object is held out in [m/s] or [rad/s].
    still_speed: float = 0.03
    still_time: float = 1.0  # Time that it is held out before a person takes it in [s].
    pull_time: float = 1.0  # Duration of the pull from the fingers to the palm in [s].
    above_palm: float = 0.03  # Height of the object's middle over the palm afterwards in [m].
    # Largest difference in height from the palm of an offer in [m]; tables are lower.
    palm_height: float = 0.35


CONFIG = RecipientConfig()


class Recipients:
    """The people of a world; ``given`` describes what they took, in order."""

    def __init__(self, context: SkillContext) -> None:
        self._context = context
        self._still_for = 0.0
        self._pull: Iterator[Feedback] | None = None
        self.handovers: tuple[str, ...] = ()

    def advance(self) -> None:
        """Advance by one control period."""
        if self._pull is not None and next(self._pull, None) is None:
            self._pull = None
        held = self._context.held
        still = held is not None and float(self._context.control.speeds.max()) < CONFIG.still_speed
        self._still_for = self._still_for + CONTROL_PERIOD if still else 0.0
        if held is None or self._still_for < CONFIG.still_time:
            return
        self._still_for = 0.0
        for name, person in self._context.world.people.items():
            if self._reaches(person, held):
                thing = self._context.model.body(held.body).name.rpartition("/")[2]
                self.handovers = (*self.handovers, f"{name} has {thing}")
                self._pull = self._take(person, held)
                return

    def _reaches(self, person: WorldPerson, held: HeldObject) -> bool:
        hand = palm(self._context, person)
        height = float(self._context.data.xpos[held.body, 2] - hand[2])
        near = distance_to(self._context, held.body, hand) < CONFIG.arm_length
        return near and abs(height) < CONFIG.palm_height

    def _take(self, person: WorldPerson, held: HeldObject) -> Move[None]:
        """Hold the object in the person's grip and move it to their palm."""
        context = self._context
        model, data = context.model, context.data
        body, weld = model.body(person.body).id, pass_to(context, held, person)
        above = palm(context, person) + np.array([0.0, 0.0, CONFIG.above_palm])
        index = model.equality(weld).id
        begin = np.array(model.eq_data[index, 3:6])
        end = data.xmat[body].reshape(3, 3).T @ (above - data.xpos[body])
        for fraction in np.arange(0.0, 1.0, CONTROL_PERIOD / CONFIG.pull_time):
            model.eq_data[index, 3:6] = begin + fraction * (end - begin)
            yield Feedback("pulling", float(fraction))
