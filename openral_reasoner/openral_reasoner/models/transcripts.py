"""A mission's past in words, the same for every vendor."""

import json
import re
from collections.abc import Mapping

from openral_reasoner.exchanges.turns import Context, RawCall, Turn, fence

MAX_ARGUMENTS = 20_000
MAX_TEXT = 4_000
NO_CALL = "(no usable tool call)"
_NAME = re.compile(r"^[a-zA-Z0-9_-]{1,64}$")


def opening(context: Context) -> str:
    """The first words of the user."""
    who = f" It is for the agent {json.dumps(context.requester)}." if context.requester else ""
    return f"Goal, in the operator's words: {json.dumps(context.goal)}.{who}"


def reminder(context: Context) -> str:
    """What is new in this tick, and what remains."""
    return "\n".join(part for part in (news(context.news, context.operator_words), context.remaining) if part)


def news(lines: tuple[str, ...], operator_words: str) -> str:
    """What changed in the graph, as data, and what the operator answered, as words."""
    told = f"News: {fence({'news': lines})}" if lines else ""
    answered = f"The operator says: {json.dumps(operator_words)}" if operator_words else ""
    return "\n".join(part for part in (told, answered) if part)


def usable(turn: Turn) -> bool:
    """Whether a turn can be shown as a tool call."""
    return bool(_NAME.match(turn.tool))


def arguments_of(turn: Turn) -> Mapping[str, object]:
    """The arguments as an object; what was none is shown as empty, its reply says so."""
    try:
        content = json.loads(turn.arguments or "{}")
    except (ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def clipped(calls: list[RawCall]) -> tuple[RawCall, ...]:
    """Calls small enough to keep; a longer one keeps its name and loses its arguments' end."""
    return tuple(
        RawCall(tool=_plain(c.tool[:64]), arguments=_plain(c.arguments[:MAX_ARGUMENTS])) for c in calls[:4]
    )


def _plain(words: str) -> str:
    """Without lone surrogates, which no wire and no file can hold."""
    return words.encode(errors="replace").decode()
