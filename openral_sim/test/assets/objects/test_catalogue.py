from typing import get_args

import mujoco
import numpy as np
import pytest
from numpy.typing import NDArray

from openral_sim.assets.objects.builder import COLOURS, GLOSS, ColourName, Material, ObjectBuilder, ObjectKind
from openral_sim.assets.objects.catalogue import KINDS, SHAPES, build_object

Built = tuple[ObjectKind, mujoco.MjModel]
GRIPPER = 0.075


@pytest.fixture(params=sorted(KINDS))
def built(request: pytest.FixtureRequest) -> Built:
    kind = KINDS[request.param]
    spec = mujoco.MjSpec()
    body = spec.worldbody.add_body(name="object/it")
    build_object(ObjectBuilder(spec, body, request.param, kind))
    return kind, spec.compile()


def extent(model: mujoco.MjModel, group: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Corners of all geoms of a group, in the body's frame."""
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    for index in np.flatnonzero(model.geom_group == group):
        R = np.zeros(9)
        mujoco.mju_quat2Mat(R, model.geom_quat[index])
        centre, half = model.geom_aabb[index, :3], model.geom_aabb[index, 3:]
        corners = centre + half * np.array(np.meshgrid(*[(-1, 1)] * 3)).T.reshape(-1, 3)
        corners = corners @ R.reshape(3, 3).T + model.geom_pos[index]
        low, high = np.minimum(low, corners.min(0)), np.maximum(high, corners.max(0))
    return low, high


def test_there_are_thirty_kinds_and_each_says_what_it_is_made_of() -> None:
    assert len({kind.noun for kind in KINDS.values()}) >= 30
    assert {kind.shape for kind in KINDS.values()} == set(SHAPES)
    assert set(get_args(ColourName)) == set(COLOURS)
    assert set(get_args(Material)) == set(GLOSS)


def test_what_is_seen_has_the_size_it_says(built: Built) -> None:
    kind, model = built
    low, high = extent(model, 2)
    assert high[1] - low[1] == pytest.approx(kind.size[1], abs=0.006)
    assert high[2] - low[2] == pytest.approx(kind.size[2], abs=0.012)
    assert low[0] == pytest.approx(-kind.size[0] / 2, abs=0.006)


def test_it_stands_on_what_is_seen_of_it(built: Built) -> None:
    kind, model = built
    assert extent(model, 3)[0][2] == pytest.approx(-kind.size[2] / 2, abs=0.005)
    assert extent(model, 2)[0][2] == pytest.approx(-kind.size[2] / 2, abs=0.005)


def test_what_collides_is_what_is_seen(built: Built) -> None:
    _, model = built
    seen, solid = extent(model, 2), extent(model, 3)
    assert np.allclose(seen[0], solid[0], atol=0.035)
    assert np.allclose(seen[1], solid[1], atol=0.035)


def test_it_weighs_what_it_says(built: Built) -> None:
    kind, model = built
    assert model.body("object/it").mass[0] == pytest.approx(kind.mass)


def test_a_graspable_thing_fits_between_the_fingers(built: Built) -> None:
    kind, _ = built
    if kind.graspable:
        assert min(kind.size[:2]) <= GRIPPER
