"""Legal next calls: every decision of the scripted planner can be said, and missions end as its own do."""

from copy import deepcopy

import pytest

from openral_core.detectors import UnplacedDetection
from openral_core.missions import MissionState
from openral_reasoner.commands import EndMission
from openral_reasoner.compact.choices import MAX_CHOICES
from openral_reasoner.compact.lines import line_for, line_of
from openral_reasoner.compact.prompt import compact_prompt
from openral_reasoner.context import Context, Decision, RawCall
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.scripted.planner import ScriptedModel, decide
from openral_reasoner.settings import MissionSettings
from openral_testing.reasoner.camera_questions import ask
from openral_testing.reasoner.fake_peers import HomePeers
from openral_testing.reasoner.simulator import run_mission_in_home
from openral_testing.reasoner.symbolic_home import SymbolicHome

GOALS = (
    "bring me the mug",
    "bring me the baguette",
    "bring the mug and the baguette to the shelf",
    "bring everybody a mug",
    "bring me a glass of wine",
    "find the milk",
    "where is the mug?",
    "go to the kitchen",
    "look at the shelf",
    "look in the fridge",
    "open the fridge",
    "put the mug on the counter",
    "pour the wine into the glass",
    "swap the mug and the milk",
    "set the table for two",
    "tidy the kitchen",
    "clear the table",
    "is the mug dirty?",
    "the mug is dirty",
    "how many mugs are there?",
    "which is the largest object on the table?",
    "what do you see?",
    "describe the kitchen",
    "explore the home",
    "if there is milk in the fridge, bring me the mug",
    "bring me the mug but do not open the fridge",
    "fly to the moon",
)


@pytest.fixture
def compact(settings: MissionSettings) -> MissionSettings:
    return settings.model_copy(update={"prompt": "compact"})


def ended(end: EndMission | None) -> MissionState | None:
    return end.state if end is not None else None


@pytest.mark.parametrize("goal", GOALS)
def test_every_decision_of_the_planner_can_be_said_and_done(
    goal: str, home: SymbolicHome, palette: ToolPalette, compact: MissionSettings
) -> None:
    unsaid: list[RawCall] = []

    def sayable(context: Context) -> RawCall:
        call = decide(context)
        line = line_of(call, context.choices)
        if line is None:
            unsaid.append(call)
            return call
        chosen = next(each.call for each in context.choices if each.line == line)
        assert line_for(chosen.tool, chosen.arguments, context.palette) == line
        assert len(context.choices) <= MAX_CHOICES
        assert compact_prompt(context).state.endswith("\n>")
        return chosen

    copy = deepcopy(home)
    alone = run_mission_in_home(goal, palette, HomePeers(copy).answer, decide, compact)
    by_lines = run_mission_in_home(goal, palette, HomePeers(home).answer, sayable, compact)
    assert not unsaid
    assert by_lines.skills == alone.skills
    assert ended(by_lines.end) is ended(alone.end)
    assert (home.delivered, home.holding) == (copy.delivered, copy.holding)


