"""Answers from current images alone: what cameras without depth see has no place in the map."""

from dataclasses import replace

import pytest

from openral_core.detectors import UnplacedDetection
from openral_core.geometry import Pose
from openral_core.spatial_memory import NodeKind, SceneGraph, SceneNode
from openral_reasoner.behaviors.recall_or_locate import FRESH
from openral_reasoner.commands import CallLocate
from openral_reasoner.context import ToolResult
from openral_reasoner.events import EVENT, SceneRead
from openral_reasoner.evidence import Answered, Source
from openral_reasoner.mission import Mission
from openral_reasoner.palette.build import GraphState, build_palette
from openral_reasoner.request.goals import AskCount
from openral_reasoner.scripted.comparing import count_in_words
from openral_reasoner.search import SEEN_NOT_PLACED
from openral_reasoner.tools.base import Tool
from openral_reasoner.tools.belongings import ListObjectsTool
from openral_reasoner.tools.exploration import DescribeHomeTool
from openral_reasoner.tools.listing import in_lines, listing
from openral_reasoner.tools.queries import RecallObjectTool
from openral_testing.reasoner.camera_questions import CameraPeers, ask, camera_palette
from openral_testing.reasoner.simulator import run_procedure

SEEN = (
    UnplacedDetection("door", "bottle", 0.81, "left", 0.4, (0.2, 0.5)),
    UnplacedDetection("door", "bottle", 0.66, "lower right", 0.4, (0.8, 0.9)),
    UnplacedDetection("door", "chair", 0.5, "", 0.4),
)


LABELS = ("bottle", "chair", "cup")


@pytest.fixture
def peers() -> CameraPeers:
    return CameraPeers(SEEN)


def sees(mission: Mission, labels: tuple[str, ...] = LABELS, *, locator: bool = False) -> Mission:
    """Give a mission the palette of a camera, with the locator that it had or without."""
    seen = camera_palette(labels, SEEN)
    kept = {"locators": mission.palette.locators, "detector_available": True} if locator else {}
    mission.palette = seen.model_copy(update=kept)
    return mission


def reply_to(mission: Mission, peers: CameraPeers, tool: Tool) -> ToolResult:
    reply, _ = run_procedure(mission, tool.perform(mission), peers.answer)
    assert isinstance(reply, ToolResult)
    return reply


def test_a_list_of_the_home_names_camera_label_part_score_and_age(
    mission: Mission, peers: CameraPeers
) -> None:
    reply = reply_to(mission, peers, ListObjectsTool())
    assert (reply.status, reply.found, reply.in_view) == ("LISTED", (), SEEN)
    assert "bottle (door, left; score 0.81, 0.4 s ago)" in reply.rendered()
    assert "cannot be a target" in reply.text


def test_how_many_are_in_view_is_counted(mission: Mission, peers: CameraPeers) -> None:
    reply = reply_to(mission, peers, ListObjectsTool())
    assert count_in_words(mission.palette, AskCount("bottle"), reply).startswith("I know of 2 x bottle")
    assert count_in_words(mission.palette, AskCount("cup"), reply).startswith("I know of 0 x cup")
    seen = camera_palette(LABELS, SEEN)
    assert count_in_words(seen, AskCount("cup"), reply) == "I see no cup."
    assert count_in_words(seen, AskCount("object"), reply).startswith("I see 3 x object: bottle (left), ")


def test_a_view_names_what_is_in_it(mission: Mission, peers: CameraPeers) -> None:
    reply = reply_to(mission, peers, DescribeHomeTool(only_view=True))
    assert reply.peer_words[1] == "in view: bottle (left), bottle (lower right), chair (door)"


def test_without_a_locator_an_object_in_view_is_seen_but_not_placed(
    mission: Mission, peers: CameraPeers
) -> None:
    reply = reply_to(sees(mission), peers, RecallObjectTool(query="bottle"))
    assert reply.status == SEEN_NOT_PLACED
    assert reply.in_view == SEEN[:2]
    assert Answered(Source.LOOK, "bottle") in mission.evidence.facts


@pytest.mark.parametrize(
    ("query", "age", "labels", "asks"),
    [
        ("bottle", 0.4, LABELS, False),
        ("cup", 0.4, LABELS, False),
        ("cup", FRESH + 0.1, LABELS, True),
        ("cup", 0.4, ("bottle",), True),
        ("red cup", 0.4, LABELS, True),
    ],
)
def test_a_locator_is_asked_only_for_what_the_list_of_a_fresh_image_cannot_tell(
    mission: Mission, peers: CameraPeers, query: str, age: float, labels: tuple[str, ...], asks: bool
) -> None:
    peers.in_view = tuple(replace(each, age=age) for each in SEEN)
    tool = RecallObjectTool(query=query)
    reply, commands = run_procedure(sees(mission, labels, locator=True), tool.perform(mission), peers.answer)
    assert any(isinstance(each, CallLocate) for each in commands) is asks
    assert isinstance(reply, ToolResult)
    assert reply.status == (SEEN_NOT_PLACED if query == "bottle" else "NOT_IN_MEMORY")


def test_what_memory_could_place_is_left_to_a_locator(mission: Mission, peers: CameraPeers) -> None:
    tool = RecallObjectTool(query="bottle")
    _, commands = run_procedure(mission, tool.perform(mission), peers.answer)
    assert any(isinstance(each, CallLocate) for each in commands)


def test_the_palette_lists_kinds_in_view_until_memory_places_an_object() -> None:
    palette = camera_palette(LABELS, SEEN)
    assert [(each.label, each.cameras) for each in palette.in_view] == [
        ("bottle", ("door",)),
        ("chair", ("door",)),
    ]
    assert in_lines(listing(palette))["in_view"] == ("bottle (door)", "chair (door)")
    mug = SceneNode("mug_1", NodeKind.OBJECT, "mug", Pose((0.0, 0.0, 0.0)))
    placed = GraphState(memory_alive=True, scene=SceneGraph((mug,)), in_view=SEEN)
    assert not build_palette(placed, ()).in_view


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("what do you see", "In view: bottle (left), bottle (lower right), chair (door)."),
        ("is there a bottle in view", "I see bottle (left), bottle (lower right)."),
        ("is there a cup in the image", "I see no cup."),
        ("is there a bottle", "I see bottle (door, left; score 0.81, 0.4 s ago)"),
        ("how many bottles", "I see 2 x bottle: bottle (left), bottle (lower right)."),
        ("what is on the left", "I see bottle (left) at the left."),
        ("what is at the lower right of the image", "I see bottle (lower right) at the lower right."),
        ("what is right of the bottle", "I see bottle (lower right) at the right of the bottle."),
        ("is the chair left of the bottle", "I see no chair at the left of the bottle."),
        ("what is left of the cup", "I see no cup, so I can't say what is on a side of it."),
        ("can you see a person", "I see no person."),
    ],
)
def test_questions_about_the_view_are_answered(question: str, answer: str) -> None:
    assert answer in ask(question, SEEN, LABELS)


def test_a_camera_that_sees_nothing_says_so() -> None:
    assert "In view: no object that I know." in ask("what do you see", (), LABELS)


def test_memory_and_cameras_that_have_nothing_do_not_answer(mission: Mission, peers: CameraPeers) -> None:
    peers.in_view = ()
    assert reply_to(mission, peers, ListObjectsTool()).status == "UNAVAILABLE"


def test_a_recording_keeps_what_was_in_view() -> None:
    event = SceneRead(call_id="1", graph=SceneGraph(), now=1.0, in_view=SEEN)
    assert EVENT.validate_json(EVENT.dump_json(event)) == event
