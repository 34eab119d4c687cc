"""Stop means stop: in many languages, at any moment, in the same batch of commands."""

from collections.abc import Iterator
from copy import deepcopy
from random import Random

import pytest

from openral_core.missions import MissionState, PromptOutcome
from openral_core.text.stop_words import contains_stop_word, is_stop_phrase
from openral_reasoner.commands import (
    AskModel,
    CancelSkill,
    Command,
    EndMission,
    PublishHandoff,
    PublishReceipt,
    SendSkill,
)
from openral_reasoner.core.mission_core import Core
from openral_reasoner.events import ModelAnswered, PaletteChanged, PromptReceived, SkillEnded
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.scripted.planner import decide
from openral_reasoner.settings import MissionSettings
from openral_testing.reasoner.fake_peers import HomePeers
from openral_testing.reasoner.simulator import Answer, RecordedStep, SimulatedTimeline
from openral_testing.reasoner.symbolic_home import SymbolicHome

GOAL = "bring me the baguette"
MOMENTS = 4
ENGLISH = (
    *(
        "stop",
        "STOP!",
        "emergency stop",
        "stop the robot",
        "stop immediately",
        "stop right now",
        "stop, stop",
    ),
    *(
        "stop what you are doing",
        "stop grasping",
        "don't move",
        "don\u2019t touch that",
        "cancel the goal",
        "halt",
    ),
    *("I said stop", "please stop it now", "freeze", "abort mission", "never mind", "forget it", "e-stop"),
    *(
        "that's enough",
        "hold still",
        "stay where you are",
        "wait",
        "S.T.O.P.",
        "stooop",
        "stpo",
        "s\u200btop",
    ),
    *("watch out, stop", "shut down", "kill switch", "robot, please stop moving", "whoa", "quit", "stop!!!"),
)
GERMAN = (
    *("stopp", "Halt!", "halt an", "hör auf", "hoer auf damit", "sofort anhalten", "Notaus", "Not-Halt"),
    *(
        "bleib stehen",
        "Abbruch",
        "brich das ab",
        "nicht bewegen",
        "Beweg dich nicht",
        "lass das",
        "abbrechen",
    ),
    *("Schluss jetzt", "warte", "keine Bewegung", "Vorsicht!"),
)
FRENCH = (
    *("arrête", "Arrêtez !", "arrêt d'urgence", "arrête-toi tout de suite", "ne bouge pas", "ne bouge plus"),
    *("annule", "ça suffit", "laisse tomber", "attends", "halte", "stoppe", "n'avance plus"),
)
SPANISH = (
    *("para", "¡Para!", "detente", "detén el robot", "alto", "no te muevas", "cancela la misión", "basta ya"),
    *("espera", "parada de emergencia", "quieto", "deténgase"),
)
OTHERS = (
    "fermati",
    "pare",
    "houd op",
    "stanna",
    "стоп",
    "стой",
    "Стій",
    "dur",
    "停下",
    "止まれ",
    "멈춰",
    "توقف",
)
PHRASES = (*ENGLISH, *GERMAN, *FRENCH, *SPANISH, *OTHERS)
GOALS = (
    *(
        "bring me the stop sign",
        "find the stop sign",
        "the stop sign, bring it to me",
        "find the bottle stopper",
    ),
    *(
        "wait for me in the kitchen",
        "emergency kit: bring it to me",
        "para mí trae agua",
        "bring me a laptop",
    ),
    *("put the mug on top of the table", "bring the halter to Christopher", "it's on the top shelf", "yes"),
    *("find the freezer", "take me to the bus stop", "bring mir das Baguette", "apporte-moi la tasse", "no"),
)


def story(home: SymbolicHome, palette: ToolPalette, settings: MissionSettings) -> SimulatedTimeline:
    """A mission with a few skills of five seconds each."""
    peers = HomePeers(deepcopy(home))

    def answers(command: Command, now: float) -> Iterator[Answer]:
        if isinstance(command, AskModel):
            yield 0.1, ModelAnswered(call_id=command.call_id, calls=(decide(command.context),), cost=0.0)
        elif (event := peers.answer(command)) is not None:
            yield 5.0 if isinstance(command, SendSkill) else 0.1, event

    made = SimulatedTimeline(Core(settings), answers)
    made.put(0.0, PaletteChanged(palette=palette))
    made.put(0.0, PromptReceived(id="goal", text=GOAL))
    return made


def receipt(moment: RecordedStep) -> PublishReceipt:
    return next(c for c in moment.commands if isinstance(c, PublishReceipt))


def said(line: SimulatedTimeline, words: str) -> RecordedStep:
    return next(m for m in line.moments if isinstance(m.event, PromptReceived) and m.event.text == words)


@pytest.fixture
def moving(home: SymbolicHome, palette: ToolPalette, settings: MissionSettings) -> list[tuple[float, float]]:
    """Return the times at which skills run in that mission [s]."""
    line = story(home, palette, settings)
    assert [end.state for end in line.run()] == [MissionState.SUCCEEDED]
    begun = [m.now for m in line.moments for c in m.commands if isinstance(c, SendSkill)]
    ended = [m.now for m in line.moments if isinstance(m.event, SkillEnded)]
    assert len(begun) == len(ended) > 2
    return list(zip(begun, ended, strict=True))


def test_the_table_has_at_least_sixty_phrases() -> None:
    assert len(set(PHRASES)) >= 60


