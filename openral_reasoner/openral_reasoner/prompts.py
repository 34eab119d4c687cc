"""Prompts: validation, stop phrases, the queue of goals, and receipts of the last prompts.

Stop phrases count anywhere in a prompt while a mission runs, as the whole prompt otherwise. An unnecessary
stop costs a repeated goal; a missed stop may cause damage. The lists are therefore generous.
"""

import re
import unicodedata
from collections import OrderedDict, deque
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from openral_core.missions import MissionState, PromptOutcome
from openral_reasoner.commands import Command, MissionReport, PublishPrompt, PublishReceipt, PublishStatus
from openral_reasoner.events import PromptReceived

PROMPT_CHARACTERS = 4000
"""Longest accepted prompt [characters]: about a thousand tokens of every decision."""
NAME_CHARACTERS = 200
"""Longest accepted id in a prompt [characters]."""
RECEIPTS_KEPT = 256
"""Receipts kept for repeated prompts; senders stop repeating long before this many others arrive."""
_QUOTED = 80
"""Longest goal quoted in a sentence [characters]."""


@dataclass(frozen=True, slots=True)
class Goal:
    """Prompt and the id of its mission."""

    mission_id: str
    prompt: PromptReceived


class Receipts:
    """Receipts of the last prompts, so that a repeated prompt is not carried out twice."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, str, str], PublishReceipt] = OrderedDict()

    @property
    def kept(self) -> tuple[tuple[tuple[str, str, str], PublishReceipt], ...]:
        """Receipts with the prompts they belong to, to restore them from."""
        return tuple(self._kept.items())

    def restore(self, kept: Iterable[tuple[tuple[str, str, str], PublishReceipt]]) -> None:
        """Take over the receipts of another core."""
        self._kept.update(kept)

    def of(self, prompt: PromptReceived) -> PublishReceipt | None:
        """Return the receipt of this exact prompt; a caller may reuse an id for another text."""
        return self._kept.get(_key(prompt)) if prompt.id else None

    def write(
        self, prompt: PromptReceived, outcome: PromptOutcome, message: str, mission_id: str = ""
    ) -> PublishReceipt:
        """Write a receipt; stops always act and refusals may be temporary, so neither is kept."""
        name = prompt.id[:NAME_CHARACTERS]
        receipt = PublishReceipt(prompt_id=name, outcome=outcome, mission_id=mission_id, message=message)
        if prompt.id and outcome not in (PromptOutcome.STOPPED, PromptOutcome.REFUSED):
            self._kept[_key(prompt)] = receipt
            while len(self._kept) > RECEIPTS_KEPT:
                self._kept.popitem(last=False)
        return receipt


class GoalQueue:
    """Queue of goals that wait for the running mission to end."""

    def __init__(self, length: int) -> None:
        self._length = length
        self._waiting: deque[Goal] = deque()

    @property
    def full(self) -> bool:
        """True if no more goals are accepted."""
        return len(self._waiting) >= self._length

    def put(self, goal: Goal) -> int:
        """Queue a goal; return the number of goals before it."""
        self._waiting.append(goal)
        return len(self._waiting) - 1

    def next(self) -> Goal | None:
        """Return the next goal, None if the queue is empty."""
        return self._waiting.popleft() if self._waiting else None

    def drop(self) -> tuple[Goal, ...]:
        """Empty the queue and return its goals."""
        dropped = tuple(self._waiting)
        self._waiting.clear()
        return dropped


def refusal(prompt: PromptReceived) -> str:
    """Return the reason to refuse a prompt; "" if it is acceptable."""
    if prompt.source != "operator":
        return "header.frame_id is empty: goals and answers need frame_id 'operator'"
    if not prompt.text.strip():
        return "the text is empty: say what to do, for example 'find the mug'"
    if len(prompt.text) > PROMPT_CHARACTERS:
        return f"the text is too long: at most {PROMPT_CHARACTERS} characters are accepted"
    names = {"id": prompt.id, "in_reply_to": prompt.in_reply_to, "requester": prompt.requester}
    long = next((name for name, value in names.items() if len(value) > NAME_CHARACTERS), "")
    return f"{long} is too long: at most {NAME_CHARACTERS} characters are accepted" if long else ""


def dropped(goals: tuple[Goal, ...], why: str) -> list[Command]:
    """Report to the senders of queued goals that they were dropped."""
    commands: list[Command] = []
    for goal in goals:
        reason = f"dropped from the queue: {why}"
        report = MissionReport(
            mission_id=goal.mission_id,
            prompt_id=goal.prompt.id,
            goal=goal.prompt.text,
            requester=goal.prompt.requester,
            state=MissionState.CANCELLED,
            step="ended",
            reason=reason,
            traceparent=goal.prompt.traceparent,
        )
        commands.append(say(reason, goal.prompt, goal.mission_id))
        commands.append(PublishStatus(report=report))
    return commands


def say(text: str, prompt: PromptReceived, mission_id: str = "") -> PublishPrompt:
    """Build a message to the sender of a prompt."""
    return PublishPrompt(source="reasoner", text=text, in_reply_to=prompt.id, mission_id=mission_id)


def quoted(text: str) -> str:
    """Quote a goal for use in a sentence."""
    short = " ".join(text.split())
    return repr(short if len(short) <= _QUOTED else f"{short[: _QUOTED - 3]}...")


def _key(prompt: PromptReceived) -> tuple[str, str, str]:
    return prompt.id, prompt.text, prompt.in_reply_to


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
        gefahr, abschalten, ausschalten, schalte? (dich|ihn) (ab|aus), einfrieren""",
    "French": r"""
        arret(e|es|ez|er|ons|e toi)?, halte, (ne |n )?boug\w* (pas|plus), annul\w*, urgence,
        laisse (tomber|ca), assez, attend(s|ez)?, suffit, abandonn\w*, interromp\w*, (pas|plus) un geste,
        immobile, cess(e|ez|er), tant pis, pas plus loin, n avance(z)? (pas|plus), ne (\w+ )?(plus|pas) \w+er,
        ne (fais|faites|touche|touchez|continue|continuez) (plus|pas)""",
    "Spanish": r"""
        par(a|ad|ada|ar|ate|e|en|ese|emos)?, deten(te|gase|ganse|er|ga|gan|eos|lo)?, alto,
        no (te|se|os) muev\w+, no sig(as|a|an), basta, quiet(o|a|os|as), emergencia,
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
    want bitte sofort jetzt roboter du sollst s il vous te plait tout de suite maintenant il faut por favor
    ahora ya tienes que per favore subito"""
