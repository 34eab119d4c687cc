"""What a model said, as the event that the core hears."""

from openral_reasoner.exchanges.arguments import plain
from openral_reasoner.exchanges.events import ModelAnswered, ModelFailed
from openral_reasoner.models.model import Decision, ModelUnavailable
from openral_reasoner.models.transcripts import MAX_NAME, MAX_TEXT, clipped


def answer_of(call_id: str, outcome: Decision | ModelUnavailable) -> ModelAnswered | ModelFailed:
    """The event of one decision, or of its absence; what tokens without a decision cost is unknown."""
    if isinstance(outcome, ModelUnavailable):
        return ModelFailed(
            call_id=call_id,
            condition=outcome.condition,
            message=plain(outcome.why),
            tokens=outcome.tokens,
            cost=None if outcome.tokens else 0.0,
        )
    return ModelAnswered(
        call_id=call_id,
        calls=clipped(outcome.calls),
        text=plain(outcome.text, MAX_TEXT),
        tokens=outcome.tokens,
        read=outcome.read,
        written=outcome.written,
        model=plain(outcome.model, MAX_NAME),
        cached=outcome.cached,
        stored=outcome.stored,
        cost=outcome.cost,
        cut=outcome.cut,
    )
