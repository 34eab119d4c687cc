"""Foreign errors become ours in one place; both SDKs name theirs alike."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import ModuleType

import httpx2

from openral_reasoner.models.endpoint import late
from openral_reasoner.models.keys import redacted
from openral_reasoner.models.model import ModelUnavailable
from openral_reasoner.models.retries import TryAgain

_BY_STATUS: Mapping[int, str] = {429: "RATE_LIMITED", 503: "OVERLOADED", 529: "OVERLOADED"}
_BY_TYPE: Mapping[str, str] = {
    "rate_limit_error": "RATE_LIMITED",
    "overloaded_error": "OVERLOADED",
    "api_error": "SERVER_ERROR",
}
_FINAL: Mapping[int, str] = {401: "UNAUTHORISED", 402: "UNAUTHORISED", 403: "UNAUTHORISED", 404: "NOT_FOUND"}


@contextmanager
def translated(sdk: ModuleType, key: str) -> Iterator[None]:
    """Raises only `ModelUnavailable` for what the SDK or its transport raises; the key is in no words."""
    try:
        yield
    except (sdk.APITimeoutError, httpx2.TimeoutException) as error:
        raise late() from error
    except sdk.APIConnectionError as error:
        # What our own guard of the response raised, the SDK takes for a lost connection.
        if isinstance(error.__cause__, ModelUnavailable):
            raise error.__cause__ from None
        raise TryAgain("CONNECTION_LOST", redacted(str(error), key)) from error
    except sdk.APIStatusError as error:
        kind = str(getattr(error, "type", "") or "")
        after = seconds_of(error.response.headers.get("retry-after", ""))
        raise _status(error.status_code, kind, after, redacted(str(error), key)) from error
    except (sdk.APIError, httpx2.HTTPError, OSError) as error:
        raise TryAgain("STREAM_CUT", redacted(f"{type(error).__name__}: {error}", key)) from error


@contextmanager
def readable(key: str) -> Iterator[None]:
    """Raises `TryAgain` for an event that is not of the API: the SDKs build their types without looking."""
    try:
        yield
    except (AttributeError, TypeError, ValueError, KeyError, RecursionError) as error:
        words = f"an event of the answer is not as the API has it ({type(error).__name__}: {error})"
        raise TryAgain("MALFORMED_ANSWER", redacted(words, key)) from error


def seconds_of(header: str) -> float | None:
    """A retry-after header in [s], when it holds a number."""
    try:
        return max(0.0, float(header))
    except ValueError:
        return None


def _status(status: int, kind: str, after: float | None, words: str) -> ModelUnavailable:
    passing = _BY_STATUS.get(status) or _BY_TYPE.get(kind) or ("SERVER_ERROR" if status >= 500 else "")
    if passing:
        return TryAgain(passing, words, after)
    return ModelUnavailable(_FINAL.get(status, "BAD_REQUEST"), words)
