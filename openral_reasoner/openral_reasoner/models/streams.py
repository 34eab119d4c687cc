"""Reading a streamed answer: bounded in size, complete or refused."""

from dataclasses import dataclass, field

from openral_reasoner.exchanges.arguments import plain
from openral_reasoner.exchanges.turns import RawCall
from openral_reasoner.models.model import Decision, ModelUnavailable
from openral_reasoner.models.retries import TryAgain
from openral_reasoner.models.transcripts import MAX_NAME, MAX_TEXT, clipped

MAX_CHARACTERS = 1_000_000
MAX_COUNT = 1_000_000_000
"""Tokens of one answer that are believed."""


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
    cut: bool = False
    size: int = 0

    def called(self, index: int, name: str) -> None:
        """A tool call begins."""
        self._grow(name)
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
            model=plain(self.model, MAX_NAME),
            cached=self.cached,
            stored=self.stored,
            cut=self.cut,
        )

    def _arguments(self, index: int) -> str:
        return "".join(self.arguments.get(index, [])) or "{}"

    def _grow(self, part: str) -> None:
        self.size += len(part)
        if self.size > MAX_CHARACTERS:
            raise ModelUnavailable("ANSWER_TOO_LARGE", f"more than {MAX_CHARACTERS} characters")


def counted(tokens: int | None) -> int:
    """A count of tokens as an endpoint states it; none is 0.

    Raises:
        ValueError: If it is no count.
    """
    if tokens is None:
        return 0
    if isinstance(tokens, bool) or not isinstance(tokens, int) or not 0 <= tokens <= MAX_COUNT:
        raise ValueError(f"{str(tokens)[:40]!r} tokens")
    return tokens
