"""Rules for goals that move objects or liquids: pour, bring and put."""

import re

from openral_reasoner.placement.belief import is_household_noun
from openral_reasoner.request.goals import Bring, BringFilled, Goal, GoTo, NotUnderstood, Pour
from openral_reasoner.scripted.noun_phrases import PERSON, is_person, plain, split_place
from openral_reasoner.scripted.rules import ME, Rule
from openral_reasoner.scripted.vocabulary import WORDS

_MYSELF = re.compile(
    r"^(?:(?:over |right )?(?:to )?(?:me|myself|us|here|over here|my (?:place|side|hands?))(?: please)?)$",
    re.IGNORECASE,
)
_BRING = (
    r"(?:bring|fetch|get|give|hand|pass|take|carry|deliver|serve|grab|run|slip|lend|reach|collect|retrieve"
    r"|throw"
    r"|chuck|toss)"
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
    r"|i(?:'d| would) murder|i could (?:use|do with|really use|murder)"
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
VESSEL = r"(?:cup|glass|mug|bowl|tumbler|beaker|pitcher|bottle|jug)"
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
    if plain(what) == what.strip() and is_person(what) and not is_household_noun(what):
        return NotUnderstood(what)
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
        rf"(?P<contents>.+?) {_INTO} (?P<vessel>.+?), (?:pour|tip) (?:it|them|that|some)",
        lambda m: Pour(plain(m["contents"]), plain(m["vessel"])),
    ),
)
_THAT_IS = r"(?:that(?:'s| is| are)|which (?:is|are)|lying|standing|sitting)(?: lying| standing| sitting)?"
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
        rf"{_WISH} (?P<what>.+?) {_THAT_IS} (?:in|on|at|inside) (?P<where>.+)",
        lambda m: read_bring(m["what"], ME, m["where"]),
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
    (
        (
            rf"(?P<to>{PERSON}|(?:the|my|our) (?:{'|'.join(WORDS['roles'])})|(?!who\b|i\b|we\b)\w+)"
            rf" {_WANTS} (?P<what>.+)"
        ),
        _move,
    ),
    (
        (
            rf"{_WISH}(?: (?:also|just|please))* (?P<what>(?!.* (?:in|on|at|inside|under) (?:the|my|our"
            r"|your)\b).+?)(?: (?:over )?here)?"
        ),
        lambda m: read_bring(m["what"], ME),
    ),
)
VERBLESS: tuple[Rule, ...] = (
    (rf"(?P<what>an? (?:\w+ )?{VESSEL} of .+)", lambda m: _only_filled(read_bring(m["what"], ME))),
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
    (rf"(?P<what>.+ in an? {VESSEL})", lambda m: _only_filled(read_bring(m["what"], ME))),
    (rf"(?P<what>.+?) {_AWAY}{_ONTO} (?P<to>.+)", _move),
    (r"(?P<what>.+)", lambda m: read_bring(m["what"], ME)),
)
"""Clauses without a verb that are requests only with a "please"."""
