"""Texts of a conversation, the same for every vendor."""

import json
import re
from collections.abc import Iterable, Mapping
from itertools import islice

from openral_reasoner.context import Context, RawCall, Turn, fence_untrusted
from openral_reasoner.untrusted_text import UnreadableArguments, read_arguments

MAX_ARGUMENTS = 20_000
"""Longest arguments kept of a call [characters], far beyond any valid call."""
MAX_TEXT = 4_000
"""Longest text kept of an answer [characters]."""
MAX_NAME = 64
"""Longest name of a tool or model [characters], the limit of the vendors' APIs."""
MAX_CALLS = 4
"""Maximum number of calls kept of an answer; only one is valid."""
NO_CALL = "(no usable tool call)"
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def opening(context: Context) -> str:
    """Return the first user message: the goal and its requester."""
    who = f" The requester is the agent {json.dumps(context.requester)}." if context.requester else ""
    return f"Goal, in the operator's words: {json.dumps(context.goal)}.{who}"


def reminder(context: Context) -> str:
    """Return the last user message: news, the held object, and the budget if the last reply lacks it."""
    last = context.turns[-1].reply.remaining if context.turns else ""
    remaining = "" if context.remaining == last else context.remaining
    parts = (news(context.news, context.operator_words), _hand(context), remaining)
    return "\n".join(part for part in parts if part)


def _hand(context: Context) -> str:
    if context.holding:
        return f"The robot's hand holds: {fence_untrusted({'holding': context.holding})}"
    return "The robot's hand is empty." if context.palette.skills else ""


def news(lines: tuple[str, ...], operator_words: str) -> str:
    """Return changes of the graph, as fenced data, and the operator's answer."""
    changes = f"News: {fence_untrusted({'news': lines})}" if lines else ""
    answered = f"The operator says: {json.dumps(operator_words)}" if operator_words else ""
    return "\n".join(part for part in (changes, answered) if part)


def usable(turn: Turn) -> bool:
    """Return True if a turn can be rendered as a tool call."""
    return bool(_NAME.fullmatch(turn.tool))


def arguments_of(turn: Turn) -> Mapping[str, object]:
    """Return the arguments as an object; empty if they were malformed, as the reply explains."""
    try:
        return read_arguments(turn.arguments)
    except UnreadableArguments:
        return {}


def clipped(calls: Iterable[RawCall]) -> tuple[RawCall, ...]:
    """Truncate calls to a size that is safe to keep."""
    return tuple(
        RawCall(tool=_escaped(c.tool[:MAX_NAME]), arguments=_escaped(c.arguments[:MAX_ARGUMENTS]))
        for c in islice(calls, MAX_CALLS)
    )


def _escaped(text: str) -> str:
    r"""Escape lone surrogates, which cannot be encoded, as JSON's ``\udxxx``."""
    return text.encode(errors="backslashreplace").decode()
