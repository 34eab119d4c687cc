"""Failures of a model's endpoint: errors of SDKs and transports as typed conditions, in its own words.

ModelUnavailable     no decision; asking again is of no use where its condition is permanent
└ RetryableError     passes: try again, at most until the deadline
└ NoRoute          no connection was made
"""

import html
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import ModuleType
from typing import Protocol

import httpx2

from openral_reasoner.context import plain
from openral_reasoner.llm.base import KEY_VARIABLES, ModelUnavailable, redacted
from openral_reasoner.llm.http_client import late

MAX_WORDS, MAX_READ = 400, 4_000
"""Longest part quoted of an endpoint's error, and longest part that is looked at [characters]."""


class RetryableError(ModelUnavailable):
    """Transient failure; ``after`` [s] is the delay requested by the endpoint, if any.

    ``until_deadline`` if it ends by itself, as the loading of a model does.
    """

    def __init__(
        self, condition: str, why: str, after: float | None = None, *, until_deadline: bool = False
    ) -> None:
        self.after, self.until_deadline = after, until_deadline
        super().__init__(condition, why)


class NoRoute(RetryableError):
    """No connection to the endpoint; permanent for one that never answered."""

    def __init__(self, address: str, cause: str) -> None:
        super().__init__(
            "NO_ROUTE", f"no connection to {address} ({cause}): check base_url and that its server is running"
        )


class StatusError(Protocol):
    """Error of an SDK that has an HTTP status."""

    response: httpx2.Response
    body: object


_BY_STATUS: Mapping[int, str] = {
    **dict.fromkeys((408, 409, 425), "SERVER_ERROR"),
    429: "RATE_LIMITED",
    **dict.fromkeys((503, 529), "OVERLOADED"),
}
_BY_TYPE: Mapping[str, str] = {
    "rate_limit_error": "RATE_LIMITED",
    "overloaded_error": "OVERLOADED",
    "api_error": "SERVER_ERROR",
}
_FINAL: Mapping[int, str] = {401: "UNAUTHORISED", 402: "UNAUTHORISED", 403: "UNAUTHORISED", 404: "NOT_FOUND"}
_CONTEXT = re.compile(
    r"context (?:length|size|window)|context the overflows|maximum context|exceeds? the available context"
    r"|tokens to keep from the initial prompt|prompt is too long|too many (?:input )?tokens",
    re.IGNORECASE,
)
_NO_MODEL = re.compile(r"(?:invalid|unknown|load a|no) model", re.IGNORECASE)
_LOADING = re.compile(r"loading|warming up|starting", re.IGNORECASE)


@contextmanager
def translate_errors(sdk: ModuleType, key: str, address: str) -> Iterator[None]:
    """Translate errors of the SDK and its transport into `ModelUnavailable`, without the key."""
    try:
        yield
    except (sdk.APITimeoutError, httpx2.TimeoutException) as error:
        raise late() from error
    except sdk.APIConnectionError as error:
        # What our own guard of the response raised, the SDK takes for a lost connection.
        if isinstance(error.__cause__, ModelUnavailable):
            raise error.__cause__ from None
        if isinstance(error.__cause__, httpx2.ConnectError):
            raise NoRoute(address, redacted(plain(_innermost(error), 120), key)) from error
        raise RetryableError("CONNECTION_LOST", f"{address}: {redacted(_innermost(error), key)}") from error
    except sdk.APIStatusError as error:
        raise status_failure(error, key, address) from error
    except sdk.APIError as error:
        raise streamed_failure(error.body or str(error), key, address) from error
    except (httpx2.HTTPError, OSError) as error:
        words = redacted(f"{type(error).__name__}: {error}", key)
        raise RetryableError("STREAM_CUT", f"{address}: {words}") from error


def _innermost(error: BaseException) -> str:
    """Return the words of the first cause, which name what failed."""
    while cause := error.__cause__ or error.__context__:
        error = cause
    return f"{type(error).__name__}: {error}"


