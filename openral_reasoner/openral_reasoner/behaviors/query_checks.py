"""Words that cannot name an object are refused before anybody is asked and before anything moves."""

from openral_core.text.noun_phrases import UnreadableText, words_of
from openral_reasoner.context import ToolResult

BAD_QUERY = "BAD_QUERY"
"""Status of such a refusal, the same as a peer's."""
_ADVICE = (
    "these words cannot be read as the name of an object, so it is not searched for. "
    "Name it in letters, such as 'red mug', or ask the operator what is meant"
)


def unreadable(words: str) -> ToolResult | None:
    """The refusal of words that name nothing; None when they can be asked for."""
    try:
        words_of(words)
    except UnreadableText as error:
        return refused(str(error))
    return None


def refused(why: str) -> ToolResult:
    """The reply to words that a peer could not read."""
    return ToolResult(status=BAD_QUERY, text=_ADVICE, peer_words=(why,))
