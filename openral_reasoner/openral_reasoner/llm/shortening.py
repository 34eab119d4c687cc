"""Bound of the conversation: old turns as one line each, cut in blocks that a prompt cache survives."""

from collections.abc import Sequence

from openral_reasoner.context import Turn

MAX_CONVERSATION = 16_000
"""Longest conversation before its older part is shortened to lines [characters], about 4,000 tokens."""
MAX_ARGUMENTS = 2_000
"""Most that arguments count [characters]: longer ones are malformed, and not shown again."""
MAX_LINES, MAX_LINE, MAX_IDS = 60, 160, 6
"""Most lines of old turns, longest part of a line, and most ids in one [1, characters, 1]."""


def cut(turns: Sequence[Turn]) -> int:
    """Return the number of old turns to shorten.

    It grows only when the rest has reached `MAX_CONVERSATION`, and then by half of that: between two cuts the
    beginning of every request is the same.
    """
    sizes = [
        min(len(each.arguments), MAX_ARGUMENTS) + len(each.reply.rendered()) + sum(map(len, each.news))
        for each in turns
    ]
    start, size = 0, 0
    for index, length in enumerate(sizes):
        size += length
        if size > MAX_CONVERSATION:
            while size > MAX_CONVERSATION // 2 and start < index:
                size -= sizes[start]
                start += 1
    return start


def lines(turns: Sequence[Turn]) -> tuple[str, ...]:
    """Return the typed facts of old turns: news, tool, arguments, status and ids."""
    result = [line[:MAX_LINE] for turn in turns for line in (*turn.news, _line(turn))]
    dropped = len(result) - MAX_LINES
    return (f"{dropped} earlier lines", *result[dropped:]) if dropped > 0 else tuple(result)


def _line(turn: Turn) -> str:
    ids = [each.id for each in turn.reply.found]
    more = f" and {len(ids) - MAX_IDS} more" if len(ids) > MAX_IDS else ""
    listed = f" {', '.join(ids[:MAX_IDS])}{more}" if ids else ""
    return f"{turn.tool} {turn.arguments[: MAX_LINE // 2]}: {turn.reply.status}{listed}"
