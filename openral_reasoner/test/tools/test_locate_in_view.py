"""Tool locate_in_view."""

from dataclasses import replace

import pytest

from openral_core.geometry import Pose
from openral_reasoner.behaviors.targets import KnownObject
from openral_reasoner.context import ToolResult
from openral_reasoner.mission import Mission
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.tools.base import InvalidCall
from openral_reasoner.tools.locate_in_view import LocateInViewTool
from openral_reasoner_testing.fake_peers import HomePeers
from openral_reasoner_testing.simulator import run_procedure
from openral_reasoner_testing.symbolic_home import SymbolicHome

MUG = KnownObject("mug_9", "mug", "object", Pose.planar(6.0, 0.0, 0.0), words="mug", place="table_1")


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
    mission.facing = MUG.id
    assert locate(mission, home).status == "MOVED"
    assert mission.objects[MUG.id].disproved


@pytest.mark.parametrize("other", [replace(MUG, words="bread"), replace(MUG, kind="place")])
def test_an_empty_view_disproves_nothing_else(
    other: KnownObject, mission: Mission, home: SymbolicHome
) -> None:
    mission.learn(other)
    mission.facing = other.id
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
