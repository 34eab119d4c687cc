"""Interface of decision models, the event of their answer, and API keys, which only the environment holds."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from openral_core.errors import OpenRALError
from openral_reasoner.context import Context, RawCall
from openral_reasoner.events import ModelAnswered, ModelFailed
from openral_reasoner.llm.messages import MAX_NAME, MAX_TEXT, clipped
from openral_reasoner.untrusted_text import plain


@dataclass(frozen=True, slots=True)
class Decision:
    """Answer of a model; the core accepts exactly one call.

    ``tokens`` is the sum of tokens ``read`` and ``written``; of those read, ``cached`` came from a cache and
    ``stored`` went into one. ``cost`` [US$] is None if unknown. ``cut`` if it ended at a length limit.
    """

    calls: tuple[RawCall, ...]
    text: str = ""
    tokens: int = 0
    read: int = 0
    written: int = 0
    model: str = ""
    cached: int = 0
    stored: int = 0
    cost: float | None = None
    cut: bool = False


class ModelUnavailable(OpenRALError):
    """A model made no decision; the message contains no key."""

    def __init__(self, condition: str, why: str, tokens: int = 0) -> None:
        self.condition = condition
        self.why = plain(why, 500)
        self.tokens = tokens
        super().__init__(f"{condition}: {self.why}")


Model = Callable[[Context], Decision]
"""Function that blocks until the model has decided.

Raises:
    ModelUnavailable: If it cannot decide.
"""


def answer_of(call_id: str, outcome: Decision | ModelUnavailable) -> ModelAnswered | ModelFailed:
    """Build the event of a decision or of its failure; tokens spent on a failure have no known cost."""
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


KEY_VARIABLES: Mapping[str, str] = {"anthropic": "ANTHROPIC_API_KEY", "openai": "OPENAI_API_KEY"}
"""Environment variable of each vendor's key, as named by the vendor's SDK."""


class MissingKey(OpenRALError):
    """No key is set for a vendor's endpoint."""

    def __init__(self, brain: str) -> None:
        super().__init__(
            f"brain {brain!r} needs an API key: set the environment variable {KEY_VARIABLES[brain]}, "
            "set base_url to an endpoint that needs no key, or choose brain 'scripted'"
        )


def api_key_for(brain: str, base_url: str, environment: Mapping[str, str] = os.environ) -> str:
    """Return the API key; a custom endpoint may need none.

    Raises:
        MissingKey: If the vendor's own endpoint is used without a key.
    """
    key = environment.get(KEY_VARIABLES[brain], "")
    if not key and not base_url:
        raise MissingKey(brain)
    return key or "none"


def redacted(text: str, key: str) -> str:
    """Replace the key in a text."""
    return text.replace(key, "***") if len(key) > 4 else text
