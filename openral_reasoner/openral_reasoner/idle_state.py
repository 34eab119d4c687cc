"""State of a core between two missions."""

from openral_reasoner.behaviors.residency import IdleResidency
from openral_reasoner.commands import MissionReport, PublishReceipt
from openral_reasoner.context import FrozenModel
from openral_reasoner.floor_knowledge import FloorKnowledge
from openral_reasoner.palette.entries import ToolPalette


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
