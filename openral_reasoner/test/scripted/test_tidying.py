"""Missions that put objects where they belong, in a symbolic home."""

import pytest

from openral_core.missions import MissionState
from openral_core.skills import SkillResult, SkillStatus
from openral_reasoner.commands import Command, SendSkill
from openral_reasoner.events import Event, SkillEnded
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.scripted.planner import decide
from openral_reasoner.settings import MissionSettings
from openral_testing.reasoner.fake_peers import HomePeers
from openral_testing.reasoner.simulator import MissionRun, run_mission_in_home
from openral_testing.reasoner.symbolic_home import HomeObject, SymbolicHome


@pytest.fixture
def messy(home: SymbolicHome) -> SymbolicHome:
    """A home with milk on a shelf, a plate on the table and a book where it belongs."""
    home.objects = {
        o.id: o
        for o in (
            HomeObject("milk_1", "milk", "shelf_1", "milk"),
            HomeObject("plate_1", "plate", "table_1", "plate"),
            HomeObject("book_1", "book", "shelf_1", "book"),
        )
    }
    return home


def run(goal: str, home: SymbolicHome, palette: ToolPalette, settings: MissionSettings) -> MissionRun:
    return run_mission_in_home(goal, palette, HomePeers(home).answer, decide, settings)


def state(story: MissionRun) -> MissionState | None:
    return story.end.state if story.end else None


