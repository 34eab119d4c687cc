"""Rules for goals of one verb that move no object to a receiver: go, look, find, open, close and pick up."""

import re
from collections.abc import Callable

from openral_reasoner.scripted.goals import Find, Goal, GoTo, LookAt, LookInside, MoveDoor, PickUp
from openral_reasoner.scripted.noun_phrases import ROOM, plain, split_place

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
    r"|where(?: is| are|'s|'re)(?: on earth)?|where (?:did|have|had|could|might) (?:i|we"
    r"|you) (?:have )?(?:leave|left|put|lay|seen?)"
    r"|(?:have|haven't) you (?:by any chance )?(?:seen|spotted|come across|noticed)"
    r"|you haven't (?:by any chance )?(?:seen|spotted)"
    r"|did (?:i|we) (?:leave|put|forget|drop)|(?:any chance )?you know where|what did (?:i|we) do with"
    r"|has any(?:one|body) seen|i (?:want|would like) to know where"
    r"|(?:do you|can you|could you|did you) (?:happen to )?(?:see|know where)|(?:happen to )?know where"
    r"|(?:have you )?(?:got )?any (?:idea|clue) where"
    r"|i (?:really )?(?:wonder|don't know|do not know|forgot|forget|can't remember|need to know"
    r"|have no idea) where"
    r"|i(?:'ve| have)? (?:lost|mislaid|misplaced)|(?:i )?(?:still )?(?:can't|cannot|couldn't"
    r"|could not)(?: seem to)? (?:find|see|locate)|lost"
    r"|(?:i'm|i am|we're|we are|i've been|i have been) (?:looking|searching|hunting) for|is there|are there"
    r"|(?:do|have) we (?:have|got)(?= (?:any|some)\b)"
    r"|what(?:'s| has| have) (?:become of|happened to)|where (?:has|have)"
    r"|(?:is there |have you seen |do you see )?any (?:sign|trace) of)"
)
_GOT_TO = (
    r"(?:(?: is| are| has| have|'s)? (?:got to|gone to|gone|gotten to|went|hiding|is|are|be|left))?"
    r"(?: (?:is|are|might be|could be|has gone|have gone|anywhere|somewhere|at|now|today|got to|gone|again"
    r"|for me|all (?:day|morning)|everywhere|lives?|kept|stored))*"
)
_GLANCE = (
    r"(?:take|have|cast|give|get|grab)(?: me)? (?:an?|another|your)? ?(?:quick|good|close|closer|little"
    r"|brief|careful)?"
    r" ?(?:look|peek|glance|eyes?|gander|peep|check|glimpse|squint|butcher's)"
)
_HAND = r"(?:in(?:to)?|with) (?:your|the|ur) (?:\w+ )?(?:hands?|grippers?|arm|claw|fingers|grip)"
_HIDING = r"(?:drawer|cabinet|cupboard|wardrobe|closet|fridge|refrigerator|freezer|oven|microwave|dishwasher)"
_GO = (
    r"(?:go|drive|head|walk|run|move(?: yourself)?|come|travel|roll|proceed|nip|pop|return|navigate|wander"
    r"|get(?: yourself)?"
    r"|take yourself|make your way|find your way|scoot|wheel yourself|trundle|hop|position yourself"
    r"|place yourself)"
    r"(?: (?:over|back|outside|inside|out|up|down|along|straight|off|on|across|through|round|around|away"
    r"|quickly))*"
)
_FURNITURE_DOOR = re.compile(
    r"(?P<furniture>fridge|refrigerator|freezer|closet|locker|cabinet|drawer|cupboard|wardrobe|oven"
    r"|microwave|dishwasher"
    r"|machine|dryer|safe) door$",
    re.IGNORECASE,
)


def _go(words: str) -> Goal:
    return GoTo(ME if words.lower() in ("me", "us", "here", "my place") else plain(words))


def _fixture(words: str) -> str:
    """Strip articles and a trailing "door" of furniture: the fridge door is the fridge."""
    return _FURNITURE_DOOR.sub(r"\g<furniture>", plain(words))


