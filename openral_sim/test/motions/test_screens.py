import mujoco
import numpy as np

from openral_sim.planning.range_sensor import line_of_sight
from openral_sim.planning.visibility import is_occluded, nearby_occluders
from openral_sim.world import SimWorldModel


def test_hide_what_furniture_hides_and_nothing_else(still_world: SimWorldModel) -> None:
    model, data = still_world.model, still_world.data
    middle, rng = np.array([0.40, 1.70, 0.85]), np.random.default_rng(0)
    loose = frozenset(
        body
        for body in range(model.nbody)
        if model.body_jntnum[body] and model.jnt_type[model.body_jntadr[body]] == mujoco.mjtJoint.mjJNT_FREE
    )
    boxes = nearby_occluders(model, data, middle, 3.0, frozenset())
    eye = np.array([1.9, 1.7, 1.4])
    points = middle + rng.uniform(-0.8, 0.8, (60, 3))
    seen = [line_of_sight(model, data, eye, point, loose) for point in points]
    met = is_occluded(eye, points, boxes)
    # A line of sight forgives what is within 12 cm before a point.
    short = eye + (points - eye) * (1.0 - 0.12 / np.linalg.norm(points - eye, axis=1, keepdims=True))
    assert (~is_occluded(eye, short, boxes) == seen).mean() > 0.95
    assert 0 < met.sum() < len(points)


def test_are_those_near_by(still_world: SimWorldModel) -> None:
    at = np.array([0.40, 1.70, 0.85])
    near = nearby_occluders(still_world.model, still_world.data, at, 0.5, frozenset())
    all_of_them = nearby_occluders(still_world.model, still_world.data, at, 50.0, frozenset())
    assert 0 < len(near.centres) < len(all_of_them.centres)


def test_what_can_be_picked_up_is_none(still_world: SimWorldModel) -> None:
    bottle = next(thing for thing in still_world.objects.values() if thing.kind == "wine_bottle")
    at = still_world.T_world(bottle.body)[:3, 3]
    boxes = nearby_occluders(still_world.model, still_world.data, at, 5.0, frozenset())
    local = np.einsum("nji,nj->ni", boxes.axes, at - boxes.centres)
    assert not (np.abs(local) < boxes.halves).all(axis=1).any()