_FILLERS = f"""{_ADDRESS}
    the a it that this there at once immediately moving everything mission task goal what are doing and all
    of your me for is god s sake instantly quickly asap grasping driving going alles das es der die den damit
    an la le les ce que tu fais d immediatement inmediatamente todo lo haces mismo de el en ca"""
_ALSO_GOALS = """
    emergency wait pause enough danger alt alto par para pare parar hold look watch turn switch stay keep
    warte warten leave drop halt dur vent stan di end"""
"""First words of stops that may also begin a goal; followed by more text they are taken as a goal."""


def contains_stop_word(text: str) -> bool:
    """Return True if a stop word occurs anywhere in the text."""
    ends = {text[:SEARCHED], text[-SEARCHED:]}
    return any(_stop_word().search(_folded(end)) is not None for end in ends)


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


def _folded(text: str) -> str:
    """Fold to lower case without accents, invisible characters and punctuation; single spaces."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    kept = "".join(c for c in plain if unicodedata.category(c) not in ("Mn", "Cf", "Cc") or c in "\t\n\r")
    return re.sub(r"[\W_]+", " ", kept).strip()


@cache
def _stop_word() -> re.Pattern[str]:
    spoken = [phrase for phrases in _SPOKEN.values() for phrase in phrases.split(",")]
    whole = "|".join(re.sub(r"\s+", " ", item).strip().replace("(", "(?:") for item in spoken)
    inside = "|".join(_folded(item) for item in _UNSPACED.split(","))
    return re.compile(rf"\b(?:{whole})\b|{inside}")
