"""Read-only tools: recall_object, resolve_place and locate_in_view."""

from dataclasses import replace

import pytest
from pydantic import ValidationError

from openral_core.geometry import Pose
from openral_core.spatial_memory import ResolveResult, ResolveStatus
from openral_reasoner.commands import CallResolve, Command
from openral_reasoner.context import ToolResult
from openral_reasoner.events import Event, Resolved
from openral_reasoner.mission import Mission
from openral_reasoner.mission_objects import MissionObject
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.tools.base import InvalidCall
from openral_reasoner.tools.queries import LocateInViewTool, RecallObjectTool, ResolvePlaceTool
from openral_testing.reasoner.fake_peers import HomePeers
from openral_testing.reasoner.simulator import Peers, run_procedure
from openral_testing.reasoner.symbolic_home import SymbolicHome


@pytest.mark.parametrize(("memory", "detector"), [(True, False), (False, True), (True, True), (False, False)])
def test_is_offered_with_memory_or_a_detector(memory: bool, detector: bool) -> None:
    palette = ToolPalette(spatial_memory_available=memory, detector_available=detector)
    assert RecallObjectTool.offered(palette) == (memory or detector)


@pytest.mark.parametrize("query", ["", "x" * 201])
def test_a_query_has_one_to_two_hundred_characters(query: str) -> None:
    with pytest.raises(ValidationError, match="query"):
        RecallObjectTool(query=query)


def test_at_most_twelve_likely_places_are_taken() -> None:
    assert len(RecallObjectTool(query="mug", likely_places=("table",) * 12).likely_places) == 12
    with pytest.raises(ValidationError, match="likely_places"):
        RecallObjectTool(query="mug", likely_places=("table",) * 13)


def resolve(mission: Mission, reference: str, peers: Peers) -> ToolResult:
    reply, _ = run_procedure(mission, ResolvePlaceTool(reference=reference).perform(mission), peers)
    assert isinstance(reply, ToolResult)
    return reply


@pytest.mark.parametrize(
    ("reference", "node", "kind"),
    [("me", "ana", "agent"), ("table", "table_1", "place"), ("kitchen", "kitchen", "room")],
)
def test_a_resolved_reference_becomes_a_target(
    reference: str, node: str, kind: str, mission: Mission, home: SymbolicHome
) -> None:
    reply = resolve(mission, reference, HomePeers(home).answer)
    assert [(each.id, each.kind) for each in reply.found] == [(node, kind)]
    assert node in mission.objects


def test_an_unknown_reference_teaches_nothing(mission: Mission, home: SymbolicHome) -> None:
    reply = resolve(mission, "narnia", HomePeers(home).answer)
    assert (reply.status, reply.found) == ("NOT_FOUND", ())
    assert mission.objects == {}


def test_an_ambiguous_reference_lists_the_candidates(mission: Mission) -> None:
    def memory(command: Command) -> Event | None:
        if not isinstance(command, CallResolve):
            return None
        result = ResolveResult(ResolveStatus.AMBIGUOUS, "two tables", candidates=("table_1", "table_2"))
        return Resolved(call_id=command.call_id, result=result)

    reply = resolve(mission, "table", memory)
    assert (reply.status, reply.valid) == ("AMBIGUOUS", ("table_1", "table_2"))


def test_a_silent_memory_is_a_timeout_and_no_answer(mission: Mission) -> None:
    reply = resolve(mission, "table", lambda command: None)
    assert (reply.status, reply.text) == ("TIMEOUT", "memory did not answer")


def test_is_offered_only_with_memory(palette: ToolPalette) -> None:
    assert ResolvePlaceTool.offered(palette)
    assert not ResolvePlaceTool.offered(palette.model_copy(update={"spatial_memory_available": False}))


MUG = MissionObject("mug_9", "mug", "object", Pose.planar(6.0, 0.0, 0.0), words="mug", place="table_1")


def locate(mission: Mission, home: SymbolicHome, query: str = "mug") -> ToolResult:
    tool = LocateInViewTool(query=query)
    tool.check(mission)
    reply, _ = run_procedure(mission, tool.perform(mission), HomePeers(home).answer)
    assert isinstance(reply, ToolResult)
    return reply


def test_an_object_in_view_becomes_a_target(mission: Mission, home: SymbolicHome) -> None:
    home.at = "table_1"
    reply = locate(mission, home)
    assert reply.status == "FOUND"
    assert [each.id for each in reply.found] == ["mug_1"]
    assert "mug_1" in mission.objects


def test_an_empty_view_is_evidence_of_absence(mission: Mission, home: SymbolicHome) -> None:
    reply = locate(mission, home)
    assert reply.status == "NOT_IN_VIEW"
    assert reply.found == ()


def test_an_empty_view_of_its_place_disproves_the_object_that_the_camera_faces(
    mission: Mission, home: SymbolicHome
) -> None:
    mission.learn(MUG)
    mission.base.faced_target = MUG.id
    assert locate(mission, home).status == "MOVED"
    assert mission.objects[MUG.id].disproved


@pytest.mark.parametrize("other", [replace(MUG, words="bread"), replace(MUG, kind="place")])
def test_an_empty_view_disproves_nothing_else(
    other: MissionObject, mission: Mission, home: SymbolicHome
) -> None:
    mission.learn(other)
    mission.base.faced_target = other.id
    assert locate(mission, home).status == "NOT_IN_VIEW"
    assert not mission.objects[other.id].disproved


def test_an_unknown_detector_is_rejected_with_the_locators(mission: Mission) -> None:
    with pytest.raises(InvalidCall) as caught:
        LocateInViewTool(query="mug", detector="sim-stream").check(mission)
    assert caught.value.valid == ("sim-locator", "other-locator")


def test_an_unknown_camera_is_rejected_with_the_cameras_of_the_locator(mission: Mission) -> None:
    with pytest.raises(InvalidCall) as caught:
        LocateInViewTool(query="mug", camera="roof").check(mission)
    assert caught.value.valid == ("head", "wrist")


def test_is_offered_only_while_a_detector_is_available(palette: ToolPalette) -> None:
    assert LocateInViewTool.offered(palette)
    assert not LocateInViewTool.offered(palette.model_copy(update={"detector_available": False}))
