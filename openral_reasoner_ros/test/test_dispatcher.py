"""A command that breaks its adapter is a call that failed; those behind it are carried."""

from typing import Any

import pytest

pytest.importorskip("rclpy")
from openral_reasoner import commands as c
from openral_reasoner.core.mission_core import Core
from openral_reasoner.events import CallFailed, PromptReceived
from openral_reasoner.settings import MissionSettings
from openral_reasoner_ros.dispatcher import EventDispatcher
from openral_ros.callback_guard import CallbackGuard

KINDS = tuple(var for var in vars(c).values() if isinstance(var, type))


class Silent:
    """A node without a log."""


@pytest.mark.usefixtures("callback_errors")
def test_a_mission_goes_on_after_a_command_that_broke_its_adapter() -> None:
    seen: list[Any] = []
    guard = CallbackGuard(Silent())
    dispatcher = EventDispatcher(
        Core(MissionSettings()), lambda now, event, commands: seen.append(event), print, guard
    )
    carried: list[Any] = []

    def carry(command: Any) -> None:
        carried.append(command)
        if isinstance(command, c.SetDeadline):
            raise ZeroDivisionError("no timer today")

    dispatcher.register(dict.fromkeys(KINDS, carry))
    dispatcher.post(PromptReceived(id="p", text="find the mug"))
    broken = [command for command in carried if isinstance(command, c.SetDeadline)]
    failed = [event for event in seen if isinstance(event, CallFailed)]
    assert broken
    assert [event.call_id for event in failed] == [command.call_id for command in broken]
    assert failed[0].message == "ZeroDivisionError: no timer today"
    assert carried.index(broken[0]) < len(carried) - 1
    assert guard.counts["command SetDeadline: ZeroDivisionError"] == len(broken)


@pytest.mark.usefixtures("callback_errors")
def test_what_recording_raises_costs_no_command() -> None:
    def record(*_: Any) -> None:
        raise OSError("disk full")

    dispatcher, carried = (
        EventDispatcher(Core(MissionSettings()), record, print, CallbackGuard(Silent())),
        list[Any](),
    )
    dispatcher.register(dict.fromkeys(KINDS, carried.append))
    dispatcher.post(PromptReceived(id="p", text="find the mug"))
    assert carried


def test_a_closed_dispatcher_carries_nothing() -> None:
    carried: list[Any] = []
    dispatcher = EventDispatcher(Core(MissionSettings()), lambda *_: None, print, CallbackGuard(Silent()))
    dispatcher.register(dict.fromkeys(KINDS, carried.append))
    dispatcher.close()
    dispatcher.post(PromptReceived(id="p", text="find the mug"))
    assert carried == []
