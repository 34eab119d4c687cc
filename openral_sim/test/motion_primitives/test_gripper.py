from collections.abc import Callable

import numpy as np
import pytest

from openral_core.grasping.approach import HandOrientation
from openral_core.skill_errors import BadRequest, LostObject, NothingHeld
from openral_core.skills import Verb
from openral_sim.motion_primitives.context import HeldObject, SkillContext
from openral_sim.motion_primitives.gripper import (
    between_fingers,
    close_hand,
    contact_detected,
    distance_to,
    is_movable,
    open_hand,
    release_slowly,
    require_empty,
    require_held,
)
from openral_sim.robot.sim_robot import load_sim_robot


def hold(context: SkillContext, name: str) -> HeldObject:
    """Claim that an object is in the hand, as after a grasp that the physics forgot."""
    held = HeldObject(context.model.body(name).id, np.eye(4), name, 0.05, HandOrientation(0.0, 0.0))
    context.held = held
    return held


@pytest.mark.parametrize("opening", [load_sim_robot().gripper.max_opening, 0.035])
def test_opens_to_the_opening(context: SkillContext, play: Callable[..., None], opening: float) -> None:
    play(open_hand(context, "opening", opening))
    assert context.control.opening == pytest.approx(opening, abs=0.005)
    assert not contact_detected(context)


def test_an_empty_hand_closes_on_nothing(context: SkillContext, play: Callable[..., int | None]) -> None:
    play(open_hand(context, "opening"))
    assert play(close_hand(context, "closing")) is None
    assert between_fingers(context) is None
    assert context.control.opening < 0.005


def test_a_slow_release_ends_wide_open(context: SkillContext, play: Callable[..., None]) -> None:
    play(release_slowly(context, "letting go"))
    assert context.control.opening == pytest.approx(load_sim_robot().gripper.max_opening, abs=0.005)


def test_only_free_bodies_are_movable(context: SkillContext) -> None:
    movable = {name: is_movable(context.model, context.model.body(name).id) for name in ("can", "person")}
    assert movable == {"can": True, "person": False}


def test_a_full_hand_takes_nothing_more(context: SkillContext) -> None:
    require_empty(context)
    hold(context, "can")
    with pytest.raises(BadRequest, match="already holds 'can'"):
        require_empty(context)


def test_an_object_that_left_the_hand_is_lost_once(context: SkillContext) -> None:
    hold(context, "can")
    with pytest.raises(LostObject, match="the can is no longer in the hand"):
        require_held(context, Verb.PLACE)
    with pytest.raises(NothingHeld, match="the hand is empty"):
        require_held(context, Verb.PLACE)


def test_measures_the_distance_to_a_body_from_its_surface(context: SkillContext) -> None:
    can = context.model.body("can").id
    beside = context.data.xpos[can] + np.array([0.132, 0.0, 0.0])
    assert distance_to(context, can, beside) == pytest.approx(0.10, abs=0.002)
    assert distance_to(context, can, context.data.xpos[can]) == 0.0
