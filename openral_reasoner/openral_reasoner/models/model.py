"""The one seam to whoever decides."""

from collections.abc import Callable
from dataclasses import dataclass

from openral_core.errors import OpenRALError
from openral_reasoner.exchanges.arguments import plain
from openral_reasoner.exchanges.turns import Context, RawCall


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
