from collections.abc import Callable

import numpy as np
import pytest

from openral_core.floor_map import FREE, OCCUPIED, FloorMap
from openral_core.geometry import Pose, angle_between
from openral_core.home_map import Pose2
from openral_core.obstructions import ObstacleKind, Obstruction
from openral_core.skills import Feedback, SkillResult, SkillStatus, Verb
from openral_sim.motion_primitives.context import SkillContext
from openral_sim.motion_primitives.driving import LOOKING_AGAIN
from openral_sim.planning.perceived_floor import PerceivedFloor


@pytest.mark.parametrize(("x", "y", "yaw"), [(1.0, 1.0, 1.57), (0.5, 2.2, 0.0), (-1.0, 0.5, -3.0)])
def test_arrives_within_a_centimetre_and_two_degrees(
    do: Callable[..., SkillResult], context: SkillContext, x: float, y: float, yaw: float
) -> None:
    result = do(Verb.NAVIGATE, goal=Pose.planar(x, y, yaw))
    assert result.success
    pose = context.control.base_pose
    assert np.hypot(pose[0] - x, pose[1] - y) < 0.01
    assert angle_between(float(pose[2]), yaw) < np.radians(2)
    assert np.abs(context.control.base_velocity).max() < 0.05


def test_stands_beside_a_goal_that_has_too_little_room_and_says_so(
    do: Callable[..., SkillResult], context: SkillContext
) -> None:
    result = do(Verb.NAVIGATE, goal=Pose.planar(1.45, 0.0, 0.0))
    assert result.success
    assert "beside the goal" in result.message
    assert context.control.base_pose[0] < 1.3


def test_refuses_a_goal_inside_the_table(do: Callable[..., SkillResult], context: SkillContext) -> None:
    before = context.control.base_pose
    result = do(Verb.NAVIGATE, goal=Pose.planar(2.0, 0.0, 0.0))
    assert result.status is SkillStatus.NOT_REACHABLE
    assert np.allclose(context.control.base_pose, before, atol=0.01)


def test_stands_where_a_target_is_in_view_when_only_that_is_given(
    do: Callable[..., SkillResult], context: SkillContext
) -> None:
    result = do(Verb.NAVIGATE, target=Pose.planar(1.8, 0.3, 0.0, 0.8))
    assert result.success
    x, y, yaw = context.control.base_pose
    assert angle_between(float(yaw), float(np.arctan2(0.3 - y, 1.8 - x))) < 0.05
    assert np.hypot(x - 1.8, y - 0.3) < 1.5


def test_needs_a_goal(do: Callable[..., SkillResult]) -> None:
    assert do(Verb.NAVIGATE).status is SkillStatus.BAD_REQUEST


def test_stops_in_a_controlled_way_when_cancelled(
    do: Callable[..., SkillResult], context: SkillContext, wait: Callable[[int], None]
) -> None:
    result = do(
        Verb.NAVIGATE,
        cancel_when=lambda _: context.control.base_pose[1] > 0.4,
        goal=Pose.planar(0.0, 1.2, 0.0),
    )
    assert result.status is SkillStatus.CANCELLED
    assert "driving" in result.message
    stopped = context.control.base_pose
    assert stopped[1] < 0.9
    wait(50)
    assert np.allclose(context.control.base_pose, stopped, atol=0.005)


def test_says_that_it_is_blocked_when_something_holds_the_base(
    do: Callable[..., SkillResult], context: SkillContext
) -> None:
    motors = [context.model.actuator(name).id for name in context.names.base_joints]
    context.model.actuator_forcerange[motors] = 0.0
    result = do(Verb.NAVIGATE, goal=Pose.planar(1.0, 1.0, 0.0))
    assert result.status is SkillStatus.BLOCKED


def test_says_that_no_map_has_come_before_it_moves(
    do: Callable[..., SkillResult], context: SkillContext
) -> None:
    context.perceived = PerceivedFloor()
    before = context.control.base_pose
    result = do(Verb.NAVIGATE, goal=Pose.planar(1.0, 1.0, 0.0))
    assert (result.status, result.evidence) == (SkillStatus.INACTIVE, {"floor": "no_map"})
    assert np.allclose(context.control.base_pose, before, atol=0.01)


