"""Rules for goals that move objects or liquids: pour, bring and put."""

import re

from openral_reasoner.scripted.goals import Bring, BringFilled, Goal, GoTo, NotUnderstood, Pour
from openral_reasoner.scripted.noun_phrases import PERSON, plain, split_place
from openral_reasoner.scripted.rules import DET, ME, SEEK, Rule

_MYSELF = re.compile(
    r"^(?:(?:over |right )?(?:to )?(?:me|myself|us|here|over here|my (?:place|side|hands?))(?: please)?)$",
    re.IGNORECASE,
)
_BRING = (
    r"(?:bring|fetch|get|give|hand|pass|take|carry|deliver|serve|grab|run|slip|lend|reach|collect|retrieve"
    r"|throw"
    r"|chuck|toss)"
)
_CARRY = (
    r"(?:bring|fetch|get|give|hand|pass|take|carry|deliver|serve|run|move|return|transfer|relocate|shift"
    r"|transport|haul"
    r"|lug|bring back|take back|carry back|drive|walk|chuck|throw|toss|send|rush|pop)"
)
_FETCH = r"(?:bring|fetch|get|give|hand|pass|carry|deliver|serve|retrieve|collect)"
_PARTICLE = (
    r"(?:over|up|back|down|out|in|on|off|along|away|round|around|both|all|two|open|rid|hold|care|me"
    r"|us|it|them)\b"
)
_PUT = (
    r"(?:put|place|set|lay|drop|leave|stick|pop|chuck|throw|toss|lean|balance|pile|hide|hang|stow|tuck"
    r"|shove|sling|bung|dump|store|stash|prop"
    r"|stand|rest|deposit|slide|slip|park|move|return|pack|stack|plonk|plop|load|file|shelve|transfer|shift"
    r"|take|get|keep)"
)
_AWAY = (
    r"(?:(?:up|down|back|away|out|over|off|through|neatly|carefully|gently|safely|straight|nicely)"
    r"(?: and \w+)? )*"
)
_ONTO = r"(?:on top of|on to|in to|next to|beside|onto|on|into|inside|in|at|by)"
_INTO = r"(?:into|in to|inside|in)"
_WISH = (
    r"(?:i(?: really| just)? (?:want|need|fancy|require)|i(?:'ll| will|'m going to| am going to) need"
    r"|i(?:'ll| will) (?:have|take)"
    r"|i could (?:use|do with|really use|murder)"
    r"|i(?:'d| would)(?: really| quite)? (?:like|love|fancy)|i(?:'d| would) not mind|i wouldn't mind"
    r"|i(?:'m| am) (?:gasping|dying|desperate|longing|craving|after|in need of|in the mood)(?: for)?"
    r"|any chance of|(?:could|can|may|might) i (?:trouble|bother) you for"
    r"|i(?:'d| would| could) (?:kill|die|go|do anything) for|i (?:feel like|wouldn't say no to)|how about"
    r"|let (?:me|us) have|we (?:need|want)|we(?:'d| would) like"
    r"|(?:can|could|may|might) (?:i|we) (?:please |possibly )?(?:have|get)|(?:have you|you) got)(?: to have)?"
)
_WANTS = (
    r"(?:wants?|needs?|(?:would|'d) like|(?:would|'d) love|could (?:use|do with)|is asking for|asks for"
    r"|asked for|gets"
    r"|(?:is|'s) (?:gasping|dying) for|should (?:get|have)|fancies)"
)
_VESSEL = r"(?:cup|glass|mug|bowl|tumbler|beaker|pitcher|bottle|jug)"
_FILLED = re.compile(
    r"^(?:(?:nice|lovely|good|big|small|large|tall|little|hot|cold|warm|fresh|one) )*(?P<vessel>cup|glass|mug"
    r"|bowl|tumbler|beaker)(?:e?s)?"
    r" (?:of|with|filled with|full of|containing) (?P<contents>.+?)(?: in it| inside)?$",
    re.IGNORECASE,
)
_SERVED_IN = re.compile(
    r"^(?:some )?(?P<contents>(?!the |my |an? ).+?) in an? (?P<vessel>cup|glass|mug|bowl|tumbler)$",
    re.IGNORECASE,
)
_FOR = re.compile(rf"^(?P<what>.+?)(?: over)? for (?P<to>me|us|myself|{PERSON})$", re.IGNORECASE)


