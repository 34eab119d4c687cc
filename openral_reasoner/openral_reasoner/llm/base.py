"""Interface of decision models, the event of their answer, its price, and the texts that every vendor gets.

API keys are held by the environment only.
"""

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

from pydantic import Field

from openral_core.documents import Document, parse_document, read_yaml, shipped_document
from openral_core.errors import OpenRALError
from openral_reasoner.context import (
    Context,
    Decision,
    OpaqueMessage,
    RawCall,
    Turn,
    UnreadableArguments,
    fence_untrusted,
    plain,
    read_arguments,
)
from openral_reasoner.events import ModelAnswered, ModelFailed
from openral_reasoner.llm.shortening import cut, lines
from openral_reasoner.palette.entries import BrainEntry
from openral_reasoner.request.goals import is_understood
from openral_reasoner.request.saying import in_words

MAX_ARGUMENTS = 20_000
"""Longest arguments kept of a call [characters], far beyond any valid call."""
MAX_TEXT = 4_000
"""Longest text kept of an answer [characters]."""
MAX_NAME = 64
"""Longest name of a tool or model [characters], the limit of the vendors' APIs."""
MAX_CALLS = 4
"""Maximum number of calls kept of an answer; only one is valid."""
MAX_OPAQUE = 64_000
"""Longest JSON kept of what an answer carried beside its call [characters]: 16,000 tokens."""
MAX_ANSWER = 4096
"""Longest answer that is asked for [tokens]: a call has some 50, the thoughts before it up to thousands."""
NO_CALL = "(no usable tool call)"
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


class Exchange(NamedTuple):
    """Message of the user or a tool, and what became known after it: both go into one message."""

    turn: Turn | None
    text: str
    afterwards: str

    @property
    def whole(self) -> str:
        """Text of the message."""
        return f"{self.text}\n{self.afterwards}" if self.afterwards else self.text


def exchanges(context: Context) -> Iterator[Exchange]:
    """Yield the goal, without a turn, then each past decision with its reply, so that roles alternate.

    Turns beyond the bound of the conversation are lines of the first exchange.
    """
    start = cut(context.turns)
    recent = context.turns[start:]
    later = [news(turn.news, turn.operator_words) for turn in recent] + [reminder(context)]
    yield Exchange(None, "\n".join((opening(context), *_earlier(context.turns[:start]))), later[0])
    for turn, afterwards in zip(recent, later[1:], strict=True):
        yield Exchange(turn, turn.reply.rendered(), afterwards)


def _earlier(turns: tuple[Turn, ...]) -> Iterator[str]:
    """Yield what is left of old turns: their lines as data, and what the operator said."""
    if turns:
        yield f"Earlier calls: {fence_untrusted({'earlier': lines(turns)})}"
    words = [text for turn in turns for text in (turn.operator_words, turn.reply.operator_words) if text]
    if words:
        yield f"The operator said: {json.dumps(words)}"


def opening(context: Context) -> str:
    """Return the first user message: the ids that may be used, the goal as read, and the requester."""
    who = f" The requester is the agent {json.dumps(context.requester)}." if context.requester else ""
    read = (
        f" Understood as: {json.dumps(in_words(context.request))}." if is_understood(context.request) else ""
    )
    listed = f"Listed: {fence_untrusted(context.listed)}\n" if context.listed else ""
    return f"{listed}Goal, in the operator's words: {json.dumps(context.goal)}.{read}{who}"


def reminder(context: Context) -> str:
    """Return the end of the last message: news, the hand, and the budget if the last reply lacks it."""
    last = context.turns[-1].reply.remaining if context.turns else ""
    remaining = "" if context.remaining == last else context.remaining
    parts = (news(context.news, context.operator_words), _hand(context), remaining)
    return "\n".join(part for part in parts if part)


def _hand(context: Context) -> str:
    if context.holding:
        return f"The robot's hand holds: {fence_untrusted({'holding': context.holding})}"
    return "The robot's hand is empty." if context.palette.skills else ""


def news(lines: tuple[str, ...], operator_words: str) -> str:
    """Return changes of the graph, as fenced data, and the operator's answer."""
    changes = f"News: {fence_untrusted({'news': lines})}" if lines else ""
    answered = f"The operator says: {json.dumps(operator_words)}" if operator_words else ""
    return "\n".join(part for part in (changes, answered) if part)


def usable(turn: Turn) -> bool:
    """Return True if a turn can be rendered as a tool call."""
    return bool(_NAME.fullmatch(turn.tool))


def arguments_of(turn: Turn) -> Mapping[str, object]:
    """Return the arguments as an object; empty if they were malformed, as the reply explains."""
    try:
        return read_arguments(turn.arguments)
    except UnreadableArguments:
        return {}


def opaque_message(writer: str, fields: Mapping[str, object]) -> OpaqueMessage | None:
    """Keep what an answer carried beside its call; beyond the bound only texts, cut; None if nothing."""
    text = _json(fields)
    if len(text) > MAX_OPAQUE:
        text = _json({key: each[:MAX_TEXT] for key, each in fields.items() if isinstance(each, str)})
    return OpaqueMessage(writer=writer, fields=text) if text != "{}" else None


def opaque_fields(turn: Turn, writer: str) -> dict[str, Any]:
    """Return what a past answer of ``writer`` carried beside its call; empty for any other one."""
    if turn.opaque is None or turn.opaque.writer != writer:
        return {}
    return dict(json.loads(turn.opaque.fields))


def _json(content: object) -> str:
    """Write JSON that can be encoded: a lone surrogate becomes a question mark."""
    return json.dumps(content, ensure_ascii=False).encode(errors="replace").decode()


