"""Normalise spoken requests: fillers, politeness, vocatives, misspelt verbs, remarks."""

import re
from collections.abc import Collection
from difflib import get_close_matches
from functools import lru_cache

from openral_reasoner.placement.belief import is_household_noun, thesaurus
from openral_reasoner.scripted.noun_phrases import PERSON
from openral_reasoner.scripted.vocabulary import WORDS

VERBS = WORDS["verbs"]
"""Verbs with which a request may begin."""
_REAL_VERBS = WORDS["other_verbs"]
_NO_NOUNS = WORDS["no_nouns"]
"""Verbs that are not a misspelling of one of the others."""

_ANY_VERB = "|".join(sorted(VERBS))
_FILLER = (
    r"(?:u+h+m*|u+m+|e+r+m*|h+m+|a+h+|oh|oi|well|so|like|ok(?:ay)?|alright|all right|right|hey|hi|hello"
    r"|hiya|yo|listen"
    r"|excuse me|sorry|actually|now|quick(?:ly)?|please|pls|plz|plase|pleas|kindly|just|then|and|but|anyway"
    r"|(?:look|say|see|go)(?=,)"
    r"|good (?:morning|afternoon|evening)|cheers|thanks|perhaps|maybe|also|again|next|finally|lastly)"
)
_VOCATIVE = (
    r"(?:(?:my |dear |hey )?(?:robot|bot|robbie|mate|buddy|pal|dear|dearie|darling|sweetie|sweetheart|lad|sir"
    r"|old (?:chap|boy)))"
)
_ASKING = (
    r"(?:(?:do|could you do|can you do|would you do) (?:me|us) (?:a|the|one) (?:big |small |quick |huge )?"
    r"(?:favou?r|kindness)(?: and|[:,])?"
    r"|(?:i was |i am |i'm )?(?:wondering|wonder) (?:if|whether) you (?:could|can|would|might)"
    r"|(?:do|d'?) ?you (?:think|reckon|suppose) you (?:could|can|might)"
    r"|(?:would|could|can|will) (?:someone|somebody|anyone|anybody|one of you)|(?:would|could|can"
    r"|will) (?:it be possible|i (?:ask|trouble|bother|get) you) (?:for you )?to"
    r"|would it be too much (?:trouble|bother)(?: for you)? to|is it possible (?:for you )?to|(?:is"
    r"|would) it (?:be )?(?:ok|okay|alright|all right) (?:if|for) you(?: could| to| can)?"
    r"|any chance (?:you (?:could|can)|of)"
    r"|(?:do you )?reckon you (?:could|can)"
    r"|would you be (?:so |a |an? )?(?:kind|good|dear|nice|angel|sweetheart|love|kind enough"
    r"|good enough)(?: enough)?"
    r"(?: as)?(?: and| to)"
    r"|(?:could you )?be (?:so|a|an) (?:kind|good|dear|nice|angel|sweetheart|love|good (?:lad|robot|boy"
    r"|girl))(?: as)?"
    r"(?: and| to|,)|be a dear(?: and|,)"
    r"|(?:i'd|i would|i should) (?:be (?:(?:most|very|so|ever so|really) )?(?:grateful|happy|glad)"
    r"|appreciate it"
    r"|love it) if you (?:could|would)"
    r"|(?:it would|it'd|that would|that'd) be (?:great|nice|lovely|good|wonderful|kind) if you (?:could"
    r"|would)"
    r"|(?:could|can|would|will|won't|can't|couldn't|wouldn't|wont|cant|might) (?:you|u|ya|yer)"
    r"(?: (?:please|pls|kindly|possibly|maybe|perhaps|just|quickly|also|be able to|go ahead and"
    r"|manage to))*(?! mind\b)"
    r"|i (?:really )?(?:want|need|would like|'d like) (?:you|u) to|i'd (?:like|love|want|need) (?:you|u) to"
    r"|(?:you|u) (?:can|could|should|must|may|need to|have to|had better|ought to|better|will)"
    r"|(?:your|ur) (?:task|job|mission|next job) is to|(?:(?:it's|its) )?time (?:for you )?to"
    r"|(?:don't|do not|dont) forget to|remember to|let's|lets|let us|go ahead and|go on and|go on|come on"
    r"|try (?:to|and)"
    r"|(?:you|i|we|someone|somebody)(?:'ve| have)? (?:forgot|forgotten) to"
    r"(?= (?:close|shut|put|turn|switch)\b)"
    r"|if (?:you|u) (?:don't|dont|do not|wouldn't|would not) mind|if (?:you|u) (?:can|could|would"
    r"|please)(?=,)"
    r"|if (?:it's|it is) (?:not too much trouble|no (?:trouble|bother)|possible)"
    r"|when(?:ever)? (?:you|u)(?:'re| are)? (?:get|have|got|ready|free)(?: a)?(?: free| spare)?"
    r"(?: (?:chance|minute|moment|second|sec|mo|time))?"
    r"|i think(?: that)?(?: you should| we should)?|make sure (?:that )?(?:you|to)|see to it (?:that )?you"
    r"|help me(?: to)?"
    r"|get ready to|first(?:ly| of all| off| up)?|to (?:start|begin)(?: with)?|start by|begin by|secondly"
    r"|second(?=,))"
)
_CLEAR_VERB = "|".join(sorted(VERBS - WORDS["verbs_or_nouns"]))
_GO_AND = (
    r"(?:(?:go|run|nip|pop|come)(?: back| along| off| over| down| up| out)?(?: and| &)?)"
    rf" (?=(?:{_CLEAR_VERB})\b)"
)
_FRONT = re.compile(
    rf"^(?:(?:{_ASKING}|{_FILLER}|{_VOCATIVE})(?=[\s,!.:]|$)[\s,!.:]*|{_GO_AND}|to (?=(?:{_ANY_VERB})\b))",
    re.IGNORECASE,
)
_BACK = re.compile(
    r"(?:^|[\s,]+)(?:please|pls|plz|thanks(?: a lot| so much| in advance)?|thank you(?: so much| very much"
    r"| kindly)?|thx"
    r"|cheers|ta|now|right (?:now|away)|straight ?away|immediately|quick(?:ly)?|asap|at once|if possible"
    r"|if you please"
    r"|if (?:you|u) (?:can|could|would|will|may|like)(?: manage)?(?: (?:it|that))?"
    r"|if you(?:'d| would) be so (?:kind|good|nice)"
    r"|if (?:you|u) (?:don't|dont|do not|wouldn't) mind|if (?:it's|it is) (?:not too much trouble"
    r"|no (?:trouble|bother))"
    r"|(?:will|would|could|can|won't|wont|can't|couldn't|wouldn't) (?:you|u|ya|yer)(?: (?:please|do that"
    r"|do it))?"
    r"|ok(?:ay)?|alright|all right|yeah|right|eh|hey|huh|innit|na|yaar|aye"
    r"|(?:as )?quick(?:ly)? as (?:you|u) can|as (?:soon|fast) as (?:you can|possible)"
    r"|there'?s? (?:is )?(?:a|an) (?:good|dear|nice"
    r"|clever) \w+"
    r"|(?:there's )?a (?:dear|love|good lad)|good (?:boy|lad|robot|girl)|be (?:quick|careful"
    r"|gentle)(?: with it)?|(?:my )?love"
    r"|when(?:ever)? (?:you|u)(?:'re| are)? (?:get|have|got|ready|free)(?: a)?(?: free| spare)?"
    r"(?: (?:chance|minute|moment|second|sec|mo|time))?"
    r"|before (?:it (?:gets|goes|turns|is)|everything \w+|everyone \w+) ?\w*"
    r"|for a (?:moment|second|bit|while)"
    rf"|sometime|u+h+m*|u+m+|e+r+|{_VOCATIVE})[\s,!.]*$",
    re.IGNORECASE,
)
_MIND = re.compile(
    r"^(?:would|wd|do) (?:you|u|ya) (?:please )?mind (?:awfully |terribly )?(?P<verb>[a-z]+?)ing\b"
    r"|^mind (?P<verb2>[a-z]+?)ing\b",
    re.IGNORECASE,
)
_YOU = re.compile(rf"^(?:you|u) (?:please )?(?:just )?(?:then )?(?=(?:{_ANY_VERB})\b)", re.IGNORECASE)
_SET_OFF = re.compile(
    rf"(?<=[,.!?])\s*(?:{_VOCATIVE}|u+h+m*|u+m+|e+r+m*|oh|ah|quick(?:ly)?|please|pls|you know|like|(?:would"
    r"|will|could|can) you)\s*(?=[,.!?])"
    r"|\b(?:u+h+m*|u+m+|e+r+m*|oh|ah)\b(?! dear| no\b)[,.]*",
    re.IGNORECASE,
)
POLITE = re.compile(
    r"\b(?:please|pls|plz|thanks|thank you|thx|cheers|if you (?:don't|wouldn't) mind|if you please"
    r"|if you(?:'d| would) be so (?:kind|good|nice))\b",
    re.IGNORECASE,
)
_ROUNDS = 12
"""Longest chain of fillers that is stripped."""


