"""Prompts for the robot: who may stop it, and which goals and answers are taken.

The reasoner and the skill server both hear the operator; this is the rule that they share.
"""

import re
from collections.abc import Sequence
from typing import Final

OPERATOR: Final = "operator"
"""Source of goals, of answers, and so of consent."""
STOP_SOURCES = (OPERATOR, "")
"""Sources whose stop is taken: one that is missed is worse than one that was not meant."""
PROMPT_CHARACTERS = 4000
"""Longest accepted prompt [characters]: about a thousand tokens of every decision."""
NAME_CHARACTERS = 200
"""Longest accepted id in a prompt [characters]."""
MAX_OBJECTS = 8
"""Most objects that the operator may point at in one prompt."""
_ID = re.compile(rf"[\w-]{{1,{NAME_CHARACTERS}}}")


def prompt_refusal(source: str, text: str, **names: str) -> str:
    """Return the reason to refuse a goal or an answer of a source, with its ids by name; "" for none."""
    if source != OPERATOR:
        shown = repr(source[:NAME_CHARACTERS]) if source else "empty"
        return f"header.frame_id is {shown}: goals and answers need frame_id {OPERATOR!r}"
    if not text.strip():
        return "the text is empty: say what to do, for example 'find the mug'"
    if len(text) > PROMPT_CHARACTERS:
        return f"the text is too long: at most {PROMPT_CHARACTERS} characters are accepted"
    long = next((name for name, value in names.items() if len(value) > NAME_CHARACTERS), "")
    return f"{long} is too long: at most {NAME_CHARACTERS} characters are accepted" if long else ""


def objects_refusal(objects: Sequence[str]) -> str:
    """Return the reason to refuse ids of objects that the operator points at; "" for none."""
    if len(objects) <= MAX_OBJECTS and all(map(_ID.fullmatch, objects)):
        return ""
    return f"objects: at most {MAX_OBJECTS} ids are accepted, of letters, digits, '_' and '-'"
