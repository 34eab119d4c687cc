"""Who decides: any callable from a context to a decision."""

from openral_reasoner.models.keys import MissingKey
from openral_reasoner.models.model import Decision, Model, ModelUnavailable
from openral_reasoner.models.retries import Retries
from openral_reasoner.models.scripted import ScriptedModel

__all__ = ["Decision", "MissingKey", "Model", "ModelUnavailable", "Retries", "ScriptedModel"]