_NEGATIVE_TAG = re.compile(
    r"^you (?:couldn't|can't|wouldn't) (?P<asked>.+?),? (?:could|can|would) you\s*\?*$", re.IGNORECASE
)
"""Request as a negative statement with a tag: "you couldn't pass me the salt, could you?"."""


def clean(text: str) -> str:
    """Normalise quotes, spaces, shouting and interjections of a whole text."""
    words = _NEGATIVE_TAG.sub(r"\g<asked>", " ".join(text.translate(_QUOTES).split()))
    if words.isupper() and " " in words:
        words = words.lower()
    words = re.sub(r"\s*(?:\.\s?\.[.\s]*|\u2026|\s[-\u2013\u2014]+\s)\s*", ". ", words)
    words = re.sub(r",\s*(?=[,.!?])", "", _SET_OFF.sub("", _EMPTY.sub(" ", words)))
    repaired = _REPAIRS_RE.sub(lambda m: _REPAIRS[m[0].lower()], words)
    return " ".join(_LONG_WORD.sub(lambda m: correct_doubling(m[0]), repaired).split())


_LONG_WORD = re.compile(r"(?<![\w'])[a-z]{5,}(?![\w'])")


@lru_cache(maxsize=4096)
def correct_doubling(word: str) -> str:
    """Return the one household noun from which a word differs by a letter that should be single or double."""
    if word in VERBS or word in _REAL_VERBS or word in _NO_NOUNS or is_household_noun(word):
        return word
    doubled = (word[:i] + word[i - 1 :] for i in range(1, len(word) + 1))
    single = (word[:i] + word[i + 1 :] for i in range(len(word) - 1) if word[i] == word[i + 1])
    meant = {each for each in (*doubled, *single) if is_household_noun(each) and thesaurus().knows(each)}
    return meant.pop() if len(meant) == 1 else word


