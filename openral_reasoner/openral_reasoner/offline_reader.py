"""Reader of goals that needs no language model, for callers that do not plan: the core, and alarms."""

from openral_reasoner.request.goals import NotUnderstood, Request, parts_of
from openral_reasoner.sentences.language import load_language
from openral_reasoner.sentences.languages import ENGLISH, is_known_word
from openral_reasoner.sentences.reader import read_sentence
from openral_reasoner.sentences.words import word_set

__all__ = ["begins_request", "is_known_word", "read_request"]


def read_request(text: str) -> Request | None:
    """Read a sentence as a request; None if a part of it is not understood."""
    request = read_sentence(text)
    return None if any(isinstance(part, NotUnderstood) for part in parts_of(request)) else request


def begins_request(word: str) -> bool:
    """Return True if an English request may begin with this word."""
    return word in word_set(load_language(ENGLISH).words.request_verbs)
