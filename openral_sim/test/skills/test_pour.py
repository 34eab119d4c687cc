"""Pouring from a bottle into a glass that stands on the kitchen counter."""

from collections.abc import Callable

import numpy as np
import pytest

from openral_core.geometry import Pose
from openral_core.skills import ParamValue, SkillResult, SkillStatus, Verb
from openral_sim.skills.context import SkillContext

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
