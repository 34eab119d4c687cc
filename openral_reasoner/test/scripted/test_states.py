"""Lamps that are switched, and states that are asked and told, in whole missions."""

import pytest

from openral_core.missions import MissionState
from openral_core.object_states import StateSource
from openral_reasoner.commands import CallEdit, Command, PublishHandoff, SendSkill
from openral_reasoner.events import Event, PromptReceived
from openral_reasoner.palette.build import control_entries, place_entries
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.request.goals import AskState, TellState
from openral_reasoner.scripted.planner import decide
from openral_reasoner.sentences import read_sentence
from openral_reasoner.settings import MissionSettings
from openral_testing.reasoner.fake_peers import HomePeers
from openral_testing.reasoner.simulator import MissionRun, run_mission_in_home
from openral_testing.reasoner.symbolic_home import HomeLamp, SymbolicHome


@pytest.fixture
def lit(home: SymbolicHome) -> SymbolicHome:
    """The home with a lamp in each room."""
    lamps = (
        HomeLamp("floor_lamp", "floor lamp", "living_room", 7.0, 1.0),
        HomeLamp("reading_lamp", "reading lamp", "living_room", 8.0, 3.0, on=True),
        HomeLamp("kitchen_lamp", "kitchen lamp", "kitchen", 3.0, 1.0, on=True),
    )
    home.lamps = {lamp.id: lamp for lamp in lamps}
    return home


def run(goal: str, home: SymbolicHome, palette: ToolPalette, settings: MissionSettings) -> MissionRun:
    scene = home.graph()
    known = palette.model_copy(update={"controls": control_entries(scene), "places": place_entries(scene)})
    return run_mission_in_home(goal, known, HomePeers(home).answer, decide, settings)


def ending(story: MissionRun) -> tuple[MissionState, str]:
    assert story.end is not None
    return story.end.state, story.end.reason


def asked(story: MissionRun) -> str:
    return next(c.question.question for c in story.commands if isinstance(c, PublishHandoff))


def test_turns_on_the_lamp_that_is_named(
    lit: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    story = run("turn on the floor lamp", lit, palette, settings)
    assert ending(story) == (MissionState.SUCCEEDED, "The floor lamp is on.")
    assert lit.lamps["floor_lamp"].on
    goals = [c.goal for c in story.commands if isinstance(c, SendSkill)]
    assert [goal.rskill_id for goal in goals] == ["navigate", "switch"]
    assert goals[-1].params["on"] is True


def test_turns_off_every_light_of_a_room_and_no_other(
    lit: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    story = run("turn off all the lights in the living room", lit, palette, settings)
    assert ending(story)[0] is MissionState.SUCCEEDED
    assert {name: lamp.on for name, lamp in lit.lamps.items()} == {
        "floor_lamp": False,
        "reading_lamp": False,
        "kitchen_lamp": True,
    }


def test_asks_which_of_several_lamps_is_meant_before_it_moves(
    lit: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    story = run("turn on the lamp", lit, palette, settings)
    assert asked(story).startswith("Which one: the floor lamp (living_room), the kitchen lamp (kitchen)")
    assert not [c for c in story.commands if isinstance(c, SendSkill)]


def test_of_several_lamps_the_one_that_is_chosen_is_switched(
    lit: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    waiting = settings.model_copy(
        update={"deadlines": settings.deadlines.model_copy(update={"handoff": 60.0})}
    )
    peers, offers = HomePeers(lit), list[tuple[str, ...]]()

    def answer(command: Command) -> Event | None:
        if not isinstance(command, PublishHandoff):
            return peers.answer(command)
        offers.append(command.question.choices)
        return PromptReceived(id="answer", text=offers[0][1], in_reply_to=command.question.id)

    scene = lit.graph()
    known = palette.model_copy(update={"controls": control_entries(scene), "places": place_entries(scene)})
    story = run_mission_in_home("turn on the lamp", known, answer, decide, waiting)
    assert offers == [("floor lamp (living_room)", "kitchen lamp (kitchen)", "reading lamp (living_room)")]
    assert ending(story) == (MissionState.SUCCEEDED, "The kitchen lamp is on.")
    assert lit.lamps["kitchen_lamp"].on


@pytest.mark.parametrize("goal", ["turn on the heater", "press the red button"])
def test_says_what_it_can_switch_if_it_knows_no_such_thing(
    goal: str, lit: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    story = run(goal, lit, palette, settings)
    assert "I can switch: floor lamp, kitchen lamp, reading lamp." in asked(story)
    assert not [c for c in story.commands if isinstance(c, SendSkill)]


def test_a_lamp_that_does_not_light_up_is_a_question_and_no_success(
    lit: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    lit.lamps["floor_lamp"].dead = True
    assert "couldn't switch on the floor lamp: BLOCKED (it does not look on)" in asked(
        run("turn on the floor lamp", lit, palette, settings)
    )


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("is the kitchen lamp on?", "Yes, the kitchen lamp is on (reported 0 s ago)."),
        ("is the kitchen lamp off?", "No, the kitchen lamp is on (reported 0 s ago)."),
        ("is the fridge open?", "No, the fridge is closed (seen 0 s ago)."),
        ("is my mug clean?", "No, the mug is dirty (told 0 s ago)."),
    ],
)
def test_answers_about_states_from_memory_without_moving(
    question: str, answer: str, lit: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    lit.note("kitchen_lamp", "on", StateSource.REPORTED)
    lit.note("fridge_1", "closed", StateSource.SEEN)
    lit.note("mug_1", "dirty", StateSource.TOLD)
    story = run(question, lit, palette, settings)
    assert ending(story) == (MissionState.SUCCEEDED, answer)
    assert not [c for c in story.commands if isinstance(c, SendSkill)]


def test_a_question_without_an_answer_is_no_success(
    lit: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    state, said = ending(run("is the reading lamp on?", lit, palette, settings))
    assert state is not MissionState.SUCCEEDED
    assert "I don't know whether the reading lamp is on" in said


def test_what_the_operator_says_is_noted_and_told_again(
    lit: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    story = run("the mug is dirty", lit, palette, settings)
    assert ending(story) == (MissionState.SUCCEEDED, "I will remember that the mug is dirty.")
    assert [c.edit.label for c in story.commands if isinstance(c, CallEdit)] == ["dirty"]
    assert "dirty (told" in ending(run("is the mug dirty?", lit, palette, settings))[1]


def test_a_switched_lamp_is_known_to_be_on(
    lit: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    run("turn on the floor lamp", lit, palette, settings)
    assert control_entries(lit.graph())[0].state == "on (reported)"
    assert ending(run("is the floor lamp on?", lit, palette, settings))[1].startswith("Yes")


@pytest.mark.parametrize(
    ("words", "goal"),
    [
        ("are the lights off?", AskState("lights", "off")),
        ("tell me whether the tv is off", AskState("tv", "off")),
        ("is the window shut", AskState("window", "closed")),
        ("remember that the mug is dirty", TellState("mug", "dirty")),
        ("please note that the fridge is empty", TellState("fridge", "empty")),
    ],
)
def test_questions_and_statements_are_read(words: str, goal: object) -> None:
    assert read_sentence(words) == goal
