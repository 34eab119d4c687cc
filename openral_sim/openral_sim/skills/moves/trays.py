"""Drawn drawers: what lies in one has to be lifted over its front."""

from collections.abc import Iterator

import numpy as np

from openral_sim.furniture import Motion
from openral_sim.motions.slides import slide_of
from openral_sim.skills.context import SkillContext
from openral_sim.skills.moves.extents import extent


def rim_around(context: SkillContext, body: int) -> float:
    """Height in map of the drawer's front that a body lies behind in [m]; -inf if it lies in no drawer."""
    return max(_rims(context, body), default=-np.inf)


def _rims(context: SkillContext, body: int) -> Iterator[float]:
    model, data = context.model, context.data
    for item in context.world.furniture.values():
        for door in item.doors:
            if door.motion is Motion.SLIDE and slide_of(model, data, door.body, door.joint).along_normal:
                tray = data.body(door.body)
                low, high = extent(model, tray.id)
                local = tray.xmat.reshape(3, 3).T @ (data.xpos[body] - tray.xpos)
                if (low <= local).all() and (local <= high).all():
                    yield float(tray.xpos[2] + high[2])
