"""Goals that would leave the motion envelope are refused; what runs keeps its distance from people."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_core.consent.policy import NearPeople
from openral_core.geometry import Pose
from openral_core.skill_errors import Blocked, OutsideEnvelope
from openral_core.skills import ParamValue, SkillResult, SkillStatus, Verb
from openral_sim.motion_primitives.context import SkillContext
from openral_sim.skills.runner import run
from openral_sim.skills.safety import UNBOUNDED, MotionEnvelope, SafetyMonitor

ROOM = MotionEnvelope.around([[(-3.0, -3.0), (3.0, -3.0), (3.0, 3.0), (-3.0, 3.0)]])
ANN = (-1.6, -0.8)


@pytest.mark.parametrize(
    ("verb", "params", "words"),
    [
        (Verb.NAVIGATE, {"goal": Pose.planar(3.5, 0.0, 0.0)}, "'goal' (3.50, 0.00) lies outside the rooms"),
        (Verb.GRASP, {"target": Pose((1.0, 0.0, 2.4))}, "height of 2.40 m: allowed are 0 to 2.0 m"),
        (Verb.PLACE, {"target": Pose((1.0, 0.0, -0.3))}, "height of -0.30 m"),
        (
            Verb.NAVIGATE,
            {"goal": Pose.planar(-1.3, -0.8, 0.0)},
            "the minimum is 0.50 m",
        ),
        (Verb.GRASP, {"target": Pose((-1.5, -0.8, 1.0))}, "0.10 m from a person: the minimum is 0.22 m"),
    ],
)
def test_refuses_a_goal_that_would_leave_it_before_anything_moves(
    context: SkillContext, verb: Verb, params: dict[str, ParamValue], words: str
) -> None:
    running = run(context, verb, params, ROOM)
    with pytest.raises(StopIteration) as end:
        next(running)
    result: SkillResult = end.value.value
    assert result.status is SkillStatus.BAD_REQUEST
    assert words in result.message
    assert np.abs(context.data.ctrl[:3]).max() == 0.0


@pytest.mark.parametrize("verb", [Verb.LOOK_AT, Verb.HANDOVER])
def test_looking_at_a_person_and_giving_to_one_is_allowed(context: SkillContext, verb: Verb) -> None:
    ROOM.admit(context, verb, {"target": Pose((*ANN, 1.5))})


@given(st.floats(-2.9, 2.9), st.floats(-2.9, 2.9))
def test_the_unbounded_envelope_refuses_no_more_than_a_bounded_one(x: float, y: float) -> None:
    class Empty:
        people: dict[str, object] = {}

    class Alone:
        world = Empty()

    alone: SkillContext = Alone()  # type: ignore[assignment]
    for envelope in (UNBOUNDED, ROOM):
        envelope.admit(alone, Verb.NAVIGATE, {"goal": Pose.planar(x, y, 0.0)})
    with pytest.raises(OutsideEnvelope):
        ROOM.admit(alone, Verb.NAVIGATE, {"goal": Pose.planar(x + 6.0, y, 0.0)})


def test_drives_slower_near_a_person(do: Callable[..., SkillResult], context: SkillContext) -> None:
    fast, slow = [], []

    def watch(_: object) -> bool:
        x, y, _yaw = context.control.base_pose
        speed = float(np.linalg.norm(context.control.base_velocity[:2]))
        (slow if np.hypot(x - ANN[0], y - ANN[1]) < 1.1 else fast).append(speed)
        return False

    assert do(Verb.NAVIGATE, cancel_when=watch, goal=Pose.planar(-1.6, 0.05, 0.0)).success
    assert max(slow) < 0.50 < max(fast)


def test_stops_what_comes_too_near_but_lets_what_begins_there_leave(context: SkillContext) -> None:
    guard = SafetyMonitor(context, MotionEnvelope(ROOM.areas, people=NearPeople(base=0.5)))
    names = context.names.base_joints
    for name, value in zip(names, (-1.2, -0.8, 0.0), strict=True):
        context.data.joint(name).qpos = value
    with pytest.raises(Blocked, match="the base came within"):
        guard.check()
    SafetyMonitor(context, ROOM).check()
