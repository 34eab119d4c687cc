"""Reading a streamed answer: bounded in time and size, complete or refused."""

import json
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

from openral_reasoner.exchanges.turns import RawCall
from openral_reasoner.models.model import Decision, ModelUnavailable
from openral_reasoner.models.retries import TryAgain
from openral_reasoner.models.transcripts import MAX_TEXT, clipped

T = TypeVar("T")
MAX_CHARACTERS = 1_000_000


@dataclass
class Answer:
    """An answer as it grows."""

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
    size: int = 0

    def called(self, index: int, name: str) -> None:
        """A tool call begins."""
        self.names[index] = self.names.get(index, "") + name
        self.arguments.setdefault(index, [])

    def argued(self, index: int, part: str) -> None:
        """A tool call goes on."""
        self._grow(part)
        self.arguments.setdefault(index, []).append(part)

    def said(self, part: str) -> None:
        """Words beside the call."""
        self._grow(part)
        if len(self.text) < MAX_TEXT:
            self.text = (self.text + part)[:MAX_TEXT]

    def decision(self) -> Decision:
        """The whole answer.

        Raises:
            TryAgain: If it broke off.
            ModelUnavailable: If the model refused.
        """
        if not self.stop:
            raise TryAgain("STREAM_CUT", "the answer broke off")
        if self.refusal:
            raise ModelUnavailable("REFUSED", "the model refused to answer", self.read + self.written)
        calls = [RawCall(tool=n, arguments=self._arguments(i)) for i, n in sorted(self.names.items())]
        return Decision(
            clipped(calls),
            self.text,
            tokens=self.read + self.written,
            read=self.read,
            written=self.written,
            model=self.model,
            cached=self.cached,
            stored=self.stored,
        )

    def _arguments(self, index: int) -> str:
        return "".join(self.arguments.get(index, [])) or json.dumps({})

    def _grow(self, part: str) -> None:
        self.size += len(part)
        if self.size > MAX_CHARACTERS:
            raise ModelUnavailable("ANSWER_TOO_LARGE", f"more than {MAX_CHARACTERS} characters")


def in_time(parts: Iterable[T], seconds: float, clock: Callable[[], float] = time.monotonic) -> Iterator[T]:
    """The parts, as long as they come within ``seconds``.

    Raises:
        ModelUnavailable: If they go on longer.
    """
    end = clock() + seconds
    for part in parts:
        if clock() > end:
            raise ModelUnavailable("TIMEOUT", "the answer went on beyond the deadline")
        yield part
