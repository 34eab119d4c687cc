from collections.abc import Callable

import pytest

from openral_core.geometry import Pose
from openral_core.skills import SkillResult, SkillStatus, Verb
from openral_sim.motion_primitives import grasp_execution as taking
from openral_sim.motion_primitives import retract as retreating
from openral_sim.planning.arm_planner import NoArmPath
from openral_sim.planning.base_planner import NoBasePath
from openral_sim.skills import handover
from openral_sim.skills.context import Move, SkillContext
from openral_sim.skills.errors import Blocked, LostObject
from openral_sim.skills.runner import AFTERWARDS, result_of_abort

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
    assert result_of_abort(context, error) == SkillResult(status, str(error))


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
        patch.setattr(taking, "stow_arm", no_room)
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
        patch.setattr(retreating, "stow_arm", no_room)
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
