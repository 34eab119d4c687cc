"""A mission's past in words, the same for every vendor."""

import json
import re
from collections.abc import Iterable, Mapping
from itertools import islice

from openral_reasoner.context import Context, RawCall, Turn, fence_untrusted
from openral_reasoner.untrusted_text import UnreadableArguments, read_arguments

MAX_ARGUMENTS = 20_000
MAX_TEXT = 4_000
MAX_NAME = 64
MAX_CALLS = 4
NO_CALL = "(no usable tool call)"
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def opening(context: Context) -> str:
    """The first words of the user."""
    who = f" It is for the agent {json.dumps(context.requester)}." if context.requester else ""
    return f"Goal, in the operator's words: {json.dumps(context.goal)}.{who}"


def reminder(context: Context) -> str:
    """What is new in this tick, what the hand holds, and what remains unless the last reply said so."""
    said = context.turns[-1].reply.remaining if context.turns else ""
    remaining = "" if context.remaining == said else context.remaining
    parts = (news(context.news, context.operator_words), _hand(context), remaining)
    return "\n".join(part for part in parts if part)


def _hand(context: Context) -> str:
    if context.holding:
        return f"The robot's hand holds: {fence_untrusted({'holding': context.holding})}"
    return "The robot's hand is empty." if context.palette.skills else ""


def news(lines: tuple[str, ...], operator_words: str) -> str:
    """What changed in the graph, as data, and what the operator answered, as words."""
    told = f"News: {fence_untrusted({'news': lines})}" if lines else ""
    answered = f"The operator says: {json.dumps(operator_words)}" if operator_words else ""
    return "\n".join(part for part in (told, answered) if part)


def usable(turn: Turn) -> bool:
    """Whether a turn can be shown as a tool call."""
    return bool(_NAME.fullmatch(turn.tool))


def arguments_of(turn: Turn) -> Mapping[str, object]:
    """The arguments as an object; what was none is shown as empty, its reply says so."""
    try:
        return read_arguments(turn.arguments)
    except UnreadableArguments:
        return {}


def clipped(calls: Iterable[RawCall]) -> tuple[RawCall, ...]:
    """Calls small enough to keep; a longer one keeps its name and loses its arguments' end."""
    return tuple(
        RawCall(tool=_escaped(c.tool[:MAX_NAME]), arguments=_escaped(c.arguments[:MAX_ARGUMENTS]))
        for c in islice(calls, MAX_CALLS)
    )


def _escaped(words: str) -> str:
    r"""A lone surrogate, which no wire and no file can hold, as JSON's own escape ``\udxxx``."""
    return words.encode(errors="backslashreplace").decode()