def clipped(calls: Iterable[RawCall]) -> tuple[RawCall, ...]:
    """Truncate calls to a size that is safe to keep."""
    return tuple(
        RawCall(tool=_escaped(c.tool[:MAX_NAME]), arguments=_escaped(c.arguments[:MAX_ARGUMENTS]))
        for c in islice(calls, MAX_CALLS)
    )


def _escaped(text: str) -> str:
    r"""Escape lone surrogates, which cannot be encoded, as JSON's ``\udxxx``."""
    return text.encode(errors="backslashreplace").decode()


PERMANENT = (
    "BAD_ANSWER",
    "BAD_REQUEST",
    "CONTEXT_TOO_SMALL",
    "NO_ROUTE",
    "NO_SUCH_MODEL",
    "NOT_A_STREAM",
    "NOT_FOUND",
    "REDIRECTED",
    "TOOLS_DROPPED",
    "UNAUTHORISED",
)
"""Conditions that asking again does not end."""


class ModelUnavailable(OpenRALError):
    """A model made no decision; the message contains no key.

    ``words`` are what the endpoint itself said of its error, if it did.
    """

    def __init__(self, condition: str, why: str, tokens: int = 0) -> None:
        self.condition = condition
        self.why = plain(why, 700)
        self.tokens = tokens
        self.words = ""
        super().__init__(f"{condition}: {self.why}")

    def add(self, words: str) -> None:
        """Add a fact to the message."""
        self.why = plain(self.why + words, 700)
        self.args = (f"{self.condition}: {self.why}",)


@dataclass(frozen=True, slots=True)
class Sampling:
    """Sampling of an answer: its longest length [tokens], temperature and seed.

    A negative ``temperature`` leaves it to the endpoint. ``max_tokens`` includes a model's thoughts.
    """

    max_tokens: int = MAX_ANSWER
    temperature: float = 0.0
    seed: int = 0


Model = Callable[[Context], Decision]
"""Function that blocks until the model has decided.

Raises:
    ModelUnavailable: If it cannot decide.
"""


@runtime_checkable
class AdvisedModel(Protocol):
    """Model with a stronger one that decides while it is stuck."""

    def __call__(self, context: Context) -> Decision:
        """Return the model's decision."""

    def advise(self, context: Context) -> Decision:
        """Return the advisor's decision."""


@runtime_checkable
class ResidentModel(Protocol):
    """Model in a worker of this machine, whose memory residency accounts for."""

    def __call__(self, context: Context) -> Decision:
        """Return the model's decision."""

    @property
    def resident(self) -> BrainEntry:
        """State and memory of its worker."""

    def set_active(self, active: bool) -> None:
        """Start or end its worker; raises `ModelUnavailable` if it does not start."""


def answer_of(call_id: str, outcome: Decision | ModelUnavailable) -> ModelAnswered | ModelFailed:
    """Build the event of a decision or of its failure; tokens spent on a failure have no known cost."""
    if isinstance(outcome, ModelUnavailable):
        return ModelFailed(
            call_id=call_id,
            condition=outcome.condition,
            message=plain(outcome.why),
            tokens=outcome.tokens,
            cost=None if outcome.tokens else 0.0,
            permanent=outcome.condition in PERMANENT,
        )
    texts = {"text": plain(outcome.text, MAX_TEXT), "model": plain(outcome.model, MAX_NAME)}
    fields = {**dict(outcome), **texts, "calls": clipped(outcome.calls)}
    return ModelAnswered(call_id=call_id, **fields)


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


MILLION = 1e6
"""Unit of the price list [tokens]."""


class Price(Document):
    """Prices of one million tokens [US$]; ``stored`` is for input written to a cache."""

    names: tuple[str, ...] = Field(min_length=1)
    read: date
    source: str
    input: float = Field(ge=0.0)
    output: float = Field(ge=0.0)
    cached: float = Field(ge=0.0)
    stored: float | None = Field(default=None, ge=0.0)

    def of(self, decision: Decision) -> float:
        """Return the cost of a decision [US$]; ``decision.read`` includes cached and stored tokens."""
        fresh = max(0, decision.read - decision.cached - decision.stored)
        stored = self.input if self.stored is None else self.stored
        cost = fresh * self.input + decision.cached * self.cached
        return (cost + decision.stored * stored + decision.written * self.output) / MILLION


class Prices(Document):
    """Dated price list; a model without a listed price has an unknown cost, never a guessed one."""

    prices: tuple[Price, ...] = ()

    def cost(self, decision: Decision) -> float | None:
        """Return the cost of a decision [US$]; None if its model's exact name is not listed."""
        price = next((price for price in self.prices if decision.model in price.names), None)
        return price.of(decision) if price is not None else None

    def priced(self, model: Model) -> "PricedModel":
        """Wrap a model so that each decision carries its cost."""
        return PricedModel(model, self)


@dataclass(frozen=True, slots=True)
class PricedModel:
    """Model whose decisions carry their cost."""

    model: Model
    prices: Prices

    def __call__(self, context: Context) -> Decision:
        """Return one decision."""
        decision = self.model(context)
        return decision.model_copy(update={"cost": self.prices.cost(decision)})


def load_prices(path: str, base_url: str) -> Prices:
    """Load a custom price list, else that of the package, which covers only the vendors' own endpoints.

    Raises:
        InvalidDocument: If the file is not a price list.
    """
    if path:
        return parse_document(Prices, read_yaml(Path(path)), path)
    if base_url:
        return Prices()
    return shipped_document(Prices, __package__, "prices.yaml")
