"""Results of skills: only SUCCEEDED is a success, and defaults are not shared."""

import pytest

from openral_core.skills import SkillGoal, SkillResult, SkillStatus


@pytest.mark.parametrize("status", SkillStatus)
def test_only_a_goal_that_was_reached_is_a_success(status: SkillStatus) -> None:
    assert SkillResult(status, "").success is (status is SkillStatus.SUCCEEDED)


def test_goals_without_parameters_do_not_share_a_mapping() -> None:
    first, second = SkillGoal("open", "open the fridge"), SkillGoal("open", "open the fridge")
    assert first == second
    assert first.params is not second.params
