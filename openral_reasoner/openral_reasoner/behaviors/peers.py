"""Bounded waits for peers that are unavailable, at the start of a mission or when one is lost."""

from collections.abc import Callable
from dataclasses import dataclass

from openral_reasoner.commands import ClearDeadline, SetDeadline
from openral_reasoner.mission import Mission, Procedure, Wait
from openral_reasoner.palette.entries import ToolPalette


@dataclass(frozen=True, slots=True)
class PeerRequirement:
    """Peer that must be available, and the message for its absence."""

    there: Callable[[ToolPalette], bool]
    absent: str


MEMORY = PeerRequirement(
    lambda palette: palette.spatial_memory_available, "no spatial memory service is available"
)
SKILLS = PeerRequirement(lambda palette: bool(palette.skills), "no skill server is available")
LOCATOR = PeerRequirement(lambda palette: palette.detector_available, "no locator is available")


def wait_for_peers(mission: Mission) -> Procedure[tuple[str, ...]]:
    """Wait for memory and a skill server, then for a locator; return which of the first two is missing."""
    yield from wait_for(mission, MEMORY, SKILLS)
    yield from wait_for(mission, LOCATOR)
    return tuple(need.absent for need in (MEMORY, SKILLS) if not need.there(mission.palette))


def wait_for(mission: Mission, *needs: PeerRequirement) -> Procedure[None]:
    """Wait until all peers are available or the timeout expires; not again for one that timed out."""
    deadlines = mission.settings.deadlines
    yield from wait_at_most(mission, deadlines.locator if LOCATOR in needs else deadlines.palette, *needs)


def wait_at_most(mission: Mission, seconds: float, *needs: PeerRequirement) -> Procedure[None]:
    """Wait for these peers with an explicit timeout [s]."""
    if any(_hoped_for(mission, need) for need in needs):
        yield from _wait(mission, needs, seconds)
    for need in needs:
        change = mission.in_vain.discard if need.there(mission.palette) else mission.in_vain.add
        change(need.absent)


def _wait(mission: Mission, needs: tuple[PeerRequirement, ...], seconds: float) -> Procedure[None]:
    if seconds <= 0.0:
        return
    call_id = mission.next_id("palette")
    mission.say("waiting: " + ", ".join(need.absent for need in needs if not need.there(mission.palette)))
    mission.emit(SetDeadline(call_id=call_id, seconds=seconds))
    kind = ""
    while any(_hoped_for(mission, need) for need in needs) and kind != "deadline_passed":
        kind = (yield Wait(call_id, palette=True)).kind
    mission.emit(ClearDeadline(call_id=call_id))


def _hoped_for(mission: Mission, need: PeerRequirement) -> bool:
    """Return True if the peer is unavailable and no wait for it has timed out."""
    return not need.there(mission.palette) and need.absent not in mission.in_vain
