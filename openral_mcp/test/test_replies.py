"""Replies: bounded, printable, finite."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from openral_mcp.replies import MAX_ITEMS, MAX_TEXT, ToolReply, first, mission_reply
from openral_msgs.msg import Budget, MissionStatus, ToolCallRecord


@given(text=st.text(max_size=2000))
def test_a_text_is_short_and_can_be_encoded(text: str) -> None:
    reply = ToolReply(status="FOUND", message=text)
    assert len(reply.message) <= MAX_TEXT
    assert "\x1b" not in reply.model_dump_json().encode().decode()


@given(count=st.integers(0, 200))
def test_first_returns_at_most_so_many(count: int) -> None:
    assert len(first(range(count))) == min(count, MAX_ITEMS)


def test_a_long_mission_keeps_its_latest_calls() -> None:
    calls = [ToolCallRecord(index=number, tool=f"tool_{number}") for number in range(200)]
    reply = mission_reply(MissionStatus(mission_id="m", state=MissionStatus.STATE_ACTIVE, calls=calls), None)
    assert reply.status == "ACTIVE"
    assert [call.tool for call in reply.calls][-1] == "tool_199"
    assert len(reply.calls) == MAX_ITEMS


@pytest.mark.parametrize(
    "message",
    [
        MissionStatus(state=99),
        MissionStatus(budget=[Budget(name="seconds", used=float("nan"))]),
    ],
)
def test_an_impossible_status_is_refused(message: MissionStatus) -> None:
    with pytest.raises((ValueError, ValidationError)):
        mission_reply(message, None)
