import mujoco
import numpy as np
import pytest

from openral_sim.assets.person import build_person
from openral_sim.scene.scene import Scene
from openral_sim.scene.schema import PersonStyle
from openral_sim.world import SimWorldModel


@pytest.mark.parametrize(("hand", "sign"), [("right", -1), ("left", 1)])
@pytest.mark.parametrize("height", [1.5, 1.9])
def test_a_person_is_as_tall_as_said_and_holds_out_the_hand_said(hand: str, sign: int, height: float) -> None:
    spec = mujoco.MjSpec()
    body = spec.worldbody.add_body(name="person/p")
    site = build_person(spec, body, PersonStyle(hand=hand), height)
    model = spec.compile()
    x, y, z = model.site(site).pos
    assert 0.3 < x < 0.5
    assert y * sign > 0.1
    assert 0.5 < z / height < 0.65
    tops = model.geom_pos[:, 2] + model.geom_size.max(axis=1)
    assert tops.max() == pytest.approx(height, rel=0.05)


def test_the_palm_is_free_above_and_near_the_person_in_the_map(
    still_world: SimWorldModel, scene: Scene
) -> None:
    person = still_world.people["requester"]
    palm = still_world.data.site(person.hand_site).xpos
    ahead, _ = scene.home.agent("requester").pose.to_local(palm[0], palm[1])
    assert 0.3 < ahead < 0.5
    distance = mujoco.mj_ray(
        still_world.model,
        still_world.data,
        palm + np.array([0, 0, 0.02]),
        [0, 0, 1.0],
        None,
        1,
        -1,
        np.zeros(1, np.int32),
    )
    assert distance == -1
