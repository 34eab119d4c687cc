"""Preflight of the brain that parameters select."""

from typing import TYPE_CHECKING

from openral_reasoner.context import Context
from openral_reasoner.llm.base import PricedModel
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.system_prompt import SYSTEM_PROMPT
from openral_reasoner.tools.registry import schemas
from openral_reasoner_ros.brains import Brain, PromptForm
from openral_reasoner_ros.model_client import DEADLINE_MARGIN, make_model
from openral_reasoner_ros.parameters import ReasonerParameters

if TYPE_CHECKING:
    from openral_reasoner.llm.preflight import EndpointReport


def first_context() -> Context:
    """Return the context of a first decision, in a home without places."""
    palette = ToolPalette(spatial_memory_available=True)
    return Context(
        system=SYSTEM_PROMPT, goal="find the mug", requester="", palette=palette, tools=schemas(palette)
    )


def check_brain(parameters: ReasonerParameters) -> "EndpointReport | None":
    """Check the endpoint of the brain that the parameters select; None if it has none.

    Raises:
        OpenRALError: As `make_model`.
    """
    if parameters.brain not in (Brain.ANTHROPIC, Brain.OPENAI):
        return None
    model = make_model(parameters.model_copy(update={"prompt": PromptForm.FULL}))
    # The SDKs of the vendors need not be installed for the other brains.
    from openral_reasoner.llm.endpoint_model import EndpointModel
    from openral_reasoner.llm.preflight import check_endpoint

    endpoint = model.model if isinstance(model, PricedModel) else model
    if not isinstance(endpoint, EndpointModel):
        return None
    return check_endpoint(endpoint, first_context(), max(0.1, parameters.model_deadline - DEADLINE_MARGIN))
