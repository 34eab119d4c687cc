"""Noun phrases and the thesaurus that matches queries with stored labels."""

from openral_core.text.noun_phrases import MAX_CHARACTERS, Phrase, UnreadableText
from openral_core.text.references import (
    Rank,
    ReferringExpression,
    SpatialRelation,
    UnsupportedReference,
    parse_reference,
)
from openral_core.text.thesaurus import InvalidThesaurus, TermRelation, Thesaurus

__all__ = [
    "MAX_CHARACTERS",
    "InvalidThesaurus",
    "Phrase",
    "Rank",
    "ReferringExpression",
    "SpatialRelation",
    "TermRelation",
    "Thesaurus",
    "UnreadableText",
    "UnsupportedReference",
    "parse_reference",
]
