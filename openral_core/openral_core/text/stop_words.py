"""Stop words in some twenty languages, and those that mean an emergency stop.

Stop words count anywhere in a prompt while the robot is busy, as the whole prompt otherwise. An unnecessary
stop costs a repeated goal; a missed stop may cause damage. The lists are therefore generous.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources

from pydantic import Field

from openral_core.documents import Document, parse_document
from openral_core.parsing import parse_yaml
from openral_core.text.folding import fold, fold_pattern, readings

SEARCHED = 4000
"""Part searched from each end of a prompt [characters]; no stop phrase is longer."""
# Folded: lower case, no accents, no punctuation.
_SPOKEN = {
    "English": r"""
        s+t+o+p+\w*, stpo, sotp, tsop, s t o p, ha+lt\w*, fre+ze, freezing, abort\w*, cancel\w*, emergency,
        cease, desist, quit, terminate, kill it, end (it|the mission|the task), shut (it )?down, power off,
        (turn|switch) (it |yourself |the robot )?off,
        (do not|dont|don t|never) (you )?(dare|move|touch|go|do|continue|drive|grab|take|open|come),
        (stand|stay|hold|keep) still, stay (there|put|where you are), hold (it|on|up), no further,
        not another step, enough, wait, pause, whoa, woah, never ?mind, forget (it|that|about), knock it off,
        cut it out, drop everything, leave it alone, danger\w*, watch out, look out, back off, get away""",
    "German": r"""
        anhalten, stillhalten, (auf|auf zu )?horen auf, aufhoren, aufhoeren, ho(e)?rt? (\w+ )?auf, abbrechen,
        abbruch, brich (\w+ )?(\w+ )?ab, (be(weg|wege)|ruhr|ruehr)t? (dich|euch) nicht,
        nicht (mehr )?(bewegen|weiter|anfassen|fahren|beruhren|\w+fahren), nicht so weiter, stehen ?bleiben,
        bleibt? (sofort )?(stehen|wo du bist), still ?gestanden, not ?aus, not ?stopp?, not ?halt, notfall,
        schluss, genug, wartet?, warten, lass (das|es|sein), keine bewegung, beenden?, vorsicht, vergiss es,
        (fass|ruhr|greif|beweg)t? (\w+ )?(\w+ )?nicht( an)?, kein(en)? schritt, (finger|hande) weg, gefahr,
        abschalten, ausschalten, schalte? (dich|ihn) (ab|aus), einfrieren""",
    "French": r"""
        arret(e|es|ez|er|ons|e toi)?, halte, (ne |n )?boug\w* (pas|plus), annul\w*, urgence,
        laisse (tomber|ca), assez, attend(s|ez)?, suffit, abandonn\w*, interromp\w*, (pas|plus) un geste,
        immobile, cess(e|ez|er), tant pis, pas plus loin, n avance(z)? (pas|plus), ne (\w+ )?(plus|pas) \w+er,
        ne (fais|faites|touche|touchez|continue|continuez) (plus|pas), attention,
        reste(z)? (la|ou tu es|ou vous etes),
        non pas ca, pas un pas""",
    "Spanish": r"""
        ^para, para$, para (ya|ahora|por favor|inmediatamente|eso|de|todo|robot|el robot|quieto),
        par(ad|ada|ar|ate|e|en|ese|emos)?, deten(te|gase|ganse|er|ga|gan|eos|lo)?, alto,
        no (te|se|os) muev\w+, no sig(as|a|an), no (l[oa]s? )?toqu\w+, ni un paso, dej(a|ad|ar|e) de,
        qued(ate|aos|ese) (ahi|aqui|quiet\w+), basta, quiet(o|a|os|as), emergencia,
        esper(a|ad|ate|e|en), (olvida|deja)l(o|a),
        fren(a|ar|ate|e), anul(a|ar|e), suspend(e|er|a), interrump\w*, ces(a|ar|e), peligro, cuidado""",
    "Italian": r"""
        ferm(a|o|ati|atevi|are|arsi|i|ala|alo), smett\w+, annulla\w*, interromp\w*, aspett\w+,
        non (ti |si )?muov\w*, alt, emergenza, lascia (stare|perdere)""",
    "Portuguese": r"par(e|em|ar)( ja)?, nao (se )?mex\w+, nao se mov\w+, espere, pera, chega",
    "Dutch": r"""
        hou(d)? (\w+ )?op, ophouden, stil ?staan, (blijf|sta) (stil|staan), wacht, annule\w+, afbreken,
        niet bewegen, beweeg niet, genoeg, noodstop""",
    "Nordic": r"stans\w*, stann\w*, sluta, avbryt\w*, vanta, nodstopp?, pysahdy, seis, lopeta, vent",
    "Polish, Czech": r"stoj, zatrzym\w+, przest\w+, anuluj, przerwij, czekaj, zastav\w*, prestan\w*, pockej",
    "Turkish": r"dur(un)?, iptal, bekle, yeter",
    "Russian, Ukrainian": r"""
        стоп\w*, стои(те)?, останов\w*, отмен\w*, хватит, прекрати\w*, не двига\w*, замри,
        подожди, зупин\w*, припин\w*, ст[иі]и, авари\w*""",
    "Greek": r"στοπ, σταματ\w*, αλτ, ακυρο, ακυρωσε",
    "Arabic": r"توقف\w*, قف, اوقف\w*, الغ\w*, كفى",
    "Hebrew": r"עצור\w*, תעצור\w*, עצרי, די",
    "Hindi": r"रुको, रुक, रुकिए, बंद करो",
}
_UNSPACED = (
    "停, 止まれ, 止めて, とまれ, とめて, やめて, やめろ, ストップ, 中止, 緊急, 紧急, 別動, 别动, 不要动, "
    "不許動, 取消, 住手, 멈춰, 멈추, 정지, 그만, 취소, 중지, หยุด"
)
"""Stop words of scripts without spaces between words; matched inside other text too."""
_ADDRESS = """
    please hey ok okay hi oh no now robot right just you must should can could would i we said need to
    want nein non mal bitte sofort jetzt roboter du sollst s il vous te plait tout de suite maintenant
    il faut por favor ahora ya tienes que per favore subito"""
_FILLERS = f"""{_ADDRESS}
    the a it that this there at once immediately moving everything mission task goal what are doing and all
    of your me for is god s sake instantly quickly asap grasping driving going alles das es der die den damit
    an la le les ce que tu fais d immediatement inmediatamente todo lo haces mismo de el en ca"""
_ALSO_GOALS = """
    emergency wait pause enough danger alt alto par para pare parar hold look watch turn switch stay keep
    attention warte warten leave drop halt dur vent stan di end"""
"""First words of stops that may also begin a goal; followed by more text they are taken as a goal."""


_EMERGENCY = r"""
    emergency ?stop\w*, stop ?emergency, e stop\w*, estop\w*, kill ?switch, fre+ze, not ?aus, not ?stopp?,
    not ?halt, einfrieren, arret d urgence, (parada|paro|paragem) de emergencia, arresto di emergenza,
    noodstop, nodstopp?, авар\w* (останов|зупин)\w*, acil dur\w*"""
"""Phrases, as `_folded` leaves them, after which the robot has to stay still until it is released."""
_UNSPACED_EMERGENCY = "緊急停止, 紧急停止, 非常停止, 비상정지, 긴급정지"


_CLAUSE = re.compile(
    r"[.!?;:,\n()\u2026\u2013\u2014\u00a1\u00bf\u3001\u3002\uff01\uff0c\uff1f\u060c\u0964]+|\s-+\s"
)
"""What separates clauses."""


class _Phrases(Document):
    """Comma-separated phrases of one kind and language."""

    anywhere: str = ""
    alone: str = ""


class _Cries(Document):
    """Cries and stops of one language."""

    cries: _Phrases = _Phrases()
    stops: _Phrases = _Phrases()


class _CryDocument(Document):
    """The shipped file; its comments say what the keys mean."""

    version: int = Field(ge=1, le=1)
    signs: Mapping[str, str]
    alone: Mapping[str, str]
    beside: str
    languages: Mapping[str, _Cries]
    unspaced: Mapping[str, str]


@cache
def _document() -> _CryDocument:
    name = "cries.yaml"
    text = resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
    return parse_document(_CryDocument, parse_yaml(text), name)


def contains_emergency_word(text: str) -> bool:
    """Return True if a word that means an emergency stop occurs anywhere in the text."""
    return any(_emergency_word().search(each) for each in _readings(text))


def contains_stop_word(text: str) -> bool:
    """Return True if a stop word or a cry occurs anywhere in the text, or the whole text is a stop."""
    return any(_stop_word().search(each) for each in _readings(text)) or ends_motion(text)


def is_cry(text: str) -> bool:
    """Return True if a text says that someone is hurt, caught or in danger, or calls for help.

    "Help me find my keys" is a goal: what is no cry in every sentence has to be a clause of its own.
    """
    if any(_cry().search(each) for each in _readings(text)):
        return True
    ends = {text[:SEARCHED], text[-SEARCHED:]}
    clauses = {clause for end in ends for clause in _CLAUSE.split(_with_words_for_signs(end))}
    return any(_consists_of(_cry_or_alone(), reading) for clause in clauses for reading in readings(clause))


def is_stop_phrase(text: str) -> bool:
    """Return True if the whole text means stop, rather than being a goal that contains a stop word."""
    return len(text) <= SEARCHED and any(map(_is_stop, _readings(text)))


def may_answer(text: str) -> bool:
    """Return True if a stop is one only because nothing else is said: "not here" also answers a question."""
    return not (is_cry(text) or any(_stop_word().search(each) for each in _readings(text)))


def ends_motion(text: str) -> bool:
    """Return True if a skill server ends its goal at a text: it is a stop as a whole, or contains a cry."""
    return is_stop_phrase(text) or is_cry(text)


def _is_stop(folded: str) -> bool:
    if _consists_of(_stop_or_alone(), folded):
        return True
    words = folded.split()
    while words and words[0] in _ADDRESS.split():
        del words[0]
    begins = _stop_word().match(" ".join(words)) is not None
    return begins and words[0] not in _ALSO_GOALS.split()


def _consists_of(pattern: re.Pattern[str], folded: str) -> bool:
    """Return True if nothing but phrases of a pattern, at least one, and fillers are said."""
    rest, count = pattern.subn(" ", folded)
    return count > 0 and set(rest.split()) <= _fillers()


def _readings(text: str) -> frozenset[str]:
    """Return what both ends of a text may say."""
    ends = {text[:SEARCHED], text[-SEARCHED:]}
    return frozenset().union(*(readings(_with_words_for_signs(end)) for end in ends))


def _with_words_for_signs(text: str) -> str:
    """Replace signs such as a raised hand by what they say."""
    wordless = not any(c.isalnum() for c in text)
    for table in (_document().signs, *((_document().alone,) if wordless else ())):
        for word, signs in table.items():
            text = text.translate({ord(sign): f" {word} " for sign in signs if sign not in " \ufe0f"})
    return text


@cache
def _fillers() -> frozenset[str]:
    beside = _document().beside.split(",")
    return frozenset(_FILLERS.split()) | frozenset(" ".join(map(fold, beside)).split())


def _listed(kind: str, key: str) -> list[str]:
    """Return the phrases of every language of a kind, cries or stops, under a key."""
    languages = _document().languages.values()
    return [phrase for each in languages for phrase in getattr(getattr(each, kind), key).split(",")]


@cache
def _stop_word() -> re.Pattern[str]:
    spoken = [item for items in _SPOKEN.values() for item in items.split(",")]
    unspaced = (_UNSPACED, _UNSPACED_EMERGENCY, *_document().unspaced.values())
    listed = (*_listed("stops", "anywhere"), *_listed("cries", "anywhere"))
    return _pattern([*spoken, *_EMERGENCY.split(","), *listed], unspaced)


@cache
def _stop_or_alone() -> re.Pattern[str]:
    alone = [*_listed("stops", "alone"), *_listed("cries", "alone")]
    return re.compile(f"{_stop_word().pattern}|{_pattern(alone, ()).pattern}")


@cache
def _cry() -> re.Pattern[str]:
    return _pattern(_listed("cries", "anywhere"), (_document().unspaced["cries"],))


@cache
def _cry_or_alone() -> re.Pattern[str]:
    return re.compile(f"{_cry().pattern}|{_pattern(_listed('cries', 'alone'), ()).pattern}")


@cache
def _emergency_word() -> re.Pattern[str]:
    return _pattern(_EMERGENCY.split(","), (_UNSPACED_EMERGENCY,))


def _pattern(spoken: Iterable[str], unspaced: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern of whole phrases, and of phrases that are matched inside other text too."""
    phrases = sorted(
        {" ".join(item.split()).replace("(", "(?:") for item in spoken} - {""}, key=len, reverse=True
    )
    inside = [fold(item) for items in unspaced for item in items.split(",")]
    return re.compile("|".join((rf"(?<!\S)(?:{'|'.join(map(fold_pattern, phrases))})(?!\S)", *inside)))
