"""Tool lifecycle_transition."""

import pytest
from pydantic import ValidationError

from openral_core.detectors import LifecycleState
from openral_reasoner.commands import ChangeState, Command
from openral_reasoner.context import ToolResult
from openral_reasoner.events import Event, StateChanged
from openral_reasoner.mission import Mission
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.tools.base import InvalidCall
from openral_reasoner.tools.lifecycle_transition import LifecycleTransitionTool
from openral_reasoner_testing.simulator import run_procedure

DEACTIVATE = LifecycleTransitionTool(peer="sim-locator", transition="deactivate")


def peer(command: Command, *, success: bool, message: str = "") -> Event | None:
    if isinstance(command, ChangeState):
        return StateChanged(call_id=command.call_id, success=success, message=message)
    return None


def test_is_offered_only_with_a_lifecycle_peer(palette: ToolPalette) -> None:
    assert LifecycleTransitionTool.offered(palette)
    assert not LifecycleTransitionTool.offered(palette.model_copy(update={"peers": ()}))


def test_only_lifecycle_peers_are_listed(palette: ToolPalette) -> None:
    listing = LifecycleTransitionTool.words(palette)
    assert '"id": "sim-locator"' in listing
    assert "other-locator" not in listing


def test_a_detector_that_is_no_peer_is_rejected_with_the_peers(mission: Mission) -> None:
    with pytest.raises(InvalidCall) as caught:
        LifecycleTransitionTool(peer="other-locator", transition="activate").check(mission)
    assert caught.value.valid == ("sim-locator",)


def test_a_transition_is_requested_once(mission: Mission) -> None:
    DEACTIVATE.check(mission)
    reply, commands = run_procedure(mission, DEACTIVATE.perform(mission), lambda c: peer(c, success=True))
    assert isinstance(reply, ToolResult)
    assert reply.status == "SUCCEEDED"
    requested = [(c.peer, c.transition) for c in commands if isinstance(c, ChangeState)]
    assert requested == [("sim-locator", "deactivate")]


def test_a_refusal_carries_the_peers_reason(mission: Mission) -> None:
    reply, _ = run_procedure(
        mission, DEACTIVATE.perform(mission), lambda c: peer(c, success=False, message="a request is running")
    )
    assert isinstance(reply, ToolResult)
    assert reply.status == "REFUSED"
    assert "a request is running" in reply.peer_words[0]


@pytest.mark.parametrize("transition", ["configure", "shutdown", ""])
def test_other_transitions_are_rejected(transition: str) -> None:
    with pytest.raises(ValidationError, match="transition"):
        LifecycleTransitionTool.model_validate({"peer": "sim-locator", "transition": transition})


def test_an_inactive_peer_is_listed_with_its_state(palette: ToolPalette) -> None:
    sleeping = palette.with_state("sim-locator", LifecycleState.INACTIVE)
    assert '"state": "INACTIVE"' in LifecycleTransitionTool.words(sleeping)
