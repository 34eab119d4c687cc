"""The vessel that stands where a goal says, and the stream into it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from openral_sim.motion_primitives.release import extent
from openral_sim.scene.liquids import Liquid
from openral_sim.skills.context import Held, SkillContext
from openral_sim.skills.errors import BadRequest, NothingThere
from openral_sim.skills.requests import PourRequest

Vector = NDArray[np.float64]
RATE = 0.04
"""How fast liquid leaves a tilted bottle in [l/s]."""
_NEAR = 0.06
_UPRIGHT = 0.95
_FALL = 0.15
_RUNS_FULL, _RUNS_EMPTY = 1.2, 1.75


@dataclass(frozen=True)
class PourVessel:
    """A body with liquid in it, or room for some.

    Attributes:
        body: Its id.
        liquid: What is in it.
        top: Height of its rim or spout over its origin in [m].
    """

    body: int
    liquid: Liquid
    top: float

    def rim(self, context: SkillContext) -> Vector:
        """Middle of its rim or spout in map, shape (3,)."""
        R = context.data.xmat[self.body].reshape(3, 3)
        at: Vector = context.data.xpos[self.body] + self.top * R[:, 2]
        return at

    def tilt(self, context: SkillContext) -> float:
        """Angle of its axis from the vertical in [rad]."""
        return float(np.arccos(np.clip(context.data.xmat[self.body].reshape(3, 3)[2, 2], -1.0, 1.0)))


def bottle_in_hand(context: SkillContext, held: Held) -> PourVessel:
    """What is held, as something to pour from.

    Raises:
        BadRequest: If there is nothing in it, or it is held so that it cannot be tilted.
    """
    liquid = context.liquids.get(held.body)
    if liquid is None or liquid.level <= 0.0:
        raise BadRequest(f"there is nothing to pour in the {held.label}")
    if not held.pointing.is_level:
        how = "from above" if held.downward else "aslant"
        raise BadRequest(f"the {held.label} is held {how}; take it from the side to pour")
    return _vessel(context, held.body)


def vessel_at(context: SkillContext, request: PourRequest, source: int) -> PourVessel:
    """The upright vessel nearest to where it is said to be.

    Raises:
        NothingThere: If none stands near there.
    """
    told = np.array(request.target.position)
    others = [body for body in context.liquids if body != source]
    far = {body: float(np.linalg.norm((context.data.xpos[body] - told)[:2])) for body in others}
    body = min(far, key=lambda body: far[body], default=None)
    where = ", ".join(f"{value:.2f}" for value in told)
    if body is None or far[body] > _NEAR or abs(context.data.xpos[body][2] - told[2]) > 0.2:
        raise NothingThere(f"no {request.label} that could be filled stands within 6 cm of ({where})")
    if context.data.xmat[body].reshape(3, 3)[2, 2] < _UPRIGHT:
        raise NothingThere(f"the {request.label} at ({where}) does not stand upright")
    return _vessel(context, body)


def _vessel(context: SkillContext, body: int) -> PourVessel:
    return PourVessel(body, context.liquids[body], float(extent(context.model, body)[1][2]))


def pour_step(context: SkillContext, source: PourVessel, vessel: PourVessel, seconds: float) -> float:
    """Let liquid run for a moment if the source is tilted enough; what missed the vessel in [l]."""
    if source.tilt(context) < _RUNS_EMPTY + (_RUNS_FULL - _RUNS_EMPTY) * source.liquid.level:
        return 0.0
    left = -source.liquid.add(-RATE * seconds, source.liquid.colour)
    if not _falls_in(context, source, vessel):
        return left
    return max(0.0, left - vessel.liquid.add(left, source.liquid.colour))


def _falls_in(context: SkillContext, source: PourVessel, vessel: PourVessel) -> bool:
    """Whether a stream straight down from the spout meets the vessel's mouth."""
    offset = source.rim(context) - vessel.rim(context)
    return 0.0 < offset[2] < _FALL and float(np.linalg.norm(offset[:2])) < vessel.liquid.mouth
