"""The scripted planner as a model."""

from openral_reasoner.exchanges.turns import Context
from openral_reasoner.models.model import Decision
from openral_reasoner.planners.scripted import decide


class ScriptedModel:
    """No key, no network, no state, no cost."""

    def __call__(self, context: Context) -> Decision:
        """The next step of the plan."""
        return Decision((decide(context),), cost=0.0)
