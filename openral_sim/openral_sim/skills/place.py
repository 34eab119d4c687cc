"""PLACE: put down what is held at a point of a surface."""

import numpy as np

from openral_core.skills import SkillResult, SkillStatus, Verb
from openral_sim.skills.context import SkillContext
from openral_sim.skills.feedback import Running
from openral_sim.skills.moves.docking import dock
from openral_sim.skills.moves.driving import shift_by
from openral_sim.skills.moves.gripping import bumped, open_hand
from openral_sim.skills.moves.holding import require_held, unfasten
from openral_sim.skills.moves.presenting import presentations
from openral_sim.skills.moves.reaching import fold, reach_along, reach_to
from openral_sim.skills.requests import PlaceRequest

_GAP = 0.004
_DROP = 0.12


def place(context: SkillContext, request: PlaceRequest) -> Running:
    """Dock, lower what is held until it stands, let go and draw back."""
    held = require_held(context, Verb.PLACE)
    point = np.array(request.target.position)
    stance = yield from dock(
        context, point, lambda base: presentations(held, point, _GAP, _DROP, base), "docking"
    )
    yield from reach_to(context, stance.before, "reaching", 0.7)
    yield from reach_along(context, stance.option.T_map_goal, "lowering", 0.12, stop=lambda: bumped(context))
    unfasten(context, context.names.grasp_weld)
    context.held = None
    yield from open_hand(context, "letting go")
    yield from reach_along(context, stance.option.T_map_before, "drawing back", 0.25)
    yield from shift_by(context, -0.25, "backing off")
    yield from fold(context, "folding the arm")
    x, y, z = (float(value) for value in context.data.xpos[held.body])
    return SkillResult(SkillStatus.SUCCEEDED, f"placed the {held.label}", {"x": x, "y": y, "z": z})
