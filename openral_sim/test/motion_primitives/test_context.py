import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from openral_core.grasping.approach import HandOrientation
from openral_core.skills import SkillResult, SkillStatus
from openral_sim.motion_primitives.context import HeldObject, SkillContext


def test_a_new_skill_begins_with_nothing_asked_and_the_same_object_in_hand(context: SkillContext) -> None:
    held = HeldObject(context.model.body("can").id, np.eye(4), "can", 0.05, HandOrientation(1.5, 0.0))
    context.held, context.cancelled = held, True
    context.achieved = lambda: SkillResult(SkillStatus.SUCCEEDED, "placed the can")
    context.begin()
    assert (context.cancelled, context.secure, context.achieved) == (False, None, None)
    assert context.held is held
    assert held.is_downward


def test_what_is_held_belongs_to_the_robot(context: SkillContext) -> None:
    can = context.model.body("can").id
    assert can not in context.own_bodies()
    context.held = HeldObject(can, np.eye(4), "can", 0.05, HandOrientation(0.0, 0.0))
    assert context.own_bodies() == context.control.bodies | {can}


def test_to_base_frame_inverts_the_base_pose(context: SkillContext) -> None:
    T = np.eye(4)
    T[:3, 3] = (1.0, 3.0, 0.8)
    moved = context.to_base_frame(T, np.array([1.0, 2.0, np.pi / 2]))
    assert moved[:3, 3] == pytest.approx([1.0, 0.0, 0.8])


@pytest.mark.parametrize(("pitch", "roll"), [(0.0, 0.0), (0.0, 0.5), (0.6, 0.0), (np.pi / 2, 0.0)])
def test_what_was_up_when_the_hand_closed_stays_up(pitch: float, roll: float) -> None:
    orientation, lying = HandOrientation(pitch, roll), Rotation.from_rotvec((0.0, np.pi / 2, 0.0)).as_matrix()
    T = np.eye(4)
    T[:3, :3] = orientation.axes(0.7).T
    assert HeldObject(1, T, "can", 0.05, orientation).up_in_body == pytest.approx([0.0, 0.0, 1.0])
    T[:3, :3] = orientation.axes(0.7).T @ lying
    assert HeldObject(1, T, "can", 0.05, orientation).up_in_body == pytest.approx([-1.0, 0.0, 0.0])
