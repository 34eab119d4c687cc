"""What the live view and the report are made of. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from openral_core.missions import MissionState


@dataclass(frozen=True, slots=True)
class CallLine:
    """One tool call."""

    index: int
    tool: str
    arguments: str
    status: str
    message: str
    duration: float


@dataclass(frozen=True, slots=True)
class Mission:
    """The mission as the reasoner tells it; budget maps a name to (used, limit)."""

    id: str = ""
    goal: str = ""
    state: MissionState = MissionState.IDLE
    step: str = ""
    reason: str = ""
    calls: tuple[CallLine, ...] = ()
    budget: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    searched: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Receipt:
    """The reasoner's acknowledgement of one prompt; ``mission`` is "" where none came of it."""

    mission: str
    refused: bool = False
    message: str = ""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The graph at a moment; image rates in [Hz], receipts by prompt id."""

    nodes: Mapping[str, str] = field(default_factory=dict)
    rates: Mapping[str, float] = field(default_factory=dict)
    remembered: tuple[str, ...] = ()
    sim_time: float = 0.0
    palette_known: bool = False
    mission: Mission = field(default_factory=Mission)
    receipts: Mapping[str, Receipt] = field(default_factory=dict)
