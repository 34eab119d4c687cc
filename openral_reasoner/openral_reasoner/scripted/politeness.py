"""Indirect requests: strip the words around an imperative that only make it polite.

An opening such as "I was wondering whether you might" consists of words of a closed class, ends in one of a
few ways ("you might", "so kind as to", "mind") and is followed by a verb. A closing such as "if it's not too
much trouble" consists of such words too. A negation that is none of courtesy ("I don't want you to") makes it
no request.
"""

import re
from dataclasses import dataclass

from openral_reasoner.scripted.finite_verbs import is_clause
from openral_reasoner.scripted.normalise import VERBS, correct_spelling, fold_quotes, imperative
from openral_reasoner.scripted.vocabulary import PHRASES, WORDS

_TOKEN = re.compile(r"[^\W_](?:[\w'/-]*\w)?'?|[^\w\s]")
_EDGE = " .!?,;:"
_ROUNDS = 12
"""Longest chain of fillers that is stripped."""
_FILLER = re.compile(
    rf"(?:u+h+m*|u+m+|e+r+m*|h+m+|a+h+|{PHRASES['fillers']}|{PHRASES['vocatives']}"
    rf"|(?:{'|'.join(WORDS['interjections'])}))(?=[\s,!.:]|$)[\s,!.:]*",
    re.IGNORECASE,
)
_GO_AND = re.compile(
    r"(?:go|run|nip|pop|come|duck|dash)(?: (?:back|along|off|over|down|up|out|now|ahead))*(?: and| &| to)?"
    rf" (?=(?:{'|'.join(VERBS - WORDS['verbs_or_nouns'])})\b)",
    re.IGNORECASE,
)
"""Verb of motion before the verb that says what for."""
_BEFORE = re.compile(r",? before (?!.*\byou\b)(?!\w+ing\b(?<!thing))(?P<what>[\w' ]+)$", re.IGNORECASE)
"""Deadline, as in "before it melts"; "before you close it" is an order of two requests."""
_PURPOSE = re.compile(r",? to (?:see|check) what(?:'s| is) (?:there|inside|in (?:it|there))$", re.IGNORECASE)
_COURTESY = WORDS["courtesy"] | WORDS["interjections"]
_CLOSING = WORDS["closing"] | WORDS["interjections"]
_MODAL = r"(?:can|could|will|would|might|may|must|should|won't|can't|couldn't|wouldn't|wont|cant)"
_YOU = r"(?:you|u|ya|yer|someone|somebody|anyone|anybody|one of you)"
_LIGHT = frozenset(("have", "do", "know", "be"))
_SPEAKER = frozenset(("i", "i'd", "i'm", "i'll", "i've", "we", "we'd", "we're", "we'll", "we've"))
_POLITE_NOT = re.compile(
    rf"^{_MODAL}(?= {_YOU}\b)|\b(?:don't|dont|do not|wouldn't|would not|won't) (?:mind|forget)"
    r"|\bdon't suppose|^why don't(?= you)|\b(?:wouldn't|couldn't|don't) happen to|\b(?:not"
    r"|isn't) (?:be )?(?:too (?:much )?|an?y? |any )?(?:\w+ )?"
    r"(?:trouble|bother|busy|problem|hassle)"
    r"|\bwouldn't (?:have|happen)|\bno (?:trouble|bother|hurry|rush|problem)",
    re.IGNORECASE,
)
"""Negations of courtesy."""
_NOT = re.compile(r"\b(?:not|no|never|cannot)\b|n't\b|\b(?:dont|wont|cant)\b", re.IGNORECASE)
_ADDRESSED = re.compile(
    rf"(?:^|.* )(?:{_MODAL} {_YOU}|{_YOU} (?:{_MODAL}|(?:'d|had) better|better)(?: (?:(?:be able"
    r"|happen) )?to)?"
    rf"|{_YOU} (?:(?:(?:will )?have|need|ought|are|got|happen) )?to"
    r"|(?:enough|kind|good|nice|sweet|lovely|dear|as|possible|trouble|bother|time|ready|remember|try"
    r"|forget|ok|okay"
    r"|alright|right|help|able|task is|job is|start|begin|help me|help us) to"
    r"|let's|lets|let us|go ahead|make sure(?: that)? you|(?:see|sure) to it(?: that)? you|mind|ensure you"
    r"|help(?: me| us)?|why don't you|(?:if|when|whenever) you .*(?:free|ready|moment|minute|sec|second"
    r"|chance|time)"
    r"|(?:if|that|how about|what about) you)$|^(?:you|u|to)$",
    re.IGNORECASE,
)
"""End of an opening after which a verb is what the listener is asked to do."""
_CONDITION = re.compile(r"(?:if|when|whenever)\b", re.IGNORECASE)
_CONDITIONAL = re.compile(
    r"(?:if|when|whenever|once) (?:\w+ )?(?:you|u)(?: (?:can|will))?|should you", re.IGNORECASE
)
"""Opening of a condition, which is no request by itself; "if you could" is one."""
_MATRIX = re.compile(
    rf"(?:i|we|it|that)(?:'d| would| should) (?:[\w']+ ){{1,6}}if (?:{_YOU} {_MODAL} (?=\w)|(?=.* (?:could"
    r"|can) be \w))"
    r"|(?:i|we|it|that)(?:'d| would) (?:be )?(?:[a-z]+ )?(?:love|like|appreciate|great|grateful|glad"
    r"|happy|nice|lovely)"
    rf"(?: it)? if {_YOU} (?=\w)",
    re.IGNORECASE,
)
"""Any wish or judgement before "if you could"."""
_GERUND_AFTER = re.compile(
    r"(?:^|.* )(?:mind(?: (?:you|your|if you))?|appreciate (?:you|your)|chance of(?: you| your)?"
    r"|how about(?: you)?"
    r"|what about(?: you)?|help|help with|start by|begin by|favou?r of|thanks for|grateful for(?: you"
    r"| your)?)$",
    re.IGNORECASE,
)
_BEGINS_CLOSING = WORDS["closing_starts"]
_DEARS = ("love", "dear", "darling", "star", "angel", "lad", "boy", "girl", "gem", "robot", "sweetheart")
_SPARE_TIME = WORDS["spare_time"]
_ALONE = WORDS["never_alone"]
"""Words that close a request only together with others."""


