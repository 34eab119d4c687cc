"""A mission does not act on when the client that attends to it is gone."""

from types import SimpleNamespace
from typing import Any

import pytest

from openral_reasoner.events import Cancelled, Event
from openral_reasoner_ros.attendance import MAX_ABSENT_POLLS, Attendance, attended_id


class Graph:
    def __init__(self) -> None:
        self.nodes = ["reasoner", "openral_mcp_7"]

    def get_node_names(self) -> list[str]:
        return self.nodes


def mission(prompt_id: str) -> Any:
    return SimpleNamespace(prompt=SimpleNamespace(id=prompt_id))


@pytest.fixture
def graph() -> Graph:
    return Graph()


@pytest.fixture
def posted() -> list[Event]:
    return []


@pytest.fixture
def attendance(graph: Any, posted: list[Event]) -> Attendance:
    return Attendance(graph, posted.append)


def test_a_mission_whose_client_is_gone_is_cancelled_and_those_of_others_are_not(
    attendance: Attendance, graph: Graph, posted: list[Event]
) -> None:
    attended = mission(attended_id("openral_mcp_7", "1"))
    attendance.poll(attended)
    graph.nodes.remove("openral_mcp_7")
    for _ in range(MAX_ABSENT_POLLS - 1):
        attendance.poll(attended)
    assert not posted, "discovery may have missed it for a moment"
    attendance.poll(attended)
    assert [type(event) for event in posted] == [Cancelled]
    assert isinstance(posted[0], Cancelled)
    assert posted[0].kept
    assert "openral_mcp_7" in posted[0].reason


@pytest.mark.parametrize("prompt_id", ["cli-1", "openral_mcp_7@1", "", "@x"])
def test_other_missions_go_on(attendance: Attendance, posted: list[Event], prompt_id: str) -> None:
    for _ in range(2 * MAX_ABSENT_POLLS):
        attendance.poll(mission(prompt_id))
        attendance.poll(None)
    assert not posted
