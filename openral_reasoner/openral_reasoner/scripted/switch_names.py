"""Words for what is to be turned on or off: one appliance, or every one of a name, in a room or anywhere."""

import re

from openral_reasoner.request.goals import Switch
from openral_reasoner.scripted.noun_phrases import singular, split_place

_EVERY = re.compile(r"(?:all(?: of)?(?: the| my| our)?|both(?: the)?|every|each) (?P<what>.+)", re.IGNORECASE)
_MANY = re.compile(r"lights|lamps|screens|tvs|televisions", re.IGNORECASE)
"""Names of appliances in the plural; of other words, as in "the news", the plural may be the name itself."""


def read_switch(words: str, on: bool) -> Switch:
    """Make a goal of the words for what is to be turned on or off."""
    every = _EVERY.fullmatch(words.strip())
    what, where = split_place(every["what"] if every else words)
    many = _MANY.fullmatch(what.split()[-1]) is not None if what else False
    return Switch(singular(what) if every or many else what, on, where, every is not None or many)
