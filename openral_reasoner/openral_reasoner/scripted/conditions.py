"""Conditions: "if there is milk, bring it, otherwise water", "when Anna comes, give her the keys".

A condition is something to find. Its sentence is cut into condition, action and alternative in each usual
order.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from openral_reasoner.request.goals import Bring, BringFilled, Conditional, Find, Request, WaitFor
from openral_reasoner.scripted.grammar import is_sound
from openral_reasoner.scripted.noun_phrases import is_noun_phrase, is_object, is_person, plain, split_place
from openral_reasoner.scripted.politeness import bare
from openral_reasoner.scripted.references import Mentioned
from openral_reasoner.terms import same_term

Reader = Callable[[str, Mentioned], Request | None]
"""Function that reads a text as a request, given what was mentioned."""

_NO = r"(?:no|not|isn't|aren't|none|nothing|don't|can't|cannot|doesn't|without|out of|neither)"
_THERE_IS = (
    r"(?:there(?:'s| is| are| be| happens? to be| should be)|you (?:can |do |manage to "
    r"|happen to )?(?:find|see"
    r"|spot|have|come across|locate)"
    r"|we(?:'ve| have| still have)(?: got)?|i(?:'ve| have)(?: got)?|you're able to find)(?: still)?(?: any"
    r"| some| a| an"
    r"| the)?"
)
_POSTURE = r"(?:(?:be|is|are|still|lying|standing|sitting|left|waiting) )+"
_CONDITION = re.compile(
    rf"(?:{_THERE_IS} )(?P<what>.+?)(?: (?:left|available|around|anywhere|there))?"
    rf"|(?P<which>.+?) {_POSTURE}(?P<where>(?:on|in|inside|at|under|near) .+)",
    re.IGNORECASE,
)
_NONE_OF = re.compile(
    r"(?:there(?:'s| is| are)|you (?:can )?(?:find|see)|we have) no (?P<what>.+?)(?: left)?"
    r"|there (?:isn't|aren't|is not|are not) any (?P<any>.+?)(?: left)?",
    re.IGNORECASE,
)
"""Condition that holds if something is not found."""
_IF = r"(?:if|in case|should|provided(?: that)?|supposing|as long as)"
_NONE = (
    r"(?:if (?:not|no|there(?:'s| is| are) (?:none|no such thing|no \w+|nothing|not any"
    r"|not one)(?: left)?(?: there)?"
    r"|there (?:isn't|aren't|is not|are not)(?: any| one| some| an?y?)?(?: \w+)?(?: left)?(?: there)?"
    r"|you (?:don't|can't|cannot|do not|couldn't)(?: (?:find|see|have|spot)(?: (?:it|any|one|them|some))?)?"
    r"|it(?:'s| is)(?: not|n't)(?: there)?|it isn't(?: there)?|we(?:'re| are) out(?: of it)?|we (?:don't"
    r"|haven't)(?: have| got)?(?: any)?))"
)
_ELSE = rf"(?:otherwise|or else|else|failing that|{_NONE})"
_OTHERWISE = re.compile(
    rf"\s*[,;.?!]*\s*(?:\b(?:and|but|or)\s+)?\b{_ELSE}\b[\s,:]+(?:then |just )?(?P<otherwise>.+)$",
    re.IGNORECASE,
)
_OR_IF_NOT = re.compile(
    rf"(?P<then>.+?)[,;.]? (?:or|and|but)(?: else)?(?: just)? (?P<otherwise>.+?),? {_NONE}", re.IGNORECASE
)
_NO_MORE = re.compile(
    r"(?P<then>.+?)[,;.?!]+ (?:(?:if )?(?:there(?:'s| is| are) )?no (?P<what>[\w ]+?)[?,.]+ ?)(?:then )?"
    r"(?P<otherwise>.+)",
    re.IGNORECASE,
)
_OTHERWISE_OF = re.compile(
    rf"(?P<then>.+?)\s*[,;.?!]*\s*(?:\b(?:and|but|or)\s+)?\b{_ELSE}\b[\s,:]+(?:then "
    r"|just )?(?P<otherwise>.+)",
    re.IGNORECASE,
)
_IF_SO = (
    r"(?:and )?(?:if (?:so|yes|there(?: is| are|'s)(?: any| some| one)?|it(?:'s| is)(?: there)?"
    r"|they are(?: there)?|yes"
    r"|you (?:do )?(?:find|see|do|spot|can)(?: (?:it|any|one|some|them))?|that's the case)|yes)"
)
_LOOK = r"(?:check|see|look|find out|have a look|go and see|take a look)(?: to see)?"
_SO = re.compile(rf"(?<=\w)[,;.?!]* {_IF_SO}[\s,:]+(?:then )?(?=\w)", re.IGNORECASE)
_IF_THERE_IS = re.compile(
    rf"{_LOOK} (?:if|whether) (?P<condition>.+?),? and (?P<then>.+?),? (?:if (?:so|there (?:is|are)"
    r"|you find (?:it|any|one)|it is))",
    re.IGNORECASE,
)
_LOOK_THERE = re.compile(
    rf"(?:{_LOOK}|peek) (?:in|inside|into|on) (?P<place>.+?)[,;.]?(?: and)?(?: then)? (?P<if>if (?:there"
    r"|you)\b.+)",
    re.IGNORECASE,
)
_ARRIVES = (
    r"(?:comes?(?: (?:home|back|in|over|here|by|round|through the door))*|arrives?(?: (?:home|here))?"
    r"|gets? (?:here|home|back|in)"
    r"|shows? up|turns? up|returns?|is (?:back|home|here|there)(?: again)?|walks (?:in|through the door)"
    r"|has (?:arrived|come)"
    r"|appears|enters|wakes up)"
)
_MOMENT = r"(?:if|in case|when|whenever|as soon as|once|the moment|the minute|after)"
_WAITS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_MOMENT} (?:(?:the|my|our) )?(?P<who>\w+) {_ARRIVES},? (?:then )?(?P<then>.+)",
        rf"(?P<then>.+?),? {_MOMENT} (?P<who>\w+) {_ARRIVES}",
        (
            rf"(?:wait|hold on|hang on) (?:until|till|til|for) (?:(?:the|my|our) )?(?P<who>\w+)(?: {_ARRIVES}"
            r"| to (?:come|arrive|get here"
            r"|show up)\w*(?: home| back| in)?)?"
            r"[,.]?(?: and| then| before you)+ (?P<then>.+)"
        ),
    )
)


def read_wait(words: str, read: Reader) -> Request | None:
    """Read "when Anna comes, give her the keys"."""
    match = next(filter(None, (rule.fullmatch(words) for rule in _WAITS)), None)
    if match is None:
        return None
    who = match["who"][0].upper() + match["who"][1:]
    if who.lower() in ("he", "she", "they"):
        then = read(match["then"], Mentioned())
        who = then.to if isinstance(then, Bring | BringFilled) and is_person(then.to) else ""
    else:
        then = read(match["then"], Mentioned(person=who)) if is_noun_phrase(who) else None
    return WaitFor(who, then) if who and then is not None else None


def read_condition(words: str, read: Reader) -> Request | None:
    """Read a condition with its action and its alternative, in the usual orders."""
    for condition, action, alternative in map(as_positive, sentence_cuts(words)):
        seen = read_seen(condition, read)
        if seen is None:
            continue
        then = read_about(action, seen, read) if action else None
        otherwise = read_alternative(alternative, seen, then, read) if alternative else None
        if (
            (then is None) == (not action)
            and (otherwise is None) == (not alternative)
            and (then or otherwise)
        ):
            return Conditional(seen, then, otherwise)
    return read_or_else(words, read)


def as_positive(cut: tuple[str, str, str]) -> tuple[str, str, str]:
    """Return a cut whose condition is that something is found, with its two actions in that order."""
    condition, action, alternative = cut
    none = _NONE_OF.fullmatch(condition.strip(" ,;.?!"))
    return (f"there is {none['what'] or none['any']}", alternative, action) if none else cut


def sentence_cuts(words: str) -> Iterator[tuple[str, str, str]]:
    """Yield the ways to cut a sentence into condition, action and alternative."""
    otherwise = _OTHERWISE.search(words, 1)
    rest, alternative = (words[: otherwise.start()], otherwise["otherwise"]) if otherwise else (words, "")
    for cuts in (so_cuts, look_cuts, if_cuts, final_cuts):
        for condition, action in cuts(rest):
            yield condition, action, alternative
    only = re.fullmatch(rf"{_LOOK} (?:if|whether) (?P<condition>.+)", rest, re.IGNORECASE)
    if only and alternative:
        yield only["condition"], "", alternative


def so_cuts(words: str) -> Iterator[tuple[str, str]]:
    """Yield the ways to cut "check if there is milk; if so, bring it"."""
    for so in _SO.finditer(words):
        condition = words[: so.start()].strip(" ,;.?!")
        asked = re.sub(rf"^{_LOOK} (?:if|whether) ", "", condition, flags=re.IGNORECASE)
        yield asked, words[so.end() :]


def look_cuts(words: str) -> Iterator[tuple[str, str]]:
    """Yield the ways to cut "look in the fridge, if there is milk bring it"."""
    after = _IF_THERE_IS.fullmatch(words)
    if after:
        yield after["condition"], after["then"]
    there = _LOOK_THERE.fullmatch(words)
    for condition, action in if_cuts(there["if"]) if there else ():
        yield f"{condition} in {there['place'] if there else ''}", action


def final_cuts(words: str) -> Iterator[tuple[str, str]]:
    """Yield the ways to cut "bring the milk if there is any in the fridge"."""
    last = re.fullmatch(rf"(?P<then>.+?),? (?:but )?(?:only )?{_IF} (?P<condition>.+)", words, re.IGNORECASE)
    if last is None or re.fullmatch(rf"(?:{_LOOK}|tell me|(?:go|and| )+)", last["then"], re.IGNORECASE):
        return
    condition, then = last["condition"], last["then"]
    yield condition, then
    meant = re.search(
        r"\b(?:the|an?|some|any|my|bring me|get me|fetch me) (?P<what>[\w -]+?)$", then, re.IGNORECASE
    )
    for one in re.finditer(r"\b(?:one|any|some|it)\b", condition, re.IGNORECASE) if meant else ():
        what = meant["what"] if meant else ""
        yield f"{condition[: one.start()]}{what}{condition[one.end() :]}", then


def if_cuts(words: str) -> Iterator[tuple[str, str]]:
    """Yield the ways to cut "if there is milk, bring it" into condition and action; at a comma first."""
    first = re.match(rf"{_IF} ", words, re.IGNORECASE)
    if first:
        inside = words[first.end() :]
        cuts = list(re.finditer(r"(?:\s*[,;]\s*|\s+)(?:then\s+)?(?=\w)", inside))
        for cut in sorted(cuts, key=lambda each: not re.search("[,;]", each.group())):
            yield inside[: cut.start()], inside[cut.end() :]


def read_seen(condition: str, read: Reader) -> Find | None:
    """Read a condition, which is a statement or a search: "there is milk", "look in the fridge for milk"."""
    said = condition.strip(" ,;.?!")
    match = _CONDITION.fullmatch(said)
    if match is None or re.search(rf"\b{_NO}\b", said, re.IGNORECASE):
        searched = read(said, Mentioned())
        return searched if isinstance(searched, Find) else None
    if match["which"]:
        what, where = plain(match["which"]), plain(match["where"].partition(" ")[2])
    else:
        what, where = split_place(match["what"])
    seen = Find(what, re.sub(r" left$", "", where))
    return seen if is_sound(seen) and not re.search(r" and |,", what) else None


def read_about(action: str, seen: Find, read: Reader) -> Request | None:
    """Read an action in which a pronoun means the object of the condition."""
    words = bare(action)
    if re.fullmatch(
        r"(?:i(?:'ll| will)? (?:want|have|take|would like|'d like)) (?:it|that|one|some|them)",
        words,
        re.IGNORECASE,
    ):
        words = f"bring me the {seen.what}"
    person = is_person(seen.what)
    request = read(words, Mentioned(() if person else (seen.what,), seen.where, seen.what if person else ""))
    return with_place_of_condition(request, seen)


def with_place_of_condition(request: Request | None, seen: Find) -> Request | None:
    """Add the place of the condition to an action with its object."""
    fetched = isinstance(request, Bring) and same_term(request.what, seen.what) and not request.where
    return replace(request, where=seen.where) if fetched and isinstance(request, Bring) else request


def read_alternative(words: str, seen: Find, then: Request | None, read: Reader) -> Request | None:
    """Read the action for the case that nothing is found; a noun alone is brought instead."""
    said = re.sub(r"\s+instead$", "", bare(words), flags=re.IGNORECASE)
    noun = plain(said)
    if is_object(noun) and isinstance(then, Bring):
        return Bring(noun, then.to)
    return read(said, Mentioned((), "", then.to if isinstance(then, Bring) and is_person(then.to) else ""))


def read_or_else(words: str, read: Reader) -> Request | None:
    """Read "bring me a cola, or water if there isn't any" and "cola please; no cola? then water"."""
    for rule in (_OR_IF_NOT, _NO_MORE, _OTHERWISE_OF):
        match = rule.fullmatch(words)
        then = read(match["then"], Mentioned()) if match is not None else None
        if match is None or not isinstance(then, Bring):
            continue
        if "what" in match.groupdict() and not same_term(match["what"], then.what):
            continue
        seen = Find(then.what, then.where)
        otherwise = read_alternative(match["otherwise"], seen, then, read)
        if otherwise is not None:
            return Conditional(seen, then, otherwise)
    return None
