"""What a user can choose; one model behind the command line and the launch arguments."""

from enum import StrEnum
from pathlib import Path

from pydantic import Field

from openral_core.documents import Document


class DetectorSet(StrEnum):
    """Named choices of detectors."""

    EMBEDDED = "embedded"
    DEFAULT = "default"


CONTINUOUS = {DetectorSet.EMBEDDED: ("sim-groundtruth",), DetectorSet.DEFAULT: ("omdet-turbo-indoor",)}
ON_DEMAND = {
    DetectorSet.EMBEDDED: ("sim-groundtruth-locator",),
    DetectorSet.DEFAULT: ("omdet-turbo-locator",),
}


class Brain(StrEnum):
    """What decides the next tool call."""

    SCRIPTED = "scripted"
    ANTHROPIC = "anthropic"
    OPENAI = "openai"


class Choices(Document):
    """One deployment, as chosen.

    Detector ids may be aliases or slugs; ``overrides`` maps a node to parameters and their values.
    """

    scene: Path
    detectors: DetectorSet = DetectorSet.EMBEDDED
    continuous: tuple[str, ...] = ()
    on_demand: tuple[str, ...] = ()
    accepted_licences: tuple[str, ...] = ()
    cameras: tuple[str, ...] = ("head", "wrist")
    brain: Brain = Brain.SCRIPTED
    model: str = ""
    base_url: str = ""
    spatial_memory_path: str = ""
    seed: int = Field(default=0, ge=0)
    real_time_factor: float = Field(default=1.0, ge=0.0, description="0 = as fast as it can")
    handoff_timeout: float = Field(default=0.0, ge=0.0, description="wait for a human [s]; 0 = end at once")
    record: str = ""
    namespace: str = Field(default="", pattern=r"^(/[a-zA-Z_][a-zA-Z0-9_]*)*$")
    overrides: dict[str, dict[str, object]] = Field(
        default_factory=dict, description="node -> parameter -> value"
    )

    @property
    def chosen_continuous(self) -> tuple[str, ...]:
        """Continuous detectors named by hand, else those of the set."""
        return self.continuous or (() if self.on_demand else CONTINUOUS[self.detectors])

    @property
    def chosen_on_demand(self) -> tuple[str, ...]:
        """On-demand locators named by hand, else those of the set; the first is the default one."""
        return self.on_demand or (() if self.continuous else ON_DEMAND[self.detectors])
