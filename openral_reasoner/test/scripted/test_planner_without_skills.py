"""Missions of the scripted planner with a robot that nothing moves."""

import pytest

from openral_core.missions import MissionState
from openral_reasoner.commands import CallLocate, PublishHandoff, SetDeadline
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.scripted.planner import decide
from openral_reasoner.settings import MissionSettings
from openral_testing.reasoner.fake_peers import HomePeers
from openral_testing.reasoner.simulator import MissionRun, run_mission_in_home
from openral_testing.reasoner.symbolic_home import SymbolicHome


def run(goal: str, home: SymbolicHome, palette: ToolPalette, settings: MissionSettings) -> MissionRun:
    return run_mission_in_home(goal, palette, HomePeers(home).answer, decide, settings)


def ended(story: MissionRun) -> MissionState | None:
    return story.end.state if story.end else None


@pytest.fixture
def still_palette(palette: ToolPalette) -> ToolPalette:
    """The palette of a robot without skills, such as a camera on a shelf."""
    return palette.model_copy(update={"skills": ()})


@pytest.fixture
def still_settings(settings: MissionSettings) -> MissionSettings:
    return settings.model_copy(update={"has_skills": False})


def test_a_robot_without_skills_finds_what_it_sees_from_where_it_is_without_waiting_for_any(
    home: SymbolicHome, still_palette: ToolPalette, still_settings: MissionSettings
) -> None:
    home.at, home.x, home.y = "table_1", 5.2, 0.0
    story = run("find the mug", home, still_palette, still_settings)
    assert ended(story) is MissionState.SUCCEEDED, story.end
    assert [c.query for c in story.commands if isinstance(c, CallLocate)] == ["mug"]
    assert story.skills == []
    assert not [c for c in story.commands if isinstance(c, SetDeadline) and "palette" in c.call_id]


def test_a_robot_without_skills_tells_what_memory_has_and_that_it_is_not_in_view(
    home: SymbolicHome, still_palette: ToolPalette, still_settings: MissionSettings
) -> None:
    story = run("find the mug", home, still_palette, still_settings)
    assert story.end is not None
    assert story.end.state is MissionState.CLAIMED, story.end
    assert "dining table" in story.end.reason
    assert "not in view, and no NAVIGATE skill is available" in story.end.reason


@pytest.mark.parametrize(
    ("goal", "verb"),
    [("bring me the mug", "GRASP"), ("find the unicorn", "NAVIGATE"), ("open the fridge", "OPEN")],
)
def test_a_goal_that_needs_a_verb_is_refused_for_its_lack(
    goal: str, verb: str, home: SymbolicHome, still_palette: ToolPalette, still_settings: MissionSettings
) -> None:
    story = run(goal, home, still_palette, still_settings)
    assert ended(story) is MissionState.HANDED_OVER
    (question,) = (c.question for c in story.commands if isinstance(c, PublishHandoff))
    assert f"No {verb} skill is available" in question.question