@contextmanager
def readable(key: str) -> Iterator[None]:
    """Raise `RetryableError` for an event that the API does not define; the SDKs do not validate events."""
    try:
        yield
    except (AttributeError, TypeError, ValueError, KeyError, RecursionError) as error:
        message = f"an event of the answer violates the API ({type(error).__name__}: {error})"
        raise RetryableError("MALFORMED_ANSWER", redacted(message, key)) from error


def error_words(response: httpx2.Response) -> str:
    """Return what an endpoint says of an error, in any of the usual forms."""
    try:
        text = response.text
    except httpx2.StreamError:
        return ""
    try:
        content: object = json.loads(text)
    except (ValueError, RecursionError):
        title = re.search(r"<title>(.*?)</title>", text, re.DOTALL | re.IGNORECASE)
        return html.unescape(title[1]).strip() if title else text.strip()
    return words_of(content)


def words_of(content: object, levels: int = 6) -> str:
    """Return the words of an error object: of OpenAI, Anthropic, FastAPI, vLLM, or a plain text."""
    if isinstance(content, str) or not levels:
        return str(content)[:MAX_READ]
    for name in ("error", "detail", "message", "msg"):
        if isinstance(content, Mapping) and content.get(name):
            place = ".".join(map(str, content["loc"])) if isinstance(content.get("loc"), list) else ""
            return f"{place}: {content[name]}" if place else words_of(content[name], levels - 1)
    if isinstance(content, list) and content:
        return "; ".join(words_of(each, levels - 1) for each in content[:8])
    return str(content)[:MAX_READ]


def status_failure(error: StatusError, key: str, address: str) -> ModelUnavailable:
    """Build the failure of an SDK's error with an HTTP status."""
    response = error.response
    status = response.status_code
    # The Anthropic SDK raises an error in the middle of a stream as one of status 200.
    if response.is_success:
        return streamed_failure(error.body, key, address)
    words = redacted(error_words(response), key)
    kind = str(getattr(error, "type", ""))
    reason = f"{address} answered {status}: {plain(words, MAX_WORDS) or response.reason_phrase}"
    passing = _BY_STATUS.get(status) or _BY_TYPE.get(kind) or ("SERVER_ERROR" if status >= 500 else "")
    lacks_model = (status == 404 and "model" in words.lower()) or (status == 400 and _NO_MODEL.search(words))
    final = "NO_SUCH_MODEL" if lacks_model else _FINAL.get(status, "BAD_REQUEST")
    advice = f" (set {' or '.join(KEY_VARIABLES.values())})" if status in (401, 403) else ""
    failure = ModelUnavailable(final, reason + advice)
    if _CONTEXT.search(words):
        failure = context_too_small(reason)
    elif passing:
        after = retry_after_seconds(response.headers)
        failure = RetryableError(
            passing, reason, after, until_deadline=status == 503 and bool(_LOADING.search(words))
        )
    failure.words = words[:MAX_READ]
    return failure


def streamed_failure(content: object, key: str, address: str) -> ModelUnavailable:
    """Build the failure of an error that stands in the middle of an answer."""
    words = redacted(words_of(content), key)
    reason = f"{address} ended its answer with an error: {plain(words, MAX_WORDS)}"
    if _CONTEXT.search(words):
        return context_too_small(reason)
    return RetryableError("STREAM_CUT", reason)


def context_too_small(reason: str) -> ModelUnavailable:
    """Build the failure of a prompt that the endpoint's context cannot hold."""
    return ModelUnavailable(
        "CONTEXT_TOO_SMALL",
        f"{reason}; serve the model with a larger context "
        "(llama-server -c, Ollama num_ctx, vLLM --max-model-len)",
    )


_DELAY = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(ms|s|)\s*")


def retry_after_seconds(headers: Mapping[str, str]) -> float | None:
    """Return the delay that the headers of an answer ask for [s]; None if they state none."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        if delay := _DELAY.fullmatch(headers.get(name, "")):
            return float(delay[1]) * (0.001 if delay[2] == "ms" else unit)
    return None
