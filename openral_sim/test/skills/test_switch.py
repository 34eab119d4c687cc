"""Switches and buttons worked by a fingertip, judged by the images of the head camera."""

from pathlib import Path

import pytest

from openral_core.geometry import Pose
from openral_core.skill_requests import ValidatedGoal
from openral_core.skills import ParamValue, SkillResult, SkillStatus, Verb
from openral_sim.simulation import Simulation

HOME = Path(__file__).parents[3] / "scenes" / "deploy" / "home.yaml"
LAMP: dict[str, ParamValue] = {
    "target": Pose.planar(9.558, 3.85, 3.1416, 1.05),
    "control_id": "floor_lamp_switch",
}
TV: dict[str, ParamValue] = {"target": Pose.planar(6.99, 4.404, -1.5708, 1.07), "control_id": "tv_button"}


@pytest.fixture
def simulation() -> Simulation:
    return Simulation.load(HOME, 0)


def do(simulation: Simulation, verb: Verb, **params: ParamValue) -> SkillResult:
    simulation.start(ValidatedGoal(verb.value.lower(), verb, params, 120.0))
    while True:
        result = simulation.advance()
        if result is not None:
            return result


def test_turns_a_lamp_on_and_off_and_sees_it_change(simulation: Simulation) -> None:
    for on in (True, False):
        result = do(simulation, Verb.SWITCH, on=on, **LAMP)
        assert result.success, result.message
        assert simulation.world.appliances.is_on("floor_lamp") is on
        assert result.evidence["appliance_id"] == "floor_lamp"
        assert result.evidence["on"] is on
    again = do(simulation, Verb.SWITCH, on=False, **LAMP)
    assert again.success
    assert "already off" in again.message


def test_presses_a_button_once_whatever_it_does(simulation: Simulation) -> None:
    for on in (True, False):
        assert do(simulation, Verb.PRESS, **TV).success
        assert simulation.world.appliances.is_on("tv") is on


def test_a_dead_lamp_is_not_believed_to_be_on(
    simulation: Simulation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(simulation.world.appliances, "_show", lambda name: None)
    result = do(simulation, Verb.SWITCH, on=True, **LAMP)
    assert result.status is SkillStatus.BLOCKED
    assert "does not look on: its luminance was" in result.message


def test_a_control_that_is_not_there_is_named_with_those_that_are(simulation: Simulation) -> None:
    goal = {"target": Pose.planar(2.0, 2.0, 0.0, 1.0), "control_id": "oven_knob", "on": True}
    result = do(simulation, Verb.SWITCH, **goal)
    assert result.status is SkillStatus.NOTHING_THERE
    assert "'oven_knob'" in result.message
    assert "'tv_button'" in result.message


def test_an_id_of_another_map_means_the_control_at_the_target(simulation: Simulation) -> None:
    assert do(simulation, Verb.SWITCH, on=True, **{**TV, "control_id": "switch_7"}).success
    assert simulation.world.appliances.is_on("tv")


def test_a_control_out_of_reach_is_typed(simulation: Simulation) -> None:
    body = simulation.world.furniture["sofa"].body
    simulation.world.model.body(body).pos[:] = (8.6, 3.5, 0.0)
    simulation.world.model.body(body).quat[:] = (0.7071, 0.0, 0.0, 0.7071)
    simulation.world.step(0.1)
    result = do(simulation, Verb.SWITCH, on=True, **LAMP)
    assert result.status is SkillStatus.NOT_REACHABLE, result.message


def test_needs_the_state_that_is_wanted(simulation: Simulation) -> None:
    result = do(simulation, Verb.SWITCH, **LAMP)
    assert result.status is SkillStatus.BAD_REQUEST
    assert "'on' must be true or false" in result.message
