"""Reject a query that cannot name an object, before any peer is asked and before anything moves."""

from openral_core.text.noun_phrases import UnreadableText, words_of
from openral_reasoner.context import ToolResult

BAD_QUERY = "BAD_QUERY"
"""Status of such a rejection, the same as a peer's."""
_ADVICE = (
    "the query cannot be read as the name of an object, so nothing was searched. "
    "Name the object in letters, such as 'red mug', or ask the operator what is meant"
)


def unreadable(words: str) -> ToolResult | None:
    """Return the rejection of a query that names nothing; None if the query is usable."""
    try:
        words_of(words)
    except UnreadableText as error:
        return refused(str(error))
    return None


def refused(why: str) -> ToolResult:
    """Reply to a query that a peer could not read."""
    return ToolResult(status=BAD_QUERY, text=_ADVICE, peer_words=(why,))
