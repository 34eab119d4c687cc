from collections.abc import Callable

import numpy as np
import pytest

from openral_core.floor_map import FREE, OCCUPIED, FloorMap
from openral_core.geometry import angle_between
from openral_core.home_map import Pose2
from openral_core.skill_errors import Blocked
from openral_sim.motion_primitives.base_motion import plan_base_motion, shift_by, turn_to
from openral_sim.motion_primitives.context import SkillContext
from openral_sim.motion_primitives.driving import drive_to
from openral_sim.planning.base_planner import NoBasePath
from openral_sim.planning.occupancy_grid import RESOLUTION, rasterise
from openral_sim.planning.perceived_floor import PerceivedFloor
from openral_sim.robot.sim_robot import load_sim_robot


def test_drives_to_a_pose(context: SkillContext, play: Callable[..., None]) -> None:
    goal = np.array([0.6, -0.5, 1.0])
    play(drive_to(context, goal, plan_base_motion(context), "driving"))
    assert context.control.base_pose == pytest.approx(goal, abs=0.02)
    assert np.abs(context.control.base_velocity).max() < 0.05


def test_refuses_a_goal_inside_furniture(context: SkillContext) -> None:
    clearance = context.robot.description.base.clearance
    with pytest.raises(NoBasePath, match=f"with {clearance:.2f} m of clearance"):
        next(drive_to(context, np.array([2.0, 0.0, 0.0]), plan_base_motion(context), "driving"))


def perceived_by(context: SkillContext, *obstacles: tuple[float, float, float, float]) -> FloorMap:
    """The room as a map, with more obstacles (x0, y0, x1, y1) [m]."""
    model = rasterise(context.model, context.data, context.own_bodies())
    cells = np.where(model.clearance.T == 0.0, OCCUPIED, FREE).astype(np.int8)
    corner = model.origin - RESOLUTION / 2
    floor = FloorMap(cells, RESOLUTION, Pose2(x=float(corner[0]), y=float(corner[1])))
    for x0, y0, x1, y1 in obstacles:
        (top, left), (bottom, right) = floor.cell(np.array([(x0, y0), (x1, y1)]))
        cells[top:bottom, left:right] = OCCUPIED
    return floor


def test_drives_around_an_obstacle_that_only_the_map_shows(
    context: SkillContext, play: Callable[..., None]
) -> None:
    context.perceived = PerceivedFloor(perceived_by(context, (-0.9, -1.1, -0.7, 0.2)))
    goal = np.array([-1.0, 0.7, 1.0])
    path = plan_base_motion(context).path_to(goal[:2])
    assert path[:, 1].max() > 0.5
    play(drive_to(context, goal, plan_base_motion(context), "driving"))
    assert context.control.base_pose == pytest.approx(goal, abs=0.02)


def test_plans_again_when_a_newer_map_shows_an_obstacle_on_the_way(
    context: SkillContext, wait: Callable[[int], None]
) -> None:
    context.perceived = PerceivedFloor(perceived_by(context))
    goal, places = np.array([0.0, -1.6, -1.6]), []
    driving = drive_to(context, goal, plan_base_motion(context), "driving")
    for number, _ in enumerate(driving):
        places.append(context.control.base_pose[:2])
        if number == 20:
            context.perceived.latest = perceived_by(context, (-0.4, -0.95, 0.4, -0.8))
        wait(1)
    assert context.control.base_pose == pytest.approx(goal, abs=0.02)
    assert max(abs(x) for x, y in places if -0.95 < y < -0.8) > 0.4 + load_sim_robot().description.base.radius


def test_is_blocked_when_newer_maps_leave_no_way(context: SkillContext, play: Callable[..., None]) -> None:
    context.perceived = PerceivedFloor(perceived_by(context))
    driving = drive_to(context, np.array([0.0, -1.6, -1.6]), plan_base_motion(context), "driving")
    next(driving)
    context.perceived.latest = perceived_by(context, (-2.75, -1.25, 3.4, -1.1))
    with pytest.raises(Blocked, match="a newer map shows an obstacle on the way, and no base path"):
        play(driving)
    assert np.abs(context.control.base_velocity).max() < 0.05


def test_shifts_straight_and_keeps_its_heading(context: SkillContext, play: Callable[..., None]) -> None:
    before = context.control.base_pose
    play(shift_by(context, np.array([-0.2, 0.1]), "backing off"))
    assert context.control.base_pose == pytest.approx(before + np.array([-0.2, 0.1, 0.0]), abs=0.02)


def test_turns_on_the_spot(context: SkillContext, play: Callable[..., None]) -> None:
    before = context.control.base_pose
    play(turn_to(context, 2.0, "turning"))
    assert context.control.base_pose[:2] == pytest.approx(before[:2], abs=0.02)
    assert angle_between(float(context.control.base_pose[2]), 2.0) < 0.02


def test_notices_that_it_cannot_move(context: SkillContext, play: Callable[..., None]) -> None:
    into_the_table = np.array([1.5, 0.0])
    with pytest.raises(Blocked, match=r"did not move for 1\.5 s"):
        play(shift_by(context, into_the_table, "driving"))
