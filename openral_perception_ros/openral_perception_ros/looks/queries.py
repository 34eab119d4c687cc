"""The words of a request, checked."""

import unicodedata

from openral_core.text import Thesaurus, UnreadableText
from openral_perception_ros.looks.refusals import BadQuery

MAX_CHARACTERS = 256
MAX_TERMS = 16
MARKUP = "<>"
"""Grounding models mark up images, turns and boxes with them: a query must not be read as one."""


def terms_of(query: str, thesaurus: Thesaurus) -> tuple[str, ...]:
    """The terms of a comma-separated query, each once, as they were written.

    Raises:
        BadQuery: If it is empty, too long, holds control characters, markup or a term that names nothing.
    """
    if len(query) > MAX_CHARACTERS:
        raise BadQuery(f"{len(query)} characters, at most {MAX_CHARACTERS} can be asked")
    if any(unicodedata.category(character) == "Cc" for character in query):
        raise BadQuery(f"control characters in {query!r}")
    if found := [mark for mark in MARKUP if mark in query]:
        raise BadQuery(f"{' '.join(found)} in {query!r}: name things in plain words")
    terms = tuple(dict.fromkeys(term.strip() for term in query.split(",") if term.strip()))
    if not terms:
        raise BadQuery("it is empty: name what to look for, several terms separated by commas")
    if len(terms) > MAX_TERMS:
        raise BadQuery(f"{len(terms)} terms, at most {MAX_TERMS} can be asked at once")
    try:
        for term in terms:
            thesaurus.concept(term)
    except UnreadableText as error:
        raise BadQuery(str(error)) from error
    return terms
