"""Error codes of other packages and the status of the skill."""

import pytest

from openral_core.skills import SkillStatus
from openral_skills_ros.foreign_actions.status_table import CODES, GoalEnd, status_of

FAMILIES = sorted(CODES)


@pytest.mark.parametrize("family", FAMILIES)
def test_no_code_of_a_failure_is_a_success(family: str) -> None:
    assert all(status is not SkillStatus.SUCCEEDED for status, _ in CODES[family].values())


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("end", GoalEnd)
def test_a_result_without_a_code_has_the_status_of_its_goal(family: str, end: GoalEnd) -> None:
    expected = {GoalEnd.SUCCEEDED: "SUCCEEDED", GoalEnd.CANCELED: "CANCELLED", GoalEnd.ABORTED: "BLOCKED"}
    assert status_of(end, family, None)[0] is SkillStatus[expected[end]]


@pytest.mark.parametrize("family", FAMILIES)
def test_a_cancelled_goal_is_cancelled_whatever_its_code(family: str) -> None:
    assert {status_of(GoalEnd.CANCELED, family, code)[0] for code in CODES[family]} == {SkillStatus.CANCELLED}


@pytest.mark.parametrize("family", FAMILIES)
def test_a_code_of_a_newer_distribution_is_named(family: str) -> None:
    assert status_of(GoalEnd.ABORTED, family, 4711) == (SkillStatus.SKILL_ERROR, "unknown error code 4711")
    assert status_of(GoalEnd.SUCCEEDED, family, 4711)[0] is SkillStatus.SUCCEEDED


@pytest.mark.parametrize(
    ("package", "family", "skip"),
    [("moveit_msgs.msg.MoveItErrorCodes", "moveit", {"SUCCESS"})],
)
def test_every_code_of_the_installed_interface_is_mapped(package: str, family: str, skip: set[str]) -> None:
    module, name = package.rsplit(".", 1)
    interface = getattr(pytest.importorskip(module, reason="not built: make robot"), name)
    codes = {
        constant: getattr(interface, constant)
        for constant in dir(interface)
        if constant.isupper() and isinstance(getattr(interface, constant), int)
    }
    assert {constant for constant, code in codes.items() if code not in CODES[family]} == skip & set(codes)


NAV2_CODES = (
    *(range(100, 108), range(200, 209), range(300, 310), range(400, 408), range(500, 506), range(600, 602)),
    *(range(700, 704), range(710, 715), range(720, 725), range(730, 733), range(901, 907), range(999, 1000)),
)
"""Codes in the actions of nav2_msgs in Jazzy, by action."""


@pytest.mark.parametrize("codes", NAV2_CODES, ids=lambda codes: str(codes.start))
def test_every_code_of_nav2_has_a_meaning(codes: range) -> None:
    assert not [code for code in codes if code not in CODES["nav2"]]


@pytest.mark.parametrize("first", [200, 300])
def test_what_stands_in_the_way_is_the_same_for_both_planners(first: int) -> None:
    one_pose, poses = ([CODES["nav2"][start + code][0] for code in range(9)] for start in (200, first))
    assert one_pose == poses


@pytest.mark.parametrize("code", [503, 703, 714, 723])
def test_a_collision_ahead_is_a_blocked_way(code: int) -> None:
    assert status_of(GoalEnd.ABORTED, "nav2", code)[0] is SkillStatus.BLOCKED


def test_a_goal_that_nav2_aborts_without_a_reason_is_no_blocked_way() -> None:
    assert status_of(GoalEnd.ABORTED, "nav2", 0)[0] is SkillStatus.CANCELLED
