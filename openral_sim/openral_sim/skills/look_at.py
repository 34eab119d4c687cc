"""LOOK_AT: point the head camera at a point in map."""

import numpy as np

from openral_core.skills import SkillResult, SkillStatus
from openral_sim.skills.context import SkillContext
from openral_sim.skills.feedback import Running
from openral_sim.skills.moves.looking import aim, face
from openral_sim.skills.requests import LookAtRequest


def look_at(context: SkillContext, request: LookAtRequest) -> Running:
    """Turn the base if the head cannot pan that far, then pan and tilt."""
    point = np.array(request.target.position)
    yield from face(context, point, "turning")
    yield from aim(context, point, "looking")
    pan, tilt = context.control.head
    return SkillResult(SkillStatus.SUCCEEDED, "looking at it", {"pan": float(pan), "tilt": float(tilt)})
