"""Collision checks against voxels, in the bare room with the table."""

from collections.abc import Callable

import numpy as np
import pytest

from openral_core.geometry import Pose
from openral_core.skills import SkillResult, Verb
from openral_sim.motion_primitives.context import SkillContext
from openral_sim.planning.perceived_collisions import (
    SEEN,
    PerceivedCollisionChecker,
    SurfacePoints,
    arm_bodies,
)
from openral_sim.planning.perceived_space import PerceivedSpace


@pytest.fixture
def seeing(context: SkillContext) -> SkillContext:
    """A robot whose arm knows what its cameras see."""
    return SkillContext(context.world, space=PerceivedSpace())


def looked(context: SkillContext, times: int = 4) -> SkillContext:
    context.control.point_head(0.0, 0.6)
    for _ in range(times):
        for _ in range(100):
            context.world.data.time += 0.002
        context.sync_collision_scene()
    return context


def into_the_table(context: SkillContext) -> np.ndarray:
    """Return a posture with the hand in the table's edge, from the base pose (0.9, 0, 0)."""
    T = np.eye(4)
    T[:3, :3] = np.diag((1.0, -1.0, -1.0))
    T[:3, 3] = (0.8, 0.0, 0.72)
    return np.asarray(context.solver.solve(T, context.robot.comfortable, tries=8))


BASE = np.array([1.1, 0.0, 0.0])


def test_what_was_not_seen_is_free_and_the_table_that_was_seen_is_not(seeing: SkillContext) -> None:
    posture = into_the_table(seeing)
    assert isinstance(seeing.checker, PerceivedCollisionChecker)
    seeing.checker.sync(seeing.data)
    assert seeing.checker.is_free(posture, BASE), "no image yet"
    looked(seeing)
    assert not seeing.checker.is_free(posture, BASE)
    assert any(SEEN in pair for pair in seeing.checker.contact_pairs(posture, BASE))
    assert seeing.checker.is_free(seeing.control.reach), "the robot does not take itself for an obstacle"


def test_contact_is_allowed_near_a_point_and_where_the_arm_is_already(seeing: SkillContext) -> None:
    posture = into_the_table(seeing)
    looked(seeing)
    seeing.checker.allow_contact_near(np.array([1.9, 0.0, 0.75]), 0.6)
    assert seeing.checker.is_free(posture, BASE)
    seeing.sync_collision_scene()
    assert not seeing.checker.is_free(posture, BASE)
    seeing.checker.allow_current_contacts()
    assert seeing.checker.is_free(seeing.control.reach)


def test_points_lie_on_the_arm_and_as_dense_as_voxels_need(seeing: SkillContext) -> None:
    points = SurfacePoints.of(seeing.model, arm_bodies(seeing.model, seeing.names))
    assert 300 < len(points.points) < 6000
    arm = points.in_map(seeing.data)
    assert np.linalg.norm(arm - seeing.control.T_map_grasp()[:3, 3], axis=1).min() < 0.06


def test_a_loaf_is_grasped_from_the_table_by_what_was_seen_alone(
    seeing: SkillContext, do: Callable[..., SkillResult]
) -> None:
    result = do(Verb.GRASP, by=seeing, target=Pose((1.8, 0.3, 0.78)), label="loaf")
    assert result.success, result.message
