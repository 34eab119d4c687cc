"""Memory between missions: what was loaded on demand goes, what was evicted comes back."""

import pytest

from openral_core.detectors import LifecycleState
from openral_reasoner.behaviors.residency import IdleResidencyManager
from openral_reasoner.commands import ChangeState, ClearDeadline, Command, SetDeadline, SpanEnded
from openral_reasoner.events import DeadlinePassed, StateChanged
from openral_reasoner.palette.entries import LocatorEntry, ToolPalette
from openral_reasoner.residency import ResidencyRules, ResidencyState

RULES = ResidencyRules(budget=100.0, keep_warm=60.0)
DEADLINE = 30.0
ACTIVE_MANAGER = ToolPalette(
    locators=(LocatorEntry(id="locator", description="", latency=0.1, cameras=(), memory=80.0),),
    peers=("locator",),
)
INACTIVE_MANAGER = ACTIVE_MANAGER.with_state("locator", LifecycleState.INACTIVE)
ON_DEMAND = ResidencyState().activated_on_demand("locator").activated("locator", 5.0, 1.0)


def begun(now: float) -> tuple[IdleResidencyManager, tuple[Command, ...]]:
    """Return a manager after a mission that activated the locator at 5 s, and its first commands."""
    manager = IdleResidencyManager(RULES, DEADLINE)
    manager.begin(ON_DEMAND, ACTIVE_MANAGER, now)
    return manager, manager.drain()


def requested(commands: tuple[Command, ...]) -> list[tuple[str, str]]:
    return [(c.peer, c.transition) for c in commands if isinstance(c, ChangeState)]


def test_a_warm_locator_is_deactivated_when_its_time_has_passed() -> None:
    manager, commands = begun(10.0)
    (timer,) = commands
    assert isinstance(timer, SetDeadline)
    assert timer.seconds == 55.0
    assert manager.handle(DeadlinePassed(call_id=timer.call_id), 65.0)
    assert requested(manager.drain()) == [("locator", "deactivate")]


def test_a_transition_has_a_deadline_that_is_cleared_at_its_end() -> None:
    manager, commands = begun(65.0)
    (call,) = [c for c in commands if isinstance(c, ChangeState)]
    assert [c.seconds for c in commands if isinstance(c, SetDeadline)] == [DEADLINE]
    manager.update(INACTIVE_MANAGER, 66.0)
    assert manager.drain() == ()
    assert manager.handle(StateChanged(call_id=call.call_id, success=True, message=""), 66.0)
    after = manager.drain()
    assert [c.call_id for c in after if isinstance(c, ClearDeadline)] == [call.call_id]
    assert [c.status for c in after if isinstance(c, SpanEnded)] == ["SUCCEEDED"]


@pytest.mark.parametrize("silent", [True, False])
def test_a_failed_transition_is_not_retried(silent: bool) -> None:
    manager, commands = begun(65.0)
    (call,) = [c for c in commands if isinstance(c, ChangeState)]
    refused = StateChanged(call_id=call.call_id, success=False, message="busy")
    assert manager.handle(DeadlinePassed(call_id=call.call_id) if silent else refused, 70.0)
    after = manager.drain()
    assert [c.status for c in after if isinstance(c, SpanEnded)] == ["FAILED"]
    manager.update(ACTIVE_MANAGER, 200.0)
    assert requested((*after, *manager.drain())) == []


def test_a_new_mission_interrupts_the_transition_and_takes_the_state_over() -> None:
    manager, _ = begun(65.0)
    state = manager.transfer_to_mission(70.0)
    assert [c.status for c in manager.drain() if isinstance(c, SpanEnded)] == ["INTERRUPTED"]
    assert "locator" not in state.on_demand_peers
    manager.handle(DeadlinePassed(call_id="late"), 80.0)
    assert manager.drain() == ()


def test_a_new_mission_stops_the_timer_of_a_warm_locator() -> None:
    manager, (timer,) = begun(10.0)
    assert isinstance(timer, SetDeadline)
    assert manager.transfer_to_mission(20.0) == ON_DEMAND
    assert manager.drain() == (ClearDeadline(call_id=timer.call_id),)


def test_an_event_of_another_call_is_not_its_concern() -> None:
    manager, _ = begun(65.0)
    assert not manager.handle(StateChanged(call_id="m1/3-transition", success=True, message=""), 66.0)
    assert manager.drain() == ()
