"""Settings of the mission core: every default and bound in one place."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from openral_reasoner.budget import SearchBudget
from openral_reasoner.likely_places.belief import BeliefWeights
from openral_reasoner.residency import ResidencyRules
from openral_reasoner.search import SearchCosts


class CallDeadlines(BaseModel):
    """Time limits of each kind of call [s], in steady time."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    memory: float = Field(default=5.0, gt=0.0, description="recall, resolve and observe [s]")
    locate: float = Field(
        default=20.0, gt=0.0, description="one locate request, queueing and inference included [s]"
    )
    model: float = Field(default=60.0, gt=0.0, description="one decision of the model [s]")
    transition: float = Field(default=60.0, gt=0.0, description="one lifecycle transition [s]")
    skill_grace: float = Field(default=10.0, gt=0.0, description="beyond the skill's own deadline [s]")
    cancel: float = Field(default=10.0, gt=0.0, description="until a cancelled skill has stopped [s]")
    palette: float = Field(default=30.0, ge=0.0, description="for memory and a skill server to appear [s]")
    locator: float = Field(default=5.0, ge=0.0, description="then for a locator, which is optional [s]")
    recovery: float = Field(
        default=15.0, ge=0.0, description="for a locator that failed during a request to recover [s]"
    )
    handoff: float = Field(default=0.0, ge=0.0, description="for a human's answer; 0 = do not wait [s]")
    approval: float = Field(default=120.0, gt=0.0, description="for a human's approval [s]")


class MissionSettings(BaseModel):
    """Settings of every mission of one core."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    budget: SearchBudget = SearchBudget()
    deadlines: CallDeadlines = CallDeadlines()
    residency: ResidencyRules = ResidencyRules()
    search: SearchCosts = SearchCosts()
    default_requester: str = Field(default="", description="agent a goal is for if its prompt names none")
    max_failures: int = Field(default=3, ge=1, description="failures of the model until a human is asked")
    max_repeats: int = Field(
        default=3, ge=2, description="identical calls with identical answers until a human is asked"
    )
    frontier_shown: int = Field(default=8, ge=1, description="candidates listed in the reply to a miss")
    same_object_within: float = Field(
        default=1.0, gt=0.0, description="a detection this near to the remembered pose is the same object [m]"
    )
    second_goal: Literal["queue", "replace", "refuse"] = "queue"
    queue_length: int = Field(default=8, ge=1, description="goals that may wait")
    has_skills: bool = Field(
        default=True, description="the robot has skills; False = no mission waits for a skill server"
    )
    require_approval: bool = Field(
        default=False, description="ask the operator before every acting tool call"
    )
    placement_prior: bool = Field(
        default=True, description="use commonsense about where kinds of objects are kept"
    )
    locate_after_miss: bool = Field(
        default=True, description="ask the default locator once when memory lacks an object"
    )
    advisor_decisions: int = Field(
        default=0, ge=0, description="decisions per mission that an advisor makes while the model is stuck"
    )
    found_ids_as_enums: bool = Field(
        default=True,
        description="list ids found during the mission in the tools' schemas; False keeps the tools the same "
        "throughout a mission, so that a prompt cache can hold them",
    )

    @property
    def weights(self) -> BeliefWeights:
        """Worth of each source of knowledge about an object's place."""
        return BeliefWeights() if self.placement_prior else BeliefWeights(prior=0.0)
