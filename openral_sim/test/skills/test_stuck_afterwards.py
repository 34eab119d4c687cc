"""What POUR, OPEN and CLOSE tell when their work is done and the arm cannot be folded then."""

from collections.abc import Callable

import mujoco
import pytest

from openral_core.geometry import Pose
from openral_core.skills import ParamValue, SkillResult, SkillStatus, Verb
from openral_sim.motion_primitives import retract as retreating
from openral_sim.planning.arm_planner import NoArmPath
from openral_sim.skills.context import Move, SkillContext
from openral_sim.skills.runner import AFTERWARDS

BOTTLE, GLASS = "object/wine_bottle", "object/wine_glass"
HINGE = "furniture/fridge/door/hinge"
FRIDGE: dict[str, ParamValue] = {"target": Pose.planar(0.36, 1.7, 0.0, 0.875), "container_id": "fridge"}
STUCK = NoArmPath("something is in the way")
Do = Callable[..., SkillResult]
Change = Callable[[SkillContext], None]


def as_it_is(_robot: SkillContext) -> None:
    """Nothing else happens."""


def turn_the_door_to(angle: float) -> Change:
    def turn(robot: SkillContext) -> None:
        robot.data.joint(HINGE).qpos[0] = angle
        mujoco.mj_forward(robot.model, robot.data)

    return turn


def push_the_glass(robot: SkillContext) -> None:
    robot.data.joint(GLASS).qpos[0] += 0.05
    mujoco.mj_forward(robot.model, robot.data)


@pytest.fixture
def stuck(monkeypatch: pytest.MonkeyPatch) -> Callable[[Change], None]:
    """``stuck(change)``: the arm cannot be folded on the way out, and ``change`` happens first."""

    def until_the_end(change: Change) -> None:
        def no_room(robot: SkillContext, _stage: str) -> Move[None]:
            change(robot)
            raise STUCK
            yield

        monkeypatch.setattr(retreating, "stow_arm", no_room)

    return until_the_end


def where(robot: SkillContext, body: str) -> Pose:
    x, y, z = (float(value) for value in robot.data.body(body).xpos)
    return Pose((x, y, z))


def is_told_as_done(result: SkillResult) -> bool:
    assert result.evidence[AFTERWARDS] == str(STUCK), result.message
    assert result.message.endswith(f"; {AFTERWARDS}: {STUCK}")
    return result.success


def test_a_door_is_open_and_shut_although_the_arm_does_not_fold(
    do: Do, robot: SkillContext, stuck: Callable[[Change], None]
) -> None:
    stuck(as_it_is)
    assert is_told_as_done(do(Verb.OPEN, by=robot, **FRIDGE))
    assert robot.world.model.joint(HINGE).range[1] * 0.5 < float(robot.data.joint(HINGE).qpos[0])
    assert is_told_as_done(do(Verb.CLOSE, by=robot, **FRIDGE))
    assert float(robot.data.joint(HINGE).qpos[0]) < 0.03


@pytest.mark.parametrize(("verb", "begins", "ends"), [(Verb.OPEN, 0.0, 0.3), (Verb.CLOSE, 1.4, 0.3)])
def test_a_door_that_moves_again_meanwhile_is_not_told_as_done(
    do: Do, robot: SkillContext, stuck: Callable[[Change], None], verb: Verb, begins: float, ends: float
) -> None:
    turn_the_door_to(begins)(robot)
    stuck(turn_the_door_to(ends))
    result = do(verb, by=robot, **FRIDGE)
    assert result.status is SkillStatus.BLOCKED
    assert "17 degrees" in result.message


@pytest.mark.parametrize("change", [as_it_is, push_the_glass])
def test_what_was_poured_is_in_the_glass_if_that_still_stands(
    do: Do, robot: SkillContext, stuck: Callable[[Change], None], change: Change
) -> None:
    size = {"size_x": 0.068, "size_y": 0.068, "size_z": 0.29}
    bottle = {"target": where(robot, BOTTLE), "label": "wine bottle", **size}
    assert do(Verb.GRASP, by=robot, **bottle).success
    stuck(change)
    result = do(Verb.POUR, by=robot, target=where(robot, GLASS), label="wine glass")
    assert robot.held is not None
    if change is push_the_glass:
        assert (result.status, result.message) == (SkillStatus.BLOCKED, "the wine glass was pushed by 5 cm")
    else:
        assert is_told_as_done(result)
        assert float(result.evidence["fill"]) > 0.6
