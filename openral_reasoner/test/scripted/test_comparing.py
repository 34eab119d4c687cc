"""Questions about several objects are answered by what memory measures, after a look at a named place."""

import pytest

from openral_core.missions import MissionState
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.request.goals import (
    AskCompare,
    AskView,
    AskWhereabouts,
    BringEvery,
    BringSeveral,
    Request,
)
from openral_reasoner.scripted.planner import decide
from openral_reasoner.sentences import read_sentence
from openral_reasoner.settings import MissionSettings
from openral_testing.reasoner.fake_peers import HomePeers
from openral_testing.reasoner.simulator import MissionRun, run_mission_in_home
from openral_testing.reasoner.symbolic_home import HomeObject, SymbolicHome

FRIDGE, CABINET = (0.6, 0.7, 1.7), (0.4, 0.7, 1.5)


@pytest.mark.parametrize(
    ("text", "goal"),
    [
        ("which is bigger, the fridge or the cabinet?", AskCompare("fridge", "largest", other="cabinet")),
        ("is the fridge or the cabinet bigger?", AskCompare("fridge", "largest", other="cabinet")),
        ("what's the longest thing on the counter?", AskCompare("object", "longest", "counter")),
        ("which mug is closer to the sink?", AskCompare("mug", "nearest", near="sink")),
        (
            "is the lemon nearer to the bowl or to the plate?",
            AskCompare("bowl", "nearest", other="plate", near="lemon"),
        ),
        (
            "Was ist größer, der Kühlschrank oder der Schrank?",
            AskCompare("fridge", "largest", other="cabinet"),
        ),
        ("where are you?", AskWhereabouts()),
        ("Wo bist du?", AskWhereabouts()),
        ("what's in front of you right now?", AskView()),
        ("bring me the mugs", BringEvery("mug")),
        ("bring me mugs", BringSeveral("mug", 2)),
        ("bring some apples to Anna", BringSeveral("apple", 2, "Anna")),
        ("take the books and bring them to me", BringEvery("book")),
    ],
)
def test_what_is_asked_is_read(text: str, goal: Request) -> None:
    assert read_sentence(text) == goal


def played(goal: str, home: SymbolicHome, palette: ToolPalette, settings: MissionSettings) -> MissionRun:
    return run_mission_in_home(goal, palette, HomePeers(home).answer, decide, settings)


def told(run: MissionRun) -> str:
    assert run.end is not None
    assert run.end.state is MissionState.SUCCEEDED, run.end
    return run.end.reason


def test_furniture_is_compared_by_the_sizes_of_the_map(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    home.places["fridge_1"].size, home.places["cabinet_1"].size = FRIDGE, CABINET
    run = played("which is bigger, the fridge or the cabinet?", home, palette, settings)
    assert told(run) == "The largest is the fridge: 714 litres. The others: cabinet: 420 litres."
    assert run.skills == []


def test_an_unknown_size_is_no_answer(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    run = played("which is bigger, the fridge or the cabinet?", home, palette, settings)
    assert run.end is not None
    assert run.end.state is MissionState.HANDED_OVER
    assert run.end.reason.startswith("I can't compare them: UNAVAILABLE (memory has no size of any of them)")


def test_a_property_that_nothing_measures_is_refused_by_name(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    run = played("which is the heaviest mug on the table?", home, palette, settings)
    assert run.end is not None
    assert run.end.reason.startswith(
        "I can't tell which is the heaviest: I measure largest, smallest, longest"
    )
    assert run.skills == []


def test_what_is_nearest_is_told_after_a_look(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    home.objects["bowl_1"] = HomeObject("bowl_1", "bowl", "counter_1", "bowl")
    run = played("which is nearer to the shelf, the bowl or the mug?", home, palette, settings)
    assert told(run).startswith("The nearest to the shelf is the mug: ")


def test_furniture_counts_as_well(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    run = played("how many tables are there in the living room?", home, palette, settings)
    assert told(run) == "I know of 1 x table at the living room: dining table."


def test_all_that_is_at_a_place_is_counted(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    run = played("how many things are on the table?", home, palette, settings)
    assert told(run).startswith("I know of 2 x object at the table: ")


def test_the_robot_says_where_it_is_and_what_it_sees(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    home.places["counter_1"].size = (0.6, 2.0, 0.9)
    assert told(played("where are you?", home, palette, settings)) == (
        "I am in the kitchen, nearest to the kitchen counter."
    )
    seen = told(played("what do you see?", home, palette, settings))
    assert seen.startswith("I am in the kitchen, nearest to the kitchen counter. In view: ")


def test_two_of_a_kind_are_told_apart_by_their_side(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    home.objects["mug_2"] = HomeObject("mug_2", "blue mug", "shelf_1", "mug")
    home.x, home.y = 0.0, 0.0  # the table is at (6, 0), the shelf at (8, 4)
    reason = told(played("which mug is nearer to the fridge?", home, palette, settings))
    assert reason.startswith("The nearest to the fridge is the mug on the ")
    near, far = reason.split(" The others: ")
    assert ("on the left" in near) != ("on the left" in far)
    assert ("on the right" in near) != ("on the right" in far)
