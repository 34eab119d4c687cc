"""Parameters of a skill come from what peers answered."""

from dataclasses import replace

import pytest

from openral_core.geometry import Pose
from openral_core.rskills import ParameterSpec, ParameterType
from openral_core.skills import Verb
from openral_reasoner.behaviors.skill_parameters import MissingParameter, bind
from openral_reasoner.mission_objects import MissionObject
from openral_reasoner.palette.entries import SkillEntry


def skill(*specs: ParameterSpec) -> SkillEntry:
    pose = ParameterSpec(name="target", type=ParameterType.POSE, description="in map")
    return SkillEntry(id="pour", verb=Verb.POUR, description="pour", parameters=(pose, *specs), deadline=1.0)


def thing(pose: Pose | None = None) -> MissionObject:
    return MissionObject("mug_1", "mug", "object", pose or Pose(), size=(0.1, 0.1, 0.2))


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (ParameterType.INT, 2**80),
        (ParameterType.FLOAT, float("inf")),
        (ParameterType.FLOAT, float("nan")),
        (ParameterType.INT, True),
        (ParameterType.STRING, 3),
        (ParameterType.BOOL, 1),
    ],
)
def test_what_no_message_can_hold_is_not_given(kind: ParameterType, value: float) -> None:
    spec = ParameterSpec(name="amount", type=kind, description="how much")
    with pytest.raises(MissingParameter, match="amount"):
        bind(skill(spec), thing(), {"amount": value})


def test_a_pose_is_the_things_own_whatever_the_model_says() -> None:
    pose = Pose((1.0, 2.0, 3.0))
    assert bind(skill(), thing(pose), {"target": "somewhere"}) == {"target": pose}


@pytest.mark.parametrize(("containers", "told"), [((), ""), (("drawer_1",), "drawer_1")])
def test_a_skill_is_told_what_the_thing_lies_in(containers: tuple[str, ...], told: str) -> None:
    inside = ParameterSpec(name="inside", type=ParameterType.STRING, description="of what")
    assert bind(skill(inside), replace(thing(), containers=containers), {})["inside"] == told