def read_bring(what: str, to: str, where: str = "") -> Goal:
    """Read a noun phrase to be brought: an object with its stated place, or a filled vessel."""
    meant = _FOR.match(what)
    if meant is not None and to == ME:
        what, to = meant["what"], meant["to"]
    filled = _FILLED.match(plain(what)) or _SERVED_IN.match(what)
    if filled is not None:
        return BringFilled(filled["vessel"].lower(), plain(filled["contents"]), receiver(to))
    thing, stated = split_place(what)
    return Bring(thing, receiver(to), plain(where) or stated)


def receiver(words: str) -> str:
    """Return "me" for the speaker, else the name without its articles."""
    return ME if _MYSELF.match(words.strip()) else plain(words)


def _move(match: re.Match[str]) -> Goal:
    """Read a move to a place or a person; "from" may be said before or after "to"."""
    return read_bring(match["what"], match["to"], match.groupdict().get("where") or "")


def _only_filled(goal: Goal) -> Goal:
    return goal if isinstance(goal, BringFilled) else NotUnderstood("")


POURING: tuple[Rule, ...] = (
    (
        (
            r"(?:pour|make|get|fix|prepare)(?: out)? (?:me|us) (?P<what>(?:an? |the "
            rf"|some )?(?:\w+ )?{_VESSEL}.+)"
        ),
        lambda m: _only_filled(read_bring(m["what"], ME)),
    ),
    (
        rf"(?:pour|make|fix|prepare)(?: out)? (?P<to>\w+) (?P<what>(?:an? )(?:\w+ )?{_VESSEL} of .+)",
        lambda m: _only_filled(read_bring(m["what"], m["to"])),
    ),
    (
        rf"(?:pour|make|fix|prepare)(?: out)? (?P<what>(?:an? )?(?:\w+ )?{_VESSEL} of .+)",
        lambda m: _only_filled(read_bring(m["what"], ME)),
    ),
    (
        (
            r"(?:pour|fill|tip|empty|decant|ladle)(?: out| some)?(?: me| us)? (?P<contents>.+?)(?: over)?"
            rf" {_INTO} (?P<vessel>.+)"
        ),
        lambda m: Pour(plain(m["contents"]), plain(m["vessel"])),
    ),
    (
        r"(?:fill|top)(?: up)? (?P<vessel>.+?)(?: up)? with (?P<contents>.+)",
        lambda m: Pour(plain(m["contents"]), plain(m["vessel"])),
    ),
    (
        (
            rf"(?:{_WISH}|get|have|i want to have) (?P<contents>.+?) (?:poured|tipped"
            rf"|emptied)(?: out)? {_INTO} (?P<vessel>.+)"
        ),
        lambda m: Pour(plain(m["contents"]), plain(m["vessel"])),
    ),
    (
        rf"(?:{_WISH}|get|have) (?P<vessel>.+?) filled(?: up)? with (?P<contents>.+)",
        lambda m: Pour(plain(m["contents"]), plain(m["vessel"])),
    ),
    (
        (
            r"(?P<vessel>.+?) (?:needs|wants|has to be|needs to be) (?:filling|filled|topping|topped)(?: up)?"
            r" with (?P<contents>.+)"
        ),
        lambda m: Pour(plain(m["contents"]), plain(m["vessel"])),
    ),
    (
        rf"(?P<contents>.+?) {_INTO} (?P<vessel>.+?), (?:pour|tip) (?:it|them|that|some)",
        lambda m: Pour(plain(m["contents"]), plain(m["vessel"])),
    ),
)
_THAT_IS = r"(?:that(?:'s| is| are)|which (?:is|are)|lying|standing|sitting)(?: lying| standing| sitting)?"
_BASIN = r"(?:cup|glass|mug|bowl|tumbler|pan|saucepan|pot|jug|kettle|bottle|vase|bucket|coffee|tea)"
_OFF = r"(?:from|off of|off|out of)"
MOVING: tuple[Rule, ...] = (
    (
        (
            r"(?:go|drive|walk|head|run|pop|nip|duck|dash|hop|slip|trot)"
            r" (?:over |back |out |up |down )?(?:to "
            rf"|into )?(?P<place>.+?) and {_BRING}(?: back)?"
            r" (?:to )?(?:me|us)(?: back)? (?P<what>.+)"
        ),
        lambda m: read_bring(m["what"], ME, m["place"]),
    ),
    (
        r"(?:go|come|run|nip|pop|head)(?: back| out| over| off| up| down)? for (?P<what>.+)",
        lambda m: read_bring(m["what"], ME),
    ),
    (
        (
            rf"(?:{SEEK}|{_BRING}|pick up|grab) (?P<what>.+?),? and (?:then )?{_BRING} (?:it|them"
            r"|one)(?: over)?(?: to)? (?P<to>.+)"
        ),
        _move,
    ),
    (
        (
            rf"(?:{_PUT}|{_BRING}) (?P<what>.+?) {_THAT_IS} (?:in|on|at|inside) (?P<where>.+?) {_AWAY}(?:to"
            r"|into|onto|in|on) (?P<to>.+)"
        ),
        _move,
    ),
    (rf"(?:{_PUT}|{_BRING}) (?P<what>.+?) {_OFF} (?P<where>.+?) {_AWAY}(?:to|{_ONTO}) (?P<to>.+)", _move),
    (rf"(?:{_PUT}|{_BRING}) (?P<what>.+?) {_AWAY}(?:to|{_ONTO}) (?P<to>.+?) {_OFF} (?P<where>.+)", _move),
    (
        rf"{_BRING}(?: over| back| up| down| out)? (?:to |for )?(?:me|us)(?: over| back)? (?P<what>.+)",
        lambda m: read_bring(m["what"], ME),
    ),
    (rf"{_BRING} (?P<to>{PERSON}) (?P<what>(?:{DET} )?.+)", _move),
    (rf"{_BRING} (?P<to>(?:the|my|our|his|her) (?:\w+ )?\w+) (?P<what>{DET} .+)", _move),
    (rf"{_BRING} (?P<to>(?!{_PARTICLE}|{DET} )[a-z]\w+) (?P<what>{DET} .+)", _move),
    (
        (
            rf"{_BRING}(?: over| back| out)? (?P<what>.+?)(?: back| over)? (?P<to>here|over here|to me|to us"
            r"|for me|for us|my way|in|inside|along|over|back)"
        ),
        lambda m: read_bring(m["what"], ME),
    ),
    (rf"{_CARRY}(?: over| back| out)? (?P<what>.+?) {_AWAY}(?:to|into|onto) (?P<to>.+)", _move),
    (
        (
            rf"{_PUT} (?:some|a (?:little|bit of|drop of|splash of)) (?P<contents>.+?) {_INTO} "
            rf"(?P<vessel>.*\b{_BASIN})"
        ),
        lambda m: Pour(plain(m["contents"]), plain(m["vessel"])),
    ),
    (
        (
            rf"from (?P<where>.+?),? {_BRING}(?: (?:to )?(?:me|us))? "
            r"(?P<what>.+)"
        ),
        lambda m: read_bring(m["what"], ME, m["where"]),
    ),
    (
        rf"{_WISH} (?P<what>.+?) {_THAT_IS} (?:in|on|at|inside) (?P<where>.+)",
        lambda m: read_bring(m["what"], ME, m["where"]),
    ),
    (
        (
            rf"(?!(?:throw|chuck|toss|sling) .* at ){_PUT}(?: out| up| down| back"
            rf"| away)? (?P<what>.+?) {_AWAY}{_ONTO} (?P<to>.+)"
        ),
        _move,
    ),
    (
        (
            rf"(?:{_WISH} |let's have |have )(?P<what>(?!you\b).+?) (?:put|placed|moved|taken"
            rf"|back|set) {_AWAY}"
            rf"(?:to|{_ONTO}) (?P<to>.+)"
        ),
        _move,
    ),
    (
        (
            r"(?:can|could|may|should) (?P<what>(?:the|my|this|that|these|those) .+?) (?:please )?(?:go"
            r"|be (?:put|moved|placed))"
            rf"(?: (?:back|up|over|away))* (?:from (?P<where>.+?) )?(?:to|{_ONTO}) (?P<to>.+)"
        ),
        _move,
    ),
    (
        (
            r"(?P<what>(?!there\b).+?) (?:really |both |all )?(?:belongs?|goes|go"
            r"|(?:can|could|may|has to|have to|needs? to|ought to) go"
            rf"|(?:should|must) go|lives?|(?:should|needs to|has to) be (?:put|moved|placed|taken|brought)"
            rf"|needs (?:putting|moving|taking))"
            rf" (?:(?:back|up|over|straight|away) )*(?:from (?P<where>.+?) )?(?:to|{_ONTO}) (?P<to>.+)"
        ),
        _move,
    ),
    (
        (
            r"(?P<what>(?:the|my|our|that|those) .+?) (?:on|in) (?P<where>(?:the|my|our) .+?) should be"
            r" (?:on|in|inside|at) (?P<to>.+)"
        ),
        _move,
    ),
    (
        (
            rf"(?:{_WISH} |{_PUT} )?(?:these|the following)(?: things| items)? (?:to"
            rf"|{_ONTO}) (?P<to>[^:]+): (?P<what>.+)"
        ),
        _move,
    ),
    (
        (
            r"(?P<what>.+?) (?:would|wouldn't) (?:be|go down|go|hit) (?:\w+ )?(?:nice|lovely|great|good"
            r"|wonderful|perfect|appreciated"
            r"|amiss|the spot|well|a treat|welcome|fantastic)(?: (?:now|right now|about now))?"
        ),
        lambda m: read_bring(m["what"], ME),
    ),
    (rf"(?P<to>{PERSON}|(?!who\b|i\b|we\b)\w+) {_WANTS} (?P<what>.+)", _move),
    (
        (
            rf"{_WISH}(?: (?:also|just|please))* (?P<what>(?!.* (?:in|on|at|inside|under) (?:the|my|our"
            r"|your)\b).+?)(?: (?:over )?here)?"
        ),
        lambda m: read_bring(m["what"], ME),
    ),
    (r"(?:grab|take) (?P<what>.+) for (?:me|us)", lambda m: read_bring(m["what"], ME)),
    (r"grab (?P<what>my .+)", lambda m: read_bring(m["what"], ME)),
    (rf"{_FETCH}(?: out| over)? (?P<what>.+)", lambda m: read_bring(m["what"], ME)),
)
VERBLESS: tuple[Rule, ...] = (
    (rf"(?P<what>an? (?:\w+ )?{_VESSEL} of .+)", lambda m: _only_filled(read_bring(m["what"], ME))),
    (
        r"(?P<to>(?:in|into|onto|on|to) .+) with (?P<what>.+)",
        lambda m: read_bring(m["what"], m["to"].partition(" ")[2]),
    ),
    (r"(?P<what>.+?) from (?P<where>.+?) (?:to|into|onto) (?P<to>.+)", _move),
    (rf"(?P<what>.+?) {_AWAY}(?:to|onto|into) (?P<to>.+)", _move),
    (rf"(?P<what>.+?) back (?:to|{_ONTO}) (?P<to>.+)", _move),
    (r"(?P<what>.+?) (?:over )?(?:here|to me|for me)", lambda m: read_bring(m["what"], ME)),
    (rf"(?P<what>.+) for {PERSON}", lambda m: read_bring(m[0], ME)),
)
"""Clauses without a verb whose meaning is plain."""
POLITE_VERBLESS: tuple[Rule, ...] = (
    (r"to (?P<place>(?:the|my|our) .+)", lambda m: GoTo(plain(m["place"]))),
    (rf"(?P<what>.+ in an? {_VESSEL})", lambda m: _only_filled(read_bring(m["what"], ME))),
    (rf"(?P<what>.+?) {_AWAY}{_ONTO} (?P<to>.+)", _move),
    (r"(?P<what>.+)", lambda m: read_bring(m["what"], ME)),
)
"""Clauses without a verb that are requests only with a "please"."""
