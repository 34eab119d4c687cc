"""Every skill ends once, typed: done, failed, cancelled, or done and stuck on its way out."""

from collections.abc import Callable

import mujoco
import numpy as np
import pytest

from openral_core.geometry import Pose
from openral_core.skill_errors import Blocked, LostObject
from openral_core.skills import Feedback, ParamValue, SkillResult, SkillStatus, Verb
from openral_sim.motion_primitives import grasp_execution, retract
from openral_sim.motion_primitives.context import Move, SkillContext
from openral_sim.planning.arm_planner import NoArmPath
from openral_sim.planning.base_planner import NoBasePath
from openral_sim.skills import handover, runner
from openral_sim.skills.runner import AFTERWARDS, result_of_abort, run

CAN = {"target": Pose((1.80, -0.10, 0.805)), "label": "can", "size_x": 0.064, "size_y": 0.064, "size_z": 0.11}
ANN = {"agent": Pose.planar(-1.6, -0.8, 0.0), "agent_id": "ann"}
Do = Callable[..., SkillResult]
STUCK = NoArmPath("something is in the way")


def no_room(_context: SkillContext, _stage: str) -> Move[None]:
    raise STUCK
    yield


@pytest.mark.parametrize(
    ("error", "status"),
    [(STUCK, SkillStatus.BLOCKED), (LostObject("gone"), SkillStatus.LOST_OBJECT)],
)
def test_a_skill_cut_short_at_its_work_has_failed(
    context: SkillContext, error: NoArmPath | LostObject, status: SkillStatus
) -> None:
    end = result_of_abort(context, error)
    assert end == SkillResult(status, str(error))
    assert type(end.evidence) is dict, "recordings cannot write another mapping as JSON"


def test_no_way_is_not_reachable(context: SkillContext) -> None:
    here = context.control.base_pose[:2]
    assert result_of_abort(context, NoBasePath(here, here, 0.3)).status is SkillStatus.NOT_REACHABLE


def test_what_was_achieved_stands_and_what_came_after_is_told(context: SkillContext) -> None:
    context.achieved = lambda: SkillResult(SkillStatus.SUCCEEDED, "placed the can", {"z": 0.8})
    end = result_of_abort(context, Blocked("the base does not move"))
    assert end.success
    assert end.message == "placed the can; afterwards: the base does not move"
    assert end.evidence == {"z": 0.8, AFTERWARDS: "the base does not move"}


def test_what_is_undone_on_the_way_out_is_not_told_as_done(context: SkillContext) -> None:
    def fell() -> SkillResult:
        raise LostObject("the can fell over")

    context.achieved = fell
    assert result_of_abort(context, STUCK) == SkillResult(SkillStatus.LOST_OBJECT, "the can fell over")


def test_the_next_goal_begins_with_nothing_achieved(do: Do, context: SkillContext) -> None:
    context.achieved = lambda: SkillResult(SkillStatus.SUCCEEDED, "placed the can")
    assert do(Verb.PLACE, target=Pose((1.8, 0.0, 0.75))).status is SkillStatus.NOTHING_HELD


def test_a_thing_is_held_although_the_arm_does_not_fold(
    do: Do, context: SkillContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(grasp_execution, "stow_arm", no_room)
        result = do(Verb.GRASP, **CAN)
    assert result.success
    assert result.evidence[AFTERWARDS] == str(STUCK)
    assert context.held is not None
    assert do(Verb.PLACE, target=Pose((1.75, 0.05, 0.75))).success


def test_a_thing_is_put_down_although_the_arm_does_not_fold(
    do: Do, context: SkillContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert do(Verb.GRASP, **CAN).success
    with monkeypatch.context() as patch:
        patch.setattr(retract, "stow_arm", no_room)
        result = do(Verb.PLACE, target=Pose((1.75, 0.05, 0.75)))
    assert result.success
    assert result.evidence[AFTERWARDS] == str(STUCK)
    assert context.held is None
    assert do(Verb.NAVIGATE, goal=Pose.planar(-1.0, 0.0, 0.0)).success


def test_a_thing_is_handed_over_although_the_arm_does_not_fold(
    do: Do, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert do(Verb.GRASP, **CAN).success
    monkeypatch.setattr(handover, "stow_arm", no_room)
    result = do(Verb.HANDOVER, **ANN)
    assert result.success
    assert "afterwards" in result.message


def test_ends_every_skill_within_its_bound(
    do: Callable[..., SkillResult], context: SkillContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "BOUND", 0.5)
    result = do(Verb.NAVIGATE, goal=Pose.planar(-2.0, 0.5, 0.0))
    assert result.status is SkillStatus.TIMEOUT
    assert np.abs(context.control.base_velocity).max() < 0.05


def test_closing_the_generator_leaves_no_velocity_commanded(
    context: SkillContext, wait: Callable[[int], None]
) -> None:
    skill = run(context, Verb.NAVIGATE, {"goal": Pose.planar(-2.0, 0.5, 0.0)})
    for _ in range(60):
        next(skill)
        wait(1)
    skill.close()
    motors = [context.model.actuator(name).id for name in context.names.base_joints]
    assert np.array_equal(context.data.ctrl[motors], np.zeros(3))


def test_the_same_seed_gives_the_same_run(
    do: Callable[..., SkillResult], new_context: Callable[[int], SkillContext]
) -> None:
    robots = [new_context(3), new_context(3)]
    for robot in robots:
        can = Pose((1.79, -0.11, 0.80))
        assert do(Verb.GRASP, by=robot, target=can, label="can", size_z=0.11).success
    assert np.array_equal(robots[0].data.qpos, robots[1].data.qpos)


FRIDGE: dict[str, ParamValue] = {"target": Pose.planar(0.36, 1.7, 0.0, 0.875), "container_id": "fridge"}


def once(stage: str, progress: float = 0.2) -> Callable[[Feedback], bool]:
    return lambda reported: reported.stage == stage and reported.progress > progress


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


BOTTLE, GLASS = "object/wine_bottle", "object/wine_glass"
HINGE = "furniture/fridge/door/hinge"
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

        monkeypatch.setattr(retract, "stow_arm", no_room)

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
