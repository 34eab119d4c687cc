"""Requests to a local model endpoint, independent of the vendor, and its possible answers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

JsonObject = Mapping[str, object]


class Vendor(StrEnum):
    """Protocol of a request."""

    ANTHROPIC = "anthropic"
    OPENAI = "openai"


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """Tool as the model sees it, with the JSON schema of its arguments."""

    name: str
    description: str
    schema: JsonObject


@dataclass(frozen=True, slots=True)
class UserText:
    """Text of a user message."""

    text: str


@dataclass(frozen=True, slots=True)
class AssistantText:
    """Text of an assistant message."""

    text: str


@dataclass(frozen=True, slots=True)
class PastCall:
    """Earlier tool call of the model."""

    id: str
    tool: str
    arguments: JsonObject


@dataclass(frozen=True, slots=True)
class PastResult:
    """Result of an earlier tool call."""

    call_id: str
    text: str


Part = UserText | AssistantText | PastCall | PastResult


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One request for a decision, whatever its protocol; ``system``, ``tools`` and ``parts`` in order."""

    vendor: Vendor
    model: str
    system: str
    tools: tuple[OfferedTool, ...]
    parts: tuple[Part, ...]
    stream: bool = False

    @property
    def results(self) -> tuple[str, ...]:
        """Texts of the results of all calls so far."""
        return tuple(part.text for part in self.parts if isinstance(part, PastResult))


@dataclass(frozen=True, slots=True)
class EmittedCall:
    """Tool call of an answer; ``arguments`` is JSON as text, valid or not."""

    tool: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Answer:
    """Complete answer, after ``delay`` [s]; ``cut`` if it ends at the length limit."""

    calls: tuple[EmittedCall, ...] = ()
    text: str = ""
    cut: bool = False
    refused: bool = False
    delay: float = 0.0


@dataclass(frozen=True, slots=True)
class Failure:
    """Error of the endpoint: an HTTP status, or a stream that breaks off before its end if it is 200."""

    status: int
    kind: str = "api_error"
    message: str = "the endpoint fails on purpose"
    retry_after: float | None = None
    delay: float = 0.0


Responder = Callable[[ModelRequest], Answer | Failure]


@dataclass
class ScriptedResponder:
    """Responder that gives its answers one after the other, the last one again and again."""

    answers: Sequence[Answer | Failure]
    requests: list[ModelRequest] = field(default_factory=list)

    def __call__(self, request: ModelRequest) -> Answer | Failure:
        """Return the next answer."""
        self.requests.append(request)
        return self.answers[min(len(self.requests), len(self.answers)) - 1]
