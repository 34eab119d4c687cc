"""Answers from current images alone: what cameras without depth see has no place in the map."""

import pytest

from openral_core.detectors import UnplacedDetection
from openral_core.spatial_memory import SceneGraph
from openral_reasoner.commands import Command, ReadScene
from openral_reasoner.context import ToolResult
from openral_reasoner.events import EVENT, Event, SceneRead
from openral_reasoner.evidence import Answered, Source
from openral_reasoner.mission import Mission
from openral_reasoner.request.goals import AskCount
from openral_reasoner.scripted.comparing import count_in_words
from openral_reasoner.search import SEEN_NOT_PLACED
from openral_reasoner.tools.base import Tool
from openral_reasoner.tools.belongings import ListObjectsTool
from openral_reasoner.tools.exploration import DescribeHomeTool
from openral_reasoner.tools.queries import RecallObjectTool
from openral_testing.reasoner.fake_peers import HomePeers
from openral_testing.reasoner.simulator import run_procedure
from openral_testing.reasoner.symbolic_home import SymbolicHome

SEEN = (
    UnplacedDetection("door", "bottle", 0.81, "left", 0.4),
    UnplacedDetection("door", "bottle", 0.66, "lower right", 0.4),
    UnplacedDetection("door", "chair", 0.5, "", 0.4),
)


class CameraPeers(HomePeers):
    """A memory that has nothing, and a camera without depth."""

    in_view: tuple[UnplacedDetection, ...] = SEEN

    def answer(self, command: Command) -> Event | None:
        if isinstance(command, ReadScene):
            return SceneRead(call_id=command.call_id, graph=SceneGraph(), now=1.0, in_view=self.in_view)
        return super().answer(command)


@pytest.fixture
def peers() -> CameraPeers:
    return CameraPeers(SymbolicHome(places={}, objects={}, rooms={}, agents={}))


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


def test_a_view_names_what_is_in_it(mission: Mission, peers: CameraPeers) -> None:
    reply = reply_to(mission, peers, DescribeHomeTool(only_view=True))
    assert reply.peer_words[1] == "in view: bottle (left), bottle (lower right), chair (door)"


def test_without_a_locator_an_object_in_view_is_seen_but_not_placed(
    mission: Mission, peers: CameraPeers
) -> None:
    mission.palette = mission.palette.model_copy(update={"detector_available": False, "locators": ()})
    reply = reply_to(mission, peers, RecallObjectTool(query="bottle"))
    assert reply.status == SEEN_NOT_PLACED
    assert reply.in_view == SEEN[:2]
    assert Answered(Source.LOOK, "bottle") in mission.evidence.facts


def test_memory_and_cameras_that_have_nothing_do_not_answer(mission: Mission, peers: CameraPeers) -> None:
    peers.in_view = ()
    assert reply_to(mission, peers, ListObjectsTool()).status == "UNAVAILABLE"


def test_a_recording_keeps_what_was_in_view() -> None:
    event = SceneRead(call_id="1", graph=SceneGraph(), now=1.0, in_view=SEEN)
    assert EVENT.validate_json(EVENT.dump_json(event)) == event