def lines_offered(
    goal: str, home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> list[set[str]]:
    """Return the lines of each decision while the planner decides."""
    lines: list[set[str]] = []

    def planned(context: Context) -> RawCall:
        lines.append({each.line for each in context.choices})
        return decide(context)

    run_mission_in_home(goal, palette, HomePeers(home).answer, planned, settings)
    return lines


@pytest.mark.parametrize(
    ("goal", "doors"),
    [
        ("put the mug in the fridge", {"open fridge_1"}),
        ("give the mug to Charlotte", set()),
        ("look at the shelf", set()),
        ("look in the fridge", {"open fridge_1"}),
    ],
)
def test_no_door_is_opened_that_neither_hides_the_object_nor_closes_its_place(
    goal: str, doors: set[str], home: SymbolicHome, palette: ToolPalette, compact: MissionSettings
) -> None:
    lines = lines_offered(goal, home, palette, compact)
    start = next((n for n, each in enumerate(lines) if any("mug_1" in line for line in each)), 0)
    assert {line for each in lines[start:] for line in each if line.startswith("open")} == doors


def test_a_drive_ends_where_the_goal_says(
    home: SymbolicHome, palette: ToolPalette, compact: MissionSettings
) -> None:
    lines = lines_offered("go to the shelf", home, palette, compact)
    assert {line for each in lines for line in each if line.startswith("goto")} == {"goto shelf_1"}


def test_what_is_in_the_hand_or_delivered_is_looked_for_no_more(
    home: SymbolicHome, palette: ToolPalette, compact: MissionSettings
) -> None:
    lines = lines_offered("bring me the mug and the baguette", home, palette, compact)
    assert {"recall mug", "recall baguette"} <= lines[0]
    assert {each for each, _ in home.delivered} == {"mug_1", "bread_1"}
    assert any("recall baguette" in each and "recall mug" not in each for each in lines)
    assert not {"recall mug", "recall baguette"} & lines[-2]


def test_a_robot_that_tidies_looks_at_a_place_before_it_drives_on(
    home: SymbolicHome, palette: ToolPalette, compact: MissionSettings
) -> None:
    lines = lines_offered("tidy the kitchen", home, palette, compact)
    moves = [{line for line in each if line.startswith(("goto", "look"))} for each in lines]
    looks = [each for each in moves if len(each) == 1]
    assert looks == [{"look counter_1"}, {"look fridge_1"}, {"look cabinet_1"}]


@pytest.mark.parametrize("goal", ["tidy the kitchen", "tidy the cellar"])
def test_nothing_outside_the_stated_room_is_tidied(
    goal: str, home: SymbolicHome, palette: ToolPalette, compact: MissionSettings
) -> None:
    room = goal.rpartition(" ")[2]
    inside = {place.id for place in home.places.values() if place.room == room}
    inside |= {each.id for each in home.objects.values() if each.place in inside}
    lists = RawCall(tool="list_objects", arguments="{}")
    lines: set[str] = set()

    def listing(context: Context) -> RawCall:
        lines.update(each.line for each in context.choices)
        return lists

    run_mission_in_home(goal, palette, HomePeers(home).answer, listing, compact)
    acts = [line.split() for line in lines if line.startswith(("goto", "look", "grasp", "open"))]
    assert bool(acts) == bool(inside)
    assert {act[1] for act in acts} <= inside


def test_what_is_to_be_poured_is_not_looked_for_in_the_hand(
    home: SymbolicHome, palette: ToolPalette, compact: MissionSettings
) -> None:
    lines = lines_offered("pour the wine into the glass", home, palette, compact)
    assert "recall wine" in lines[0]
    assert any("pour glass_1" in each for each in lines)
    assert all("recall wine" not in each for each in lines if "pour glass_1" in each)
    assert "place counter_1" in lines[-2]
    places = {line for line in lines[-2] if line.startswith("place")}
    assert places == {"place counter_1", "place fridge_1", "place shelf_1", "place table_1"}


def test_only_the_named_vessel_is_filled(
    home: SymbolicHome, palette: ToolPalette, compact: MissionSettings
) -> None:
    lines = lines_offered("pour the wine into the mug", home, palette, compact)
    assert {line for each in lines for line in each if line.startswith("pour")} == {"pour mug_1"}


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("what do you see", {"view"}),
        ("is there a bottle in view", {"view"}),
        ("what is on the left", {"view"}),
        ("how many bottles", {"list home"}),
        ("is there a bottle", {"recall bottle"}),
    ],
)
def test_a_question_ends_with_its_answer_and_not_without_a_look(
    question: str, first: set[str], compact: MissionSettings
) -> None:
    lines: list[set[str]] = []

    def choose(context: Context) -> Decision:
        lines.append({each.line for each in context.choices})
        return ScriptedModel()(context)

    bottle = UnplacedDetection("front", "bottle", 0.8, "left", 0.4, (0.2, 0.5))
    assert "bottle (" in ask(question, (bottle,), ("bottle",), choose, compact)
    assert lines == [first, {"done"}]


def test_what_a_camera_sees_but_memory_cannot_place_is_what_a_human_is_told(
    compact: MissionSettings,
) -> None:
    bottle = UnplacedDetection("front", "bottle", 0.8, "left", 0.4, (0.2, 0.5))

    def choose(context: Context) -> Decision:
        line = "ask" if context.turns else "recall bottle"
        call = next(each.call for each in context.choices if each.line == line)
        return Decision(calls=(call,))

    answer = ask("bring me the bottle", (bottle,), ("bottle",), choose, compact)
    assert answer == f"I see {bottle}, but can't place it in my map. What should I do?"
