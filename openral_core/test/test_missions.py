"""Mission states: final states, and the exit status of a program that waits for one."""

import pytest

from openral_core.missions import MissionState, is_final, state_name

FINAL = {
    MissionState.SUCCEEDED,
    MissionState.FAILED,
    MissionState.HANDED_OVER,
    MissionState.CANCELLED,
    MissionState.CLAIMED,
}


@pytest.mark.parametrize("state", MissionState)
def test_a_mission_has_ended_only_in_a_final_state(state: MissionState) -> None:
    assert state.ended is (state in FINAL)


@pytest.mark.parametrize("state", MissionState)
def test_only_a_proven_success_exits_with_zero(state: MissionState) -> None:
    assert (state.exit_code == 0) is (state is MissionState.SUCCEEDED)


def test_a_hand_over_and_an_unproven_claim_have_exit_codes_of_their_own() -> None:
    codes = {state: state.exit_code for state in MissionState}
    special = {state: code for state, code in codes.items() if code > 1}
    assert special == {MissionState.HANDED_OVER: 3, MissionState.CLAIMED: 5}


@pytest.mark.parametrize(
    ("number", "name", "final"), [(1, "ACTIVE", False), (3, "SUCCEEDED", True), (8, "UNKNOWN_8", False)]
)
def test_a_state_of_a_newer_peer_has_a_name_and_is_not_final(number: int, name: str, final: bool) -> None:
    assert (state_name(number), is_final(number)) == (name, final)
