"""The model that the parameters name; its SDK is imported only when it is chosen."""

from collections.abc import Callable, Mapping
from importlib import import_module
from random import Random

from openral_core.errors import OpenRALError
from openral_reasoner.llm.base import Model
from openral_reasoner.llm.pricing import load_prices
from openral_reasoner.llm.streaming import RetryPolicy
from openral_reasoner.scripted.planner import ScriptedModel
from openral_reasoner_ros.parameters import Brain, ReasonerParameters

SLACK = 2.0
"""What a model's own deadline has less than the core's, so that its typed failure arrives [s]."""


class SdkMissing(OpenRALError):
    """A brain whose library is not installed."""

    def __init__(self, brain: Brain, missing: str) -> None:
        super().__init__(
            f"brain {brain.value!r} needs the package {missing!r}: pip install -r requirements/models.txt, "
            "or choose brain 'scripted'"
        )


class ModelNotNamed(OpenRALError):
    """A vendor's brain without the name of a model."""

    def __init__(self, brain: Brain) -> None:
        super().__init__(f"brain {brain.value!r} needs the parameter 'model': the name of one of its models")


def make_model(parameters: ReasonerParameters) -> Model:
    """Chosen explicitly; nothing stands in for a brain that cannot be had.

    Raises:
        SdkMissing: If its library is not installed.
        ModelNotNamed: If no model is named.
        MissingKey: If its key is not in the environment.
        InvalidDocument: If the price list cannot be read.
    """
    return _BRAINS[parameters.brain](parameters)


def _scripted(parameters: ReasonerParameters) -> Model:
    return ScriptedModel()


def _vendor(module: str, name: str) -> Callable[[ReasonerParameters], Model]:
    def make(parameters: ReasonerParameters) -> Model:
        if not parameters.model:
            raise ModelNotNamed(parameters.brain)
        try:
            vendor = import_module(f"openral_reasoner.llm.{module}")
        except ModuleNotFoundError as error:
            raise SdkMissing(parameters.brain, error.name or module) from error
        retries = RetryPolicy(max(0.1, parameters.model_deadline - SLACK), rng=Random(parameters.seed))
        model: Model = getattr(vendor, name)(parameters.model, parameters.base_url, retries)
        return load_prices(parameters.prices, parameters.base_url).priced(model)

    return make


_BRAINS: Mapping[Brain, Callable[[ReasonerParameters], Model]] = {
    Brain.SCRIPTED: _scripted,
    Brain.ANTHROPIC: _vendor("anthropic", "AnthropicModel"),
    Brain.OPENAI: _vendor("openai", "OpenAIModel"),
}