@pytest.mark.parametrize("words", PHRASES)
def test_a_stop_cancels_what_moves_in_the_same_batch(
    words: str,
    home: SymbolicHome,
    palette: ToolPalette,
    settings: MissionSettings,
    moving: list[tuple[float, float]],
) -> None:
    rng = Random(words)
    for _ in range(MOMENTS):
        line = story(home, palette, settings)
        line.put(rng.uniform(*rng.choice(moving)), PromptReceived(id="halt", text=words))
        ends = line.run()
        moment = said(line, words)
        sent = [c.call_id for m in line.moments for c in m.commands if isinstance(c, SendSkill)]
        assert [c.call_id for c in moment.commands if isinstance(c, CancelSkill)] == [sent[-1]]
        assert receipt(moment).outcome is PromptOutcome.STOPPED
        assert [end.state for end in ends] == [MissionState.CANCELLED]


@pytest.mark.parametrize("words", PHRASES)
def test_a_stop_at_any_moment_cancels_or_ends_at_once(
    words: str,
    home: SymbolicHome,
    palette: ToolPalette,
    settings: MissionSettings,
    moving: list[tuple[float, float]],
) -> None:
    line = story(home, palette, settings)
    line.put(Random(words).uniform(0.0, moving[-1][1]), PromptReceived(id="halt", text=words))
    ends = line.run()
    assert any(isinstance(c, CancelSkill | EndMission) for c in said(line, words).commands)
    assert [end.state for end in ends] == [MissionState.CANCELLED]


@pytest.mark.parametrize("words", PHRASES)
def test_a_stop_said_to_an_idle_robot_is_acknowledged(words: str, settings: MissionSettings) -> None:
    batch = Core(settings).handle(PromptReceived(id="halt", text=words), 0.0)
    assert [type(command) for command in batch] == [PublishReceipt]
    assert isinstance(batch[0], PublishReceipt)
    assert batch[0].outcome is PromptOutcome.STOPPED
    assert batch[0].message == "nothing was running"


@pytest.mark.parametrize("words", GOALS)
def test_a_goal_with_a_stop_word_inside_is_a_goal_for_an_idle_robot(
    words: str, settings: MissionSettings
) -> None:
    batch = Core(settings).handle(PromptReceived(id="goal", text=words), 0.0)
    assert next(c for c in batch if isinstance(c, PublishReceipt)).outcome is PromptOutcome.STARTED


@pytest.mark.parametrize("words", ["bring me the stop sign", "find the bottle stopper"])
def test_while_a_mission_runs_a_goal_about_a_thing_named_by_a_stop_word_is_queued(
    words: str, home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    line = story(home, palette, settings)
    line.put(3.0, PromptReceived(id="second", text=words))
    assert line.run()[0].state is MissionState.SUCCEEDED
    assert receipt(said(line, words)).outcome is PromptOutcome.QUEUED


@pytest.mark.parametrize(
    ("words", "outcome"),
    [
        ("ouch! let go of me", PromptOutcome.STOPPED),
        ("my sleeve is caught in your hand!", PromptOutcome.STOPPED),
        ("thank you so much", PromptOutcome.QUEUED),
    ],
)
def test_a_cry_or_an_alarm_stops_a_running_mission_and_a_remark_does_not(
    words: str, outcome: PromptOutcome, home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    line = story(home, palette, settings)
    line.put(3.0, PromptReceived(id="second", text=words))
    first = line.run()[0]
    assert receipt(said(line, words)).outcome is outcome
    assert (first.state is MissionState.CANCELLED) == (outcome is PromptOutcome.STOPPED)


def test_an_answer_is_no_alarm(home: SymbolicHome, palette: ToolPalette, settings: MissionSettings) -> None:
    line = story(home, palette, settings.model_copy(update={"require_approval": True}))
    honest = line.answers

    def answers(command: Command, now: float) -> Iterator[Answer]:
        if isinstance(command, PublishHandoff):
            yield 1.0, PromptReceived(id="answer", text="DO IT!", in_reply_to=command.question.id)
        else:
            yield from honest(command, now)

    line.answers = answers
    assert [end.state for end in line.run()] == [MissionState.SUCCEEDED]


@pytest.mark.parametrize(
    "words", ["bring me the laptop", "put it on top", "go to Christopher", "yes", "no", "go to the freezer"]
)
def test_words_that_only_look_like_a_stop_are_none(words: str) -> None:
    assert not contains_stop_word(words)
    assert not is_stop_phrase(words)


def test_a_stop_at_the_end_of_a_very_long_prompt_is_heard() -> None:
    assert contains_stop_word("bread " * 100_000 + "stop")
    assert contains_stop_word("stop" + " bread" * 100_000)


def test_an_answer_with_a_stop_word_stops_instead_of_answering(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    line = story(home, palette, settings.model_copy(update={"require_approval": True}))
    honest = line.answers

    def answers(command: Command, now: float) -> Iterator[Answer]:
        if isinstance(command, PublishHandoff):
            question = command.question.id
            yield 1.0, PromptReceived(id="answer", text="no, stop!", in_reply_to=question)
        else:
            yield from honest(command, now)

    line.answers = answers
    assert [end.state for end in line.run()] == [MissionState.CANCELLED]
    assert receipt(said(line, "no, stop!")).outcome is PromptOutcome.STOPPED
