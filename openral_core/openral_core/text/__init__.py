"""Words for things: phrases taken apart, and a thesaurus that says which label answers which words."""

from openral_core.text.noun_phrases import MAX_CHARACTERS, Phrase, UnreadableText
from openral_core.text.taxonomy import InvalidThesaurus, TermRelation
from openral_core.text.thesaurus import Thesaurus

__all__ = ["MAX_CHARACTERS", "InvalidThesaurus", "Phrase", "TermRelation", "Thesaurus", "UnreadableText"]
