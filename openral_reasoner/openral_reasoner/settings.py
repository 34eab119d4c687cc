"""Settings of the mission core: every default and bound in one place."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from openral_reasoner.budget import SearchBudget
from openral_reasoner.likely_places.belief import BeliefWeights
from openral_reasoner.residency import ResidencyRules
from openral_reasoner.search import SearchCosts

SecondGoal = Literal["queue", "replace", "refuse"]
"""Treatment of a goal that arrives while another one is running."""

Prompt = Literal["full", "compact", "auto"]
"""What the model reads: tools, the legal next calls, or either."""


RETIRED = "found_ids_as_enums"
"""Setting that recordings of earlier versions have."""


class CallDeadlines(BaseModel):
    """Time limits of each kind of call [s], in steady time."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    memory: float = Field(
        default=5.0, ge=0.1, le=60.0, description="deadline of recall_object, resolve_place and observe [s]"
    )
    locate: float = Field(default=20.0, ge=0.5, le=300.0, description="deadline of locate_in_view [s]")
    model: float = Field(
        default=60.0, ge=0.5, le=600.0, description="deadline of one decision of the model [s]"
    )
    foreign_tool: float = Field(
        default=10.0, ge=0.1, le=600.0, description="deadline of one call of another package's tool [s]"
    )
    transition: float = Field(
        default=60.0, ge=0.5, le=600.0, description="deadline of one lifecycle transition [s]"
    )
    skill_grace: float = Field(default=10.0, gt=0.0, description="beyond the skill's own deadline [s]")
    cancel: float = Field(default=10.0, gt=0.0, description="until a cancelled skill has stopped [s]")
    palette: float = Field(
        default=30.0,
        ge=0.0,
        le=600.0,
        description="longest wait of a new goal for memory and a skill server [s]",
    )
    locator: float = Field(
        default=5.0, ge=0.0, le=600.0, description="longest further wait for a locator [s]"
    )
    recovery: float = Field(
        default=15.0,
        ge=0.0,
        le=600.0,
        description="longest wait for a locator that failed during a request [s]",
    )
    handoff: float = Field(
        default=0.0,
        ge=0.0,
        le=86400.0,
        description="longest wait for a human's answer [s]; 0 ends the mission at once",
    )
    approval: float = Field(default=120.0, gt=0.0, description="for a human's approval [s]")


class MissionSettings(BaseModel):
    """Settings of every mission of one core."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    budget: SearchBudget = SearchBudget()
    deadlines: CallDeadlines = CallDeadlines()
    residency: ResidencyRules = ResidencyRules()
    search: SearchCosts = SearchCosts()
    default_requester: str = Field(
        default="", description="scene-graph agent that a goal is for when its prompt names none"
    )
    max_failures: int = Field(default=3, ge=1, description="failures of the model until a human is asked")
    max_repeats: int = Field(
        default=3, ge=2, description="identical calls with identical answers until a human is asked"
    )
    frontier_shown: int = Field(default=8, ge=1, description="candidates listed in the reply to a miss")
    same_object_within: float = Field(
        default=1.0, gt=0.0, description="a detection this near to the remembered pose is the same object [m]"
    )
    second_goal: SecondGoal = Field(default="queue", description="queue, replace or refuse")
    queue_length: int = Field(default=8, ge=1, description="goals that may wait")
    has_skills: bool = Field(
        default=True, description="the robot has skills; false: a goal waits for no skill server"
    )
    require_approval: bool = Field(default=False, description="ask the operator before every skill")
    placement_prior: bool = Field(
        default=True, description="use commonsense about where kinds of objects are kept"
    )
    locate_after_miss: bool = Field(
        default=True, description="ask the default locator once when memory lacks an object"
    )
    advisor_decisions: int = Field(
        default=0, ge=0, description="decisions per mission that an advisor makes while the model is stuck"
    )

    prompt: Prompt = Field(
        default="full",
        description="full: the model calls tools; compact: it picks a legal next call; auto: either",
    )

    @model_validator(mode="before")
    @classmethod
    def _without_retired(cls, content: object) -> object:
        """Read the settings of older recordings."""
        return {k: v for k, v in content.items() if k != RETIRED} if isinstance(content, dict) else content

    @property
    def weights(self) -> BeliefWeights:
        """Worth of each source of knowledge about an object's place."""
        return BeliefWeights() if self.placement_prior else BeliefWeights(prior=0.0)
