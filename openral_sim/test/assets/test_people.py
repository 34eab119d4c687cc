import mujoco
import pytest

from openral_sim.assets.people import PersonStyle, build_person


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
