"""Words for things: phrases taken apart, and a thesaurus that says which label answers which words."""

from openral_core.text.kinds import InvalidThesaurus
from openral_core.text.phrases import Phrase
from openral_core.text.relations import Relation
from openral_core.text.thesaurus import Thesaurus
from openral_core.text.words import MAX_CHARACTERS, UnreadableText

__all__ = ["MAX_CHARACTERS", "InvalidThesaurus", "Phrase", "Relation", "Thesaurus", "UnreadableText"]
