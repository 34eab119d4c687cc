"""Questions and statements about states: "is the lamp on", "the mug is dirty", "what can you do"."""

import re

from openral_core.object_states import STATE_VALUES
from openral_reasoner.request.goals import AskAbilities, AskCount, AskState, TellState
from openral_reasoner.scripted.noun_phrases import is_noun_phrase, is_object, is_place, plain, singular

_VALUE = rf"(?:(?:still|now|already|currently|switched|turned) )*(?P<value>{'|'.join(STATE_VALUES)}|shut)"
_THING = r"(?P<what>(?:the|my|our|this|that|your|his|her|their) .+?)"
_ASKS = (
    (
        rf"(?:(?:tell me|check|see|find out|do you know|let me know|i wonder|know) (?:if|whether) )?"
        rf"(?:is|are) {_THING} {_VALUE}"
    ),
    (
        rf"(?:tell me|check|see|find out|do you know|let me know|i wonder|know) (?:if|whether) {_THING}"
        rf" (?:is|are) {_VALUE}"
    ),
)
_TELLS = (
    rf"(?:(?:remember|note|know|keep in mind)(?: that)? )?{_THING} (?:is|are|has been|have been) {_VALUE}",
)


_ABILITIES = re.compile(
    r"(?:(?:please|hey|so|well|robot)[, ]+)*(?:tell me )?"
    r"(?:what (?:else )?(?:can|could|do) you do(?: for (?:me|us))?"
    r"|what are you able to do|what you can do|how (?:can|could|do) you help(?: me| us)?"
    r"|what (?:should|can|could|may) i (?:say|ask)(?: you)?(?: to do)?|what do you understand"
    r"|what are your (?:skills|abilities|capabilities))(?:[, ]+(?:please|robot))?",
    re.IGNORECASE,
)


def read_abilities(text: str) -> AskAbilities | None:
    """Read a question for what the robot can do; None if it is none."""
    return AskAbilities() if _ABILITIES.fullmatch(text.strip(" ?.!")) else None


_COUNT = re.compile(
    r"(?:(?:please )?(?:tell me|say|find out|do you know|let me know) )?(?:how many (?P<what>[\w' -]+?)"
    r" (?:(?:there are|are there|are|do you see|can you see|you see|do we have|we have|have we got)"
    r"(?: left| now)?(?: (?:on|in|at|inside)(?: top of)? (?P<where>.+))?"
    r"|(?:on|in) (?P<at>(?:the|my|our) .+?) (?:there are|are there))"
    r"|count (?P<these>(?:the|my|our) [\w' -]+?)(?: (?:on|in|at) (?P<there>.+))?)",
    re.IGNORECASE,
)


def read_count(text: str) -> AskCount | None:
    """Read a question for a number of objects; None if it is none, or if a name in it is not clear."""
    match = _COUNT.fullmatch(text.strip(" ?.!"))
    if match is None:
        return None
    what = singular(plain(match["what"] or match["these"]))
    where = plain(match["where"] or match["at"] or match["there"] or "")
    return AskCount(what, where) if is_object(what) and (not where or is_place(where)) else None


def read_state(words: str) -> AskState | TellState | None:
    """Read a question or a statement about a state; None if it is neither."""
    for patterns, make in ((_ASKS, AskState), (_TELLS, TellState)):
        for pattern in patterns:
            match = re.fullmatch(pattern, words.strip(" ?.!"), re.IGNORECASE)
            what = plain(match["what"]) if match else ""
            if match and is_noun_phrase(what):
                return make(what, {"shut": "closed"}.get(match["value"].lower(), match["value"].lower()))
    return None
