"""Rewrite a text as a plain imperative: corrections, exclusions, clefts, passives, fronted places.

A rewriting is made only where what it moves or leaves out is a name; anything else is left as it was said.
"""

import re

from openral_reasoner.scripted.normalise import VERBS, imperative
from openral_reasoner.scripted.noun_phrases import (
    NUMBERS,
    is_noun_phrase,
    is_object,
    is_person,
    is_place,
    plain,
)
from openral_reasoner.scripted.vocabulary import WORDS

_DET = r"(?:the|an?|my|our|your|his|her|their|this|that|these|those|some)"
_ONTO = r"(?:on top of|out of|next to|onto|on|into|inside|in|under|at|to|from|off|for)"
_REPAIR = re.compile(
    r"[,.;]?\s+(?:(?:oh |ah |er )?(?:no|sorry|wait|i mean|i meant|rather|or rather|actually|make that|hang on"
    r"|scratch that)"
    r"(?:[,.]\s*|\s+(?=(?:no|sorry|wait|i|make|the|my|an?|in|on|bring|get|give|put|take|fetch)\b)))+",
    re.IGNORECASE,
)
_EXCLUDED = re.compile(
    r"(?:(?<!\bif),? (?:and |but )?not|,? instead of|,? rather than) (?P<what>(?:from |in |on "
    rf"|to )?{_DET} [\w' -]+?)(?=[,.;!?]|$)",
    re.IGNORECASE,
)
_NOT_BUT = re.compile(rf"^not (?P<not>{_DET} [\w' -]+?),? (?:but )?(?P<what>{_DET} .+)$", re.IGNORECASE)
_PHRASE = re.compile(
    rf"(?<![\w'])(?P<det>{_DET}) (?P<noun>[\w'-]+(?: (?!{_ONTO}\b|please\b)[\w'-]+)*)", re.IGNORECASE
)
_CLEFT = re.compile(
    r"(?:what|all|the (?:one )?thing) (?P<who>i|we) (?:really |just )?(?P<wish>need|want|would like"
    r"|'d like)(?: now)? is"
    r" (?P<what>.+)|it(?:'s| is) (?P<what2>(?!not\b).+?) (?:that )?(?P<who2>i|we) (?P<wish2>need"
    r"|want)(?:[,.]|$)",
    re.IGNORECASE,
)
_WANTED = re.compile(
    r"(?P<is>there(?:'s| is| are) [\w' ]+?),? (?:that|which) (?P<wish>(?:i|we|you) .+)", re.IGNORECASE
)
_TIDIED = (
    (re.compile(r"\bupon\b", re.IGNORECASE), "on"),
    (re.compile(r"(?<=\w )ma (?=[a-z])"), "my "),
    (
        re.compile(
            rf"(?P<what> (?:{_DET}|{'|'.join(NUMBERS)}|\d+) (?:\w+ )?\w+) out (?=(?:the|my|our) )",
            re.IGNORECASE,
        ),
        r"\g<what> out of ",
    ),
    (re.compile(r"\bfrom (?:off|on|out)(?: of)? ", re.IGNORECASE), "from "),
    (re.compile(r"\bto where (?:i am|i'm|we are|we're)(?: \w+ing)?\b", re.IGNORECASE), "to me"),
    (
        re.compile(
            rf"(?<=\w)(?P<place> (?:on|in|onto|into|to|at) {_DET} [\w ]+?) where (?:it|they) \w+$",
            re.IGNORECASE,
        ),
        r"\g<place>",
    ),
)


def corrected(text: str) -> str:
    """Apply what a text corrects about itself: "the mug, no, the glass", "the blue cup, not the red one"."""
    for pattern, plainly in _TIDIED:
        text = pattern.sub(plainly, text)
    cleft = _CLEFT.fullmatch(text.strip(" .!?"))
    if cleft:
        said = cleft.groupdict("")
        text = (
            f"{said['who'] or said['who2']} {said['wish'] or said['wish2']} {said['what'] or said['what2']}"
        )
    text = _NOT_BUT.sub(r"\g<what>", text)
    text = _EXCLUDED.sub(lambda m: _without_excluded(m, text), text)
    wanted = _WANTED.fullmatch(text.strip(" .!?"))
    text = f"{wanted['is']}. {wanted['wish']} it" if wanted else text
    repair = _REPAIR.search(text)
    return _repaired(text[: repair.start()], text[repair.end() :], text) if repair else text


def _without_excluded(excluded: re.Match[str], text: str) -> str:
    """Drop what is contrasted with what is asked for; a source that is excluded is a prohibition."""
    if re.match("from ", excluded["what"], re.IGNORECASE):
        return f", not {excluded['what']}"
    return "" if _is_apart(excluded["what"], text[: excluded.start()]) else excluded[0]


def _is_apart(excluded: str, before: str) -> bool:
    """Return True if what is asked for stays clear without the exclusion, unlike "a cup, not the red one"."""
    name = plain(re.sub(rf"^{_ONTO} ", "", excluded))
    asked = list(_PHRASE.finditer(before))
    if not name.endswith((" one", " ones")):
        return is_noun_phrase(name)
    return bool(asked) and " " in asked[-1]["noun"]


