"""Every skill can be cancelled in mid-motion: the robot stops, and keeps what it holds."""

from collections.abc import Callable

import mujoco
import numpy as np
import pytest

from openral_core.geometry import Pose
from openral_core.skills import ParamValue, SkillResult, SkillStatus, Verb
from openral_sim.skills.context import Feedback, SkillContext

Do = Callable[..., SkillResult]
CAN = {"target": Pose((1.80, -0.10, 0.805)), "label": "can", "size_x": 0.064, "size_y": 0.064, "size_z": 0.11}
FRIDGE: dict[str, ParamValue] = {"target": Pose.planar(0.36, 1.7, 0.0, 0.875), "container_id": "fridge"}


def once(stage: str, progress: float = 0.2) -> Callable[[Feedback], bool]:
    return lambda told: told.stage == stage and told.progress > progress


def stands_still(robot: SkillContext) -> bool:
    return float(np.abs(robot.control.base_velocity).max()) < 0.05


@pytest.mark.parametrize(
    ("verb", "params", "stage"),
    [
        (Verb.PLACE, {"target": Pose((1.75, 0.05, 0.75))}, "lowering"),
        (Verb.HANDOVER, {"agent": Pose.planar(-1.6, -0.8, 0.0), "agent_id": "ann"}, "holding it out"),
        (Verb.NAVIGATE, {"goal": Pose.planar(-1.0, 0.6, 0.0)}, "driving"),
    ],
)
def test_keeps_hold_when_cancelled_on_the_way(
    do: Do, context: SkillContext, verb: Verb, params: dict[str, ParamValue], stage: str
) -> None:
    assert do(Verb.GRASP, **CAN).success
    result = do(verb, cancel_when=once(stage), **params)
    assert result.status is SkillStatus.CANCELLED, result.message
    assert stage in result.message
    assert stands_still(context)
    assert context.held is not None
    assert context.held.label == "can"


def test_a_cancelled_look_leaves_the_base_standing(do: Do, context: SkillContext) -> None:
    result = do(Verb.LOOK_AT, cancel_when=once("turning"), target=Pose((-2.0, 0.1, 0.8)))
    assert result.status is SkillStatus.CANCELLED
    assert stands_still(context)


def test_a_door_that_was_being_shut_is_left_where_it_is(
    do: Do, at_home: Callable[[int], SkillContext]
) -> None:
    robot = at_home(0)
    hinge = robot.data.joint(robot.world.furniture["fridge"].doors[0].joint)
    hinge.qpos[0] = 1.4
    mujoco.mj_step(robot.model, robot.data, 10)
    result = do(Verb.CLOSE, by=robot, cancel_when=once("pushing the door", 0.3), **FRIDGE)
    assert result.status is SkillStatus.CANCELLED, result.message
    assert stands_still(robot)
    assert 0.2 < float(hinge.qpos[0]) < 1.3


def test_a_bottle_is_turned_up_again_before_a_cancelled_pour_ends(
    do: Do, at_home: Callable[[int], SkillContext]
) -> None:
    robot = at_home(0)
    for name, xy, z in (("wine_bottle", (2.75, 4.05), 1.047), ("wine_glass", (3.0, 4.05), 0.997)):
        robot.data.joint(f"object/{name}").qpos[:] = (*xy, z, 1, 0, 0, 0)
    robot.data.joint("object/can").qpos[:] = (3.9, 1.0, 0.83, 1, 0, 0, 0)
    mujoco.mj_step(robot.model, robot.data, 100)
    bottle = {"target": Pose((2.75, 4.05, 1.047)), "label": "wine bottle", "size_x": 0.068, "size_y": 0.068}
    assert do(Verb.GRASP, by=robot, size_z=0.29, **bottle).success
    glass = Pose((3.0, 4.05, 0.997))
    result = do(Verb.POUR, by=robot, cancel_when=once("tilting", 0.8), target=glass, label="wine glass")
    assert result.status is SkillStatus.CANCELLED, result.message
    assert robot.data.body("object/wine_bottle").xmat.reshape(3, 3)[2, 2] > 0.9
    assert robot.held is not None
