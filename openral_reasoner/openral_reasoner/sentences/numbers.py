"""Numbers in answers: "for two, please"."""

import re

from openral_reasoner.sentences.language import load_language
from openral_reasoner.sentences.languages import ENGLISH

_WORD = re.compile(r"[a-z]+|\d{1,3}")


def number_in(text: str) -> int:
    """Return the first number in a text, 0 if there is none."""
    numbers = load_language(ENGLISH).words.numbers
    counted = (
        int(word) if word.isdecimal() else numbers.get(word, 0) for word in _WORD.findall(text.lower())
    )
    return next(filter(None, counted), 0)
