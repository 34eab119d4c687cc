"""Pouring from a bottle into a glass that stands on the kitchen counter."""

from collections.abc import Callable

import mujoco
import numpy as np
import pytest

from openral_core.geometry import Pose
from openral_core.grasping.approach import HandOrientation
from openral_core.skill_errors import BadRequest, NothingThere
from openral_core.skill_requests import PourRequest
from openral_core.skills import ParamValue, SkillResult, SkillStatus, Verb
from openral_sim.motion_primitives.context import HeldObject, SkillContext
from openral_sim.skills.pour import MODEL, bottle_in_hand, pour_step, vessel_at

GLASS_REQUEST = PourRequest(Pose((3.0, 4.05, 0.997)), "wine glass")


def held(robot: SkillContext, name: str, pitch: float = 0.0) -> HeldObject:
    body = robot.model.body(f"object/{name}").id
    return HeldObject(body, np.eye(4), name.replace("_", " "), 0.1, HandOrientation(pitch, 0.0))


def turn(robot: SkillContext, name: str, position: tuple[float, float, float], tilt: float) -> None:
    c, s = np.cos(tilt / 2), np.sin(tilt / 2)
    robot.data.joint(f"object/{name}").qpos[:] = (*position, c, 0.0, s, 0.0)
    mujoco.mj_kinematics(robot.model, robot.data)


def test_pours_only_when_tilted_and_into_the_mouth(robot: SkillContext) -> None:
    bottle = bottle_in_hand(robot, held(robot, "wine_bottle"))
    glass = vessel_at(robot, GLASS_REQUEST, bottle.body)
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
        vessel_at(robot, GLASS_REQUEST, robot.model.body("object/wine_bottle").id)


BOTTLE, GLASS = "object/wine_bottle", "object/wine_glass"
COUNTER = Pose.planar(2.0, 4.19, -1.57, 0.45)
Do = Callable[..., SkillResult]


def where(robot: SkillContext, body: str) -> Pose:
    x, y, z = (float(value) for value in robot.data.body(body).xpos)
    return Pose((x, y, z))


def level(robot: SkillContext, body: str) -> float:
    return robot.liquids[robot.model.body(body).id].level


def bottle(robot: SkillContext) -> dict[str, ParamValue]:
    size = {"size_x": 0.068, "size_y": 0.068, "size_z": 0.29}
    return {"target": where(robot, BOTTLE), "label": "wine bottle", **size}


def test_fills_the_glass_and_leaves_it_standing(do: Do, robot: SkillContext) -> None:
    assert do(Verb.GRASP, by=robot, **bottle(robot)).success
    before = np.array(robot.data.body(GLASS).xpos)
    result = do(Verb.POUR, by=robot, target=where(robot, GLASS), label="wine glass")
    assert result.success, result.message
    assert result.evidence["fill"] == level(robot, GLASS) > 0.6
    assert level(robot, BOTTLE) < 0.95
    assert result.evidence["spilled"] == pytest.approx(0.0, abs=0.002)
    assert np.linalg.norm(robot.data.body(GLASS).xpos - before) < 0.005
    assert robot.held is not None
    full = do(Verb.POUR, by=robot, target=where(robot, GLASS), label="wine glass")
    assert full.status is SkillStatus.BAD_REQUEST
    placed = do(Verb.PLACE, by=robot, target=COUNTER)
    assert placed.success, placed.message
    pose = placed.evidence["pose"]
    assert isinstance(pose, Pose)
    assert pose.distance(where(robot, BOTTLE)) < 0.01
    assert robot.data.body(BOTTLE).xmat.reshape(3, 3)[2, 2] > 0.99


def test_says_that_no_glass_stands_there(do: Do, robot: SkillContext) -> None:
    assert do(Verb.GRASP, by=robot, **bottle(robot)).success
    result = do(Verb.POUR, by=robot, target=Pose((2.3, 4.0, 1.0)), label="wine glass")
    assert result.status is SkillStatus.NOTHING_THERE
    assert level(robot, BOTTLE) == 1.0


def test_says_that_the_bottle_is_empty(do: Do, robot: SkillContext) -> None:
    assert do(Verb.GRASP, by=robot, **bottle(robot)).success
    robot.liquids[robot.model.body(BOTTLE).id].fill(0.0)
    result = do(Verb.POUR, by=robot, target=where(robot, GLASS), label="wine glass")
    assert result.status is SkillStatus.BAD_REQUEST
    assert "is empty" in result.message


def test_needs_a_bottle_in_the_hand(do: Do, robot: SkillContext) -> None:
    result = do(Verb.POUR, by=robot, target=where(robot, GLASS), label="wine glass")
    assert result.status is SkillStatus.NOTHING_HELD
