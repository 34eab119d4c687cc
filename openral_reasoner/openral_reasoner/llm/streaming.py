"""Streamed answers, read by what they mean, bounded in size, complete or rejected; and bounded retries."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import TypeVar

from openral_core.backoff import ExponentialBackoff
from openral_reasoner.context import Decision, plain
from openral_reasoner.llm.base import MAX_NAME, MAX_OPAQUE, MAX_TEXT, ModelUnavailable
from openral_reasoner.llm.call_parts import CallAssembler
from openral_reasoner.llm.endpoint_errors import RetryableError
from openral_reasoner.llm.written_calls import OfferedTools, without_thoughts

T = TypeVar("T")
LOADING_POLL = 2.0
"""Longest pause between two questions to a server that loads its model [s]."""


@dataclass
class RetryPolicy:
    """Jittered exponential back-off: at most ``attempts`` within ``deadline`` [s]."""

    deadline: float
    attempts: int = 4
    base: float = 0.5
    rng: Random = field(default_factory=lambda: Random(0))
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep

    def call(self, once: Callable[[float], T], deadline: float | None = None) -> T:
        """Call ``once`` with the remaining seconds until it succeeds; ``deadline`` [s] replaces its own.

        Raises:
            ModelUnavailable: The last failure, if no further attempt is allowed or in time.
        """
        end = self.clock() + (self.deadline if deadline is None else deadline)
        attempt = 0
        while True:
            attempt += 1
            try:
                return once(max(0.1, end - self.clock()))
            except RetryableError as failure:
                wait = self._wait(attempt, failure)
                if failure.until_deadline:
                    wait, attempt = min(wait, LOADING_POLL), 1
                if attempt >= self.attempts or self.clock() + wait >= end:
                    raise
                self.sleep(wait)

    def _wait(self, attempt: int, failure: RetryableError) -> float:
        jitter = ExponentialBackoff(self.base).jittered_delay(attempt, self.rng)
        return jitter if failure.after is None else failure.after + jitter * 0.1


MAX_CHARACTERS = 1_000_000
"""Maximum size of one answer [characters], far beyond any output limit."""
MAX_COUNT = 1_000_000_000
"""Largest plausible token count of one answer [tokens]."""
MAX_TALK = 4_000
"""Text without a call after which an answer is cut: some 1,000 tokens; thoughts do not count [characters]."""
RUN_ON = 400
"""Text after a complete written call at which an answer is cut: its end may be forbidden [characters]."""
_STEP = 200
"""Text between two looks whether it rambles [characters]."""
CHARACTERS_PER_TOKEN = 4.0
"""Usual length of a token of English text and JSON [characters]; for estimates only."""


@dataclass
class StreamedAnswer:
    """Answer accumulated from a stream.

    ``raw`` is its text with thoughts, ``opaque`` are further fields of its message, ``stop`` is the reason of
    its end; ``counted`` if the endpoint has told its tokens.
    """

    offered: OfferedTools
    calls: CallAssembler = field(default_factory=CallAssembler)
    raw: str = ""
    opaque: dict[str, object] = field(default_factory=dict)
    read: int = 0
    written: int = 0
    cached: int = 0
    stored: int = 0
    model: str = ""
    stop: str = ""
    refusal: str = ""
    cut: bool = False
    counted: bool = False
    size: int = 0
    _looked_at: int = 0

    def said(self, part: str) -> None:
        """Add to the text beside the call."""
        self.grow(part)
        if len(self.raw) < MAX_OPAQUE:
            self.raw = (self.raw + part)[:MAX_OPAQUE]

    @property
    def text(self) -> str:
        """Text without thoughts."""
        return without_thoughts(self.raw)[:MAX_TEXT]

    def grow(self, *parts: str) -> None:
        """Count received text.

        Raises:
            ModelUnavailable: If the answer is too large.
        """
        self.size += sum(map(len, parts))
        if self.size > MAX_CHARACTERS:
            raise ModelUnavailable("ANSWER_TOO_LARGE", f"more than {MAX_CHARACTERS} characters")

    def rambles(self) -> bool:
        """Return True if the text goes on beyond a call, or beyond anything that leads to one."""
        if self.calls.calls or len(self.raw) < self._looked_at + _STEP:
            return False
        self._looked_at = len(self.raw)
        text = without_thoughts(self.raw)
        end = self.offered.begins_with_call(text)
        return len(text) > (end + RUN_ON if end else MAX_TALK)

    def end_early(self, prompt: int) -> None:
        """End an answer whose rest is not read; the ``prompt`` [characters] and the text give its tokens."""
        self.stop, self.cut = "cut", True
        if not self.counted:
            self.read = round(prompt / CHARACTERS_PER_TOKEN)
            self.written = round(self.size / CHARACTERS_PER_TOKEN)

    @property
    def is_whole(self) -> bool:
        """True if nothing that matters can be missing."""
        calls = self.calls.calls
        if self.stop or (self.counted and (calls or self.raw)):
            return True
        if calls:
            return all(call.is_complete for call in calls)
        return bool(self.offered.written_calls(self.raw))

    def decision(self) -> Decision:
        """Return the complete answer.

        Raises:
            RetryableError: If the stream ended early.
            ModelUnavailable: If the model refused.
        """
        if not self.is_whole:
            raise RetryableError("STREAM_CUT", "the answer ended before it was complete")
        if self.refusal:
            raise ModelUnavailable("REFUSED", "the model refused to answer", self.read + self.written)
        calls = tuple(call.call(self.offered.arguments.keys()) for call in self.calls.calls)
        return Decision(
            # A call that is merely repeated is one call.
            calls=tuple(dict.fromkeys(calls)) or self.offered.written_calls(self.raw),
            text=self.text,
            tokens=self.read + self.written,
            read=self.read,
            written=self.written,
            model=plain(self.model, MAX_NAME),
            cached=self.cached,
            stored=self.stored,
            cut=self.cut,
        )

    def explain(self, failure: ModelUnavailable) -> None:
        """Add to the failure of an answer that came too late, or not whole, what had come until then."""
        if self.size and failure.condition in ("TIMEOUT", "STREAM_CUT"):
            what = f"the last of it: {plain(self.text[-100:], 100)!r}" if self.text else "thoughts alone"
            failure.add(f"; it had written {self.size} characters and no complete call, {what}")


def token_count(tokens: object) -> int:
    """Validate a token count reported by an endpoint; None is 0.

    Raises:
        ValueError: If it is not a plausible count.
    """
    if tokens is None:
        return 0
    whole = isinstance(tokens, int | float) and not isinstance(tokens, bool) and tokens == tokens // 1
    if not whole or not 0 <= tokens <= MAX_COUNT:  # type: ignore[operator]
        raise ValueError(f"{str(tokens)[:40]!r} tokens")
    return int(tokens)  # type: ignore[call-overload, no-any-return]


def merged(earlier: object, later: object, key: str = "") -> object:
    """Merge two parts of a field: texts and lists grow, objects merge, parts of one kind or index join.

    A field that names its object, such as its type, stays.
    """
    if isinstance(earlier, str) and isinstance(later, str):
        return earlier if key in _NAMING and (not later or earlier) else earlier + later
    if isinstance(earlier, Mapping) and isinstance(later, Mapping):
        return {**earlier, **{k: merged(earlier.get(k), v, k) for k, v in later.items()}}
    if isinstance(earlier, list) and isinstance(later, list):
        items = list(earlier)
        for each in later:
            if items and _continues(items[-1], each):
                items[-1] = merged(items[-1], each)
            else:
                items.append(each)
        return items
    return earlier if later is None else later


_NAMING = ("type", "id", "format", "role", "name", "index")


def _continues(last: object, part: object) -> bool:
    if not isinstance(last, Mapping) or not isinstance(part, Mapping):
        return False
    if last.get("index") is not None or part.get("index") is not None:
        return last.get("index") == part.get("index")
    return last.get("type") == part.get("type") and last.get("type") in ("text", "thinking")
