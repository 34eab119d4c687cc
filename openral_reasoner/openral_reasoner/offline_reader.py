"""Reader of goals that needs no language model, for callers that do not plan: the core, and alarms."""

from openral_reasoner.request.goals import NotUnderstood, Request, parts_of
from openral_reasoner.scripted.compound import parse_request
from openral_reasoner.scripted.languages import is_known_word
from openral_reasoner.scripted.normalise import VERBS

__all__ = ["VERBS", "is_known_word", "read_request"]


def read_request(text: str) -> Request | None:
    """Read a sentence as a request; None if a part of it is not understood."""
    request = parse_request(text)
    return None if any(isinstance(part, NotUnderstood) for part in parts_of(request)) else request
