"""Settings of the mission core."""

import pytest
from pydantic import ValidationError

from openral_reasoner.settings import CallDeadlines, MissionSettings


@pytest.mark.parametrize(
    "field", ["memory", "locate", "model", "transition", "skill_grace", "cancel", "approval"]
)
def test_a_deadline_that_no_call_could_meet_is_rejected(field: str) -> None:
    with pytest.raises(ValidationError, match=field):
        CallDeadlines.model_validate({field: 0.0})


@pytest.mark.parametrize("field", ["palette", "locator", "recovery", "handoff"])
def test_a_wait_may_be_switched_off_but_not_be_negative(field: str) -> None:
    assert getattr(CallDeadlines.model_validate({field: 0.0}), field) == 0.0
    with pytest.raises(ValidationError, match=field):
        CallDeadlines.model_validate({field: -0.1})


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("max_failures", 0),
        ("max_repeats", 1),
        ("queue_length", 0),
        ("second_goal", "drop"),
        ("colour", "red"),
    ],
)
def test_a_setting_that_could_not_work_is_rejected_by_name(field: str, value: object) -> None:
    with pytest.raises(ValidationError, match=field):
        MissionSettings.model_validate({field: value})


def test_every_deadline_states_its_unit() -> None:
    assert [n for n, f in CallDeadlines.model_fields.items() if "[s]" not in (f.description or "")] == []
