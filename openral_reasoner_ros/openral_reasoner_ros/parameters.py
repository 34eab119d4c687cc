"""Parameters of the reasoner node."""

from enum import StrEnum
from pathlib import Path

from pydantic import Field

from openral_reasoner.budget import SearchBudget
from openral_reasoner.residency import ResidencyRules
from openral_reasoner.search import SearchCosts
from openral_reasoner.settings import CallDeadlines, MissionSettings
from openral_reasoner_ros.brains import Brain
from openral_ros.gpu import gpu_total_mb
from openral_ros.parameters import Parameters


class SecondGoal(StrEnum):
    """Treatment of a goal that arrives while another one is running."""

    QUEUE = "queue"
    REPLACE = "replace"
    REFUSE = "refuse"


class ReasonerParameters(SearchBudget, Parameters):
    """ROS parameters of the reasoner node, among them every line of a mission's budget."""

    brain: Brain = Field(default=Brain.SCRIPTED, description="scripted, anthropic or openai")
    model: str = Field(default="", description="the vendor's model name, for anthropic and openai")
    base_url: str = Field(default="", description="API endpoint; empty uses the vendor's own")
    advisor_model: str = Field(
        default="",
        description="stronger model of the endpoint that decides while the first is stuck; empty for none",
    )
    advisor_decisions: int = Field(
        default=6, ge=0, le=100, description="most decisions of the advisor per mission, within the budget"
    )
    prices: str = Field(
        default="", description="YAML price list; empty uses the built-in one for the vendors' own endpoints"
    )
    rskill_folders: tuple[str, ...] = Field(description="folders with <id>/rskill.yaml")
    seed: int = Field(
        default=0, ge=0, description="seed of the jitter between retries; decisions are deterministic"
    )
    requester: str = Field(
        default="", description="scene-graph agent that a goal is for when its prompt names none"
    )
    default_detector: str = Field(
        default="", description="locator to ask first; empty uses the one whose info says it is the default"
    )
    lifecycle_peer_node_ids: tuple[str, ...] = Field(
        default=(),
        description="detectors, by id or node name, that may be activated and deactivated; empty is all",
    )
    vram_lifecycle_peers: tuple[str, ...] = Field(
        default=(), description="further ones, as `lifecycle_peer_node_ids`"
    )
    gpu_budget_mb: float = Field(
        default=0.0,
        ge=0.0,
        le=1e6,
        description="memory budget of detectors and skills [MB]; 0 uses the GPU's, or no limit without a GPU",
    )
    keep_warm: float = Field(
        default=60.0,
        ge=0.0,
        le=86400.0,
        description="idle time after which a locator that was activated on demand is deactivated [s]",
    )
    min_residency: float = Field(
        default=5.0,
        ge=0.0,
        le=3600.0,
        description="time after its activation in which a detector is not deactivated [s]",
    )
    pinned: tuple[str, ...] = Field(default=(), description="detectors that are never deactivated")
    record: str = Field(
        default="", description="folder for the recording of events and commands; empty disables it"
    )
    journal: str = Field(
        default="",
        description="folder of the journal from which a restarted reasoner resumes its mission; "
        "empty disables it",
    )
    poll_period: float = Field(
        default=0.5, ge=0.05, le=5.0, description="time between two polls of the graph [s]"
    )
    peer_timeout: float = Field(
        default=1.4,
        ge=0.2,
        le=60.0,
        description="silence after which a peer counts as unavailable [s]",
    )
    handoff_timeout: float = Field(
        default=0.0,
        ge=0.0,
        le=86400.0,
        description="longest wait for a human's answer [s]; 0 ends the mission at once",
    )
    second_goal: SecondGoal = Field(default=SecondGoal.QUEUE, description="queue, replace or refuse")
    require_approval: bool = Field(default=False, description="ask the operator before every skill")
    has_skills: bool = Field(
        default=True, description="the robot has skills; false: a goal waits for no skill server"
    )
    palette_wait: float = Field(
        default=30.0,
        ge=0.0,
        le=600.0,
        description="longest wait of a new goal for memory and a skill server [s]",
    )
    locator_wait: float = Field(
        default=5.0, ge=0.0, le=600.0, description="longest further wait for a locator [s]"
    )
    recovery_wait: float = Field(
        default=15.0,
        ge=0.0,
        le=600.0,
        description="longest wait for a locator that failed during a request [s]",
    )
    memory_deadline: float = Field(
        default=5.0, ge=0.1, le=60.0, description="deadline of recall_object, resolve_place and observe [s]"
    )
    locate_deadline: float = Field(
        default=20.0, ge=0.5, le=300.0, description="deadline of locate_in_view [s]"
    )
    model_deadline: float = Field(
        default=60.0, ge=0.5, le=600.0, description="deadline of one decision of the model [s]"
    )
    transition_deadline: float = Field(
        default=60.0, ge=0.5, le=600.0, description="deadline of one lifecycle transition [s]"
    )
    looking_cost: float = Field(
        default=2.0,
        gt=0.0,
        le=100.0,
        description="search cost of one detection, as an equivalent driving distance [m]",
    )
    opening_cost: float = Field(
        default=10.0,
        ge=0.0,
        le=1000.0,
        description="search cost of opening and closing, as an equivalent driving distance [m]",
    )

    @property
    def journal_folder(self) -> Path | None:
        """Folder of the journal, None for none."""
        return Path(self.journal) if self.journal else None

    def settings(self) -> MissionSettings:
        """Return the settings of the mission core."""
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
            has_skills=self.has_skills,
            require_approval=self.require_approval,
            advisor_decisions=self.advisor_decisions if self.advisor_model else 0,
            # Only endpoints of one's own may decode by schema; the vendors' own cache the tools.
            found_ids_as_enums=bool(self.base_url) or self.brain is Brain.SCRIPTED,
        )

    @property
    def folders(self) -> tuple[Path, ...]:
        """Folders that hold the rSkill manifests."""
        return tuple(Path(folder) for folder in self.rskill_folders)
