"""Noun phrases and the thesaurus that matches queries with stored labels."""

from openral_core.text.noun_phrases import MAX_CHARACTERS, Phrase, UnreadableText
from openral_core.text.taxonomy import InvalidThesaurus, TermRelation
from openral_core.text.thesaurus import Thesaurus

__all__ = ["MAX_CHARACTERS", "InvalidThesaurus", "Phrase", "TermRelation", "Thesaurus", "UnreadableText"]
