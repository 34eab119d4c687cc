"""Streamed answers, bounded in size, complete or rejected; bounded retries; translation of SDK errors."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from types import ModuleType
from typing import TypeVar

import httpx2

from openral_core.backoff import ExponentialBackoff
from openral_reasoner.context import Decision, RawCall, plain
from openral_reasoner.llm.base import MAX_NAME, MAX_TEXT, ModelUnavailable, redacted
from openral_reasoner.llm.http_client import late

T = TypeVar("T")


class RetryableError(ModelUnavailable):
    """Transient failure; ``after`` [s] is the delay requested by the endpoint, if any."""

    def __init__(self, condition: str, why: str, after: float | None = None) -> None:
        self.after = after
        super().__init__(condition, why)


@dataclass
class RetryPolicy:
    """Jittered exponential back-off: at most ``attempts`` within ``deadline`` [s]."""

    deadline: float
    attempts: int = 4
    base: float = 0.5
    rng: Random = field(default_factory=lambda: Random(0))
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep

    def call(self, once: Callable[[float], T]) -> T:
        """Call ``once`` with the remaining seconds until it succeeds.

        Raises:
            ModelUnavailable: The last failure, if no further attempt is allowed or in time.
        """
        end = self.clock() + self.deadline
        for attempt in range(1, self.attempts + 1):
            try:
                return once(max(0.1, end - self.clock()))
            except RetryableError as failure:
                wait = self._wait(attempt, failure)
                if attempt == self.attempts or self.clock() + wait >= end:
                    raise
                self.sleep(wait)
        raise ModelUnavailable("NO_ATTEMPT", "no attempt is allowed")

    def _wait(self, attempt: int, failure: RetryableError) -> float:
        jitter = ExponentialBackoff(self.base).jittered_delay(attempt, self.rng)
        return jitter if failure.after is None else failure.after + jitter * 0.1


MAX_CHARACTERS = 1_000_000
"""Maximum size of one answer [characters], far beyond any output limit."""
MAX_COUNT = 1_000_000_000
"""Largest plausible token count of one answer [tokens]."""


@dataclass
class StreamedAnswer:
    """Answer accumulated from a stream."""

    text: str = ""
    names: dict[int, str] = field(default_factory=dict)
    arguments: dict[int, list[str]] = field(default_factory=dict)
    read: int = 0
    written: int = 0
    cached: int = 0
    stored: int = 0
    model: str = ""
    stop: str = ""
    refusal: str = ""
    cut: bool = False
    size: int = 0

    def called(self, index: int, name: str) -> None:
        """Add to the name of a tool call."""
        self._grow(name)
        self.names[index] = self.names.get(index, "") + name
        self.arguments.setdefault(index, [])

    def argued(self, index: int, part: str) -> None:
        """Add to the arguments of a tool call."""
        self._grow(part)
        self.arguments.setdefault(index, []).append(part)

    def said(self, part: str) -> None:
        """Add to the text beside the call."""
        self._grow(part)
        if len(self.text) < MAX_TEXT:
            self.text = (self.text + part)[:MAX_TEXT]

    def decision(self) -> Decision:
        """Return the complete answer.

        Raises:
            RetryableError: If the stream ended early.
            ModelUnavailable: If the model refused.
        """
        if not self.stop:
            raise RetryableError("STREAM_CUT", "the answer ended before it was complete")
        if self.refusal:
            raise ModelUnavailable("REFUSED", "the model refused to answer", self.read + self.written)
        calls = tuple(
            RawCall(tool=name, arguments="".join(self.arguments.get(index, [])) or "{}")
            for index, name in sorted(self.names.items())
        )
        return Decision(
            calls=calls,
            text=self.text,
            tokens=self.read + self.written,
            read=self.read,
            written=self.written,
            model=plain(self.model, MAX_NAME),
            cached=self.cached,
            stored=self.stored,
            cut=self.cut,
        )

    def _grow(self, part: str) -> None:
        self.size += len(part)
        if self.size > MAX_CHARACTERS:
            raise ModelUnavailable("ANSWER_TOO_LARGE", f"more than {MAX_CHARACTERS} characters")


def counted(tokens: int | None) -> int:
    """Validate a token count reported by an endpoint; None is 0.

    Raises:
        ValueError: If it is not a plausible count.
    """
    if tokens is None:
        return 0
    if isinstance(tokens, bool) or not isinstance(tokens, int) or not 0 <= tokens <= MAX_COUNT:
        raise ValueError(f"{str(tokens)[:40]!r} tokens")
    return tokens


_BY_STATUS: Mapping[int, str] = {429: "RATE_LIMITED", 503: "OVERLOADED", 529: "OVERLOADED"}
_BY_TYPE: Mapping[str, str] = {
    "rate_limit_error": "RATE_LIMITED",
    "overloaded_error": "OVERLOADED",
    "api_error": "SERVER_ERROR",
}
_FINAL: Mapping[int, str] = {401: "UNAUTHORISED", 402: "UNAUTHORISED", 403: "UNAUTHORISED", 404: "NOT_FOUND"}


@contextmanager
def translate_errors(sdk: ModuleType, key: str) -> Iterator[None]:
    """Translate errors of the SDK and its transport into `ModelUnavailable`, without the key."""
    try:
        yield
    except (sdk.APITimeoutError, httpx2.TimeoutException) as error:
        raise late() from error
    except sdk.APIConnectionError as error:
        # What our own guard of the response raised, the SDK takes for a lost connection.
        if isinstance(error.__cause__, ModelUnavailable):
            raise error.__cause__ from None
        raise RetryableError("CONNECTION_LOST", redacted(str(error), key)) from error
    except sdk.APIStatusError as error:
        kind = str(getattr(error, "type", "") or "")
        after = retry_after_seconds(error.response.headers.get("retry-after", ""))
        raise _status(error.status_code, kind, after, redacted(str(error), key)) from error
    except (sdk.APIError, httpx2.HTTPError, OSError) as error:
        raise RetryableError("STREAM_CUT", redacted(f"{type(error).__name__}: {error}", key)) from error


@contextmanager
def readable(key: str) -> Iterator[None]:
    """Raise `RetryableError` for an event that the API does not define; the SDKs do not validate events."""
    try:
        yield
    except (AttributeError, TypeError, ValueError, KeyError, RecursionError) as error:
        message = f"an event of the answer violates the API ({type(error).__name__}: {error})"
        raise RetryableError("MALFORMED_ANSWER", redacted(message, key)) from error


def retry_after_seconds(header: str) -> float | None:
    """Parse a retry-after header in [s]; None if it is not a number."""
    try:
        return max(0.0, float(header))
    except ValueError:
        return None


def _status(status: int, kind: str, after: float | None, message: str) -> ModelUnavailable:
    passing = _BY_STATUS.get(status) or _BY_TYPE.get(kind) or ("SERVER_ERROR" if status >= 500 else "")
    if passing:
        return RetryableError(passing, message, after)
    return ModelUnavailable(_FINAL.get(status, "BAD_REQUEST"), message)
