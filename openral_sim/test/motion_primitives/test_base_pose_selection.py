from collections.abc import Callable

import numpy as np
import pytest
from scipy.ndimage import distance_transform_edt

from openral_core.grasping.approach import hand_axes, pregrasp_pose, top_down
from openral_core.skill_errors import NotReachable
from openral_sim.motion_primitives import base_pose_selection
from openral_sim.motion_primitives.base_motion import plan_base_motion
from openral_sim.motion_primitives.base_pose_selection import (
    ReachOption,
    WorkPose,
    find_work_pose,
    leaves,
    move_to_work_pose,
    sees,
    work_pose_at,
)
from openral_sim.motion_primitives.context import SkillContext
from openral_sim.planning.base_planner import plan_from
from openral_sim.planning.occupancy_grid import RESOLUTION, SimOccupancyGrid

ON_THE_TABLE = np.array([1.75, 0.05, 0.90])


def from_above(point: np.ndarray) -> Callable[[np.ndarray], list[ReachOption]]:
    def options(base: np.ndarray) -> list[ReachOption]:
        heading = float(np.arctan2(point[1] - base[1], point[0] - base[0]))
        T = np.eye(4)
        T[:3, :3], T[:3, 3] = hand_axes(top_down(heading + np.pi / 2)), point
        return [ReachOption("from above", pregrasp_pose(T, 0.1), T, (point, 0.05))]

    return options


def test_moves_to_where_the_hand_reaches(context: SkillContext, play: Callable[..., WorkPose]) -> None:
    work_pose = play(move_to_work_pose(context, ON_THE_TABLE, from_above(ON_THE_TABLE), "docking"))
    reached = context.solver.forward(work_pose.goal)
    wanted = context.to_base_frame(work_pose.option.T_map_goal, context.control.base_pose)
    assert reached[:3, 3] == pytest.approx(wanted[:3, 3], abs=0.01)


def test_stays_where_it_already_reaches(context: SkillContext, play: Callable[..., WorkPose]) -> None:
    play(move_to_work_pose(context, ON_THE_TABLE, from_above(ON_THE_TABLE), "docking"))
    before = context.control.base_pose
    play(move_to_work_pose(context, ON_THE_TABLE, from_above(ON_THE_TABLE), "docking"))
    assert context.control.base_pose == pytest.approx(before, abs=1e-3)


def test_takes_an_object_from_where_it_is_if_nothing_better_is_found(
    context: SkillContext, play: Callable[..., WorkPose], monkeypatch: pytest.MonkeyPatch
) -> None:
    play(move_to_work_pose(context, ON_THE_TABLE, from_above(ON_THE_TABLE), "docking"))
    before = context.control.base_pose
    monkeypatch.setattr(base_pose_selection, "leaves", lambda _field, _clearance: lambda _pose: False)
    monkeypatch.setattr(base_pose_selection, "candidate_base_poses", lambda *_: [])
    play(move_to_work_pose(context, ON_THE_TABLE, from_above(ON_THE_TABLE), "docking", takes=True))
    assert context.control.base_pose == pytest.approx(before, abs=1e-3)


def test_a_pose_out_of_reach_is_none(context: SkillContext) -> None:
    context.sync_collision_scene()
    assert work_pose_at(context, np.array([-2.0, 0.0, 0.0]), from_above(ON_THE_TABLE)) is None


def test_a_point_nothing_reaches_is_not_reachable(
    context: SkillContext, play: Callable[..., WorkPose]
) -> None:
    ceiling = np.array([1.75, 0.05, 2.6])
    field = plan_base_motion(context)
    with pytest.raises(NotReachable, match=r"base poses with 0\.33 m of clearance works; tried 'from above'"):
        play(find_work_pose(context, field, ceiling, from_above(ceiling), "docking", 0.0))


def test_a_base_may_enter_a_nook_with_an_empty_hand_that_it_cannot_leave_with_a_full_one() -> None:
    occupied = np.ones((80, 60), dtype=bool)
    occupied[45:79, 1:59] = False  # a room, a passage 0.7 m wide, and a nook 1.2 m wide
    occupied[25:45, 21:35] = False
    occupied[1:25, 16:40] = False
    grid = SimOccupancyGrid(np.zeros(2), distance_transform_edt(~occupied) * RESOLUTION)
    field = plan_from(grid, grid.point(np.array([62, 30])), 0.33)
    nook, room = (np.array([*grid.point(np.array([i, 27])), 0.0]) for i in (12, 62))
    assert np.isfinite(field.cost_at(nook[:2]))
    assert [leaves(field, 0.33)(pose) for pose in (nook, room)] == [True, True]
    assert [leaves(field, 0.40)(pose) for pose in (nook, room)] == [False, True]
    assert not leaves(field, 3.0)(room)


def test_the_wall_hides_what_is_behind_it(context: SkillContext) -> None:
    behind_the_wall = np.array([0.0, 2.5, 0.5])
    assert not sees(context, np.array([0.0, 0.8, np.pi / 2]), behind_the_wall)
    assert sees(context, np.zeros(3), ON_THE_TABLE)
