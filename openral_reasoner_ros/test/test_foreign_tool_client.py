"""The real node with a tool of another package that never returns: the mission goes on."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel

from openral_msgs.msg import MissionStatus
from openral_reasoner.context import Context, Decision, RawCall
from openral_reasoner.foreign_tools import LoadedTool, ReadOnlyTool
from openral_reasoner.palette.entries import ForeignToolEntry

pytest.importorskip("rclpy")


class Nothing(BaseModel):
    pass


class Hanging(ReadOnlyTool[Nothing]):
    name, description, arguments = "hanging", "Wait.", Nothing
    released = threading.Event()

    def perform(self, arguments: Nothing) -> str:
        self.released.wait()
        return "late"


def test_a_tool_that_hangs_delays_nothing_beyond_its_deadline(
    make_reasoner: Any,
    graph: Any,
    operator: Any,
    spin_until: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    statuses = list[str]()

    def model(context: Context) -> Decision:
        statuses[:] = [turn.reply.status for turn in context.turns]
        call = RawCall(tool="hanging", arguments="{}")
        give_up = RawCall(tool="done", arguments='{"success": false, "message": "as I was told"}')
        return Decision(calls=(call if len(statuses) < 2 else give_up,))

    entry = ForeignToolEntry(id="hanging", package="demo", description="Wait.", parameters="{}")
    tools = (LoadedTool(entry, Hanging()),)
    monkeypatch.setattr("openral_reasoner_ros.node.load_tools", lambda names, own: tools)
    monkeypatch.setattr("openral_reasoner_ros.node.make_model", lambda parameters: model)
    nodes = [graph, operator, make_reasoner(tool_deadline=0.3)]
    shown = '"package": "demo"'
    spin_until(nodes, lambda: operator.palettes and shown in operator.palettes[-1], 20.0)
    operator.say("find the mug", id="first")
    spin_until(nodes, lambda: operator.ended, 60.0)
    last = operator.statuses[-1]
    assert (last.state, last.reason) == (MissionStatus.STATE_FAILED, "as I was told")
    assert statuses == ["TIMEOUT", "BUSY"]
    assert "hanging (foreign)" in [call.tool for call in last.calls]
    Hanging.released.set()
