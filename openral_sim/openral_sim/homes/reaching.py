"""Whether the robot can get everywhere it has to in a home."""

from collections.abc import Iterator

import mujoco
import numpy as np

from openral_core.maps import Place
from openral_sim.compositions import compose
from openral_sim.motions.occupancy import rasterise
from openral_sim.motions.paths import NoWay, TravelField, travel_field
from openral_sim.scenes import Scene
from openral_sim.skills.moves.driving import CLEARANCE_HOLDING


def can_be_lived_in(scene: Scene) -> bool:
    """Whether every place can be reached from the robot's start with something in the hand."""
    return not list(unreachable_places(scene))


def unreachable_places(scene: Scene) -> Iterator[Place]:
    """The places no way leads to."""
    field = _ways(scene)
    for place in scene.home.places:
        at = np.array([place.pose.x, place.pose.y])
        if field is None or not np.isfinite(field.cost_at(at)):
            yield place


def _ways(scene: Scene) -> TravelField | None:
    """Ways over the floor of the home with its doors shut; None if the robot stands too tightly."""
    empty = Scene(scene.document.model_copy(update={"objects": ()}), scene.home)
    model = compose(empty, 0, None).spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    start = np.array([scene.document.robot.x, scene.document.robot.y])
    try:
        return travel_field(rasterise(model, data, frozenset()), start, CLEARANCE_HOLDING)
    except NoWay:
        return None
