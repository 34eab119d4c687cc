"""What a model said, as the event that the core hears."""

from openral_reasoner.exchanges.events import ModelAnswered, ModelFailed
from openral_reasoner.models.model import Decision, ModelUnavailable


def answer_of(call_id: str, outcome: Decision | ModelUnavailable) -> ModelAnswered | ModelFailed:
    """The event of one decision, or of its absence; what tokens without a decision cost is unknown."""
    if isinstance(outcome, ModelUnavailable):
        return ModelFailed(
            call_id=call_id,
            condition=outcome.condition,
            message=str(outcome),
            tokens=outcome.tokens,
            cost=None if outcome.tokens else 0.0,
        )
    return ModelAnswered(
        call_id=call_id,
        calls=outcome.calls,
        text=outcome.text,
        tokens=outcome.tokens,
        read=outcome.read,
        written=outcome.written,
        model=outcome.model,
        cached=outcome.cached,
        stored=outcome.stored,
        cost=outcome.cost,
    )
