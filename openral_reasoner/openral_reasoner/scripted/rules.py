"""Rules for goals of one verb that move no object to a receiver: go, look, find, open, close and pick up."""

import re
from collections.abc import Callable

from openral_reasoner.request.goals import Find, Goal, GoTo, LookAt, LookInside, MoveDoor
from openral_reasoner.scripted.noun_phrases import PERSON, plain, split_place

Rule = tuple[str, Callable[[re.Match[str]], Goal]]
"""Pattern of a whole clause, and the goal that it makes of a match."""

ME = "me"
DET = r"(?:the|an?|my|our|some|his|her|their|your|this|that|these|those|two|three|four|five|six|\d+)"
SEEK = (
    r"(?:(?:please )?(?:find(?! out\b)(?: me(?= (?:the|my|our)\b))?|see|locate|search (?:around )?for"
    r"|(?:have a )?(?:look|hunt|search) (?:around "
    r"|out )?for|look up|seek"
    r"|hunt (?:down|out)|track down|spot|show me|show us|dig out|discover)(?: where)?|(?:tell (?:me|us)"
    r"|let (?:me|us) know) where"
    r"|where(?: is| are|'s|'re)(?: on earth)?|where (?:did|have|has|had|could|might) (?:\w+ ){1,3}?(?:have )?"
    r"(?:leave|left|put|lay|seen?|hide|hidden|placed?)"
    r"|(?:have|haven't) you (?:by any chance )?(?:seen|spotted|come across|noticed)"
    r"|you haven't (?:by any chance )?(?:seen|spotted)"
    r"|did (?:i|we) (?:leave|put|forget|drop)|(?:any chance )?you know where|what did (?:i|we) do with"
    r"|has any(?:one|body) seen|i (?:want|would like) to know where"
    r"|(?:do you|can you|could you|did you) (?:happen to )?(?:see|know where)|(?:happen to )?know where"
    r"|(?:have you )?(?:got )?any (?:idea|clue) where"
    r"|i (?:really )?(?:wonder|don't know|do not know|forgot|forget|can't remember|need to know"
    r"|have no idea) where"
    r"|i(?: seem to| think i)?(?:'ve| have)? (?:lost|mislaid|misplaced)|have seen|keep an eye out for"
    r"|(?:tell me|what is|what's|give me|do you know|know) the (?:location|whereabouts|position) of"
    r"|(?:figure out|work out|check|see|look|remember) where|(?:i )?(?:still )?(?:can't|cannot|couldn't"
    r"|could not)(?: seem to)? (?:find|see|locate)|lost"
    r"|(?:i'm|i am|we're|we are|i've been|i have been) (?:looking|searching|hunting) for|is there|are there"
    r"|(?:do|have) we (?:have|got)(?= (?:any|some)\b)"
    r"|what(?:'s| has| have) (?:become of|happened to)|where (?:has|have)"
    r"|(?:is there |have you seen |do you see )?any (?:sign|trace) of)"
)
_GOT_TO = (
    r"(?:(?: is| are| has| have|'s)? (?:got to|gone to|gone|gotten to|went|hiding|is|are|be|left))?"
    r"(?: (?:is|are|might be|could be|has gone|have gone|anywhere|somewhere|at|now|today|got to|gone|again"
    r"|for me|lately|recently|around|about|all (?:day|morning)|everywhere|lives?|kept|stored))*"
)
_FURNITURE_DOOR = re.compile(
    r"(?P<furniture>fridge|refrigerator|freezer|closet|locker|cabinet|drawer|cupboard|wardrobe|oven"
    r"|microwave|dishwasher"
    r"|machine|dryer|safe) door$",
    re.IGNORECASE,
)


def _go(words: str) -> Goal:
    return GoTo(ME if words.lower() in ("me", "us", "here", "my place") else plain(words))


def fixture(words: str) -> str:
    """Strip articles and a trailing "door" of furniture: the fridge door is the fridge."""
    return _FURNITURE_DOOR.sub(r"\g<furniture>", plain(words))


def _latch(match: re.Match[str]) -> Goal:
    return MoveDoor(fixture(match["door"]), match["latch"].lower().startswith("open"))


