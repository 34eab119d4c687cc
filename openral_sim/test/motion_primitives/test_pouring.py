import mujoco
import numpy as np
import pytest

from openral_core.geometry import Pose
from openral_sim.motion_primitives.pouring import MODEL, bottle_in_hand, pour_step, vessel_at
from openral_sim.planning.approach import HandOrientation
from openral_sim.skills.context import HeldObject, SkillContext
from openral_sim.skills.errors import BadRequest, NothingThere
from openral_sim.skills.requests import PourRequest

GLASS = PourRequest(Pose((3.0, 4.05, 0.997)), "wine glass")


def held(robot: SkillContext, name: str, pitch: float = 0.0) -> HeldObject:
    body = robot.model.body(f"object/{name}").id
    return HeldObject(body, np.eye(4), name.replace("_", " "), 0.1, HandOrientation(pitch, 0.0))


def turn(robot: SkillContext, name: str, position: tuple[float, float, float], tilt: float) -> None:
    c, s = np.cos(tilt / 2), np.sin(tilt / 2)
    robot.data.joint(f"object/{name}").qpos[:] = (*position, c, 0.0, s, 0.0)
    mujoco.mj_kinematics(robot.model, robot.data)


def test_pours_only_when_tilted_and_into_the_mouth(robot: SkillContext) -> None:
    bottle = bottle_in_hand(robot, held(robot, "wine_bottle"))
    glass = vessel_at(robot, GLASS, bottle.body)
    assert pour_step(robot, bottle, glass, 0.1) == 0.0
    assert glass.liquid.level == 0.0
    rim = glass.rim(robot)
    turn(robot, "wine_bottle", (rim[0] - bottle.top, rim[1], rim[2] + 0.05), np.pi / 2)
    assert pour_step(robot, bottle, glass, 0.1) == pytest.approx(0.0, abs=1e-9)
    assert glass.liquid.level * glass.liquid.capacity == pytest.approx(0.1 * MODEL.rate)
    turn(robot, "wine_bottle", (rim[0] + 0.5, rim[1], rim[2] + 0.05), np.pi / 2)
    assert pour_step(robot, bottle, glass, 0.1) == pytest.approx(0.1 * MODEL.rate)


@pytest.mark.parametrize(("pitch", "how"), [(np.pi / 2, "from above"), (0.5, "obliquely")])
def test_a_bottle_that_is_not_held_level_cannot_be_poured(
    robot: SkillContext, pitch: float, how: str
) -> None:
    with pytest.raises(BadRequest, match=f"the wine bottle is held {how}; to pour, grasp it from the side"):
        bottle_in_hand(robot, held(robot, "wine_bottle", pitch))


def test_an_empty_glass_has_nothing_to_pour(robot: SkillContext) -> None:
    with pytest.raises(BadRequest, match="the wine glass is empty"):
        bottle_in_hand(robot, held(robot, "wine_glass"))


def test_finds_no_vessel_far_from_the_target(robot: SkillContext) -> None:
    beside = PourRequest(Pose((3.1, 4.05, 0.997)), "wine glass")
    with pytest.raises(NothingThere, match="no fillable wine glass within 6 cm"):
        vessel_at(robot, beside, robot.model.body("object/wine_bottle").id)


def test_a_glass_that_lies_down_cannot_be_filled(robot: SkillContext) -> None:
    turn(robot, "wine_glass", (3.0, 4.05, 0.997), np.pi / 2)
    with pytest.raises(NothingThere, match="is not upright"):
        vessel_at(robot, GLASS, robot.model.body("object/wine_bottle").id)
