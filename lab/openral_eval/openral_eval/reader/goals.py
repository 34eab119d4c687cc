"""Plain English goals as an action, an object and a place: what any language model would read in them."""

import re
from dataclasses import dataclass

_THING = r"(?:the |a |an |some |my )?(?P<{}>[\w' -]+?)"
_PATTERNS = (
    ("fetch", r"(?:bring|fetch|get)(?: me)? {what}(?: to (?P<to>me|\w+))?"),
    ("fetch", r"(?:give|hand) {what} to {to}"),
    ("fetch", r"(?:put|place) {what} (?:on|in|into|onto) {to}"),
    ("pour", r"pour {what} into {to}"),
    ("find", r"(?:find|look for) {what}"),
    ("find", r"where (?:is|are) {what}"),
    ("go", r"(?:go|drive|come) to {to}"),
    ("open", r"open {to}"),
    ("close", r"close {to}"),
    ("say what is there", r"what (?:do you see|is there|is)(?: in {to})?"),
    ("tidy", r"tidy up(?: {to})?"),
)
_READERS = tuple(
    (action, re.compile(text.replace("{what}", _THING.format("what")).replace("{to}", _THING.format("to"))))
    for action, text in _PATTERNS
)


@dataclass(frozen=True, slots=True)
class ReadGoal:
    """Goal as an action with its slots; ``action`` is "" for what is no known action."""

    action: str
    what: str = ""
    to: str = ""


def read_goal(text: str) -> ReadGoal:
    """Read a goal."""
    plain = " ".join(text.lower().rstrip(" ?.!").split())
    for action, pattern in _READERS:
        match = pattern.fullmatch(plain)
        if match:
            slots = match.groupdict()
            return ReadGoal(action, (slots.get("what") or "").strip(), (slots.get("to") or "").strip())
    return ReadGoal("")
