"""Status of a mission as text for a terminal."""

import pytest

pytest.importorskip("rclpy")
from openral_core.missions import MissionState
from openral_msgs.msg import Budget, MissionStatus, ToolCallRecord
from openral_reasoner_ros.cli.mission import format_status


def test_a_status_lists_state_budget_calls_places_and_evidence() -> None:
    message = MissionStatus(
        state=int(MissionState.ACTIVE),
        goal="find the mug",
        step="locate_in_view",
        budget=[Budget(name="locates", used=2.0, limit=60.0)],
        calls=[ToolCallRecord(tool="recall_object", arguments_json="{}", status="FOUND")],
        searched=["table_1"],
        evidence=["mug seen"],
    )
    assert format_status(message).splitlines() == [
        "ACTIVE  find the mug",
        "  now: locate_in_view",
        "  locates: 2 of 60",
        "  cost: nothing",
        "  recall_object {} -> FOUND",
        "  looked at table_1",
        "  evidence: mug seen",
    ]


@pytest.mark.parametrize(("reason", "shown"), [("", False), ("budget spent", True)])
def test_a_reason_has_a_line_only_if_there_is_one(reason: str, shown: bool) -> None:
    message = MissionStatus(state=int(MissionState.FAILED), goal="g", reason=reason)
    assert ("\n  reason: " in format_status(message)) is shown
