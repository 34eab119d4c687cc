"""Factory of the decision model; a vendor's SDK is imported only when it is selected."""

from collections.abc import Callable, Mapping
from importlib import import_module
from random import Random

from openral_core.errors import OpenRALError
from openral_reasoner.llm.base import Model
from openral_reasoner.llm.pricing import load_prices
from openral_reasoner.llm.streaming import RetryPolicy
from openral_reasoner.scripted.planner import ScriptedModel
from openral_reasoner_ros.parameters import Brain, ReasonerParameters

DEADLINE_MARGIN = 2.0
"""Margin of a model's own deadline below the core's, so that its typed failure arrives first [s]."""


class SdkMissing(OpenRALError):
    """Selected brain whose Python package is not installed."""

    def __init__(self, brain: Brain, missing: str) -> None:
        super().__init__(
            f"brain {brain.value!r} needs the package {missing!r}: "
            "run `pip install -r requirements/models.txt`, or choose brain 'scripted'"
        )


class ModelNotNamed(OpenRALError):
    """Vendor's brain without the name of a model."""

    def __init__(self, brain: Brain) -> None:
        super().__init__(f"brain {brain.value!r} needs the parameter 'model' (the vendor's model name)")


def make_model(parameters: ReasonerParameters) -> Model:
    """Build the model that the parameters select; there is no fallback.

    Raises:
        SdkMissing: If its package is not installed.
        ModelNotNamed: If no model is named.
        MissingKey: If its key is not in the environment.
        InvalidDocument: If the price list cannot be read.
    """
    return _BRAINS[parameters.brain](parameters)


def _vendor(module: str, name: str) -> Callable[[ReasonerParameters], Model]:
    def make(parameters: ReasonerParameters) -> Model:
        if not parameters.model:
            raise ModelNotNamed(parameters.brain)
        try:
            vendor = import_module(f"openral_reasoner.llm.{module}")
        except ModuleNotFoundError as error:
            raise SdkMissing(parameters.brain, error.name or module) from error
        deadline = max(0.1, parameters.model_deadline - DEADLINE_MARGIN)
        retries = RetryPolicy(deadline, rng=Random(parameters.seed))
        model: Model = getattr(vendor, name)(parameters.model, parameters.base_url, retries)
        return load_prices(parameters.prices, parameters.base_url).priced(model)

    return make


_BRAINS: Mapping[Brain, Callable[[ReasonerParameters], Model]] = {
    Brain.SCRIPTED: lambda parameters: ScriptedModel(),
    Brain.ANTHROPIC: _vendor("anthropic", "AnthropicModel"),
    Brain.OPENAI: _vendor("openai", "OpenAIModel"),
}
