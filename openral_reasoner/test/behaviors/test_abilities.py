"""The robot says what it can do, with examples that it can do here, and moves nothing for it."""

from copy import deepcopy

import pytest

from openral_core.missions import MissionState
from openral_core.skills import Verb
from openral_reasoner.commands import PublishPrompt
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.scripted.planner import decide
from openral_reasoner.settings import MissionSettings
from openral_testing.reasoner.fake_peers import HomePeers
from openral_testing.reasoner.simulator import run_mission_in_home
from openral_testing.reasoner.symbolic_home import SymbolicHome


@pytest.mark.parametrize("goal", ["what can you do?", "How can you help me?"])
def test_abilities_are_told_with_examples_that_work_here(
    goal: str, home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    asked = run_mission_in_home(goal, palette, HomePeers(home).answer, decide, settings)
    assert asked.end is not None
    assert (asked.end.state, asked.skills) == (MissionState.SUCCEEDED, [])
    assert asked.end.reason in [each.text for each in asked.commands if isinstance(each, PublishPrompt)]
    examples = asked.end.reason.split('"')[1::2]
    assert any(example.startswith("bring me the ") for example in examples)
    for example in examples:
        played = run_mission_in_home(example, palette, HomePeers(deepcopy(home)).answer, decide, settings)
        assert played.end is not None
        assert played.end.state is MissionState.SUCCEEDED, (example, played.end.reason)


def test_a_robot_without_arm_claims_no_arm(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    drives = tuple(skill for skill in palette.skills if skill.verb in (Verb.NAVIGATE, Verb.LOOK_AT))
    small = palette.model_copy(update={"skills": drives, "controls": ()})
    told = run_mission_in_home("what can you do?", small, HomePeers(home).answer, decide, settings)
    assert told.end is not None
    assert "go to a place" in told.end.reason
    assert not [word for word in ("fetch", "bring", "open", "pour") if word in told.end.reason]