@dataclass(frozen=True, slots=True)
class _Token:
    """Word or punctuation mark of a text, in lower case, with its span."""

    word: str
    start: int
    end: int


def bare(text: str) -> str:
    """Strip the polite words around a request."""
    words = fold_quotes(text).strip(_EDGE)
    for _ in range(_ROUNDS):
        kept = _without_closing(_without_opening(words)).strip(_EDGE)
        if kept == words:
            break
        words = kept
    return words


def without_fillers(text: str) -> str:
    """Strip the words at the beginning that mean nothing."""
    words = text
    for _ in range(_ROUNDS):
        filler = _FILLER.match(words)
        words = words[filler.end() :] if filler else words
    return words


def _tokens(words: str) -> list[_Token]:
    return [_Token(m[0].lower(), m.start(), m.end()) for m in _TOKEN.finditer(words)]


def _without_opening(words: str) -> str:
    matches = (pattern.match(words) for pattern in (_FILLER, _GO_AND, _MATRIX))
    said = next(filter(None, matches), None)
    if said is not None and not _NOT.search(_POLITE_NOT.sub("", said[0])):
        rest = words[said.end() :]
        return imperative(rest) if said.re is _MATRIX else rest
    first, comma, rest = words.partition(",")
    if comma and _CONDITION.match(first) and _closes([each.word for each in _tokens(first)]):
        return rest
    tokens = [each for each in _tokens(words) if each.word not in ",:"]
    asked = words
    for at, token in enumerate(tokens):
        before = [each.word for each in tokens[:at] if each.word not in WORDS["adverbs"]]
        if before and _is_asked(before, token.word):
            asked = words[token.start :]
        if token.word not in _COURTESY and token.word not in WORDS["adverbs"]:
            break
    verb = asked.partition(" ")[0].lower()
    gerund = asked is not words and verb.endswith("ing") and verb not in VERBS
    return imperative(asked) if gerund else asked