def test_does_not_drive_into_unknown_space(do: Callable[..., SkillResult], context: SkillContext) -> None:
    known = FloorMap(np.full((40, 40), FREE, np.int8), 0.05, Pose2(x=-1.0, y=-1.0))
    context.perceived = PerceivedFloor(known)
    result = do(Verb.NAVIGATE, goal=Pose.planar(0.0, 2.0, 0.0))
    assert result.status is SkillStatus.NOT_REACHABLE
    assert result.evidence["floor"] == "unknown"
    near = do(Verb.NAVIGATE, goal=Pose.planar(0.0, 0.96, 0.0))
    assert near.success
    assert "too close to an obstacle or to unknown floor" in near.message


def enclosed() -> tuple[FloorMap, FloorMap]:
    """A map on which the robot is enclosed, and the one after what enclosed it has left."""
    free = np.full((80, 80), FREE, np.int8)
    walled = free.copy()
    walled[25:56, [25, 55]] = walled[[25, 55], 25:56] = OCCUPIED
    return FloorMap(walled, 0.05, Pose2(x=-2.0, y=-2.0)), FloorMap(free, 0.05, Pose2(x=-2.0, y=-2.0))


@pytest.mark.parametrize("leaves", [True, False])
def test_an_enclosed_robot_looks_around_once_before_it_gives_up(
    do: Callable[..., SkillResult], context: SkillContext, leaves: bool
) -> None:
    before, after = enclosed()
    context.perceived = floor = PerceivedFloor(before)
    pans, stages = list[float](), list[str]()

    def watch(feedback: Feedback) -> bool:
        pans.append(float(context.control.head[0]))
        stages.append(feedback.stage)
        if leaves and feedback.stage == "waiting for the map":
            floor.latest = after
        return False

    result = do(Verb.NAVIGATE, cancel_when=watch, goal=Pose.planar(0.0, 1.2, 0.0))
    assert (min(pans) < -1.0, max(pans) > 1.0) == (True, True)
    if leaves:
        assert result.success, result.message
    else:
        assert result.status is SkillStatus.NOT_REACHABLE
        assert "no way over known floor" in result.message
        assert "driving" not in stages


@pytest.mark.parametrize("opens", [True, False])
def test_what_the_map_shows_in_the_only_way_is_looked_at_again(
    do: Callable[..., SkillResult], context: SkillContext, opens: bool
) -> None:
    free = np.full((120, 80), FREE, np.int8)
    shut = free.copy()
    shut[20] = OCCUPIED
    before, after = (FloorMap(each, 0.05, Pose2(x=-2.0, y=-4.0)) for each in (shut, free))
    context.perceived = floor = PerceivedFloor(before)
    door = Obstruction(ObstacleKind.SHUT_DOOR, (0.0, -2.98), "door")
    context.obstruction = lambda goal, within: door if floor.latest is before else None
    context.model.body_pos[context.model.body("person").id][:2] = -2.0, 1.5
    looked = list[tuple[float, float]]()

    def watch(feedback: Feedback) -> bool:
        if feedback.stage == LOOKING_AGAIN and feedback.progress == 0.5:
            x, y, yaw = context.control.base_pose
            looked.append((float(np.hypot(x, y + 2.98)), angle_between(float(yaw), -np.pi / 2)))
            floor.latest = after if opens and len(looked) > 100 else before
        return False

    result = do(Verb.NAVIGATE, cancel_when=watch, goal=Pose.planar(0.0, -3.6, -1.57))
    assert looked
    assert max(distance for distance, _ in looked) < 1.5
    assert max(turn for _, turn in looked) < 0.5
    assert result.status is (SkillStatus.SUCCEEDED if opens else SkillStatus.NOT_REACHABLE), result.message


def test_a_robot_with_room_does_not_look_around_for_a_goal_behind_a_wall(
    do: Callable[..., SkillResult], context: SkillContext
) -> None:
    cells = np.full((80, 80), FREE, np.int8)
    cells[64] = OCCUPIED
    context.perceived = PerceivedFloor(FloorMap(cells, 0.05, Pose2(x=-2.0, y=-2.0)))
    began = float(context.data.time)
    result = do(Verb.NAVIGATE, goal=Pose.planar(0.0, 1.8, 0.0))
    assert result.status is SkillStatus.NOT_REACHABLE
    assert float(context.data.time) - began < 5.0
