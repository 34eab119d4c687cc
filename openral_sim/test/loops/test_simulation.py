"""A world with one goal at a time, without ROS."""

from pathlib import Path

import numpy as np
import pytest

from openral_core.geometry import Pose
from openral_core.skills import SkillResult, SkillStatus, Verb
from openral_sim.simulation import Simulation
from openral_sim.skills import registry as verbs
from openral_sim.skills.requests import ValidatedGoal

HOME = Path(__file__).parents[3] / "scenes" / "deploy" / "home.yaml"
DRIVE = ValidatedGoal("navigate", Verb.NAVIGATE, {"goal": Pose.planar(1.0, 2.2, 0.0)}, 60.0)


@pytest.fixture(scope="module")
def simulation() -> Simulation:
    return Simulation.load(HOME, seed=0)


def until_it_ends(simulation: Simulation) -> SkillResult:
    results = (simulation.advance() for _ in range(3000))
    return next(result for result in results if result is not None)


def test_time_advances_by_control_periods(simulation: Simulation) -> None:
    before = simulation.time
    for _ in range(5):
        assert simulation.advance() is None
    assert simulation.time - before == pytest.approx(0.1)


def test_a_goal_is_carried_out_and_leaves_no_feedback_behind(simulation: Simulation) -> None:
    simulation.start(DRIVE)
    assert until_it_ends(simulation).success
    assert simulation.feedback.stage == ""
    assert simulation.control.base_pose[:2] == pytest.approx((1.0, 2.2), abs=0.02)


def test_cancelled_before_its_first_period_it_ends_cancelled(simulation: Simulation) -> None:
    simulation.start(ValidatedGoal("navigate", Verb.NAVIGATE, {"goal": Pose.planar(4.0, 2.2, 0.0)}, 60.0))
    simulation.cancel()
    assert until_it_ends(simulation).status is SkillStatus.CANCELLED


def test_an_abandoned_goal_leaves_the_robot_standing(simulation: Simulation) -> None:
    simulation.start(ValidatedGoal("navigate", Verb.NAVIGATE, {"goal": Pose.planar(4.0, 2.2, 0.0)}, 60.0))
    while np.abs(simulation.control.base_velocity).max() < 0.3:
        assert simulation.advance() is None
    simulation.abandon()
    for _ in range(50):
        assert simulation.advance() is None
    assert np.abs(simulation.control.base_velocity).max() < 0.01


def test_a_skill_that_breaks_ends_in_words_and_the_next_one_works(
    simulation: Simulation, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def break_down(context: object, params: object) -> None:
        raise ZeroDivisionError("gear")

    with monkeypatch.context() as patch:
        patch.setitem(verbs.SKILLS, Verb.NAVIGATE, break_down)
        simulation.start(DRIVE)
        result = until_it_ends(simulation)
    assert result.status is SkillStatus.SKILL_ERROR
    assert result.message.endswith("ZeroDivisionError: gear")
    assert "Traceback" in caplog.text
    simulation.start(DRIVE)
    assert until_it_ends(simulation).success
