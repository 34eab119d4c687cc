"""Error codes of other packages and the status of the skill."""

import pytest

from openral_core.skills import SkillStatus
from openral_skills_ros.status_table import CODES, GoalEnd, status_of

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
    [("moveit_msgs.msg.MoveItErrorCodes", "moveit", {"SUCCESS", "UNDEFINED"})],
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
