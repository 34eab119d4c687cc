"""The reasoner node's parameters."""

from enum import StrEnum
from pathlib import Path

from pydantic import Field

from openral_reasoner.budget import SearchBudget
from openral_reasoner.residency.policy import ResidencyRules
from openral_reasoner.search.planner import SearchCosts
from openral_reasoner.settings import CallDeadlines, MissionSettings
from openral_ros.gpu import gpu_total_mb
from openral_ros.parameters import Parameters


class Brain(StrEnum):
    """Who decides."""

    SCRIPTED = "scripted"
    ANTHROPIC = "anthropic"
    OPENAI = "openai"


class SecondGoal(StrEnum):
    """What a goal does while another one runs."""

    QUEUE = "queue"
    REPLACE = "replace"
    REFUSE = "refuse"


class ReasonerParameters(Parameters):
    """Said once: default, bounds, description."""

    brain: Brain = Field(default=Brain.SCRIPTED, description="scripted, anthropic or openai")
    model: str = Field(default="", description="model name for anthropic and openai")
    base_url: str = Field(default="", description="endpoint; empty is the vendor's own")
    prices: str = Field(
        default="", description="YAML price list; empty is the package's, for the vendors' own endpoints"
    )
    rskill_folders: tuple[str, ...] = Field(description="folders with <id>/rskill.yaml")
    seed: int = Field(default=0, ge=0, description="of the jitter between retries; decisions have no dice")
    requester: str = Field(default="", description="agent node a goal is for when its prompt names none")
    default_detector: str = Field(
        default="", description="locator asked first; empty is the detectors' own mark"
    )
    lifecycle_peer_node_ids: tuple[str, ...] = Field(
        default=(), description="detectors, by id or node name, that may be switched; empty is every one"
    )
    gpu_budget_mb: float = Field(
        default=0.0,
        ge=0.0,
        le=1e6,
        description="memory of detectors and skills together; 0 = the GPU's, none without one [MB]",
    )
    keep_warm: float = Field(
        default=60.0, ge=0.0, le=86400.0, description="a locator woken for one look sleeps after this [s]"
    )
    min_residency: float = Field(
        default=5.0, ge=0.0, le=3600.0, description="no detector is sent away sooner after it came [s]"
    )
    pinned: tuple[str, ...] = Field(default=(), description="detectors that are never sent away")
    record: str = Field(default="", description="folder for events and commands as JSON lines; empty is none")
    poll_period: float = Field(default=0.5, ge=0.05, le=5.0, description="how often the graph is read [s]")
    peer_timeout: float = Field(
        default=1.4, ge=0.2, le=60.0, description="a peer that has not answered for this long is gone [s]"
    )
    handoff_timeout: float = Field(
        default=0.0,
        ge=0.0,
        le=86400.0,
        description="wait for a human's answer; 0 ends the mission at once [s]",
    )
    second_goal: SecondGoal = Field(default=SecondGoal.QUEUE, description="queue, replace or refuse")
    require_approval: bool = Field(default=False, description="ask the operator before every acting step")
    palette_wait: float = Field(
        default=30.0, ge=0.0, le=600.0, description="wait of a goal for memory and a skill server [s]"
    )
    locator_wait: float = Field(default=5.0, ge=0.0, le=600.0, description="then for a locator [s]")
    recovery_wait: float = Field(
        default=15.0, ge=0.0, le=600.0, description="for a locator that broke over a look, once each time [s]"
    )
    memory_deadline: float = Field(default=5.0, ge=0.1, le=60.0, description="recall, resolve, observe [s]")
    locate_deadline: float = Field(default=20.0, ge=0.5, le=300.0, description="one look [s]")
    model_deadline: float = Field(default=60.0, ge=0.5, le=600.0, description="one decision of the model [s]")
    transition_deadline: float = Field(default=60.0, ge=0.5, le=600.0, description="one transition [s]")
    looking_cost: float = Field(
        default=2.0, gt=0.0, le=100.0, description="of a look in a search, as a way driven [m]"
    )
    opening_cost: float = Field(
        default=10.0, ge=0.0, le=1000.0, description="of opening and closing in a search, as a way [m]"
    )
    candidates: int = Field(default=24, ge=0, le=1000, description="budget: places searched")
    recalls: int = Field(default=60, ge=0, le=10000, description="budget: questions to memory")
    locates: int = Field(default=60, ge=0, le=10000, description="budget: live looks")
    model_calls: int = Field(default=80, ge=0, le=10000, description="budget: decisions")
    tokens: int = Field(default=500_000, ge=0, le=1_000_000_000, description="budget: tokens of the model")
    dollars: float = Field(
        default=10.0, ge=0.0, le=1e6, description="budget: cost of decisions as far as known [US$]"
    )
    unpriced_calls: int = Field(
        default=10_000, ge=0, le=10_000, description="budget: decisions of unknown cost; 0 allows none"
    )
    transitions: int = Field(default=40, ge=0, le=1000, description="budget: lifecycle transitions")
    skills: int = Field(default=120, ge=0, le=10000, description="budget: skill goals")
    handoffs: int = Field(default=1, ge=0, le=100, description="budget: questions to a human")
    seconds: float = Field(default=900.0, ge=1.0, le=86400.0, description="budget: wall-clock time [s]")

    def settings(self) -> MissionSettings:
        """What the mission core needs of them."""
        lines = {name: getattr(self, name) for name in SearchBudget.model_fields}
        deadlines = CallDeadlines(
            memory=self.memory_deadline,
            locate=self.locate_deadline,
            model=self.model_deadline,
            transition=self.transition_deadline,
            palette=self.palette_wait,
            locator=self.locator_wait,
            recovery=self.recovery_wait,
            handoff=self.handoff_timeout,
        )
        return MissionSettings(
            budget=SearchBudget(**lines),
            deadlines=deadlines,
            residency=ResidencyRules(
                budget=self.gpu_budget_mb or gpu_total_mb(),
                keep_warm=self.keep_warm,
                min_residency=self.min_residency,
                pinned=self.pinned,
            ),
            search=SearchCosts(looking=self.looking_cost, opening=self.opening_cost),
            default_requester=self.requester,
            second_goal=self.second_goal.value,
            require_approval=self.require_approval,
        )

    @property
    def folders(self) -> tuple[Path, ...]:
        """Where the manifests lie."""
        return tuple(Path(folder) for folder in self.rskill_folders)
