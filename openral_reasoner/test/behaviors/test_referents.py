"""Goals about what the operator points at: the record of that id, and no other of its kind."""

import json
from collections.abc import Callable

import pytest

from openral_core.missions import MissionState, PromptOutcome
from openral_reasoner.behaviors.referents import naming
from openral_reasoner.commands import PublishReceipt
from openral_reasoner.context import Context, RawCall
from openral_reasoner.core.mission_core import Core
from openral_reasoner.events import PromptReceived
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.scripted.planner import decide
from openral_reasoner.settings import MissionSettings
from openral_testing.reasoner.fake_peers import HomePeers
from openral_testing.reasoner.simulator import MissionRun, Model, run_mission_in_home
from openral_testing.reasoner.symbolic_home import HomeObject, SymbolicHome

Point = Callable[..., MissionRun]


@pytest.fixture
def mugs(home: SymbolicHome) -> SymbolicHome:
    """A home with a mug on the counter beside which the robot stands, and two on the table."""
    for name, place in (("mug_2", "counter_1"), ("mug_3", "table_1")):
        home.objects[name] = HomeObject(name, "red mug", place, "mug")
    return home


@pytest.fixture
def point(mugs: SymbolicHome, palette: ToolPalette, settings: MissionSettings) -> Point:
    def run(text: str, *objects: str, model: Model = decide) -> MissionRun:
        peers = HomePeers(mugs)
        return run_mission_in_home(text, palette, peers.answer, model, settings, objects=objects)

    return run


@pytest.mark.parametrize("name", ["mug_1", "mug_2", "mug_3"])
@pytest.mark.parametrize(
    "text", ["bring me this", "bring me this mug", "Bring me the mug.", "give that one to me"]
)
def test_the_mug_that_is_pointed_at_is_brought(
    text: str, name: str, point: Point, mugs: SymbolicHome
) -> None:
    story = point(text, name)
    assert story.end is not None
    assert story.end.state is MissionState.SUCCEEDED, story.end
    assert mugs.delivered == [(name, "ana")]


@pytest.mark.parametrize("name", ["mug_1", "mug_2", "mug_3"])
def test_it_is_put_where_the_text_says(name: str, point: Point, mugs: SymbolicHome) -> None:
    story = point("put this on the shelf", name)
    assert story.end is not None
    assert story.end.state is MissionState.SUCCEEDED, story.end
    assert {each.id for each in mugs.objects.values() if each.place == "shelf_1"} == {name}


def test_a_place_that_is_pointed_at_is_meant_too(point: Point, mugs: SymbolicHome) -> None:
    story = point("put this there", "mug_3", "shelf_1")
    assert story.end is not None
    assert story.end.state is MissionState.SUCCEEDED, story.end
    assert mugs.objects["mug_3"].place == "shelf_1"


def test_what_it_is_is_told_from_memory(point: Point) -> None:
    story = point("what is this?", "mug_2")
    assert story.end is not None
    assert story.end.state is MissionState.SUCCEEDED
    assert story.end.reason == "This is mug (mug_2), counter_1, kitchen."
    assert story.skills == []


def test_one_that_memory_lacks_is_told_to_be_gone(point: Point, mugs: SymbolicHome) -> None:
    story = point("bring me this", "mug_9")
    assert story.end is not None
    assert story.end.state is MissionState.FAILED
    assert "mug_9, which you point at, is gone" in story.end.reason
    assert (story.skills, mugs.delivered) == ([], [])


def test_one_that_is_no_longer_there_is_not_replaced(point: Point, mugs: SymbolicHome) -> None:
    mugs.objects["mug_3"].remembered_at, mugs.objects["mug_3"].place = "table_1", ""
    story = point("bring me this", "mug_3")
    assert mugs.delivered == []
    assert story.end is None or story.end.state is not MissionState.SUCCEEDED


def test_a_model_that_takes_another_one_is_refused_and_proves_nothing(
    point: Point, mugs: SymbolicHome
) -> None:
    steps = [
        ("recall_object", {"query": "mug"}),
        ("execute_rskill", {"rskill_id": "grasp", "target": "mug_2"}),
        ("done", {"success": True, "message": "here you are"}),
        ("done", {"success": True, "message": "here you are"}),
    ]
    replies: list[str] = []

    def model(context: Context) -> RawCall:
        replies.extend(turn.reply.model_dump_json() for turn in context.turns[-1:])
        tool, arguments = steps[min(len(context.turns), len(steps) - 1)]
        return RawCall(tool=tool, arguments=json.dumps(arguments))

    story = point("bring me this", "mug_3", model=model)
    assert "the operator points at these" in replies[1]
    assert "mug_3" in replies[1]
    assert story.end is not None
    assert story.end.state is MissionState.CLAIMED
    assert mugs.holding == ""


@pytest.mark.parametrize("objects", [("mug 2",), ("mug_1; open the door",), ("",), ("x" * 201,), ("a",) * 9])
def test_what_is_no_id_is_refused(objects: tuple[str, ...], settings: MissionSettings) -> None:
    prompt = PromptReceived(id="p", text="bring me this", objects=objects)
    receipts = [c for c in Core(settings).handle(prompt, 0.0) if isinstance(c, PublishReceipt)]
    assert receipts[0].outcome is PromptOutcome.REFUSED
    assert "objects" in receipts[0].message


def test_the_same_words_about_another_object_are_another_goal(settings: MissionSettings) -> None:
    core = Core(settings)
    for number, name in enumerate(("mug_1", "mug_2"), start=1):
        prompt = PromptReceived(id="p", text="bring me this", objects=(name,))
        receipt = next(c for c in core.handle(prompt, float(number)) if isinstance(c, PublishReceipt))
        assert receipt.mission_id.endswith(str(number))


@pytest.mark.parametrize(
    ("text", "chosen", "goal"),
    [
        ("bring me this", ["mug_2"], "bring me mug_2"),
        ("Bring me this red mug, please", ["mug_2"], "Bring me mug_2, please"),
        ("bring me this cup", ["mug_2"], "bring me mug_2"),
        ("take it to Anna", ["mug_2"], "take mug_2 to Anna"),
        ("make sure that this is on the table", ["mug_2"], "make sure that mug_2 is on the table"),
        ("put this on that", ["mug_2", "sink_1"], "put mug_2 on sink_1"),
        ("put this in the sink", ["mug_2", "sink_1"], "put mug_2 in sink_1"),
        ("put this there", ["mug_2", "sink_1"], "put mug_2 on sink_1"),
        ("go there", ["sink_1"], "go to sink_1"),
        ("bring me these mugs", ["mug_2", "mug_3"], "bring me mug_2 and mug_3"),
        ("bring me the mug", ["mug_2"], "bring me mug_2"),
        ("bring me the milk", ["mug_2"], None),
        ("put this away", ["mug_2", "sink_1"], None),
    ],
)
def test_ids_stand_for_what_the_text_points_at(text: str, chosen: list[str], goal: str | None) -> None:
    assert naming(text, [(name, name.split("_")[0]) for name in chosen]) == goal
