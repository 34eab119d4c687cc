"""Whole missions with several parts in a symbolic home."""

import pytest

from openral_core.missions import MissionState
from openral_core.rskills import ParameterSpec, ParameterType
from openral_core.skills import SkillResult, SkillStatus, Verb
from openral_core.spatial_memory import NodeKind
from openral_reasoner.commands import Command, PublishHandoff, SendSkill
from openral_reasoner.events import Event, SkillEnded
from openral_reasoner.palette.entries import PlaceEntry, ToolPalette
from openral_reasoner.request.goals import Bring, MoveDoor
from openral_reasoner.scripted.planner import decide
from openral_reasoner.scripted.progress import GoalProgress, leading_deliveries
from openral_reasoner.settings import MissionSettings
from openral_testing.reasoner.fake_peers import HomePeers
from openral_testing.reasoner.simulator import MissionRun, run_mission_in_home
from openral_testing.reasoner.symbolic_home import HomeObject, HomePlace, SymbolicHome


def run(goal: str, home: SymbolicHome, palette: ToolPalette, settings: MissionSettings) -> MissionRun:
    return run_mission_in_home(goal, palette, HomePeers(home).answer, decide, settings)


def state(story: MissionRun) -> MissionState | None:
    return story.end.state if story.end else None


def question(story: MissionRun) -> str:
    (handoff,) = [c for c in story.commands if isinstance(c, PublishHandoff)]
    return handoff.question.question


