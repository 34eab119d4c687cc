"""Preflight of the brain that parameters select, for the reasoner, a deployment and the command line."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from openral_reasoner.context import Context
from openral_reasoner.llm.base import Model, PricedModel
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.system_prompt import SYSTEM_PROMPT
from openral_reasoner.tools.registry import schemas
from openral_reasoner_ros.brains import Brain, PromptForm
from openral_reasoner_ros.model_client import DEADLINE_MARGIN, make_model
from openral_reasoner_ros.parameters import ReasonerParameters

if TYPE_CHECKING:
    from openral_eval.brain_check.preflight import EndpointReport
    from openral_reasoner.llm.endpoint_model import EndpointModel


def first_context() -> Context:
    """Return the context of a first decision, in a home without places."""
    palette = ToolPalette(spatial_memory_available=True)
    return Context(
        system=SYSTEM_PROMPT, goal="find the mug", requester="", palette=palette, tools=schemas(palette)
    )


def endpoint_of(model: Model) -> "EndpointModel | None":
    """Return the model behind an endpoint that calls tools, None for any other one."""
    if not isinstance(model, PricedModel):
        return None
    # The SDKs of the vendors need not be installed for the other brains.
    from openral_reasoner.compact.completions import CompactOpenAIModel
    from openral_reasoner.llm.endpoint_model import EndpointModel

    inner = model.model
    picks = isinstance(inner, CompactOpenAIModel) and not inner.is_full
    return inner if isinstance(inner, EndpointModel) and not picks else None


def check_brain(parameters: ReasonerParameters, *, quick: bool = False) -> "EndpointReport | None":
    """Check the endpoint of the brain that the parameters select; None if it has none.

    Args:
        parameters: Those of the reasoner.
        quick: Find out only whether it answers at all.

    Raises:
        OpenRALError: As `make_model`.
    """
    if parameters.brain not in (Brain.ANTHROPIC, Brain.OPENAI):
        return None
    parameters = parameters.model_copy(update={"prompt": PromptForm.FULL})
    return _checked(endpoint_of(make_model(parameters)), parameters.model_deadline, quick=quick)


def _checked(
    model: "EndpointModel | None", model_deadline: float, *, quick: bool = False
) -> "EndpointReport | None":
    if model is None:
        return None
    from openral_eval.brain_check.preflight import check_endpoint

    return check_endpoint(model, first_context(), max(0.1, model_deadline - DEADLINE_MARGIN), quick=quick)


def watch_endpoint(model: Model, model_deadline: float, log: Callable[[str], None]) -> None:
    """Check the endpoint of a model, and log this and whatever is found of it later."""
    endpoint = endpoint_of(model)
    if endpoint is not None:
        endpoint.report = log
    if report := _checked(endpoint, model_deadline):
        log("\n".join(report.lines()))