def _latch(match: re.Match[str]) -> Goal:
    return MoveDoor(_fixture(match["door"]), match["latch"].lower().startswith("open"))


GOING: tuple[Rule, ...] = (
    (
        r"(?:take|bring|lead|guide|drive|show) me (?:over )?(?:to|into) (?P<place>.+)",
        lambda m: _go(m["place"]),
    ),
    (
        (
            r"(?:go (?:and )?|come (?:and )?)?(?:wait|stand|(?:park|station|position|place|plant) yourself)"
            r" (?:by|at|in|near|next to|in front of|beside) (?P<place>.+)"
        ),
        lambda m: _go(m["place"]),
    ),
    (r"meet (?:me|us) (?:in|at|on|by) (?P<place>.+)", lambda m: _go(m["place"])),
    (
        r"(?:come|get(?: yourself)?)(?: over| back)?(?: right)? here|come(?: over| back)?(?: to me)?",
        lambda m: GoTo(ME),
    ),
    (rf"{_GO} (?:to|into|in|onto|towards?|inside) (?P<place>(?!bed$).+)", lambda m: _go(m["place"])),
    (
        rf"(?:go|navigate|head)(?: out| up| down| back| over)* (?P<place>{DET} .+|{ROOM})",
        lambda m: _go(m["place"]),
    ),
    (r"(?:come|return) back to (?P<place>.+)", lambda m: _go(m["place"])),
    (
        r"(?:away |off |out |back |over )+(?:you go )?(?:to|into|in) (?P<place>.+?)(?: with you| you go)?",
        lambda m: _go(m["place"]),
    ),
    (
        r"(?:off |out |back |over |up |down )*(?:to|into) (?P<place>.+?),?(?: with you| you go| go)",
        lambda m: _go(m["place"]),
    ),
    (
        r"(?:i|we) (?:want|need|would like|'d like) you (?:over |to be |out )*(?:in|at|by|on) (?P<place>.+)",
        lambda m: _go(m["place"]),
    ),
    (
        r"(?:you are|you're|your presence is) (?:wanted|needed|required) (?:in|at|by|on) (?P<place>.+)",
        lambda m: _go(m["place"]),
    ),
)
LOOKING: tuple[Rule, ...] = (
    (
        (
            r"(?:look|check|search|hunt|rummage|have a (?:good |quick )?(?:look|hunt|search|rummage))"
            r" (?:(?:in|inside|into|on|at|under|around|through|round) )?(?P<place>.+?) for (?P<what>(?!me$"
            r"|us$).+)"
        ),
        lambda m: Find(plain(m["what"]), plain(m["place"])),
    ),
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
            rf"(?:{_GLANCE}|look|check|see|peek|peep|glance|looks?)(?: and (?:see"
            r"|check) what's)? (?:in|inside"
            r"|into|in to) (?P<inside>.+)"
        ),
        lambda m: LookInside(_fixture(m["inside"])),
    ),
    (
        rf"(?:check|inspect|examine) (?P<inside>(?:the|my|our) (?:\w+ )?{_HIDING})",
        lambda m: LookInside(_fixture(m["inside"])),
    ),
    (
        rf"(?:{_GLANCE}|look|peek|peep|glance|gaze|stare) (?:at|over|round|around|through) (?P<what>.+)",
        lambda m: LookAt(plain(m["what"])),
    ),
    (
        (
            r"(?:(?:tell|show) (?:me|us)|(?:let|want) (?:me|us) (?:to )?(?:know|see)|(?:look|see"
            r"|check|find out"
            r"|report)|i wonder"
            r"|i(?:'d| would) like to know|i want to know|know|describe)?\s*"
            r"(?:what(?:'s| is| are|'re)|what (?:do|can|could) (?:you|we) (?:see|have|find)|what (?:you"
            r"|we) (?:can )?(?:see|have|find)"
            r"|what (?:there is|is there|have we got|stuff is)|(?:(?:is|are) there |(?:can"
            r"|do) you |did (?:i|we) (?:leave|put) )?(?:see "
            r"|spot |notice )?(?:anything|something|any stuff)(?: interesting)?|see what(?:'s"
            r"| is)|what all is"
            r"|(?:see |check )?if there(?:'s| is) (?:anything|something))(?: currently)?(?: lying| standing"
            r"| sitting| hiding| left| there)?"
            r" (?P<side>in|inside|on|on top of|at)(?: of)? (?P<inside>.+?)"
        ),
        lambda m: (
            LookInside(_fixture(m["inside"]))
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
        lambda m: LookInside(_fixture(m["inside"])),
    ),
    (
        (
            r"(?:look at|examine|inspect|check(?: out| on)?|face|turn to(?:wards)?|point (?:your camera )?at"
            r"|view|observe|study"
            r"|keep an eye on) (?P<what>.+)"
        ),
        lambda m: LookAt(plain(m["what"])),
    ),
)
DOORS: tuple[Rule, ...] = (
    (
        (
            r"(?P<latch>open|close|shut)(?: up)?(?: me)? (?P<door>.+?)(?: (?:up|again|wide|properly|fully"
            r"|afterwards?|after|for me|for us|too|behind you|for [A-Z]\w+))*"
        ),
        _latch,
    ),
    (
        (
            r"(?:get|have|make sure|push|pull|pop|swing|slide|draw|see that|i want|i need|i'd like"
            r"|be sure|want|need)"
            r" (?P<door>.+?)(?: is| gets)? (?P<latch>open(?:ed)?|closed?|shut|to)(?: (?:again"
            r"|for me|for us))*"
        ),
        _latch,
    ),
    (
        r"(?P<door>.+?) (?:needs|wants) (?:to be )?(?:closing|closed|shutting|shut)",
        lambda m: MoveDoor(_fixture(m["door"]), open=False),
    ),
    (
        r"(?P<door>.+?) (?:needs|wants) (?:to be )?(?:opening|opened)",
        lambda m: MoveDoor(_fixture(m["door"]), open=True),
    ),
    (r"pull (?P<latch>to|open) (?P<door>.+)", _latch),
    (
        r"(?:pull|slide) out (?P<door>(?:(?:the|my|that|this) )?(?:\w+ )?drawer)",
        lambda m: MoveDoor(_fixture(m["door"]), open=True),
    ),
    (r"(?P<door>.+?) (?P<latch>open(?:ed)?|closed?|shut)", _latch),
)
TAKING: tuple[Rule, ...] = (
    (
        (
            r"(?:take|get|hold|grab|grasp|keep|put|pick(?: up)?|carry|have)(?: up| hold of| on to"
            rf"| onto)? (?P<taken>.+?) {_HAND}"
        ),
        lambda m: PickUp(*split_place(m["taken"])),
    ),
    (
        r"(?:grab|take|get|catch|keep)(?: a)? (?:hold|grip) (?:of|on) (?P<taken>(?!.* for me$).+)",
        lambda m: PickUp(*split_place(m["taken"])),
    ),
    (
        (
            r"(?:pick|lift|take|hold|scoop|snatch) (?P<taken>.+?) up"
            r"(?: (?:off|from) the (?P<floor>floor|ground))?"
        ),
        lambda m: PickUp(plain(m["taken"]), "floor") if m["floor"] else PickUp(*split_place(m["taken"])),
    ),
    (
        (
            r"(?:pick up|pick|grab|grasp|lift(?: up)?|hold(?: on to| onto)?|take up|take|seize|grip|clutch"
            r"|clasp|snatch(?: up)?"
            r"|scoop up)(?: me)? (?P<taken>(?!your )(?!(?:an? )?(?:pictures?|photos?|video|note|turn|seat"
            r"|step|nap|selfie)\b)(?!.* for (?:me|us)$)(?!.* to me$).+)"
        ),
        lambda m: PickUp(*split_place(m["taken"])),
    ),
)
