"""Preflight of the brain that parameters select."""

from typing import TYPE_CHECKING

from openral_core.errors import OpenRALError
from openral_reasoner.context import Context
from openral_reasoner.llm.base import PERMANENT, Model, ModelUnavailable, PricedModel
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
    # The SDKs of the vendors need not be installed for the other brains.
    from openral_reasoner.llm.endpoint_model import EndpointModel
    from openral_reasoner.llm.preflight import check_endpoint

    endpoint = _endpoint(parameters)
    if not isinstance(endpoint, EndpointModel):
        return None
    return check_endpoint(endpoint, first_context(), _deadline(parameters))


def reach_endpoint(parameters: ReasonerParameters) -> tuple[str, PromptForm]:
    """Ask an endpoint of one's own for two tokens; return how that went, and the prompt that it can bear.

    The text is empty for a brain that has no such endpoint; a local one is started once, which makes its
    files. Only the prompt ``auto`` is replaced.

    Raises:
        EndpointUnusable: If no mission can succeed with it.
        OpenRALError: As `make_model`.
    """
    if parameters.brain is Brain.LOCAL:
        getattr(make_model(parameters), "close", lambda: None)()
    if parameters.brain is not Brain.OPENAI or not parameters.base_url:
        return "", parameters.prompt
    from openral_reasoner.compact.completions import UNFIT
    from openral_reasoner.llm.openai import OpenAIModel
    from openral_reasoner.llm.preflight import read_prompt, why_compact

    endpoint, context, deadline = _endpoint(parameters), first_context(), _deadline(parameters)
    assert isinstance(endpoint, OpenAIModel)
    line = f"model {parameters.model!r} at {parameters.base_url}"
    try:
        first = read_prompt(endpoint, context, deadline)
        line += f" read {first.tokens} tokens in {first.seconds:.1f} s"
        why = why_compact(endpoint, context, first, deadline)
    except ModelUnavailable as failure:
        is_unfit = parameters.prompt is PromptForm.AUTO and failure.condition in UNFIT
        if failure.condition in PERMANENT and not is_unfit:
            raise EndpointUnusable(parameters, failure) from failure
        line, why = f"{line}: {failure}", str(failure) if is_unfit else ""
    else:
        line += f"; {why}" if why else ""
    if why and parameters.prompt is PromptForm.AUTO:
        return f"{line}: the prompt is compact; '--prompt full' keeps the tools", PromptForm.COMPACT
    return line, parameters.prompt


class EndpointUnusable(OpenRALError):
    """Endpoint with which no mission can succeed, in its own words."""

    def __init__(self, parameters: ReasonerParameters, failure: ModelUnavailable) -> None:
        super().__init__(
            f"model {parameters.model!r} at {parameters.base_url} cannot decide: {failure}. "
            "`openral brain check` tells more"
        )


def _endpoint(parameters: ReasonerParameters) -> Model:
    model = make_model(parameters.model_copy(update={"prompt": PromptForm.FULL}))
    return model.model if isinstance(model, PricedModel) else model


def _deadline(parameters: ReasonerParameters) -> float:
    return max(0.1, parameters.model_deadline - DEADLINE_MARGIN)
