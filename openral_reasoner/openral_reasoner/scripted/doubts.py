"""Texts that are asked back whatever a rule makes of them, and goals whose slots cannot be what they name.

Speech that is quoted or reported is no order, people are no objects, and harm, ceremony and times of day are
nothing that this reader can say. A wrong reading moves the robot; a question costs a sentence.
"""

import re
from dataclasses import fields

from openral_reasoner.placement.belief import is_drink, is_household_noun
from openral_reasoner.request.goals import (
    AskCount,
    Bring,
    BringFilled,
    BringSeveral,
    Find,
    PickUp,
    Request,
    parts_of,
    restrictions,
)
from openral_reasoner.scripted.prohibitions import seems_to_forbid

_TELLER = (
    r"sign|label|note|book|letter|message|email|manual|recipe|poster|screen|tv|radio|song|film|movie|he|she|they"
    r"|someone|somebody|everyone|\w+body"
)
_TELLS = (
    "says?|said|asks?|asked|reads?|tells?|told|wrote|writes?|wants?|wanted|wonders?|wondered|suggest(?:s|ed)"
    "|claim(?:s|ed)"
)
_REPORTED = re.compile(
    rf"\b(?:(?:{_TELLER})(?: has| had)? (?:{_TELLS})\b|(?:asked|asks|wondered|wonders) (?:whether|if) you"
    r"|what if (?:you|i|we|she|he)\b|as if (?:to|you)\b|(?:pretend|imagine|suppose)\b"
    r"|(?:wrote|writes|says|said|reads|sang|sings|told)\b[^.?!]*:)",
    re.IGNORECASE,
)
_HARMS = "hit|kick|punch|slap|stab|cut|burn|kill|hurt|choke|strangle|shoot|bite|attack|beat|poison"
_HARM = re.compile(
    rf"\b(?:{_HARMS}) (?:[A-Z]\w+|(?:him|her|them|me|us|my \w+"
    r"|the (?:man|woman|child|baby|boy|girl|dog|cat|person|guest|neighbou?r)s?)\b)"
    r"|\b(?:set|put|light|start)(?: a)? (?:fire|\w+ on fire)\b|\bset \w+ alight\b"
)
_PEOPLE = re.compile(
    r"(?:^|\b(?:then|and|please) |[,;.] )"
    r"(?P<verb>guide|escort|lead|follow|accompany|greet|introduce|meet|welcome|salute)"
    r" (?!me\b|us\b|the way\b|to\b)\w+",
    re.IGNORECASE,
)
_PERSON = re.compile(
    r"(?:\w+ )*(?:person|people|man|woman|boy|girl|lady|gentleman|guest|visitor)s?", re.IGNORECASE
)
_ZERO = re.compile(r"\b(?:zero|0|no) (?:\w+ )?\w+s\b", re.IGNORECASE)
_TIME = re.compile(
    r"\b(?:a\.?m|p\.?m|o'?clock|noon|midnight|morning|evening|afternoon|tomorrow|tonight)\b|^\d",
    re.IGNORECASE,
)
_BESIDE = re.compile(
    r"\b(?:put|place|set|leave|lay|move|stand)\b[^,.;]* "
    r"(?:next to|beside|in front of|behind|underneath|between|(?:to the )?(?:left|right) of)\b",
    re.IGNORECASE,
)
_SERVED_WITH = re.compile(r"\b(?:of|with) (?:the|an?|my|your|his|her) ", re.IGNORECASE)
_NAME_ALONE = re.compile(r"[A-Z][a-z]+")


_NO_NAME = re.compile(
    r"\b(?:any ?(?:longer|more)|some(?:place|where|how)|stays?|comma|yesterday|last"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b",
    re.IGNORECASE,
)
"""Words of no name: what is left of a sentence that was read as one."""


def verb_of_people(text: str) -> str:
    """Return the verb of a text that asks for something to be done with a person, "" for none."""
    match = _PEOPLE.search(text)
    return match["verb"].lower() if match else ""


def is_doubtful(text: str) -> bool:
    """Return True if a text is nothing that the rules may read."""
    patterns = (_REPORTED, _HARM, _PEOPLE, _ZERO, _BESIDE)
    return any(pattern.search(text) for pattern in patterns)


def is_doubtful_reading(request: Request, text: str) -> bool:
    """Return True if what a text was read as has a slot that cannot be meant."""
    unheard = seems_to_forbid(text) and not restrictions(request)
    return unheard or any(_is_doubtful_part(part, text) for part in parts_of(request))


def _is_doubtful_part(goal: Request, text: str) -> bool:
    names = (
        str(getattr(goal, each.name)) for each in fields(goal) if each.name in ("what", "vessel", "contents")
    )
    if any(map(_NO_NAME.search, names)):
        return True
    if isinstance(goal, BringFilled) and _SERVED_WITH.search(text) and not is_drink(goal.contents):
        return True
    if isinstance(goal, Bring | BringSeveral | PickUp | AskCount) and _is_person(goal.what, text):
        return True
    places = (getattr(goal, each.name) for each in fields(goal) if each.name in ("where", "to"))
    return isinstance(goal, Bring | BringSeveral | Find | PickUp) and any(map(_TIME.search, places))


def _is_person(what: str, text: str) -> bool:
    """Return True for a person, or a proper name without an article, which is one's."""
    if _PERSON.fullmatch(what):
        return True
    named = _NAME_ALONE.fullmatch(what) is not None and not is_household_noun(what)
    return named and re.search(rf"\b(?:the|an?|my|our|some) {what}\b", text) is None