_EMPTY = re.compile(
    r"[\s,]+(?:if you please|if you don't mind my asking|by any chance|for the life of me|on earth"
    r"|in the world|as well as you can"
    r"|if at all possible)(?=[\s,.!?]|$)"
    r"|(?<![\w'])(?:really|actually|honestly|basically|literally|possibly|simply|seriously|just"
    r"|pretty please|p+l+e+a+s+e+|pls|plz"
    r"|kindly)(?![\w'])(?! to\b)",
    re.IGNORECASE,
)
"""Words that change nothing wherever they stand."""
_QUOTES = str.maketrans(
    {"\u2019": "'", "\u2018": "'", "\u02bc": "'", "\u00b4": "'", "\u201c": '"', "\u201d": '"'}
)
_REPAIRS = {
    "wheres": "where's",
    "whats": "what's",
    "theres": "there's",
    "im": "I'm",
    "ive": "I've",
    "thats": "that's",
    "dont": "don't",
    "cant": "can't",
    "havent": "haven't",
    "isnt": "isn't",
    "arent": "aren't",
    "everyones": "everyone's",
    "u": "you",
    "ya": "you",
    "r": "are",
    "ur": "your",
    "cud": "could",
    "wud": "would",
    "wat": "what",
    "wats": "what's",
    "wher": "where",
    "smth": "something",
    "id like": "I'd like",
    "gimme": "give me",
    "lemme": "let me",
    "wanna": "want to",
    "gotta": "have to",
    "outta": "out of",
    "cannae": "cannot",
    "dinnae": "don't",
    "ye": "you",
    "ye're": "you're",
    "tae": "to",
    "frae": "from",
    "gie": "give",
    "c'mere": "come here",
    "frigde": "fridge",
    "teh": "the",
    "da": "the",
    "nd": "and",
    "n": "and",
    "tv's": "tv's",
}
"""Contractions and words of typed messages, written out."""
_REPAIRS_RE = re.compile(rf"(?<![\w'])(?:{'|'.join(map(re.escape, _REPAIRS))})(?![\w'])", re.IGNORECASE)


