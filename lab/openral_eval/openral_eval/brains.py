"""Decision models on trial, as something that another process or machine can build."""

from dataclasses import dataclass

from openral_reasoner.llm.base import Model
from openral_reasoner_ros.brains import Brain, PromptForm
from openral_reasoner_ros.model_client import make_advisor, make_model
from openral_reasoner_ros.parameters import ReasonerParameters


@dataclass(frozen=True, slots=True)
class BrainSpec:
    """Decision model: the brain of the reasoner with its model, endpoint, price list and advisor.

    ``deadline`` [s] is that of one decision; a negative ``temperature`` leaves it to the endpoint.
    """

    brain: Brain = Brain.SCRIPTED
    model: str = ""
    base_url: str = ""
    prices: str = ""
    advisor: str = ""
    prompt: PromptForm = PromptForm.AUTO
    deadline: float = ReasonerParameters.model_fields["model_deadline"].default
    temperature: float = ReasonerParameters.model_fields["temperature"].default

    @property
    def name(self) -> str:
        """Name for reports."""
        return f"{self.brain.value} {self.model}".strip()

    def build(self) -> tuple[Model, Model | None]:
        """Build the model and its advisor, as the reasoner's node does.

        Raises:
            OpenRALError: If its package, name, key or price list is missing.
        """
        return make_model(self.parameters), make_advisor(self.parameters)

    @property
    def parameters(self) -> ReasonerParameters:
        """Parameters of the reasoner with this model."""
        return ReasonerParameters(
            brain=self.brain,
            model=self.model,
            base_url=self.base_url,
            prices=self.prices,
            advisor_model=self.advisor,
            prompt=self.prompt,
            model_deadline=self.deadline,
            temperature=self.temperature,
            rskill_folders=(),
        )
