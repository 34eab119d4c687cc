"""Parameters of the reasoner node."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import Field

from openral_reasoner.budget import SearchBudget
from openral_reasoner.llm.base import MAX_ANSWER
from openral_reasoner.residency import ResidencyRules
from openral_reasoner.search import SearchCosts
from openral_reasoner.settings import CallDeadlines, MissionSettings, Prompt, SecondGoal
from openral_reasoner_ros.brains import Brain, PromptForm
from openral_ros.gpu import gpu_total_mb
from openral_ros.parameters import Parameters

MISSION: Mapping[str, Any] = MissionSettings.model_fields
DEADLINES: Mapping[str, Any] = CallDeadlines.model_fields
RESIDENCY: Mapping[str, Any] = ResidencyRules.model_fields
COSTS: Mapping[str, Any] = SearchCosts.model_fields
"""Settings of the core, which state default, bounds and description of the parameters made from them."""


class ReasonerParameters(SearchBudget, Parameters):
    """ROS parameters of the reasoner node, among them every line of a mission's budget."""

    brain: Brain = Field(default=Brain.SCRIPTED, description="scripted, local, anthropic or openai")
    model: str = Field(default="", description='the vendor\'s model name; for local a file, "" is our own')
    base_url: str = Field(default="", description="API endpoint; empty uses the vendor's own")
    prompt: PromptForm = Field(
        default=PromptForm.AUTO,
        description="full: the model calls tools; compact: it picks a legal next call; auto: full, then "
        "compact once an endpoint of one's own proves too slow, too small or without tools",
    )
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
    tools: tuple[str, ...] = Field(
        default=(), description="tools of other packages to offer, by their entry points; empty for none"
    )
    rskill_folders: tuple[str, ...] = Field(description="folders with <id>/rskill.yaml")
    temperature: float = Field(
        default=0.0, ge=-1.0, le=2.0, description="temperature of the model; negative is the endpoint's own"
    )
    max_answer_tokens: int = Field(
        default=MAX_ANSWER, ge=64, le=1_000_000, description="longest answer, thoughts included [tokens]"
    )
    seed: int = Field(
        default=0, ge=0, description="seed of the model's sampling and of the jitter between retries"
    )
    requester: str = MISSION["default_requester"]
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
    keep_warm: float = RESIDENCY["keep_warm"]
    min_residency: float = RESIDENCY["min_residency"]
    pinned: tuple[str, ...] = RESIDENCY["pinned"]
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
    handoff_timeout: float = DEADLINES["handoff"]
    second_goal: SecondGoal = MISSION["second_goal"]
    require_approval: bool = MISSION["require_approval"]
    has_skills: bool = MISSION["has_skills"]
    palette_wait: float = DEADLINES["palette"]
    locator_wait: float = DEADLINES["locator"]
    recovery_wait: float = DEADLINES["recovery"]
    memory_deadline: float = DEADLINES["memory"]
    locate_deadline: float = DEADLINES["locate"]
    model_deadline: float = DEADLINES["model"]
    tool_deadline: float = DEADLINES["foreign_tool"]
    transition_deadline: float = DEADLINES["transition"]
    looking_cost: float = COSTS["looking"]
    opening_cost: float = COSTS["opening"]

    @property
    def journal_folder(self) -> Path | None:
        """Folder of the journal, None for none."""
        return Path(self.journal) if self.journal else None

    @property
    def mission_prompt(self) -> Prompt:
        """Prompt of the missions; that of an endpoint of one's own may change with what it can bear."""
        if self.brain is Brain.LOCAL:
            return "compact"
        if self.prompt is PromptForm.AUTO and not (self.brain is Brain.OPENAI and self.base_url):
            return "full"
        return self.prompt.value

    def settings(self) -> MissionSettings:
        """Return the settings of the mission core."""
        lines = {name: getattr(self, name) for name in SearchBudget.model_fields}
        deadlines = CallDeadlines(
            memory=self.memory_deadline,
            locate=self.locate_deadline,
            model=self.model_deadline,
            foreign_tool=self.tool_deadline,
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
            second_goal=self.second_goal,
            has_skills=self.has_skills,
            require_approval=self.require_approval,
            advisor_decisions=self.advisor_decisions if self.advisor_model else 0,
            prompt=self.mission_prompt,
        )

    @property
    def folders(self) -> tuple[Path, ...]:
        """Folders that hold the rSkill manifests."""
        return tuple(Path(folder) for folder in self.rskill_folders)
