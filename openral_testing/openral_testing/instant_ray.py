"""A module as Ray's whose cluster computes at once, for tests of work on a cluster."""

from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace


class RayError(Exception):
    """Base of Ray's errors."""


@dataclass(frozen=True, eq=False)
class Done:
    """A future that has its result."""

    result: object


@dataclass
class InstantRay:
    """Futures are results; those finished last come first. ``sys.modules["ray"]`` takes it."""

    init: Callable[..., None] = lambda **_: None
    exceptions: SimpleNamespace = field(default_factory=lambda: SimpleNamespace(RayError=RayError))
    most_pending: int = 0
    is_open: bool = True

    def remote(self, **_: object) -> Callable[[Callable[..., object]], SimpleNamespace]:
        """Return a decorator as `ray.remote`."""
        return lambda function: SimpleNamespace(remote=lambda *arguments: Done(function(*arguments)))

    def wait(self, pending: list[Done]) -> tuple[list[Done], list[Done]]:
        """Return one finished future, and the others."""
        self.most_pending = max(self.most_pending, len(pending))
        return pending[-1:], pending[:-1]

    def get(self, future: Done) -> object:
        """Return the result of a future."""
        return future.result

    def shutdown(self) -> None:
        """Leave the cluster."""
        self.is_open = False
