"""Stop words in some twenty languages, and those that mean an emergency stop.

Stop words count anywhere in a prompt while the robot is busy, as the whole prompt otherwise. An unnecessary
stop costs a repeated goal; a missed stop may cause damage. The lists are therefore generous.
"""

import re
import unicodedata
from functools import cache

SEARCHED = 4000
"""Part searched from each end of a prompt [characters]; no stop phrase is longer."""
# As `_folded` leaves them: lower case, no accents, no punctuation.
_SPOKEN = {
    "English": r"""
        s+t+o+p+\w*, stpo, sotp, tsop, s t o p, ha+lt\w*, fre+ze, freezing, abort\w*, cancel\w*, emergency,
        e stop, estop, cease, desist, quit, terminate, kill switch, end (it|the mission|the task), kill it,
        shut (it )?down, power off, (turn|switch) (it |yourself |the robot )?off,
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
        par(a|ad|ada|ar|ate|e|en|ese|emos)?, deten(te|gase|ganse|er|ga|gan|eos|lo)?, alto,
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
    emergency stop\w*, stop emergency, e stop\w*, estop\w*, kill switch, fre+ze, not ?aus, not ?stopp?,
    not ?halt, einfrieren, arret d urgence, (parada|paro|paragem) de emergencia, arresto di emergenza,
    noodstop, nodstopp?, авар\w* (останов|зупин)\w*, acil dur\w*"""
"""Phrases, as `_folded` leaves them, after which the robot has to stay still until it is released."""
_UNSPACED_EMERGENCY = "緊急停止, 紧急停止, 非常停止, 비상정지, 긴급정지"


def contains_emergency_word(text: str) -> bool:
    """Return True if a word that means an emergency stop occurs anywhere in the text."""
    return _occurs(_emergency_word(), text)


def contains_stop_word(text: str) -> bool:
    """Return True if a stop word occurs anywhere in the text."""
    return _occurs(_stop_word(), text)


def is_stop_phrase(text: str) -> bool:
    """Return True if the whole text means stop, rather than being a goal that contains a stop word."""
    if len(text) > SEARCHED or not contains_stop_word(text):
        return False
    folded = _folded(text)
    rest = set(_stop_word().sub(" ", folded).split())
    if rest <= set(_FILLERS.split()):
        return True
    words = folded.split()
    while words and words[0] in _ADDRESS.split():
        del words[0]
    begins = _stop_word().match(" ".join(words)) is not None
    return begins and words[0] not in _ALSO_GOALS.split()


def _occurs(pattern: re.Pattern[str], text: str) -> bool:
    ends = {text[:SEARCHED], text[-SEARCHED:]}
    return any(pattern.search(_folded(end)) is not None for end in ends)


def _folded(text: str) -> str:
    """Fold to lower case without accents, invisible characters and punctuation; single spaces."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    kept = "".join(c for c in plain if unicodedata.category(c) not in ("Mn", "Cf", "Cc") or c in "\t\n\r")
    return re.sub(r"[\W_]+", " ", kept).strip()


@cache
def _stop_word() -> re.Pattern[str]:
    return _pattern([item for items in _SPOKEN.values() for item in items.split(",")], _UNSPACED)


@cache
def _emergency_word() -> re.Pattern[str]:
    return _pattern(_EMERGENCY.split(","), _UNSPACED_EMERGENCY)


def _pattern(spoken: list[str], unspaced: str) -> re.Pattern[str]:
    """Return a pattern of whole phrases, and of phrases that are matched inside other text too."""
    whole = "|".join(re.sub(r"\s+", " ", item).strip().replace("(", "(?:") for item in spoken)
    inside = "|".join(_folded(item) for item in unspaced.split(","))
    return re.compile(rf"\b(?:{whole})\b|{inside}")
