from collections.abc import Callable

import mujoco
import numpy as np
import pytest

from openral_core.arrays import Vector3
from openral_core.geometry import Pose
from openral_core.skills import Feedback, SkillResult, SkillStatus, Verb
from openral_sim.motion_primitives.context import SkillContext
from openral_sim.skills.handover import CONFIG, _within_reach

LOAF = {"target": Pose((1.80, 0.30, 0.775)), "label": "loaf", "size_x": 0.05, "size_y": 0.3, "size_z": 0.05}
ANN = {"agent": Pose.planar(-1.6, -0.8, 0.0), "agent_id": "ann"}


@pytest.fixture
def holding(do: Callable[..., SkillResult]) -> None:
    assert do(Verb.GRASP, **LOAF).success


def palm(context: SkillContext) -> Vector3:
    return np.array(context.data.site("palm").xpos)


def test_needs_something_in_the_hand(do: Callable[..., SkillResult]) -> None:
    result = do(Verb.HANDOVER, **ANN)
    assert result.status is SkillStatus.NOTHING_HELD
    assert "the hand is empty" in result.message


@pytest.mark.usefixtures("holding")
def test_leaves_the_thing_in_the_persons_hand(
    do: Callable[..., SkillResult], context: SkillContext, wait: Callable[[int], None]
) -> None:
    distances: list[float] = []

    def watch(_: Feedback) -> bool:
        distances.append(float(np.hypot(*(context.control.base_pose[:2] - [-1.6, -0.8]))))
        return False

    result = do(Verb.HANDOVER, cancel_when=watch, **ANN)
    assert result.success, result.message
    wait(100)
    assert np.linalg.norm(context.data.body("loaf").xpos - palm(context)) < 0.1
    assert np.linalg.norm(context.control.T_map_grasp()[:3, 3] - palm(context)) > 0.25
    assert context.held is None
    assert min(distances) > 0.5


@pytest.mark.usefixtures("holding")
def test_names_the_people_there_are(do: Callable[..., SkillResult], context: SkillContext) -> None:
    result = do(Verb.HANDOVER, agent=ANN["agent"], agent_id="bob")
    assert result.status is SkillStatus.BAD_REQUEST
    assert "'ann'" in result.message
    assert context.held is not None


@pytest.mark.usefixtures("holding")
def test_notices_that_the_thing_was_lost_on_the_way(
    do: Callable[..., SkillResult], context: SkillContext, wait: Callable[[int], None]
) -> None:
    context.data.eq_active[context.model.equality(context.names.grasp_weld).id] = 0
    context.control.grip(0.08)
    wait(50)
    result = do(Verb.HANDOVER, **ANN)
    assert result.status is SkillStatus.LOST_OBJECT
    assert context.held is None


def test_a_second_thing_leaves_the_first_with_the_person(
    do: Callable[..., SkillResult], context: SkillContext, wait: Callable[[int], None]
) -> None:
    can = {"target": Pose((1.80, -0.10, 0.805)), "label": "can"}
    can |= {"size_x": 0.064, "size_y": 0.064, "size_z": 0.11}
    for goal in (can, LOAF):
        assert do(Verb.GRASP, **goal).success
        given = do(Verb.HANDOVER, **ANN)
        assert given.success, given.message
    wait(50)
    for item in ("can", "loaf"):
        assert np.linalg.norm(context.data.body(item).xpos - palm(context)) < 0.2


def test_a_person_lets_go_of_what_the_robot_takes_back(
    do: Callable[..., SkillResult], context: SkillContext, wait: Callable[[int], None]
) -> None:
    can = {"label": "can", "size_x": 0.064, "size_y": 0.064, "size_z": 0.11}
    assert do(Verb.GRASP, target=Pose((1.80, -0.10, 0.805)), **can).success
    assert do(Verb.HANDOVER, **ANN).success
    wait(50)
    x, y, z = context.data.body("can").xpos
    taken = do(Verb.GRASP, target=Pose((x, y, z)), **can)
    assert taken.success, taken.message
    went = do(Verb.NAVIGATE, goal=Pose.planar(0.0, 1.0, 0.0))
    assert went.success, went.message
    assert np.linalg.norm(context.data.body("can").xpos - context.control.T_map_grasp()[:3, 3]) < 0.1


def test_a_person_whom_the_robot_met_is_the_one_at_the_pose(
    do: Callable[..., SkillResult], context: SkillContext
) -> None:
    assert do(Verb.HANDOVER, agent=ANN["agent"], agent_id="person_7").status is SkillStatus.NOTHING_HELD
    nobody = do(Verb.HANDOVER, agent=Pose.planar(3.0, 3.0, 0.0), agent_id="person_7")
    assert nobody.status is not SkillStatus.SUCCEEDED


@pytest.mark.usefixtures("holding")
def test_names_the_receiver_by_the_id_that_was_asked_for(do: Callable[..., SkillResult]) -> None:
    result = do(Verb.HANDOVER, agent=ANN["agent"], agent_id="person_7")
    assert result.success, result.message
    assert result.evidence["agent_id"] == "person_7"


def test_a_person_takes_what_their_full_hand_keeps_from_the_palm(
    do: Callable[..., SkillResult], context: SkillContext, wait: Callable[[int], None]
) -> None:
    can = {"target": Pose((1.80, -0.10, 0.805)), "label": "can"}
    can |= {"size_x": 0.064, "size_y": 0.064, "size_z": 0.11}
    assert do(Verb.GRASP, **can).success
    assert do(Verb.HANDOVER, **ANN).success
    assert do(Verb.GRASP, **LOAF).success
    held, person = context.held, context.world.people["ann"]
    assert held is not None
    wait(20)
    model, data = context.model, context.data
    joint = model.jnt_qposadr[model.body_jntadr[held.body]]

    def reached(above: float) -> bool:
        """Put the loaf above the palm [m], and ask."""
        data.qpos[joint : joint + 3] = palm(context) + np.array([0.0, 0.0, above])
        mujoco.mj_forward(model, data)
        return _within_reach(context, held, person)

    assert reached(CONFIG.other_hand - 0.01)
    assert not reached(CONFIG.other_hand + 0.15)
    data.eq_active[[model.equality(weld).id for weld in context.names.handover_welds]] = 0
    assert not reached(CONFIG.other_hand - 0.01)
    assert reached(CONFIG.take_distance - 0.01)
