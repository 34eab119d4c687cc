from collections.abc import Callable

import mujoco
import numpy as np
import pytest

from openral_sim.motion_primitives import release
from openral_sim.motion_primitives.arm_motion import reach_to
from openral_sim.motion_primitives.context import SkillContext
from openral_sim.motion_primitives.release import (
    CONFIG,
    extent,
    is_round,
    is_supported,
    slip_off,
    wait_until_still,
)
from openral_sim.robot.sim_robot import load_sim_robot


def test_extent_is_that_of_the_geoms(context: SkillContext) -> None:
    low, high = extent(context.model, context.model.body("can").id)
    assert high == pytest.approx([0.032, 0.032, 0.055], abs=1e-6)
    assert low == pytest.approx(-high)


def test_a_table_supports_what_is_pressed_on_it(context: SkillContext, wait: Callable[[int], None]) -> None:
    can = context.model.body("can").id
    context.data.xfrc_applied[can, 2] = -1.0
    wait(25)
    assert is_supported(context, can)
    context.data.qpos[context.model.jnt_qposadr[context.model.body_jntadr[can]] + 2] += 0.3
    mujoco.mj_forward(context.model, context.data)
    assert not is_supported(context, can)


def test_waits_only_while_a_body_moves(context: SkillContext, play: Callable[..., None]) -> None:
    can = context.model.body("can").id
    first = context.model.jnt_dofadr[context.model.body_jntadr[can]]
    context.data.qvel[first : first + 3] = (0.0, 0.0, 0.5)
    began = context.data.time
    play(wait_until_still(context, can, "letting go"))
    assert context.data.time - began > 0.1
    assert np.abs(context.data.qvel[first : first + 3]).max() < 0.05


@pytest.mark.parametrize(("rests", "lowered"), [(True, CONFIG.slip), (False, 0.0)])
def test_the_open_hand_goes_down_only_under_what_rests_on_a_finger(
    context: SkillContext,
    play: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
    rests: bool,
    lowered: float,
) -> None:
    monkeypatch.setattr(release, "touches_hand", lambda _context, _body: rests)
    play(reach_to(context, load_sim_robot().comfortable, "reaching"))
    target = context.solver.forward(context.control.reach_target)[2, 3]
    play(slip_off(context, context.model.body("can").id))
    now = context.solver.forward(context.control.reach_target)[2, 3]
    assert target - now == pytest.approx(lowered, abs=0.004)


@pytest.mark.parametrize(
    ("geoms", "round_"),
    [
        ('<geom type="ellipsoid" size="0.03 0.03 0.04"/>', True),
        ('<geom type="ellipsoid" size="0.03 0.03 0.04"/><geom type="cylinder" size="0.01 0.1"/>', False),
        ('<geom type="sphere" size="0.03"/><geom type="box" size="1 1 1" contype="0"/>', True),
    ],
)
def test_only_what_collides_as_spheres_is_round(geoms: str, round_: bool) -> None:
    model = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody><body>{geoms}</body></worldbody></mujoco>")
    assert is_round(model, 1) is round_