def bare(text: str) -> str:
    """Strip the polite words around a request."""
    words = " ".join(text.translate(_QUOTES).split()).strip(" .!?,;:")
    for _ in range(_ROUNDS):
        kept = _BACK.sub("", _FRONT.sub("", words)).strip(" .!?,;:")
        kept = _YOU.sub("", kept)
        mind = _MIND.match(kept)
        if mind is not None:
            kept = imperative(f"{mind['verb'] or mind['verb2']}ing{kept[mind.end() :]}")
        if kept == words:
            break
        words = kept
    return words


def correct_spelling(words: str, known: Collection[str] = VERBS) -> str:
    """Correct the first word if it is a misspelt known verb and no word of its own."""
    first, _, rest = words.partition(" ")
    word = first.lower()
    if word in known or word in _REAL_VERBS or len(word) < 3:
        return words
    same = [each for each in known if each[0] == word[0]]
    swapped = [each for each in same if sorted(each) == sorted(word)]
    meant = swapped or get_close_matches(word, same, n=1, cutoff=ALIKE)
    return f"{meant[0]} {rest}" if meant else words


_ALSO_NOUNS = WORDS["verbs_or_nouns"]


def is_real_verb(word: str, rest: str) -> bool:
    """Return True if this is an English verb that no rule begins with, and no noun before the rest."""
    noun = word.lower() in _ALSO_NOUNS and not re.match(
        r"(?:the|my|our|an?|some|it|them|this|that|\w+s)\b", rest
    )
    return word.lower() in _REAL_VERBS and not noun


ALIKE = 0.8
"""Minimum similarity of a misspelt verb to the intended one, as a ratio of `difflib` [0, 1]."""
_DONE = {
    "found": "find",
    "brought": "bring",
    "gotten": "get",
    "got": "get",
    "taken": "take",
    "given": "give",
    "gone": "go",
    "shut": "shut",
    "put": "put",
    "set": "set",
    "laid": "lay",
}
"""Irregular participles of the verbs, as in "once you have found it"."""


def imperative(clause: str) -> str:
    """Return "putting it away" or "you have put it away" as an imperative."""
    clause = re.sub(
        r"^you(?:'ve| have|'re| are)? (?:done |finished )?", "", clause.strip(" ,"), flags=re.IGNORECASE
    )
    first, _, rest = clause.partition(" ")
    word = first.lower()
    stems = [_DONE.get(word, word)]
    for ending in ("ing", "ed", "d"):
        if word.endswith(ending):
            stem = word.removesuffix(ending)
            stems += [stem, f"{stem}e", stem[:-1]]
    verb = next((stem for stem in stems if stem in VERBS), word)
    return f"{verb} {rest}".strip()


