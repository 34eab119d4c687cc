"""Detectors that are served elsewhere: address, deadline, retries and circuit breaker of their requests.

Only the configured host is contacted: no proxy of the environment is used, no redirect is followed.
"""

import ipaddress
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Self, TypeVar
from urllib.parse import urlsplit

from pydantic import Field

from openral_core.backoff import CircuitBreaker, ExponentialBackoff
from openral_core.documents import Document
from openral_core.errors import format_choices
from openral_perception_ros.engines.errors import EngineError, FailureKind

Answer = TypeVar("Answer")
VARIABLE = r"^(OPENRAL_[A-Z0-9_]+)?$"
"""Variables that a manifest may name, so that it cannot disclose any other one to an endpoint."""
WINDOW = 60.0
"""Time within which failed requests open the circuit together [s]."""
MAX_MESSAGE = 1 << 26
"""Largest message of an endpoint [bytes]: 64 MB, some hundred times the boxes of one image."""


class InvalidEndpoint(EngineError):
    """An address that is missing or cannot be used."""

    def __init__(self, address: str, problem: str) -> None:
        super().__init__(f"endpoint {address!r}: {problem}")


class RemoteUnavailable(EngineError):
    """An endpoint that is not reachable or too busy; the request may be repeated."""

    def __init__(self, address: str, detail: str) -> None:
        super().__init__(f"{address} is unavailable: {_first_line(detail)}")


class RemoteTimedOut(EngineError):
    """An endpoint that did not answer within the deadline."""

    kind = FailureKind.TIMEOUT

    def __init__(self, address: str, deadline: float) -> None:
        super().__init__(f"{address} did not answer within {deadline:g} s")


class RemoteRefused(EngineError):
    """A request that the endpoint rejected; repeating it would not help."""

    def __init__(self, address: str, detail: str) -> None:
        super().__init__(f"{address} refused the request: {_first_line(detail)}")


class CircuitOpen(EngineError):
    """A request that was not sent because the endpoint failed too often."""

    def __init__(self, address: str, wait: float, last_error: str) -> None:
        super().__init__(
            f"{address} failed too often; nothing is sent for another {wait:.0f} s (last error: {last_error})"
        )


def _first_line(text: str) -> str:
    return (text.strip().splitlines() or ["no details"])[0][:300]


class RemoteOptions(Document):
    """Keys of the manifest's ``options`` that every remote engine has; times in [s].

    ``endpoint_variable`` names a variable whose address, if it is set, is used instead of ``endpoint``.
    """

    endpoint: str = ""
    endpoint_variable: str = Field(default="", pattern=VARIABLE)
    model: str = Field(min_length=1, description="name of the model at the endpoint")
    ca_file: str = Field(default="", description="certificates to trust, in PEM; '' = those of the system")
    deadline: float = Field(default=5.0, gt=0.0, le=600.0, description="of one request with its retries")
    attempts: int = Field(default=3, ge=1, le=10)
    retry_delay: float = Field(default=0.1, gt=0.0, description="before the first retry; then it doubles")
    failures: int = Field(default=3, ge=1, description="failed requests in a minute that open the circuit")
    cool_down: float = Field(default=10.0, gt=0.0, description="until a single request tries again")


@dataclass(frozen=True, slots=True)
class RemoteAddress:
    """A checked address; ``scheme`` decides about TLS, ``certificates`` is the PEM file to trust."""

    scheme: str
    host: str
    port: int
    path: str
    certificates: Path | None

    @classmethod
    def of(
        cls,
        options: RemoteOptions,
        folder: Path,
        schemes: Mapping[str, int],
        environment: Mapping[str, str] = os.environ,
    ) -> Self:
        """Check the address of a manifest in ``folder``; ``schemes`` maps the valid ones to their ports.

        Raises:
            InvalidEndpoint: If it is missing, malformed or contains a secret, or ca_file is missing.
        """
        text = environment.get(options.endpoint_variable, "") or options.endpoint
        if not text:
            raise InvalidEndpoint(text, f"set 'endpoint' or the variable {options.endpoint_variable!r}")
        try:
            parts = urlsplit(text)
            host, port = parts.hostname, parts.port
        except ValueError as error:
            raise InvalidEndpoint(text, str(error)) from error
        if parts.username or parts.password:
            raise InvalidEndpoint(f"{parts.scheme}://…", "it contains a user or a password")
        if parts.scheme not in schemes or not host:
            valid = format_choices(f"{scheme}://host:port" for scheme in schemes)
            raise InvalidEndpoint(text, f"expected one of {valid}")
        certificates = folder / Path(options.ca_file).expanduser() if options.ca_file else None
        if certificates is not None and not certificates.is_file():
            raise InvalidEndpoint(text, f"ca_file {certificates} does not exist")
        return cls(parts.scheme, host, port or schemes[parts.scheme], parts.path, certificates)

    @property
    def is_loopback(self) -> bool:
        """True if requests do not leave this machine."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    @property
    def authority(self) -> str:
        """Host and port, as in a URL."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    def __str__(self) -> str:
        return f"{self.scheme}://{self.authority}{self.path}"


class RemoteCalls:
    """Requests to one endpoint; an unreachable one is asked again, and left alone if it stays so."""

    def __init__(
        self,
        options: RemoteOptions,
        address: RemoteAddress,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._options, self._address, self._clock, self._sleep = options, address, clock, sleep
        self._backoff, self._rng = ExponentialBackoff(options.retry_delay), Random()
        self._breaker = CircuitBreaker(
            limit=options.failures - 1,
            window=WINDOW,
            cool_down=options.cool_down,
            max_cooldown=16.0 * options.cool_down,
        )
        self._open_until, self._last_error = float("-inf"), ""

    def call(self, once: Callable[[float], Answer]) -> Answer:
        """Return the answer to one request; ``once`` gets the time left [s].

        Raises:
            CircuitOpen: If the endpoint failed too often; it is not contacted.
            RemoteUnavailable: If every attempt failed.
            RemoteTimedOut: At the deadline.
        """
        if (wait := self._open_until - self._clock()) > 0.0:
            raise CircuitOpen(str(self._address), wait, self._last_error)
        try:
            answer = self._attempt(once)
        except (RemoteUnavailable, RemoteTimedOut) as error:
            self._on_failure(error)
            raise
        except EngineError:
            self._breaker = self._breaker.on_success(self._clock())  # it is reachable
            raise
        self._breaker = self._breaker.on_success(self._clock())
        return answer

    def _attempt(self, once: Callable[[float], Answer]) -> Answer:
        """Repeat a request until it succeeds; while the circuit is half open there is one attempt."""
        end = self._clock() + self._options.deadline
        attempts = 1 if self._breaker.half_open else self._options.attempts
        for failed in range(1, attempts):
            try:
                return once(end - self._clock())
            except RemoteUnavailable:
                pause = self._backoff.jittered_delay(failed, self._rng)
                if self._clock() + pause >= end:
                    raise
                self._sleep(pause)
        return once(end - self._clock())

    def _on_failure(self, error: EngineError) -> None:
        now = self._clock()
        decision, self._breaker = self._breaker.on_failure(now)
        if decision.circuit_open:
            self._open_until, self._last_error = now + decision.delay, str(error)
