from collections.abc import Callable

import numpy as np
import pytest

from openral_core.geometry import Pose
from openral_core.skills import Feedback, ParamValue, SkillResult, SkillStatus, Verb
from openral_sim.motion_primitives.context import SkillContext

SIZES = {"loaf": (0.05, 0.30, 0.05), "can": (0.064, 0.064, 0.11), "crate": (0.2, 0.2, 0.16)}


def asked(
    context: SkillContext, item: str, offset: tuple[float, float, float] = (0.0, 0.0, 0.0)
) -> dict[str, ParamValue]:
    """The pose and size of an object as memory would report them."""
    x, y, z = (float(value) for value in context.data.body(item).xpos + np.array(offset))
    size_x, size_y, size_z = SIZES[item]
    return {"target": Pose((x, y, z)), "label": item, "size_x": size_x, "size_y": size_y, "size_z": size_z}


@pytest.mark.parametrize("offset", [(0, 0, 0), (0.01, -0.01, 0.01), (-0.02, 0.02, -0.02)])
@pytest.mark.parametrize("thing", ["loaf", "can"])
def test_lifts_a_thing_in_spite_of_a_wrong_position(
    do: Callable[..., SkillResult], context: SkillContext, thing: str, offset: tuple[float, float, float]
) -> None:
    before = float(context.data.body(thing).xpos[2])
    result = do(Verb.GRASP, **asked(context, thing, offset))
    assert result.success, result.message
    assert context.held is not None
    assert context.model.body(context.held.body).name == thing
    in_hand = np.linalg.norm(context.data.body(thing).xpos - context.control.T_map_grasp()[:3, 3])
    assert in_hand < 0.08
    assert result.evidence["attempts"] in {1, 2}
    assert before == pytest.approx(0.75 + SIZES[thing][2] / 2, abs=0.01)


def test_keeps_hold_while_driving_away(do: Callable[..., SkillResult], context: SkillContext) -> None:
    assert do(Verb.GRASP, **asked(context, "can")).success
    assert do(Verb.NAVIGATE, goal=Pose.planar(-0.5, 0.8, 2.0)).success
    assert np.linalg.norm(context.data.body("can").xpos - context.control.T_map_grasp()[:3, 3]) < 0.08


def test_says_that_nothing_is_there(do: Callable[..., SkillResult], context: SkillContext) -> None:
    empty = Pose((1.80, 0.05, 0.80))
    result = do(Verb.GRASP, target=empty, label="cup", size_x=0.06, size_y=0.06, size_z=0.1)
    assert result.status is SkillStatus.NOTHING_THERE
    assert "no cup found" in result.message
    assert context.held is None


def test_says_that_a_thing_is_too_big_for_the_fingers(
    do: Callable[..., SkillResult], context: SkillContext
) -> None:
    result = do(Verb.GRASP, **asked(context, "crate"))
    assert result.status is SkillStatus.NOT_IN_GRIPPER_RANGE
    assert "0.2" in result.message
    assert context.held is None


@pytest.mark.parametrize("point", [(1.8, 0.3, 2.6), (2.0, 0.0, 0.3)])
def test_says_that_a_place_cannot_be_reached_without_moving(
    do: Callable[..., SkillResult], context: SkillContext, point: tuple[float, float, float]
) -> None:
    before = context.control.base_pose
    result = do(Verb.GRASP, target=Pose(point), label="cup")
    assert result.status is SkillStatus.NOT_REACHABLE
    assert np.allclose(context.control.base_pose, before, atol=0.01)


def test_refuses_a_second_thing(do: Callable[..., SkillResult], context: SkillContext) -> None:
    assert do(Verb.GRASP, **asked(context, "can")).success
    result = do(Verb.GRASP, **asked(context, "loaf"))
    assert result.status is SkillStatus.BAD_REQUEST
    assert "already holds 'can'" in result.message


@pytest.mark.parametrize("size", [-0.1, 5.0, "big"])
def test_refuses_a_size_that_is_no_length(
    do: Callable[..., SkillResult], size: ParamValue, context: SkillContext
) -> None:
    result = do(Verb.GRASP, **(asked(context, "can") | {"size_x": size}))
    assert result.status is SkillStatus.BAD_REQUEST


def test_never_welds_what_the_fingers_do_not_touch(
    do: Callable[..., SkillResult], context: SkillContext
) -> None:
    fingers = [
        geom
        for geom in range(context.model.ngeom)
        if "finger" in context.model.body(context.model.geom_bodyid[geom]).name
    ]
    context.model.geom_contype[fingers] = 0
    context.model.geom_conaffinity[fingers] = 0
    result = do(Verb.GRASP, **asked(context, "can"))
    assert result.status is SkillStatus.NOT_IN_GRIPPER_RANGE
    assert not context.data.eq_active[context.model.equality(context.names.grasp_weld).id]


def test_can_be_cancelled_while_the_arm_moves(
    do: Callable[..., SkillResult], context: SkillContext, wait: Callable[[int], None]
) -> None:
    result = do(Verb.GRASP, cancel_when=lambda f: f.stage == "approaching", **asked(context, "loaf"))
    assert result.status is SkillStatus.CANCELLED
    reach = context.control.reach
    wait(25)
    assert np.allclose(context.control.reach, reach, atol=0.05)


def test_the_fingers_close_where_the_grasp_is(do: Callable[..., SkillResult], context: SkillContext) -> None:
    errors = list[float]()

    def watch(feedback: Feedback) -> bool:
        if feedback.stage == "closing" and not errors:
            here = context.to_base_frame(context.control.T_map_grasp(), context.control.base_pose)
            wanted = context.solver.forward(context.control.reach_target)
            errors.append(float(np.linalg.norm(here[:3, 3] - wanted[:3, 3])))
        return False

    assert do(Verb.GRASP, cancel_when=watch, **asked(context, "loaf")).success
    assert errors[0] < 0.003
