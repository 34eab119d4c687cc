"""Statuses carry what changed; a reader that accumulates them knows every call."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("openral_msgs")
from openral_msgs.msg import MissionStatus, ToolCallRecord
from openral_ros.mission_calls import (
    MAX_CALLS,
    REPEATED,
    CallHistory,
    CallSelection,
    has_all_calls,
)

MISSION = ("mission-1", "prompt-1")


def calls(number: int, status: str = "FOUND") -> list[ToolCallRecord]:
    return [ToolCallRecord(index=index, tool="locate_in_view", status=status) for index in range(number)]


def status(selected: Sequence[ToolCallRecord], mission: tuple[str, str] = MISSION) -> MissionStatus:
    return MissionStatus(mission_id=mission[0], prompt_id=mission[1], calls=list(selected))


def test_a_status_repeats_the_latest_calls_only() -> None:
    selection = CallSelection()
    assert len(selection.select(MISSION, calls(40), 1, ended=False)) == 40
    assert [c.index for c in selection.select(MISSION, calls(40), 1, ended=False)] == list(range(32, 40))
    assert [c.index for c in selection.select(MISSION, calls(41), 1, ended=False)] == list(range(33, 41))


def test_an_early_call_that_changes_is_sent_again_once() -> None:
    selection, changed = CallSelection(), calls(40)
    selection.select(MISSION, calls(40), 1, ended=False)
    changed[2].status = "INTERRUPTED"
    indices = [c.index for c in selection.select(MISSION, changed, 1, ended=False)]
    assert indices == [2, *range(40 - REPEATED, 40)]
    assert 2 not in [c.index for c in selection.select(MISSION, changed, 1, ended=False)]


@pytest.mark.parametrize(
    ("mission", "readers", "ended"),
    [(("mission-2", "prompt-2"), 1, False), (MISSION, 2, False), (MISSION, 1, True)],
)
def test_a_new_mission_a_new_reader_and_the_end_get_all_calls(
    mission: tuple[str, str], readers: int, ended: bool
) -> None:
    selection = CallSelection()
    selection.select(MISSION, calls(40), 1, ended=False)
    assert len(selection.select(mission, calls(40), readers, ended=ended)) == 40


def test_no_status_is_larger_than_the_limit() -> None:
    selection = CallSelection()
    chosen = selection.select(MISSION, calls(MAX_CALLS + 50), 1, ended=True)
    assert [c.index for c in chosen] == list(range(50, MAX_CALLS + 50))
    changed = calls(MAX_CALLS + 50, "INTERRUPTED")
    assert len(selection.select(MISSION, changed, 1, ended=False)) == MAX_CALLS


def test_missions_of_the_same_id_but_another_prompt_are_kept_apart() -> None:
    history, other = CallHistory(), status(calls(1), ("mission-1", "prompt-2"))
    history.complete(status(calls(5)))
    history.complete(other)
    assert len(other.calls) == 1


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 30), st.booleans()), max_size=30))
def test_a_reader_that_hears_every_status_knows_every_call(
    steps: list[tuple[int, int, bool]],
) -> None:
    selection, history, made = CallSelection(), CallHistory(), list[ToolCallRecord]()
    for added, place, joined in steps:
        made = made + [ToolCallRecord(index=len(made) + offset) for offset in range(added)]
        if made:
            changed = made[place % len(made)]
            made[place % len(made)] = ToolCallRecord(index=changed.index, status=f"{changed.status}x")
        message = status(selection.select(MISSION, list(made), 1 + joined, ended=False))
        history.complete(message)
        assert message.calls == made
        assert has_all_calls(message)


def test_a_reader_keeps_a_bounded_number_of_calls() -> None:
    history, message = CallHistory(), status(calls(10 * MAX_CALLS))
    history.complete(message)
    assert len(message.calls) == MAX_CALLS
