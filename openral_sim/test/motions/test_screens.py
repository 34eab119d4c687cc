import mujoco
import numpy as np

from openral_sim.motions.outlooks import hidden
from openral_sim.motions.scans import line_of_sight
from openral_sim.motions.screens import screens_near
from openral_sim.world import World


def test_hide_what_furniture_hides_and_nothing_else(still_world: World) -> None:
    model, data = still_world.model, still_world.data
    middle, rng = np.array([0.40, 1.70, 0.85]), np.random.default_rng(0)
    loose = frozenset(
        body
        for body in range(model.nbody)
        if model.body_jntnum[body] and model.jnt_type[model.body_jntadr[body]] == mujoco.mjtJoint.mjJNT_FREE
    )
    boxes = screens_near(model, data, middle, 3.0, frozenset())
    eye = np.array([1.9, 1.7, 1.4])
    points = middle + rng.uniform(-0.8, 0.8, (60, 3))
    seen = [line_of_sight(model, data, eye, point, loose) for point in points]
    met = hidden(eye, points, boxes)
    # A line of sight forgives what is within 12 cm before a point.
    short = eye + (points - eye) * (1.0 - 0.12 / np.linalg.norm(points - eye, axis=1, keepdims=True))
    assert (~hidden(eye, short, boxes) == seen).mean() > 0.95
    assert 0 < met.sum() < len(points)


def test_are_those_near_by(still_world: World) -> None:
    at = np.array([0.40, 1.70, 0.85])
    near = screens_near(still_world.model, still_world.data, at, 0.5, frozenset())
    all_of_them = screens_near(still_world.model, still_world.data, at, 50.0, frozenset())
    assert 0 < len(near.centres) < len(all_of_them.centres)


def test_what_can_be_picked_up_is_none(still_world: World) -> None:
    bottle = next(thing for thing in still_world.objects.values() if thing.kind == "wine_bottle")
    at = still_world.T_world(bottle.body)[:3, 3]
    boxes = screens_near(still_world.model, still_world.data, at, 5.0, frozenset())
    local = np.einsum("nji,nj->ni", boxes.axes, at - boxes.centres)
    assert not (np.abs(local) < boxes.halves).all(axis=1).any()