_EXCLAMATION = re.compile(
    r"(?:yuck|ugh|phew|ouch|achoo|atchoo|wow|gosh|brr+|blimey|crikey|oh dear|oh no|damn|goodness(?: me)?"
    r"|my goodness|oops"
    r"|what an? [\w' ]{1,30}|how \w+|quick|chop chop|hurry(?: up)?|go|yes|(?:do )?you know"
    r"|any idea|be quick|no rush"
    r"|sorry to bother you"
    r"|(?:and )?(?:have|take) a (?:good |quick )?look|you'?re (?:a|an) (?:star|angel|dear|gem|treasure"
    r"|lifesaver)"
    r"|(?:good|great|nice|lovely|perfect|thanks|please|pretty please)(?: \w+)?|i beg you|you hear(?: me)?"
    r"|(?:can you |could you )?help(?: me)?(?: out)?"
    r"|(?:and )?(?:tell|let) (?:me|us)(?: know)? (?:what (?:you (?:can )?(?:see|find)|is there"
    r"|there is)(?: there)?"
    r"|(?:where|if|whether|when) (?:you (?:find|see|found|have) )?(?:it|they|them)(?:'s| is"
    r"| are)?(?: there)?)"
    r"|(?:and )?(?:sort|see to|take care of|do) (?:that|it|this)(?: out)?|let some [\w ]+ in)",
    re.IGNORECASE,
)
_RHETORICAL = re.compile(
    r"(?:were you born|who (?:left|forgot|put)|why (?:is|are|does)|isn't it|don't you (?:think|feel|find)"
    r"|how are you"
    r"|are you (?:there|listening|awake|free|busy))\b.*",
    re.IGNORECASE,
)
_REMARK = re.compile(
    r"i want to (?:see|look|watch)|you(?:'re| are) (?:letting|making|leaving) [\w' ]+|[a-z]+s are \w+ing"
    rf"|i(?: need| have|'ve got| am going|'m going|'m trying| want) to (?!(?:{_ANY_VERB})\b)[\w' ]+"
    r"|(?:because |cause |cos |'cause |since |as |for )?"
    r"(?:i(?:'m|'ve|'ll| \w+ed| spilt| broke| cut| am| have| feel| got| was| just| can't| cannot| love"
    r"| hate| must| think i'm)"
    r"|we(?:'re|'ve|'ll| are| have| just| can't)|its? (?!all\b)\w+(?: (?:in here|outside|here|today|now))?"
    r"|it(?:'s| is| was| looks?| smells?| feels?|'ll| gets?| has)|they(?:'re| are| have)|there(?:'s| is"
    r"| are) (?:an? )?(?:draught"
    r"|draft|smell|mess|fly|noise|guests?|people|visitors)|(?:he|she)(?:'s| is| has| feels| can't| cannot"
    r"| looks)"
    r"|(?:my|our|the|his|her|your|this) \w+(?: \w+)?(?:'s|'re| is| are| has| have| hurts?| feels?)"
    rf"|{PERSON}(?:'s| is| was| has| feels)"
    r"|(?:guests|visitors|people|friends|the kids|someone|somebody|everyone)(?:'s|'re| are| is| will))\b.*",
    re.IGNORECASE,
)
_CHANGES_MEANING = re.compile(
    r"\b(?:not|never|unless|if|except|instead|only|stop|cancel|but|without|rather|wait|until|when"
    r"|mind|joking"
    r"|kidding|forget|ignore|mistake|wrong|already|later|tomorrow|yesterday|nevermind|before|after|don't"
    r"|won't"
    r"|doesn't|didn't|isn't|aren't|shouldn't|wouldn't|want|wants|need|needs|like|please|other|another|which"
    r"|or"
    r"|missing|lost|forgot|dropped|left|supposed|belongs?|goes|should|where|what|how|nothing|no|nobody"
    r"|bring|fetch|give|put|take|get|open|close|shut|pour|find|have|everything|all)\b",
    re.IGNORECASE,
)


_SUBJECT = re.compile(
    r"^(?:because |cause |cos |since |as )?(?:I|we)(?:(?:'ve| have)(?: got to\b| to\b)?| need to\b"
    r"| want to\b)",
    re.IGNORECASE,
)


def is_remark(clause: str) -> bool:
    """Return True if a clause asks for nothing and cannot change what the rest asks for."""
    words = clause.strip(" ,.!?;:")
    if not words or _EXCLAMATION.fullmatch(words) or _RHETORICAL.fullmatch(words):
        return True
    match = _REMARK.fullmatch(words)
    inner = _SUBJECT.sub("", words)
    return match is not None and not _CHANGES_MEANING.search(inner)


_PERSON_OF = re.compile(rf"(?P<who>{PERSON})(?:'s| is| was| has| feels| looks)\b.*", re.IGNORECASE)


def person_in(remark: str) -> str:
    """Return the person that a remark is about, as in "Anna is cold"; else ""."""
    match = _PERSON_OF.fullmatch(remark.strip(" ,.!?;:"))
    return match["who"] if match else ""
