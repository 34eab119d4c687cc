"""The one seam to whoever decides."""
# MERGED What a model said, as the event that the core hears.
# MERGED Keys come from the environment and go nowhere else.

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
    """What a model answered; the core wants exactly one call.

    ``tokens`` is what it read and wrote; of what it ``read``, ``cached`` came from a cache and ``stored``
    went into one. ``cost`` [US$] is None when it is not known. ``cut`` when it ended at a limit of length.
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
    """A model that gave no decision, and how; its words hold no key."""

    def __init__(self, condition: str, why: str, tokens: int = 0) -> None:
        self.condition = condition
        self.why = plain(why, 500)
        self.tokens = tokens
        super().__init__(f"{condition}: {self.why}")


Model = Callable[[Context], Decision]
"""Blocks until it has decided.

Raises:
    ModelUnavailable: If it cannot decide.
"""


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


KEY_VARIABLES: Mapping[str, str] = {"anthropic": "ANTHROPIC_API_KEY", "openai": "OPENAI_API_KEY"}
"""The environment variable that holds each vendor's key, as its own SDK names it."""


class MissingKey(OpenRALError):
    """A vendor's endpoint without a key."""

    def __init__(self, brain: str) -> None:
        super().__init__(
            f"brain {brain!r} needs a key: set the environment variable {KEY_VARIABLES[brain]}, "
            "give base_url of an endpoint that needs none, or choose brain 'scripted'"
        )


def api_key_for(brain: str, base_url: str, environment: Mapping[str, str] = os.environ) -> str:
    """The key; endpoints of one's own may need none.

    Raises:
        MissingKey: If the vendor's own endpoint is meant and there is no key.
    """
    key = environment.get(KEY_VARIABLES[brain], "")
    if not key and not base_url:
        raise MissingKey(brain)
    return key or "none"


def redacted(words: str, key: str) -> str:
    """The words without the key."""
    return words.replace(key, "***") if len(key) > 4 else words
