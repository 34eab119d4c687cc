"""Reader of goals that needs no language model, for callers that do not plan: the core, and alarms."""

from openral_reasoner.sentences.language import load_language
from openral_reasoner.sentences.languages import ENGLISH, is_known_word
from openral_reasoner.sentences.reader import read_sentence as read_request

__all__ = ["begins_request", "is_known_word", "read_request"]


def begins_request(word: str) -> bool:
    """Return True if an English request may begin with this word."""
    return word in load_language(ENGLISH).words.request_verbs
