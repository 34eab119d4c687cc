from collections.abc import Callable

import numpy as np
import pytest

from openral_core.geometry import Pose
from openral_core.skills import Feedback, SkillResult, SkillStatus, Verb
from openral_sim.motion_primitives.base_pose_selection import WorkPose
from openral_sim.motion_primitives.context import Move, SkillContext
from openral_sim.planning.arm_planner import NoArmPath
from openral_sim.skills.place import move_to_free_spot

CAN = {"target": Pose((1.80, -0.10, 0.805)), "label": "can", "size_x": 0.064, "size_y": 0.064, "size_z": 0.11}


def test_needs_something_in_the_hand(do: Callable[..., SkillResult]) -> None:
    result = do(Verb.PLACE, target=Pose((1.8, 0.0, 0.75)))
    assert result.status is SkillStatus.NOTHING_HELD


@pytest.mark.parametrize("point", [(1.75, 0.05, 0.75), (2.2, 0.2, 0.75)])
def test_stands_a_thing_where_it_was_told_to(
    do: Callable[..., SkillResult],
    context: SkillContext,
    point: tuple[float, float, float],
    wait: Callable[[int], None],
) -> None:
    assert do(Verb.GRASP, **CAN).success
    result = do(Verb.PLACE, target=Pose(point))
    assert result.success, result.message
    wait(25)
    can = context.data.body("can")
    assert np.linalg.norm(can.xpos[:2] - point[:2]) < 0.03
    assert can.xpos[2] == pytest.approx(0.805, abs=0.01)
    assert can.xmat.reshape(3, 3)[2, 2] > 0.98
    assert context.held is None


def test_refuses_a_point_out_of_reach(do: Callable[..., SkillResult], context: SkillContext) -> None:
    assert do(Verb.GRASP, **CAN).success
    assert do(Verb.PLACE, target=Pose((1.8, 0.0, 2.5))).status is SkillStatus.NOT_REACHABLE
    assert context.held is not None


def test_lets_a_thing_go_only_when_it_stands(do: Callable[..., SkillResult], context: SkillContext) -> None:
    heights: list[float] = []
    tilts: list[float] = []

    def watch(feedback: Feedback) -> bool:
        can = context.data.body("can")
        tilts.append(float(can.xmat.reshape(3, 3)[2, 2]))
        heights.extend([float(can.xpos[2])] if feedback.stage == "letting go" else [])
        return False

    assert do(Verb.GRASP, **CAN).success
    assert do(Verb.PLACE, target=Pose((1.75, 0.05, 0.75)), cancel_when=watch).success
    assert max(heights) - 0.805 < 0.002
    assert min(tilts) > 0.97


def test_takes_a_free_spot_beside_an_occupied_one_and_says_so(
    do: Callable[..., SkillResult], context: SkillContext, wait: Callable[[int], None]
) -> None:
    assert do(Verb.GRASP, **CAN).success
    loaf = np.array(context.data.body("loaf").xpos)
    result = do(Verb.PLACE, target=Pose((1.80, 0.30, 0.75)))
    assert result.success, result.message
    assert "from the requested point" in result.message
    wait(25)
    assert np.linalg.norm(context.data.body("loaf").xpos - loaf) < 0.01
    assert context.data.body("can").xmat.reshape(3, 3)[2, 2] > 0.98


def test_refuses_a_surface_that_is_too_small(do: Callable[..., SkillResult], context: SkillContext) -> None:
    assert do(Verb.GRASP, **CAN).success
    result = do(Verb.PLACE, target=Pose((0.0, 1.6, 1.2)))
    assert result.status is SkillStatus.NOT_REACHABLE
    assert "no free spot" in result.message
    assert context.held is not None


@pytest.mark.parametrize("height", [0.0, 0.02, 0.3])
def test_puts_nothing_on_the_floor_and_does_not_move_for_it(
    do: Callable[..., SkillResult], context: SkillContext, height: float
) -> None:
    assert do(Verb.GRASP, **CAN).success
    before = np.array(context.control.base_pose)
    result = do(Verb.PLACE, target=Pose((0.2, -0.8, height)))
    assert not result.success
    if height < 0.1:
        assert result.status is SkillStatus.BAD_REQUEST
        assert "there is only floor" in result.message
        assert np.linalg.norm(np.array(context.control.base_pose)[:2] - before[:2]) < 0.01
    assert context.held is not None


def no_path(*_: object) -> Move[None]:
    yield Feedback("reaching", 0.0)
    raise NoArmPath("walled in")


def test_turns_to_other_spots_when_no_arm_path_leads_to_one(
    do: Callable[..., SkillResult], context: SkillContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert do(Verb.GRASP, **CAN).success
    tried: list[np.ndarray] = []

    def observed(*arguments: object, **options: object) -> Move[tuple[np.ndarray, WorkPose]]:
        found = yield from move_to_free_spot(*arguments, **options)
        tried.append(found[0])
        return found

    monkeypatch.setattr("openral_sim.skills.place.reach_to", no_path)
    monkeypatch.setattr("openral_sim.skills.place.move_to_free_spot", observed)
    result = do(Verb.PLACE, target=Pose((2.0, 0.0, 0.375)), size_x=0.8, size_y=1.4, size_z=0.75)
    assert result.status is SkillStatus.BLOCKED
    assert np.linalg.norm(tried[1] - tried[0]) < 0.02
    assert np.linalg.norm(tried[2] - tried[0]) > 0.1
    assert context.held is not None


def test_puts_an_object_on_the_furniture_and_says_how_high(
    do: Callable[..., SkillResult], context: SkillContext
) -> None:
    assert do(Verb.GRASP, **CAN).success
    result = do(Verb.PLACE, target=Pose((2.0, 0.0, 0.375)), size_x=0.8, size_y=1.4, size_z=0.75)
    assert result.success, result.message
    assert result.message == "placed the can at a height of 0.75 m"
    assert context.data.body("can").xpos[2] == pytest.approx(0.805, abs=0.01)


def test_takes_an_object_from_the_side_if_asked_to(
    do: Callable[..., SkillResult], context: SkillContext
) -> None:
    assert do(Verb.GRASP, **CAN, from_side=True).success
    assert context.held is not None
    assert not context.held.is_downward


LOAF = {"target": Pose((1.80, 0.30, 0.775)), "label": "loaf", "size_x": 0.05, "size_y": 0.3, "size_z": 0.05}


def test_lays_a_long_object_where_it_fits_in_one_direction_only(
    do: Callable[..., SkillResult], context: SkillContext, wait: Callable[[int], None]
) -> None:
    assert do(Verb.GRASP, **LOAF).success
    for item, at in (("can", (1.80, 0.02)), ("crate", (1.80, 0.35))):
        first = context.model.jnt_qposadr[context.model.body(item).jntadr[0]]
        context.data.qpos[first : first + 2] = at
    strip = {"size_x": 0.3, "size_y": 0.3, "size_z": 0.75}
    result = do(Verb.PLACE, target=Pose((1.8, 0.15, 0.375)), **strip)
    assert result.success, result.message
    wait(25)
    loaf = context.data.body("loaf")
    assert abs(loaf.xpos[1] - 0.15) < 0.05
    assert abs(loaf.xmat.reshape(3, 3)[0, 1]) > 0.9
    assert loaf.xpos[2] == pytest.approx(0.775, abs=0.01)
