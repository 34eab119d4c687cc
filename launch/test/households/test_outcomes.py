"""Why a task failed."""

import pytest

from openral_core.missions import MissionState
from openral_household_benchmark.results import reason
from openral_reasoner.commands import CallRecord, MissionReport


def call(index: int, tool: str, status: str, message: str = "") -> CallRecord:
    arguments = '{"rskill": "grasp", "step": "GRASP mug"}' if tool == "execute_rskill" else "{}"
    return CallRecord(index=index, tool=tool, arguments=arguments, status=status, message=message)


GRASP = call(0, "execute_rskill", "NOT_REACHABLE", "too far")
LOOK = call(1, "locate_in_view", "NOT_IN_VIEW")
ASKED = call(2, "ask_human", "HANDED_OVER")


@pytest.mark.parametrize(
    ("state", "calls", "wrong", "why"),
    [
        (MissionState.SUCCEEDED, (GRASP,), "", ""),
        (MissionState.SUCCEEDED, (), "no mug in the hand", "mission: FALSE_SUCCESS"),
        (MissionState.HANDED_OVER, (GRASP, ASKED), "no mug", "grasp: NOT_REACHABLE"),
        (MissionState.HANDED_OVER, (GRASP, LOOK, ASKED), "no mug", "search: NOT_FOUND"),
        (MissionState.FAILED, (), "no mug", "mission: FAILED"),
        (MissionState.CLAIMED, (GRASP, ASKED), "", "mission: CLAIMED"),
    ],
)
def test_names_what_a_mission_ended_over(
    state: MissionState, calls: tuple[CallRecord, ...], wrong: str, why: str
) -> None:
    assert reason(MissionReport(state=state, calls=calls, reason="because"), wrong)[0] == why
