"""The model that the parameters name."""

from openral_reasoner.models import Model, ScriptedModel
from openral_reasoner_ros.parameters import ReasonerParameters


def make_brain(parameters: ReasonerParameters) -> Model:
    """Chosen explicitly; nothing stands in for a brain that cannot be had."""
    return ScriptedModel()
