"""Vessels of a pour: the bottle in the hand, the vessel that a goal names, and the stream between them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from openral_sim.motion_primitives.release import extent
from openral_sim.scene.liquids import Liquid
from openral_sim.skills.context import HeldObject, SkillContext
from openral_sim.skills.errors import BadRequest, NothingThere
from openral_sim.skills.requests import PourRequest

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class PourModel:
    """Parameters of simulated pouring; those of a wine bottle where not otherwise stated.

    Attributes:
        rate: Flow out of a tilted bottle in [l/s].
        full_tilt: Tilt from which a full bottle pours in [rad].
        empty_tilt: Tilt from which an almost empty bottle pours in [rad]; a little below its mouth's level.
        max_fall: Largest height of the stream in [m]; from higher up it splashes.
        max_target_offset: Largest horizontal distance of a vessel from a goal's target in [m]; a cup's width.
        max_target_height: Largest vertical distance of a vessel from a goal's target in [m].
        min_upright: Cosine of the largest tilt at which a vessel counts as upright; 18 degrees.
    """

    rate: float = 0.04
    full_tilt: float = 1.2
    empty_tilt: float = 1.75
    max_fall: float = 0.15
    max_target_offset: float = 0.06
    max_target_height: float = 0.2
    min_upright: float = 0.95


MODEL = PourModel()


@dataclass(frozen=True)
class PourVessel:
    """A body that contains, or can contain, a liquid.

    Attributes:
        body: Its id.
        liquid: Its contents.
        top: Height of its rim or spout above its origin in [m].
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


def bottle_in_hand(context: SkillContext, held: HeldObject) -> PourVessel:
    """Return the held object as a vessel to pour from.

    Raises:
        BadRequest: If it is empty or not held level, so that the wrist cannot tilt it.
    """
    liquid = context.liquids.get(held.body)
    if liquid is None or liquid.level <= 0.0:
        raise BadRequest(f"the {held.label} is empty")
    if not held.orientation.is_level:
        how = "from above" if held.is_downward else "obliquely"
        raise BadRequest(f"the {held.label} is held {how}; to pour, grasp it from the side")
    return _vessel(context, held.body)


def vessel_at(context: SkillContext, request: PourRequest, source: int) -> PourVessel:
    """Find the upright vessel nearest to a goal's target.

    Raises:
        NothingThere: If none is near there.
    """
    target = np.array(request.target.position)
    others = [body for body in context.liquids if body != source]
    distances = {body: float(np.linalg.norm((context.data.xpos[body] - target)[:2])) for body in others}
    body = min(distances, key=lambda body: distances[body], default=None)
    where = ", ".join(f"{value:.2f}" for value in target)
    is_near = body is not None and (
        distances[body] <= MODEL.max_target_offset
        and abs(context.data.xpos[body][2] - target[2]) <= MODEL.max_target_height
    )
    if body is None or not is_near:
        raise NothingThere(
            f"no fillable {request.label} within {MODEL.max_target_offset * 100:.0f} cm of ({where})"
        )
    if context.data.xmat[body].reshape(3, 3)[2, 2] < MODEL.min_upright:
        raise NothingThere(f"the {request.label} at ({where}) is not upright")
    return _vessel(context, body)


def _vessel(context: SkillContext, body: int) -> PourVessel:
    return PourVessel(body, context.liquids[body], float(extent(context.model, body)[1][2]))


def pour_step(context: SkillContext, source: PourVessel, vessel: PourVessel, seconds: float) -> float:
    """Pour for some seconds if the source is tilted enough; return the spilled volume in [l]."""
    if source.tilt(context) < MODEL.empty_tilt + (MODEL.full_tilt - MODEL.empty_tilt) * source.liquid.level:
        return 0.0
    poured = -source.liquid.add(-MODEL.rate * seconds, source.liquid.colour)
    if not _falls_in(context, source, vessel):
        return poured
    return max(0.0, poured - vessel.liquid.add(poured, source.liquid.colour))


def _falls_in(context: SkillContext, source: PourVessel, vessel: PourVessel) -> bool:
    """Return True if a stream straight down from the spout meets the vessel's mouth."""
    offset = source.rim(context) - vessel.rim(context)
    return 0.0 < offset[2] < MODEL.max_fall and float(np.linalg.norm(offset[:2])) < vessel.liquid.mouth