def _is_asked(before: list[str], verb: str) -> bool:
    """Return True if words end as an opening does, and the next is a verb in the form that it takes."""
    said = " ".join(before)
    if _NOT.search(_POLITE_NOT.sub("", said)) or _CONDITIONAL.fullmatch(said):
        return False
    if verb.endswith("ing") and verb not in VERBS and imperative(verb) in VERBS:
        return _GERUND_AFTER.fullmatch(said) is not None
    if not (_is_verb(verb) or (verb in _LIGHT and said not in ("you", "u"))):
        return False
    if said.endswith("and"):
        return before[-2:-1] != ["you"] and not _SPEAKER.intersection(before[-3:]) and _is_favour(before)
    people = [word for word in before if word in _SPEAKER or word in ("you", "u", "ya", "me")]
    own = said.endswith(" to") and people[-1:] and people[-1] in _SPEAKER
    return not own and _ADDRESSED.fullmatch(said) is not None


def _is_verb(word: str) -> bool:
    """Return True if a word is a verb in its base form, or a misspelt one of a rule."""
    if word in VERBS or word in WORDS["other_verbs"]:
        return True
    return word not in _COURTESY and correct_spelling(word) in VERBS


def _is_favour(before: list[str]) -> bool:
    return not WORDS["favours"].isdisjoint(before)


def _without_closing(words: str) -> str:
    words = _PURPOSE.sub("", words)
    deadline = _BEFORE.search(words)
    if deadline and (is_clause(deadline["what"]) or deadline["what"].lower() in WORDS["occasions"]):
        words = words[: deadline.start()]
    tokens = _tokens(words)
    at, longest = len(tokens), len(tokens)
    while at > 0 and (tokens[at - 1].word in _CLOSING or tokens[at - 1].word in ",.!?"):
        at -= 1
        if tokens[at].word in _BEGINS_CLOSING and _closes([each.word for each in tokens[at:]]):
            longest = at
    return words[: tokens[longest].start] if longest < len(tokens) else words


def _closes(said: list[str]) -> bool:
    """Return True if these words only close a request politely."""
    words = [word for word in said if word not in ",.!?"]
    if not _CLOSING.issuperset(words):
        return False
    text = " ".join(words)
    if _NOT.search(_POLITE_NOT.sub("", text)) and words[0] not in ("won't", "can't", "couldn't", "wouldn't"):
        return False
    if len(words) == 1:
        return words[0] not in _ALONE
    return any(pattern.fullmatch(text) for pattern in _CLOSINGS)


_SOON = r"(?:you (?:can|could|possibly can)(?: manage)?|possible|you like)"
_CLOSINGS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?:would|will|is|does) (?:that|it|this) (?:\w+ ?)*",
        rf"{_MODAL} {_YOU}(?: (?:please|pls|do (?:that|it|this)|mind|be so kind|manage (?:that|it)|\w+))?",
        rf"(?:(?:as|so) )?(?:quick|quickly|soon|fast) as {_SOON}",
        (
            r"(?:right|straight) ?(?:about )?(?:now|away)|at once|(?:for )?(?:now|a (?:moment|second"
            r"|sec|bit|while|minute))"
        ),
        (
            r"(?:after|when|once) you(?:'re| are|'ve| have)?(?: been)? (?:done|finished"
            r"|ready)(?: with (?:that|this|it))?"
        ),
        rf"(?:(?:that'?s|there'?s|that is|there is|be) )?(?:(?:an?|my) )?(?:\w+ )?(?:{'|'.join(_DEARS)})",
        r"be (?:quick|careful|gentle)(?: (?:with it|about it))?",
        (
            r"(?:if|whenever|when) (?!.*\bme\b).*\b(?:possible|please|mind|kind|good|nice|trouble|bother"
            r"|hassle"
            r"|busy|problem|ok|okay|alright|can|could|would|will|may|like|free|ready|able|happen)\b.*"
        ),
        rf"(?:if|when|whenever) you\b.*\b(?:{'|'.join(_SPARE_TIME)})\b.*",
        (
            r"(?:that|that'd|it|it'd|i|i'd) .*\b(?:great|lovely|nice|good|grateful|appreciate|kind"
            r"|appreciated"
            r"|wonderful|brilliant|perfect|fantastic|helpful|thankful|love|glad)\b.*"
        ),
        r"(?:thank|thanks|cheers|ta|please|ok|all|no|much) (?:\w+ ?)+",
    )
)