GOING: tuple[Rule, ...] = (
    (
        (
            r"(?:away |off |out |back |over )+(?:you (?:go|pop|trot|nip|run) )?(?:to|into"
            r"|in) (?P<place>.+?)(?: with you| you go)?"
        ),
        lambda m: _go(m["place"]),
    ),
    (
        r"(?:off |out |back |over |up |down )*(?:to|into) (?P<place>.+?),?(?: with you| you go| go)",
        lambda m: _go(m["place"]),
    ),
    (
        (
            rf"(?:i|we|{PERSON}) (?:wants?|needs?|would like|'d like)(?: to see)? you (?:over |to be "
            r"|out )*(?:in|at|by|on) (?P<place>.+)"
        ),
        lambda m: _go(m["place"]),
    ),
    (
        r"(?:you are|you're|your presence is) (?:wanted|needed|required) (?:in|at|by|on) (?P<place>.+)",
        lambda m: _go(m["place"]),
    ),
)
LOOKING: tuple[Rule, ...] = (
    (
        r"(?:could|might|may) (?P<what>(?:the|my|our) .+?) be (?:on|in|inside|at|under) (?P<place>.+)",
        lambda m: Find(plain(m["what"]), plain(m["place"])),
    ),
    (
        (
            r"(?:is|are|check|see|check (?:if|whether)|see (?:if|whether)|find out (?:if|whether)|look (?:if"
            r"|whether))"
            r" (?P<what>(?:the|my|our|your|his|her|any) .+?)(?:'s)? (?:is |are |still )*(?:from|on|in|inside"
            r"|at) (?P<place>.+)"
        ),
        lambda m: Find(plain(m["what"]), plain(m["place"])),
    ),
    (
        (
            r"(?:(?:tell|show) (?:me|us)|(?:let|want) (?:me|us) (?:to )?(?:know|see)|(?:look|see"
            r"|check|find out"
            r"|report)|i wonder"
            r"|i(?:'d| would) like to know|i want to know|know|describe)?\s*"
            r"(?:what(?:'s| is| are|'re)|what (?:do|can|could) (?:you|we) (?:see|have|find)|what (?:you"
            r"|we|i)(?:'ve| have)?(?: can)? (?:see|have|find|got|left)|what have (?:we|i"
            r"|you)(?: got)?(?: left)?"
            r"|what (?:there is|is there|have we got|stuff is)|(?:(?:is|are) there |(?:can"
            r"|do) you |did (?:i|we) (?:leave|put) )?(?:see "
            r"|spot |notice )?(?:anything|something|any stuff)(?: interesting)?|see what(?:'s"
            r"| is)|what all is"
            r"|(?:see |check )?if there(?:'s| is) (?:anything|something))(?: currently)?(?: lying| standing"
            r"| sitting| hiding| left| there)?"
            r" (?P<side>in|inside|on|on top of|at)(?: of)? (?P<inside>.+?)"
        ),
        lambda m: (
            LookInside(fixture(m["inside"]))
            if m["side"].lower().startswith("in")
            else LookAt(plain(m["inside"]))
        ),
    ),
    (
        (
            rf"{SEEK} (?:if |whether )?(?:there (?:is|are) |there's )?(?P<found>(?!if\b|whether\b"
            r"|what\b|how\b"
            rf"|why\b).+?){_GOT_TO}"
        ),
        lambda m: Find(*split_place(m["found"])),
    ),
    (
        (
            r"find out where (?P<what>.+?) (?:is|are|went|lives?"
            r"|(?:is|are|has|have) (?:kept|gone|got to|hiding))(?: now| again)?"
        ),
        lambda m: Find(plain(m["what"])),
    ),
    (
        (
            r"(?:see|check|find out|look) (?:if|whether) (?:there(?:'s| is| are) |you (?:can )?(?:see|find"
            r"|spot) |(?:we|i)(?:'ve| have)?(?: still)?(?: have| got) )?(?P<found>.+)"
        ),
        lambda m: Find(*split_place(m["found"])),
    ),
    (
        r"is (?P<inside>(?:the|my|our|this|that) .+?) (?:empty|full)",
        lambda m: LookInside(fixture(m["inside"])),
    ),
)
DOORS: tuple[Rule, ...] = ((r"(?P<door>.+?) (?P<latch>open(?:ed)?|closed?|shut)", _latch),)
