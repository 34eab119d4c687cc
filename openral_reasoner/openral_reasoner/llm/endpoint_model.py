"""Model of a vendor's endpoint: retries within the deadline, and what the endpoint was found not to take."""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from time import monotonic
from typing import TypeVar
from urllib.parse import urlsplit, urlunsplit

from openral_reasoner.context import Context, Decision
from openral_reasoner.llm.base import ModelUnavailable, Sampling, api_key_for
from openral_reasoner.llm.endpoint_errors import NoRoute
from openral_reasoner.llm.streaming import RetryPolicy

T = TypeVar("T")
Report = Callable[[str], None]
"""Function that tells the operator a fact about the endpoint."""
MAX_LESSONS = 12
"""Most requests of one decision that are repeated without what was refused [1]."""
FINAL = ("UNAUTHORISED", "RATE_LIMITED", "OVERLOADED")
"""Conditions whose words name no field of the request."""


def unreported(message: str) -> None:
    """Discard the fact."""


class EndpointModel(ABC):
    """Model behind an endpoint; a call blocks at most for the deadline of the retries.

    ``refused`` are the optional fields that the endpoint has refused by name; they are left out.
    ``last_sent`` are those of the last request, each with the pattern of the words that refuse it.
    """

    vendor: str
    default_url: str
    optional: Mapping[str, str]
    """Optional fields, each with the pattern of the words that refuse it."""

    def __init__(
        self,
        model: str,
        base_url: str,
        retries: RetryPolicy,
        sampling: Sampling | None = None,
        report: Report = unreported,
    ) -> None:
        self.model, self.sampling, self.report = model, sampling or Sampling(), report
        self.base_url = base_url or None
        self.writer = f"{self.vendor} {model}"
        self.refused, self.last_sent = set[str](), dict[str, str]()
        self._retries = retries
        self._key = api_key_for(self.vendor, base_url)
        self._answered = False

    def __call__(self, context: Context) -> Decision:
        """Return one decision."""
        return self.retried(lambda seconds: self.decide(context, seconds))

    def retried(self, once: Callable[[float], T], deadline: float | None = None) -> T:
        """Call ``once`` with the remaining seconds, again after what passes; see `RetryPolicy.call`."""
        return self._retries.call(once, deadline)

    @property
    def address(self) -> str:
        """Address of the endpoint for messages, without what may be secret in it."""
        parts = urlsplit(self.base_url or self.default_url)
        return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))

    def decide(self, context: Context, seconds: float) -> Decision:
        """Ask for one decision within ``seconds`` [s].

        Raises:
            ModelUnavailable: If it made none.
        """
        return self.adapting(lambda remaining: self.ask(context, remaining), seconds)

    def adapting(self, once: Callable[[float], T], seconds: float) -> T:
        """Call ``once`` within ``seconds`` [s], and again without what the endpoint refuses by name.

        Raises:
            ModelUnavailable: The failure that nothing can be left out for.
        """
        end = monotonic() + seconds
        for _ in range(MAX_LESSONS):
            try:
                result = once(max(0.1, end - monotonic()))
                self._answered = True
                return result
            except NoRoute as failure:
                # One that has answered before may be starting again.
                if self._answered:
                    raise
                raise ModelUnavailable(failure.condition, failure.why) from failure
            except ModelUnavailable as failure:
                if not self.adapt(failure) or monotonic() > end:
                    raise
        raise ModelUnavailable("BAD_REQUEST", f"{self.address} refuses {', '.join(sorted(self.refused))}")

    @abstractmethod
    def ask(self, context: Context, seconds: float) -> Decision:
        """Send one request."""

    def adapt(self, failure: ModelUnavailable) -> bool:
        """Leave out from now on what the endpoint refused by name; False if it named nothing of that kind."""
        if not failure.words or failure.condition in FINAL:
            return False
        named = [
            name
            for name, words in self.last_sent.items()
            if re.search(words, failure.words, re.IGNORECASE | re.DOTALL)
        ]
        if named:
            self.refused.update(named)
            self.report(f"{self.address} refuses {', '.join(named)}: requests do without from now on")
        return bool(named)

    def sent(self, **fields: object) -> dict[str, object]:
        """Return those of the optional fields that the endpoint takes; None is not sent."""
        return {k: v for k, v in fields.items() if v is not None and k not in self.refused}
