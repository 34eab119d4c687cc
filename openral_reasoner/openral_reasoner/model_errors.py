"""Answers that are no usable call: what the model reads of them, and what the operator reads."""

import re
from dataclasses import dataclass

from openral_reasoner.context import RawCall, ToolResult
from openral_reasoner.events import ModelAnswered
from openral_reasoner.mission import Mission
from openral_reasoner.tools.base import InvalidCall
from openral_reasoner.tools.registry import MalformedCall, ReasonerToolCall, parse_call
from openral_reasoner.untrusted_text import plain

QUOTED = 80
"""Characters of an answer that an operator is shown."""
_TOOL_CALLING = "choose a model with tool calling, or switch it on at its endpoint"
_WRITTEN = re.compile(
    r"[\[{<].*(?:recall_object|resolve_place|locate_in_view|execute_rskill|\"?name\"?\s*:)", re.DOTALL
)
"""Text that looks like a call: brackets, then a tool's name or a name's key."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Why an answer is no usable call.

    ``reply`` is for the model. For the operator: the model ``did`` this, here ``last``, and the ``advice``.
    """

    did: str
    reply: ToolResult
    last: str = ""
    advice: str = ""

    def told(self, times: int) -> str:
        """The words for the operator, once it has happened so often."""
        often = f" {times} times" if times > 1 else ""
        return f"the model {self.did}{often}{self._last}{f'; {self.advice}' if self.advice else ''}"

    @property
    def _last(self) -> str:
        return f" (last: {plain(self.last, QUOTED)})" if self.last else ""


def chosen(mission: Mission, answer: ModelAnswered) -> tuple[RawCall, ReasonerToolCall | Fault]:
    """The one call of the answer, or why there is none."""
    raw = answer.calls[0] if answer.calls else RawCall(tool="")
    if not answer.calls:
        return raw, _without_call(answer)
    if len(answer.calls) > 1:
        return raw, _several(answer)
    try:
        call = parse_call(raw, mission.palette)
        call.check(mission)
        return raw, call
    except InvalidCall as error:
        return raw, _invalid(raw, error)
    except MalformedCall as error:
        return raw, _cut(answer) if answer.cut else _malformed(raw, error)


def _invalid_call(text: str, valid: tuple[str, ...] = (), peer_words: tuple[str, ...] = ()) -> ToolResult:
    return ToolResult(status="INVALID_CALL", text=text, valid=valid, peer_words=peer_words)


def _without_call(answer: ModelAnswered) -> Fault:
    if answer.cut:
        return _cut(answer)
    text = answer.text.strip()
    if not text:
        reply = _invalid_call("your answer was empty: call exactly one tool")
        return Fault("answered with nothing, neither text nor a tool call,", reply, advice=_TOOL_CALLING)
    if _WRITTEN.search(text):
        words = "you wrote a tool call as text, which is not carried out: make it as a tool call"
        advice = (
            "its endpoint does not take this model's tool calls for what they are: choose the parser of tool "
            "calls that is meant for it, or another model"
        )
        return Fault("wrote its tool call as text", _invalid_call(words), repr(text), advice)
    words = "you answered with text, which nobody reads: call exactly one tool"
    return Fault("answered with text instead of a tool call", _invalid_call(words), repr(text), _TOOL_CALLING)


def _several(answer: ModelAnswered) -> Fault:
    names = [plain(call.tool, 64) for call in answer.calls]
    text = f"exactly one tool call per turn is needed, there were {len(names)}: call the first one alone"
    advice = "choose a model or an endpoint that keeps to one call (parallel_tool_calls: false)"
    return Fault("made several tool calls at once", _invalid_call(text), " and ".join(names), advice)


def _cut(answer: ModelAnswered) -> Fault:
    text = "your answer was cut off at the limit of its length before the tool call was whole: be shorter"
    advice = "choose a model that says less before it calls, or an endpoint that allows longer answers"
    where = answer.calls[0].tool if answer.calls else repr(answer.text.strip())
    return Fault(
        "was cut off at the limit of its length before its tool call was whole",
        _invalid_call(text),
        where,
        advice,
    )


def _invalid(raw: RawCall, error: InvalidCall) -> Fault:
    what = error.what.split(" ", maxsplit=1)[0]
    did = "called a tool that is not there" if what == "tool" else f"called with a {what} that is not there"
    return Fault(did, _invalid_call(error.advice, valid=error.valid), _called(raw))


def _malformed(raw: RawCall, error: MalformedCall) -> Fault:
    reply = _invalid_call("the call is malformed", peer_words=(str(error)[:1000],))
    return Fault("called wrongly", reply, str(error))


def _called(raw: RawCall) -> str:
    return f"{raw.tool} {raw.arguments}"
