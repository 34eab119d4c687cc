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
    MoveDoor,
    PickUp,
    Request,
    parts_of,
    restrictions,
)
from openral_reasoner.scripted.noun_phrases import ANIMAL, is_person
from openral_reasoner.scripted.prohibitions import seems_to_forbid
from openral_reasoner.scripted.vocabulary import WORDS

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
    r"|(?:used to|always|would|will|keeps?|kept) (?:say|saying|tell|telling)\b"
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
_PEOPLE_NOUNS = WORDS["children"] | WORDS["kin"] | {"twin", "twins"}
_BURNING = re.compile(r"(?:burning|boiling|flaming|smoking|smouldering|live|exploding)\b", re.IGNORECASE)
_ALIVE = re.compile(rf"\b(?:{ANIMAL}|baby|child|kid)s?\b", re.IGNORECASE)
_NAMED = (
    r"(?:\b(?:the|an?|my|our|your|his|her|their|its|some|any|this|that|these|those|two|three|four|both|more|of"
    r"|\d+)|'s) (?:\w+ )?"
)
"""Words before a name that no list holds: without one, a bare word is seldom a thing."""
_NO_NAME = re.compile(
    r"\*|\b(?:any ?(?:longer|more)|some(?:place|where|how)|wherever|stays?|comma|yesterday|last"
    r"|shipshape|spotless|presentable|sorted|neat|once-over|clear of"
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
    slots = {each.name: getattr(goal, each.name) for each in fields(goal)}
    names = [str(slots[name]) for name in ("what", "vessel", "contents", "where") if name in slots]
    if any(map(_NO_NAME.search, names)):
        return True
    if isinstance(goal, BringFilled) and _SERVED_WITH.search(text) and not is_drink(goal.contents):
        return True
    if isinstance(goal, MoveDoor):
        return _ALIVE.search(goal.what) is not None or " in " in goal.what
    if not isinstance(goal, Bring | BringSeveral | PickUp | AskCount):
        return isinstance(goal, Find) and _TIME.search(goal.where) is not None
    is_name = is_household_noun(goal.what) or not re.search("[a-z]", goal.what, re.IGNORECASE)
    is_name = is_name or re.search(rf"{_NAMED}{re.escape(goal.what)}", text) is not None
    is_time = any(_TIME.search(slots.get(name, "")) for name in ("where", "to"))
    return not is_name or is_time or _is_person(goal.what, text) or _BURNING.match(goal.what) is not None


def _is_person(what: str, text: str) -> bool:
    """Return True for a person, or a proper name without an article, which is one's."""
    if _PERSON.fullmatch(what) or what.lower().split()[-1] in _PEOPLE_NOUNS:
        return True
    named = is_person(what) and not is_household_noun(what)
    return named and re.search(rf"\b(?:the|an?|my|our|some) {what}\b", text) is None
