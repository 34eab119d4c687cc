"""State of a core between two missions."""

from dataclasses import dataclass, field

from openral_reasoner.commands import MissionReport, PublishReceipt
from openral_reasoner.context import FrozenModel
from openral_reasoner.floor_knowledge import FloorKnowledge
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.residency import ResidencyState, Transition


@dataclass(frozen=True, slots=True)
class PendingTransition:
    """Transition in progress since ``begun`` [s]."""

    call_id: str
    step: Transition
    begun: float


@dataclass(frozen=True, slots=True)
class IdleResidency:
    """State of an `IdleResidencyManager`; ``palette`` is None while a mission runs."""

    state: ResidencyState = field(default_factory=ResidencyState)
    palette: ToolPalette | None = None
    pending: PendingTransition | None = None
    keep_warm_timer: str = ""
    count: int = 0


class IdleState(FrozenModel):
    """All that a core between two missions hands to the next one.

    ``missions`` counts those begun; ``stopped`` is the reason of an emergency stop, "" for none; ``floor`` is
    what the last mission knew of the floor.
    """

    palette: ToolPalette = ToolPalette()
    missions: int = 0
    unconfirmed: tuple[str, ...] = ()
    receipts: tuple[tuple[tuple[str, str, str], PublishReceipt], ...] = ()
    residency: IdleResidency = IdleResidency()
    last: MissionReport = MissionReport()
    stopped: str = ""
    floor: FloorKnowledge = FloorKnowledge()
