import numpy as np
import pytest

from openral_core.geometry import Pose
from openral_core.skills import SkillStatus, Verb

LOAF = {"target": Pose((1.80, 0.30, 0.775)), "label": "loaf", "size_x": 0.05, "size_y": 0.3, "size_z": 0.05}
ANN = {"agent": Pose.planar(-1.6, -0.8, 0.0), "agent_id": "ann"}


@pytest.fixture
def holding(do):
    assert do(Verb.GRASP, **LOAF).success


def palm(room):
    return np.array(room.data.site("palm").xpos)


def test_needs_something_in_the_hand(do):
    result = do(Verb.HANDOVER, **ANN)
    assert result.status is SkillStatus.NOTHING_HELD
    assert "the hand is empty" in result.message


@pytest.mark.usefixtures("holding")
def test_leaves_the_thing_in_the_persons_hand(do, context, room):
    near = []
    result = do(
        Verb.HANDOVER, cancel_when=lambda _: near.append(context.control.base_pose[:2]) and False, **ANN
    )
    assert result.success, result.message
    for _ in range(100):
        room.step()
    assert np.linalg.norm(room.data.body("loaf").xpos - palm(room)) < 0.1
    assert np.linalg.norm(context.control.T_map_grasp()[:3, 3] - palm(room)) > 0.25
    assert context.held is None
    distance = np.linalg.norm(np.array(near) - [-1.6, -0.8], axis=1).min()
    assert distance > 0.5


@pytest.mark.usefixtures("holding")
def test_names_the_people_there_are(do, context):
    result = do(Verb.HANDOVER, agent=ANN["agent"], agent_id="bob")
    assert result.status is SkillStatus.BAD_REQUEST
    assert "'ann'" in result.message
    assert context.held is not None


@pytest.mark.usefixtures("holding")
def test_notices_that_the_thing_was_lost_on_the_way(do, context, room):
    room.data.eq_active[room.model.equality(context.names.grasp_weld).id] = 0
    context.control.grip(0.08)
    for _ in range(50):
        room.step()
    result = do(Verb.HANDOVER, **ANN)
    assert result.status is SkillStatus.LOST_OBJECT
    assert context.held is None
