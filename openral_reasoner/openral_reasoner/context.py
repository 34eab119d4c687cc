"""Context of one decision; untrusted data is fenced, and model output is sanitised."""

import json
import re
from collections.abc import Iterator

from pydantic import BaseModel, ConfigDict

from openral_core.detectors import UnplacedDetection
from openral_core.errors import OpenRALError
from openral_core.parsing import InvalidText, parse_json
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.request.goals import NotUnderstood
from openral_reasoner.request.plain import StatedRequest


class FrozenModel(BaseModel):
    """Base of every event, command and part of them: frozen, unknown keys refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="constants")


class CallEvent(FrozenModel):
    """Base of a request and of its answers, which share one call id."""

    call_id: str


class ObjectSummary(FrozenModel):
    """Object whose id the model may use from now on; poses stay in the core.

    ``belongs_at`` are the places where it is kept, best first, if that was asked for; those that are
    ``closed`` must be opened before it is taken. ``misplaced`` if it is not at one of them, ``held`` if it is
    in the hand. ``states`` are known and believed, as in "dirty (told)".
    """

    id: str
    label: str
    kind: str = "object"
    room: str = ""
    place: str = ""
    containers: tuple[str, ...] = ()
    must_open: str = ""
    stale: bool = False
    why: str = ""
    belongs_at: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()
    misplaced: bool = False
    held: bool = False
    states: tuple[str, ...] = ()


class Frontier(FrozenModel):
    """One place of a search's ranked frontier."""

    id: str
    label: str
    why: str
    must_open: bool = False

    def line(self) -> str:
        """Return the words of the core about its id."""
        return f"{self.id}: {self.why}{', closed' if self.must_open else ''}"


SHOWN = 8
"""Most places of a frontier that a reply shows [1]."""


class ToolResult(FrozenModel):
    """Reply to one tool call; ``remaining`` is what runs low of the budget.

    ``text`` is written by the core. Text from labels, memory, detectors or skills stands in the other fields
    and reaches the model as fenced data, of the frontier the first ``shown``. ``order`` are the numbers of
    what was asked for, the first one 1. ``in_view`` has neither id nor place.
    """

    status: str
    text: str
    order: tuple[int, ...] = ()
    found: tuple[ObjectSummary, ...] = ()
    frontier: tuple[Frontier, ...] = ()
    shown: int = SHOWN
    valid: tuple[str, ...] = ()
    peer_words: tuple[str, ...] = ()
    in_view: tuple[UnplacedDetection, ...] = ()
    operator_words: str = ""
    remaining: str = ""

    def rendered(self) -> str:
        """Render the text that the model reads."""
        data = self.model_dump(mode="json", include={"order", "found", "valid"}, exclude_defaults=True)
        if words := [each for each in self.peer_words if each.upper() != self.status]:
            data["peer_words"] = words
        if self.frontier:
            more = len(self.frontier) - self.shown
            data["frontier"] = [each.line() for each in self.frontier[: self.shown]]
            data["frontier"] += [f"{more} more"] if more > 0 else []
        if self.in_view:
            data["in_view"] = [str(each) for each in self.in_view]
        operator = f"The operator says: {json.dumps(self.operator_words)}" if self.operator_words else ""
        fenced = fence_untrusted(data) if data else ""
        return "\n".join(
            part for part in (f"{self.status}: {self.text}", operator, fenced, self.remaining) if part
        )


class OpaqueMessage(FrozenModel):
    """Parts of an assistant message beside its call: never evidence, returned to its ``writer`` unchanged.

    ``writer`` is a protocol and model; ``fields`` is a JSON object in the form of that protocol, such as the
    reasoning and its signatures.
    """

    writer: str
    fields: str


class Turn(FrozenModel):
    """One past decision: its news, its call and the reply."""

    call_id: str
    tool: str
    arguments: str
    reply: ToolResult
    news: tuple[str, ...] = ()
    operator_words: str = ""
    opaque: OpaqueMessage | None = None


class ToolSchema(FrozenModel):
    """Tool as a model sees it; ``parameters`` is a JSON schema as text."""

    name: str
    description: str
    parameters: str


class RawCall(FrozenModel):
    """Tool call as a model wrote it, not validated."""

    tool: str
    arguments: str = "{}"


class Choice(FrozenModel):
    """Call that is legal now, with the line by which a small model picks it."""

    line: str
    call: RawCall


class Context(FrozenModel):
    """Complete input of one decision.

    ``listed`` are the ids that calls may name, by section, as they were before the first decision; later
    changes are ``news``. ``choices`` are listed for the compact prompt only.
    """

    system: str
    goal: str
    request: StatedRequest = NotUnderstood("")
    requester: str
    palette: ToolPalette
    tools: tuple[ToolSchema, ...]
    listed: dict[str, tuple[str, ...]] = {}
    turns: tuple[Turn, ...] = ()
    news: tuple[str, ...] = ()
    operator_words: str = ""
    holding: str = ""
    remaining: str = ""
    choices: tuple[Choice, ...] = ()


class Decision(FrozenModel):
    """Answer of a model; the core accepts exactly one call.

    ``tokens`` is the sum of tokens ``read`` and ``written``; of those read, ``cached`` came from a cache and
    ``stored`` went into one. ``cost`` [US$] is None if unknown. ``cut`` if it ended at a length limit.
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
    opaque: OpaqueMessage | None = None


def fence_untrusted(data: object) -> str:
    """Wrap untrusted data in <data> tags that its content cannot close."""
    text = json.dumps(data, ensure_ascii=True, sort_keys=True)
    safe = text.replace("<", "\\u003c").replace(">", "\\u003e")
    return f"<data>{safe}</data>"


MAX_ARGUMENTS = 1_000_000
"""Longest arguments [characters]."""
MAX_DEPTH = 32
"""Maximum nesting of arguments [levels]; no tool needs more than three."""
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class UnreadableArguments(OpenRALError):
    """Arguments that are not a JSON object, or one that parsers read differently."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"the arguments are not a usable JSON object: {problem}")


def plain(text: str, limit: int = 1000) -> str:
    """Return at most ``limit`` characters, without lone surrogates and control characters.

    The former cannot be encoded, and the latter can control a terminal.
    """
    return _CONTROL.sub("?", text[:limit].encode(errors="replace").decode())


def read_arguments(text: str) -> dict[str, object]:
    """Parse a JSON object without NaN, infinities, repeated keys, lone surrogates or control characters.

    Raises:
        UnreadableArguments: With the problem.
    """
    try:
        content = parse_json(text or "{}", MAX_ARGUMENTS, unique=True)
    except InvalidText as error:
        raise UnreadableArguments(str(error)) from error
    if not isinstance(content, dict):
        raise UnreadableArguments(f"it is a {type(content).__name__}, not an object")
    for part in _texts(content, MAX_DEPTH):
        if _CONTROL.search(part) or plain(part, len(part)) != part:
            raise UnreadableArguments(f"{part[:40]!a} contains a control character or lone surrogate")
    return content


def _texts(content: object, depth: int) -> Iterator[str]:
    if depth < 0:
        raise UnreadableArguments(f"nested deeper than {MAX_DEPTH} levels")
    if isinstance(content, str):
        yield content
    elif isinstance(content, dict):
        yield from content
        for value in content.values():
            yield from _texts(value, depth - 1)
    elif isinstance(content, list):
        for value in content:
            yield from _texts(value, depth - 1)
