"""Numbers of objects are told after a look, with their names; people are no objects to be counted."""

from copy import deepcopy

import pytest

from openral_core.missions import MissionState
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.request.goals import AskCount, NotUnderstood
from openral_reasoner.scripted.planner import decide
from openral_reasoner.sentences import read_sentence
from openral_reasoner.settings import MissionSettings
from openral_testing.reasoner.fake_peers import HomePeers
from openral_testing.reasoner.simulator import run_mission_in_home
from openral_testing.reasoner.symbolic_home import HomeObject, SymbolicHome


@pytest.mark.parametrize(
    ("text", "goal"),
    [
        ("tell me how many snacks there are on the shelf", AskCount("snack", "shelf")),
        ("how many mugs are there?", AskCount("mug")),
        ("How many apples do we have in the fridge?", AskCount("apple", "fridge")),
        ("count the mugs on the table", AskCount("mug", "table")),
    ],
)
def test_a_question_for_a_number_is_read(text: str, goal: AskCount) -> None:
    assert read_sentence(text) == goal


@pytest.mark.parametrize("text", ["how many days are there in a week"])
def test_what_cannot_be_counted_is_asked_back(text: str) -> None:
    assert isinstance(read_sentence(text), NotUnderstood)


@pytest.mark.parametrize(
    ("goal", "told"),
    [
        ("how many mugs are on the table?", "I know of 1 x mug at the table: mug."),
        ("how many spoons are on the table?", "I know of 0 x spoon at the table."),
    ],
)
def test_the_number_is_told_after_a_look(
    goal: str, told: str, home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    played = run_mission_in_home(goal, palette, HomePeers(deepcopy(home)).answer, decide, settings)
    assert played.end is not None
    assert played.end.reason == told
    assert played.end.state is MissionState.SUCCEEDED
    assert played.skills == ["navigate", "look-at"]


def test_what_is_asked_about_people_is_refused_by_its_verb(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    played = run_mission_in_home(
        "guide Robin from the shelf to the sofa", palette, HomePeers(home).answer, decide, settings
    )
    assert played.end is not None
    assert played.end.reason.startswith("I can't guide people: no skill of mine does that.")
    assert played.skills == []


def test_a_person_is_found_as_an_object_is(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    home.objects["person_1"] = HomeObject("person_1", "person", "table_1", "person")
    played = run_mission_in_home("find a person", palette, HomePeers(home).answer, decide, settings)
    assert played.end is not None
    assert played.end.state is MissionState.SUCCEEDED, played.end