def test_tidies_up_and_shuts_the_doors_again(
    messy: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    story = run("tidy up", messy, palette, settings)
    assert state(story) is MissionState.SUCCEEDED, story.end
    assert {o.id: o.place for o in messy.objects.values()} == {
        "milk_1": "fridge_1",
        "plate_1": "cabinet_1",
        "book_1": "shelf_1",
    }
    assert not any(place.is_open for place in messy.places.values())
    assert story.end is not None
    assert "I put the milk at the fridge." in story.end.reason


def test_tidies_one_room_alone(messy: SymbolicHome, palette: ToolPalette, settings: MissionSettings) -> None:
    messy.objects["plate_1"].place = "counter_1"
    story = run("tidy the living room", messy, palette, settings)
    assert state(story) is MissionState.SUCCEEDED, story.end
    assert messy.objects["milk_1"].place == "fridge_1"
    assert messy.objects["plate_1"].place == "counter_1"


def test_clears_a_table_and_looks_at_it_again(
    messy: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    story = run("clear the table and put everything on the shelf", messy, palette, settings)
    assert state(story) is MissionState.SUCCEEDED, story.end
    assert messy.objects["plate_1"].place == "shelf_1"
    assert story.skills[-2:] == ["navigate", "look-at"]


def test_asks_once_where_an_unknown_object_belongs_and_tells_what_is_done(
    messy: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    messy.objects["plate_1"].label = messy.objects["plate_1"].remembered = "frobnicator"
    story = run("tidy up", messy, palette, settings)
    assert state(story) is MissionState.HANDED_OVER
    assert story.end is not None
    assert "I put the milk at the fridge." in story.end.reason
    assert "I don't know where these belong: frobnicator." in story.end.reason
    assert messy.objects["plate_1"].place == "table_1"


def test_goes_on_with_the_others_after_a_failure(
    messy: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    peers = HomePeers(messy)

    def stuck_fridge(command: Command) -> Event | None:
        if isinstance(command, SendSkill) and command.goal.rskill_id == "open" and messy.at == "fridge_1":
            return SkillEnded(call_id=command.call_id, result=SkillResult(SkillStatus.UNSUPPORTED, "stuck"))
        return peers.answer(command)

    story = run_mission_in_home("tidy up", palette, stuck_fridge, decide, settings)
    assert state(story) is MissionState.HANDED_OVER
    assert messy.objects["plate_1"].place == "cabinet_1"
    assert story.end is not None
    assert "I couldn't open fridge" in story.end.reason


def test_what_fits_nowhere_is_put_back_and_the_others_are_put_away(
    messy: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    peers = HomePeers(messy)

    def full_fridge(command: Command) -> Event | None:
        if isinstance(command, SendSkill) and command.goal.rskill_id == "place" and messy.at == "fridge_1":
            full = SkillResult(SkillStatus.NOT_REACHABLE, "no free spot")
            return SkillEnded(call_id=command.call_id, result=full)
        return peers.answer(command)

    story = run_mission_in_home("tidy up", palette, full_fridge, decide, settings)
    assert state(story) is MissionState.HANDED_OVER
    assert messy.objects["milk_1"].place == "shelf_1"
    assert messy.objects["plate_1"].place == "cabinet_1"
    assert not any(place.is_open for place in messy.places.values())
    assert story.end is not None
    assert "I couldn't put the milk down at fridge: NOT_REACHABLE" in story.end.reason


def test_what_was_opened_is_closed_if_the_object_cannot_be_taken(
    messy: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    peers = HomePeers(messy)

    def slippery(command: Command) -> Event | None:
        if isinstance(command, SendSkill) and command.goal.rskill_id == "grasp":
            missed = SkillResult(SkillStatus.NOT_IN_GRIPPER_RANGE, "too wide")
            return SkillEnded(call_id=command.call_id, result=missed)
        return peers.answer(command)

    for goal in ("tidy up", "put the milk in the fridge"):
        story = run_mission_in_home(goal, palette, slippery, decide, settings)
        assert state(story) is MissionState.HANDED_OVER
        assert "open" in story.skills
        assert not any(place.is_open for place in messy.places.values()), goal


def test_finds_nothing_to_do_only_after_looking_everywhere(
    messy: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    messy.objects = {"book_1": messy.objects["book_1"]}
    story = run("tidy up", messy, palette, settings)
    assert state(story) is MissionState.SUCCEEDED, story.end
    assert story.skills.count("look-at") == len(messy.places)


def test_does_not_tidy_without_a_detector_that_watches(
    messy: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    blind = palette.model_copy(update={"continuous_detectors": ()})
    story = run("tidy up", messy, blind, settings)
    assert state(story) is MissionState.HANDED_OVER
    assert story.end is not None
    assert "No detector reports what lies around" in story.end.reason


def test_opens_a_container_before_it_takes_what_goes_in(
    messy: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    story = run("put the milk in the fridge", messy, palette, settings)
    assert state(story) is MissionState.SUCCEEDED, story.end
    assert story.skills.index("open") < story.skills.index("grasp")
    assert not messy.places["fridge_1"].is_open


def test_what_fits_nowhere_leaves_a_cleared_place_for_another_surface(
    messy: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    peers = HomePeers(messy)

    def full_cabinet(command: Command) -> Event | None:
        if isinstance(command, SendSkill) and command.goal.rskill_id == "place" and messy.at == "cabinet_1":
            full = SkillResult(SkillStatus.NOT_REACHABLE, "no free spot")
            return SkillEnded(call_id=command.call_id, result=full)
        return peers.answer(command)

    story = run_mission_in_home("clear the table", palette, full_cabinet, decide, settings)
    assert state(story) is MissionState.SUCCEEDED, story.end
    assert messy.objects["plate_1"].place == "counter_1"
    assert story.end is not None
    told = "I put the plate at the kitchen counter, because it could not be put at the cabinet."
    assert told in story.end.reason


def test_what_is_no_longer_where_it_was_seen_is_not_searched_for(
    messy: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    messy.objects["lemon_1"] = HomeObject("lemon_1", "lemon", "cabinet_1", "lemon", remembered_at="table_1")
    story = run("tidy the living room", messy, palette, settings)
    assert state(story) is MissionState.SUCCEEDED, story.end
    assert story.end is not None
    assert "The lemon is not where I saw it." in story.end.reason
    assert messy.objects["milk_1"].place == "fridge_1"
    assert messy.objects["lemon_1"].place == "cabinet_1"