def _repaired(before: str, after: str, text: str) -> str:
    """Replace what is corrected: a request, a place with its preposition, or the one name of its kind."""
    said, end = re.match(r"([^,.;!?]*)(.*)", after, re.DOTALL).groups()  # type: ignore[union-attr]
    if said.partition(" ")[0].lower() in VERBS:
        return after if not re.search("[,.;]| and ", before) else text
    place = re.match(rf"(?P<prep>{_ONTO}) {_DET} ", said, re.IGNORECASE)
    if place:
        last = list(re.finditer(rf" {_ONTO} {_DET} ", before, re.IGNORECASE))
        return f"{before[: last[-1].start()]} {said}{end}" if len(last) == 1 else text
    new = plain(said)
    if not is_noun_phrase(new):
        return text
    alike = [m for m in _PHRASE.finditer(before) if _kind(m["noun"]) == _kind(new)]
    if len(alike) != 1:
        return text
    determiner = "" if new != said else f"{alike[0]['det']} "
    return f"{before[: alike[0].start()]}{determiner}{said}{before[alike[0].end() :]}{end}"


def _kind(words: str) -> str:
    if words.split()[-1:] and words.split()[-1].lower() in WORDS["surfaces"]:
        return "place"
    return (
        "person" if is_person(words) else "object" if is_object(words) else "place" if is_place(words) else ""
    )


_CAUSING = (
    r"(?:make sure(?: that)?|see(?: to it)?(?: that)?|ensure(?: that)?|be sure(?: that)?|check that|have"
    r"|get|let|i'd rather"
    r"|(?:i|we)(?:'d| would)? (?:really )?(?:want|need|like|love|prefer)(?: to (?:have|see))?"
    r"|(?:can|could|may|might) (?:i|we) (?:have|get))"
)
_NEEDING = (
    r"(?:(?:really|just|now|also) )?(?:needs?|wants?|requires?|should|must|has to|have to|had better"
    r"|ought to|can|could"
    r"|may|is to|are to|could do with|is due for)(?: to)?(?: (?:be|get))?(?: a)?(?: (?:good|quick|bit of a))?"
)
_BE = r"(?:to )?(?:be|is|are|gets?|gets? to be|being|been|was|were|has been|have been)"
_PASSIVES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_CAUSING} (?P<what>.+?)(?: {_BE})?",
        r"(?:can|could|may|should|must|shall|would) (?P<what>.+?) (?:please )?be",
        rf"(?P<what>.+?) {_NEEDING}",
    )
)
"""Words before a participle or a gerund."""
_PLACED = re.compile(
    rf"{_CAUSING} (?P<what>.+?) (?:to be|to go|is|are|goes|go|ends? up|gets?|lands?|sits?)"
    r"(?P<where>(?: back| over| up)* (?:on|in|into|onto|to|inside|under) .+)",
    re.IGNORECASE,
)
_RECEIVES = re.compile(
    rf"(?:please )?{_CAUSING} (?P<who>.+?) (?:to )?(?:gets?|has|have|receives?) (?P<what>{_DET} .+)"
    rf"|(?:can|could|may|should) (?P<who2>.+?) (?:please )?have (?P<what2>{_DET} .+)",
    re.IGNORECASE,
)
_FRONTED = re.compile(
    rf"(?P<where>(?:on|in|into|onto|to|at|under) {_DET} [\w ]+?),? (?P<verb>put|place|set|lay|leave|stick"
    r"|pop|drop)"
    rf" (?P<rest>.+)|(?P<source>(?:from|out of) {_DET} [\w ]+?),? (?P<verb2>bring|fetch|get|take"
    r"|grab) (?P<rest2>.+)",
    re.IGNORECASE,
)


def as_imperative(clause: str) -> str:
    """Rewrite "I'd like the window opened" as "open the window"; "" if a clause is nothing of the kind."""
    tokens = clause.split()
    for at in range(2, len(tokens)):
        switched = _SWITCHES.get(tokens[at].lower(), "") if at == len(tokens) - 1 else ""
        noun = tokens[at] if tokens[at] in VERBS and tokens[at - 1] in ("a", "good", "quick") else ""
        verb = switched or noun or _active(tokens[at])
        before = " ".join(tokens[:at])
        gerund = bool(noun) or (tokens[at].lower().endswith("ing") and tokens[at].lower() not in _SWITCHES)
        patterns = _PASSIVES[2:] if gerund else _PASSIVES
        matches = (pattern.fullmatch(before) for pattern in patterns) if verb else ()
        for match in filter(None, matches):
            if is_noun_phrase(re.sub(" and ", " ", plain(match["what"]))):
                return " ".join((verb, match["what"], *tokens[at + 1 :]))
    placed = _PLACED.fullmatch(clause)
    if placed and is_object(plain(placed["what"])):
        return f"put {placed['what']}{placed['where']}"
    received = _RECEIVES.fullmatch(clause)
    who = (received["who"] or received["who2"]) if received else ""
    if received and (is_person(who) or plain(who).lower() in WORDS["roles"]):
        return f"bring {received['what'] or received['what2']} to {who}"
    fronted = _FRONTED.fullmatch(clause)
    if fronted:
        return " ".join(
            (
                fronted["verb"] or fronted["verb2"],
                fronted["rest"] or fronted["rest2"],
                fronted[1] or fronted[4],
            )
        )
    return ""


_UNCHANGED = frozenset(("put", "set", "shut"))
_SWITCHES = {
    "on": "turn on",
    "off": "turn off",
    "going": "turn on",
    "running": "turn on",
    "started": "turn on",
}
_ADJECTIVES = {"open": "open", "closed": "close"}
"""Adjectives of doors, and the verbs that make them true."""


def _active(word: str) -> str:
    """Return the verb of a participle, a gerund or an adjective of a door, "" if a word is none."""
    if word.lower() in _ADJECTIVES:
        return _ADJECTIVES[word.lower()]
    verb = imperative(word.lower())
    changed = verb != word.lower() or verb in _UNCHANGED
    return verb if verb in VERBS and changed and " " not in verb else ""