def test_brings_both_objects_and_reports_each(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    story = run("bring me the baguette and the milk", home, palette, settings)
    assert state(story) is MissionState.SUCCEEDED, story.end
    assert home.delivered == [("bread_1", "ana"), ("milk_1", "ana")]
    assert story.end is not None
    assert "baguette" in story.end.reason
    assert "milk" in story.end.reason


@pytest.mark.parametrize(("place", "brought"), [("table", "mug_1"), ("counter", "bread_1")])
def test_a_condition_about_a_place_is_not_met_by_an_object_that_is_seen_elsewhere(
    place: str, brought: str, home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    goal = f"if the mug is on the {place}, bring it to me, otherwise bring me the baguette"
    story = run(goal, home, palette, settings)
    assert state(story) is MissionState.SUCCEEDED, story.end
    assert [what for what, _ in home.delivered] == [brought]


def test_rearranges_objects_each_to_its_own_place(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    story = run("put the mug on the counter and the baguette on the shelf", home, palette, settings)
    assert state(story) is MissionState.SUCCEEDED, story.end
    assert (home.objects["mug_1"].place, home.objects["bread_1"].place) == ("counter_1", "shelf_1")


@pytest.mark.parametrize(
    ("goal", "first"),
    [
        ("put the kettle on the shelf and the vase on the counter", "vase_1"),
        ("put the kettle on the shelf, then the vase on the counter", "kettle_1"),
        ("put the kettle on the shelf and find the mug and put the vase on the counter", "kettle_1"),
        ("first the kettle on the shelf and the vase on the counter, please", "kettle_1"),
    ],
)
def test_the_nearest_delivery_comes_first_unless_the_order_is_stated(
    goal: str, first: str, home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    home.objects |= {
        "kettle_1": HomeObject("kettle_1", "kettle", "table_1", "kettle"),
        "vase_1": HomeObject("vase_1", "vase", "fridge_1", "vase"),
    }
    story = run(goal, home, palette, settings)
    assert state(story) is MissionState.SUCCEEDED, story.end
    grasped = [
        c.goal.params["label"]
        for c in story.commands
        if isinstance(c, SendSkill) and c.goal.rskill_id == "grasp"
    ]
    assert next(f"{label}_1" for label in grasped) == first


@pytest.mark.parametrize(
    ("goal", "delivered"),
    [
        ("bring me the milk and then the mug", ["milk_1", "mug_1"]),
        ("bring me the mug and then the milk", ["mug_1", "milk_1"]),
        ("first bring me the milk, then bring me the mug", ["milk_1", "mug_1"]),
        ("first find the mug, then bring me the milk", ["milk_1"]),
    ],
)
def test_what_is_said_to_come_first_comes_first(
    goal: str, delivered: list[str], home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    story = run(goal, home, palette, settings)
    assert state(story) is MissionState.SUCCEEDED, story.end
    assert [what for what, _ in home.delivered] == delivered


def test_an_object_that_carries_another_keeps_the_stated_order() -> None:
    tray = (Bring("mug", "tray"), Bring("tray", "table"))
    assert leading_deliveries(tray) == ()
    assert leading_deliveries((Bring("mug"), Bring("mug", "ana"))) == ()
    assert leading_deliveries((Bring("mug"), Bring("milk"), MoveDoor("fridge", False))) == (
        Bring("mug"),
        Bring("milk"),
    )


def test_closes_what_an_earlier_part_opened(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    story = run("open the cabinet, bring me the baguette, then close it", home, palette, settings)
    assert state(story) is MissionState.SUCCEEDED, story.end
    assert home.delivered == [("bread_1", "ana")]
    assert not home.places["cabinet_1"].is_open
    assert story.skills.index("open") < story.skills.index("handover") < story.skills.index("close")


def test_a_part_that_fails_does_not_cost_the_others_and_is_asked_about_last(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    story = run("bring me the unicorn and the baguette", home, palette, settings)
    assert state(story) is MissionState.HANDED_OVER, story.end
    assert home.delivered == [("bread_1", "ana")]
    assert "I brought the baguette to you." in question(story)
    assert "couldn't find unicorn" in question(story)


def test_after_a_failure_in_a_stated_order_nothing_that_follows_is_begun(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    story = run("bring me the unicorn, then open the cabinet", home, palette, settings)
    assert state(story) is MissionState.HANDED_OVER, story.end
    assert "Not started: open the cabinet." in question(story)
    assert not home.places["cabinet_1"].is_open


def test_brings_two_different_objects_of_one_kind(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    home.objects["mug_2"] = HomeObject("mug_2", "blue mug", "counter_1", "mug")
    story = run("bring me two mugs", home, palette, settings)
    assert state(story) is MissionState.SUCCEEDED, story.end
    assert {held for held, _ in home.delivered} == {"mug_1", "mug_2"}


def test_says_how_many_of_several_it_brought(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    story = run("bring me two mugs", home, palette, settings)
    assert state(story) is MissionState.HANDED_OVER, story.end
    assert home.delivered == [("mug_1", "ana")]
    assert "I brought 1 of 2 x mug" in question(story)


def test_everybody_gets_one(home: SymbolicHome, palette: ToolPalette, settings: MissionSettings) -> None:
    home.agents["ben"] = HomePlace("ben", "Ben", "kitchen", 3.0, -2.0)
    home.objects["mug_2"] = HomeObject("mug_2", "blue mug", "counter_1", "mug")
    ben = PlaceEntry(id="ben", label="Ben", kind=NodeKind.AGENT, room="kitchen")
    crowd = palette.model_copy(update={"places": (*palette.places, ben)})
    story = run("bring everybody a mug", home, crowd, settings)
    assert state(story) is MissionState.SUCCEEDED, story.end
    assert sorted(person for _, person in home.delivered) == ["ana", "ben"]
    assert len({held for held, _ in home.delivered}) == 2


def test_a_condition_may_concern_everybody(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    story = run("if there is milk, bring everybody a mug", home, palette, settings)
    assert state(story) is MissionState.SUCCEEDED, story.end
    assert home.delivered == [("mug_1", "ana")]


def test_exchanges_two_objects(home: SymbolicHome, palette: ToolPalette, settings: MissionSettings) -> None:
    home.objects["bowl_1"] = HomeObject("bowl_1", "bowl", "counter_1", "bowl")
    story = run("swap the bowl and the mug", home, palette, settings)
    assert state(story) is MissionState.SUCCEEDED, story.end
    assert (home.objects["bowl_1"].place, home.objects["mug_1"].place) == ("table_1", "counter_1")


@pytest.mark.parametrize(
    ("goal", "delivered"),
    [
        ("if there is milk in the fridge, bring me the milk, otherwise bring me the baguette", "milk_1"),
        ("if there is tea in the cabinet, bring me the tea, otherwise bring me the baguette", "bread_1"),
        ("if you find milk, bring it to me", "milk_1"),
        ("if there is milk, bring it", "milk_1"),
    ],
)
def test_a_condition_is_looked_at_before_anything_is_brought(
    goal: str, delivered: str, home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    story = run(goal, home, palette, settings)
    assert state(story) is MissionState.SUCCEEDED, story.end
    assert home.delivered == [(delivered, "ana")]


def test_nothing_is_brought_if_the_condition_does_not_hold(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    story = run("if there is tea in the cabinet, bring me the baguette", home, palette, settings)
    assert state(story) is MissionState.CLAIMED, story.end
    assert not home.delivered
    assert story.end is not None
    assert "I found no tea at cabinet" in story.end.reason


def test_what_failed_is_tried_again_before_what_was_not_begun() -> None:
    progress = GoalProgress(
        [MoveDoor("fridge", open=True)], failed=[(Bring("unicorn"), "Where should I look?")]
    )
    progress.again()
    assert progress.pending == [Bring("unicorn"), MoveDoor("fridge", open=True)]
    assert not progress.failed


@pytest.mark.parametrize(
    "parts",
    [
        "the baguette on the shelf and the mug on the counter",
        "the mug on the counter and the baguette on the shelf",
    ],
)
def test_an_object_that_a_failed_part_leaves_in_the_hand_is_put_down(
    parts: str, home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    peers = HomePeers(home)

    def full_shelf(command: Command) -> Event | None:
        if isinstance(command, SendSkill) and command.goal.rskill_id == "place" and home.at == "shelf_1":
            full = SkillResult(SkillStatus.NOT_REACHABLE, "no free spot")
            return SkillEnded(call_id=command.call_id, result=full)
        return peers.answer(command)

    goal = f"put {parts}"
    story = run_mission_in_home(goal, palette, full_shelf, decide, settings)
    assert state(story) is MissionState.HANDED_OVER
    assert home.objects["mug_1"].place == "counter_1"
    assert not home.holding
    assert story.end is not None
    assert "I couldn't put baguette down in shelf: NOT_REACHABLE" in story.end.reason
    assert "I put what I held on the kitchen counter." in story.end.reason


def with_parameter(palette: ToolPalette, verb: Verb, name: str, kind: ParameterType) -> ToolPalette:
    """Add an optional parameter to the skill of a verb."""
    spec = ParameterSpec(name=name, type=kind, description="of the test", required=False)
    skills = tuple(
        skill.model_copy(update={"parameters": (*skill.parameters, spec)}) if skill.verb is verb else skill
        for skill in palette.skills
    )
    return palette.model_copy(update={"skills": skills})


@pytest.mark.parametrize(
    "goal", ["put the mug on the shelf", "clear the table and put everything on the shelf"]
)
def test_a_place_skill_is_told_the_size_of_the_furniture(
    goal: str, home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    places = tuple(
        place.model_copy(update={"size": (0.34, 1.0, 1.6)}) if place.id == "shelf_1" else place
        for place in palette.places
    )
    palette = with_parameter(palette, Verb.PLACE, "size_z", ParameterType.FLOAT)
    story = run(goal, home, palette.model_copy(update={"places": places}), settings)
    place = next(c.goal for c in story.commands if isinstance(c, SendSkill) and c.goal.rskill_id == "place")
    assert place.params["size_z"] == 1.6


@pytest.mark.parametrize(("to", "how"), [("shelf", {"from_side": True}), ("counter", {})])
def test_what_goes_between_shelves_is_grasped_from_the_side(
    to: str, how: dict[str, bool], home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    palette = with_parameter(palette, Verb.GRASP, "from_side", ParameterType.BOOL)
    story = run(f"put the mug on the {to}", home, palette, settings)
    assert state(story) is MissionState.SUCCEEDED, story.end
    grasp = next(c.goal for c in story.commands if isinstance(c, SendSkill) and c.goal.rskill_id == "grasp")
    assert {name: value for name, value in grasp.params.items() if name == "from_side"} == how


def test_what_a_full_hand_could_not_open_is_said(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    home.objects.pop("mug_1", None)
    story = run("find the unicorn", home, palette.model_copy(update={"holding": "lemon"}), settings)
    assert "I did not open the" in question(story)
    assert "my hand is full. Where should I look?" in question(story)


@pytest.mark.parametrize("goal", ["bring me the mug", "open the fridge and bring me the mug"])
def test_what_an_earlier_mission_left_in_the_hand_is_put_aside_and_said(
    goal: str, home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    home.holding, left = "bread_1", palette.model_copy(update={"holding": "baguette"})
    home.objects["bread_1"].place = ""
    story = run(goal, home, left, settings)
    assert state(story) is MissionState.SUCCEEDED, story.end
    assert home.delivered == [("mug_1", "ana")]
    assert story.end is not None
    aside = home.places[home.objects["bread_1"].place].label
    assert story.end.reason.startswith(f"I put what I held on the {aside}.")


@pytest.mark.parametrize("goal", ["bring me all the mugs", "bring me every mug", "bring me the mugs"])
def test_every_known_object_of_a_kind_is_brought_and_counted(
    goal: str, home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    home.objects["mug_2"] = HomeObject("mug_2", "blue mug", "shelf_1", "mug")
    story = run(goal, home, palette, settings)
    assert state(story) is MissionState.SUCCEEDED, story.end
    assert sorted(home.delivered) == [("mug_1", "ana"), ("mug_2", "ana")]
    assert "2 x mug" in story.end.reason


def test_what_is_there_already_is_not_brought_there_again(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    home.objects["mug_2"] = HomeObject("mug_2", "blue mug", "shelf_1", "mug")
    story = run("put the mugs on the shelf", home, palette, settings)
    assert state(story) is MissionState.SUCCEEDED, story.end
    assert {home.objects[each].place for each in ("mug_1", "mug_2")} == {"shelf_1"}
    assert story.end.reason == "I brought 1 x mug to shelf, all that I know of; 1 were there."
