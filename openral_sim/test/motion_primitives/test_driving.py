"""Driving among people, in the bare room."""

from collections.abc import Callable

import numpy as np
import pytest

from openral_core.geometry import Pose
from openral_core.home_map import NoGoZone
from openral_core.skills import Feedback, SkillResult, SkillStatus, Verb
from openral_sim.motion_primitives.context import CONTROL_PERIOD, SkillContext
from openral_sim.motion_primitives.driving import PEOPLE, WAITING

BEYOND = Pose.planar(0.0, -2.6, -1.57)


@pytest.fixture
def doorway(context: SkillContext) -> SkillContext:
    """The room with a wall behind the robot, in which there is one doorway."""
    low_wall = int(np.flatnonzero(np.isclose(context.model.geom_size[:, 0], 1.2))[0])
    table = int(np.flatnonzero(np.isclose(context.model.geom_size[:, 0], 0.4))[0])
    for geom, middle in ((low_wall, -2.1), (table, 2.1)):
        context.model.geom_pos[geom] = (middle, -1.6, 0.6)
        context.model.geom_size[geom] = (1.5, 0.05, 0.6)
        context.model.geom_aabb[geom, 3:] = (1.5, 0.05, 0.6)
        context.model.geom_rbound[geom] = 2.0
    context.world.no_go_zones = tuple(
        NoGoZone(id=f"end_{x}", name="end", polygon=((x, -2.2), (x + 4.0, -2.2), (x + 4.0, -1.0), (x, -1.0)))
        for x in (-7.5, 3.5)
    )
    return context


def stand(context: SkillContext, x: float, y: float) -> None:
    context.model.body_pos[context.model.body("person").id][:2] = x, y


def test_drives_through_a_free_doorway(do: Callable[..., SkillResult], doorway: SkillContext) -> None:
    stand(doorway, -2.5, -0.3)
    assert do(Verb.NAVIGATE, goal=BEYOND).success


@pytest.mark.parametrize("at", [(0.0, -1.6), (0.1, -1.3)])
def test_waits_for_a_person_in_the_doorway_and_says_so(
    do: Callable[..., SkillResult], doorway: SkillContext, at: tuple[float, float]
) -> None:
    stand(doorway, *at)
    waited = list[Feedback]()

    def leave_after_a_while(feedback: Feedback) -> bool:
        if feedback.stage == WAITING:
            waited.append(feedback)
        if len(waited) == round(8.0 / CONTROL_PERIOD):
            stand(doorway, -2.5, -0.3)
        return False

    assert do(Verb.NAVIGATE, cancel_when=leave_after_a_while, goal=BEYOND).success
    assert waited


def test_a_person_who_stays_in_the_doorway_ends_it_in_bounded_time(
    do: Callable[..., SkillResult], doorway: SkillContext
) -> None:
    stand(doorway, 0.0, -1.6)
    doorway.data.time = 0.0
    result = do(Verb.NAVIGATE, goal=BEYOND)
    assert result.status is SkillStatus.BLOCKED
    assert (result.evidence["obstacle_x"], result.evidence["obstacle_y"]) == pytest.approx((0.0, -1.6))
    assert float(result.evidence["y"]) > -1.0
    assert doorway.data.time < PEOPLE.patience + 20.0


def test_a_person_who_steps_into_the_doorway_is_waited_for_without_coming_too_close(
    do: Callable[..., SkillResult], doorway: SkillContext
) -> None:
    stand(doorway, -2.5, -0.3)
    distances, waited = list[float](), list[Feedback]()

    def step_in(feedback: Feedback) -> bool:
        if doorway.control.base_pose[1] < -0.4 and not waited:
            stand(doorway, 0.0, -1.75)
        waited.extend([feedback] if feedback.stage == WAITING else [])
        if len(waited) == round(5.0 / CONTROL_PERIOD):
            stand(doorway, -2.5, -0.3)
        person = doorway.data.body("person").xpos[:2]
        distances.append(float(np.linalg.norm(doorway.control.base_pose[:2] - person)))
        return False

    assert do(Verb.NAVIGATE, cancel_when=step_in, goal=BEYOND).success
    assert waited
    assert min(distances) > 0.5
