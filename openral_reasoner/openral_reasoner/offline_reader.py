"""Reader of goals that needs no language model, for callers that do not plan: the core, and alarms."""

from openral_reasoner.scripted.compound import parse_request as read_request
from openral_reasoner.scripted.languages import is_known_word
from openral_reasoner.scripted.normalise import VERBS

__all__ = ["VERBS", "is_known_word", "read_request"]
