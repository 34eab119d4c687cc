"""A tour of a played robot: notes of a person who drives it, and poses that it drives to itself."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

rclpy = pytest.importorskip("rclpy")
from geometry_msgs.msg import TransformStamped
from nav_msgs.msg import OccupancyGrid
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.executors import MultiThreadedExecutor
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from tf2_msgs.msg import TFMessage
from typer.testing import CliRunner

from openral_core.floor_map import FREE, OCCUPIED, FloorMap
from openral_core.geometry import Pose
from openral_core.home_map import load_map
from openral_mapping.home.from_floor import home_from_floor
from openral_msgs.action import ExecuteRskill
from openral_ros.conversions.floor_maps import occupancy_grid_message
from openral_ros.conversions.geometry import transform_message
from openral_ros.conversions.skills import params_of
from openral_ros.qos import LATCHED
from openral_testing.ros.executor_thread import ExecutorThread
from openral_training.ros import tour
from openral_training.ros.tour_cli import commands

WALL_X = 6.0
"""Poses beyond cannot be reached [m]."""


class Robot(Node):
    """Stands at (2, 2), maps a room of 6x4 m with a table, and drives where it is sent but not too far."""

    def __init__(self, context: Any) -> None:
        super().__init__("robot", context=context)
        self.driven: list[Pose] = []
        self.rejects = False
        static = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        moved = TransformStamped(
            child_frame_id="base_link", transform=transform_message(Pose.planar(2.0, 2.0, 0.0))
        )
        moved.header.frame_id = "map"
        self._tf = self.create_publisher(TFMessage, "tf_static", static)
        self._tf.publish(TFMessage(transforms=[moved]))
        cells = np.full((80, 120), FREE, np.int8)
        cells[[0, -1]], cells[:, [0, -1]] = OCCUPIED, OCCUPIED
        cells[30:50, 54:70] = OCCUPIED
        self.map = self.create_publisher(OccupancyGrid, "map", LATCHED)
        self.walls = self.create_publisher(OccupancyGrid, "map_walls", LATCHED)
        self.map.publish(occupancy_grid_message(FloorMap(cells, 0.05), 0.0))
        self._server = ActionServer(
            self,
            ExecuteRskill,
            "openral/execute_rskill",
            self._execute,
            goal_callback=lambda _: GoalResponse.REJECT if self.rejects else GoalResponse.ACCEPT,
            cancel_callback=lambda _: CancelResponse.ACCEPT,
        )

    def stand(self, x: float, y: float) -> None:
        transform = transform_message(Pose.planar(x, y, 0.0))
        moved = TransformStamped(child_frame_id="base_link", transform=transform)
        moved.header.frame_id = "map"
        self._tf.publish(TFMessage(transforms=[moved]))

    def _execute(self, handle: Any) -> ExecuteRskill.Result:
        goal = params_of(handle.request.params)["goal"]
        assert isinstance(goal, Pose)
        self.driven.append(goal)
        handle.succeed()
        if goal.position[0] > WALL_X:
            status = ExecuteRskill.Result.NOT_REACHABLE
            return ExecuteRskill.Result(status=status, message="no way there")
        return ExecuteRskill.Result(success=True, status=ExecuteRskill.Result.SUCCEEDED)

    def destroy_node(self) -> None:
        self._server.destroy()
        super().destroy_node()


@pytest.fixture
def robot(ros_context: Any) -> Iterator[Robot]:
    node = Robot(ros_context)
    executor = MultiThreadedExecutor(2, context=ros_context)
    executor.add_node(node)
    with ExecutorThread(executor):
        yield node
    node.destroy_node()


async def wait_until(holds: Callable[[], bool]) -> None:
    for _ in range(500):
        if holds():
            return
        await asyncio.sleep(0.02)
    pytest.fail("not within ten seconds")


def run(out: Path, *options: str | Path, lines: str = "") -> tuple[str, Exception | None]:
    done = CliRunner().invoke(commands, ["map", "tour", "--out", str(out), *map(str, options)], input=lines)
    return done.output, done.exception if isinstance(done.exception, Exception) else None


def test_what_a_person_names_while_driving_is_in_the_map(robot: Robot, tmp_path: Path) -> None:
    lines = "room kitchen\nfurniture table\nplace door\nfridge\n\ndone\nplace never\n"
    output, error = run(tmp_path / "home.yaml", lines=lines)
    assert error is None, output
    assert "unknown kind 'fridge'" in output
    assert "m^2 of floor seen" in output
    home = load_map(tmp_path / "home.yaml")
    assert [room.name for room in home.rooms] == ["kitchen"]
    assert [fixture.kind for fixture in home.fixtures] == ["table"]
    assert {"door", "in front of the table"} <= {place.name for place in home.places}
    assert "never" not in output
    assert (tmp_path / "home.notes.yaml").exists()


@pytest.mark.parametrize(("walls_at", "rooms"), [(1.0, 1), (2.0, 2)], ids=["of its moment", "of another"])
def test_furniture_from_wall_to_wall_divides_no_room_if_the_robot_tells_its_height(
    robot: Robot, tmp_path: Path, walls_at: float, rooms: int
) -> None:
    walls = np.full((80, 120), FREE, np.int8)
    walls[[0, -1]], walls[:, [0, -1]] = OCCUPIED, OCCUPIED
    floor = walls.copy()
    floor[:, 56:64] = OCCUPIED
    robot.walls.publish(occupancy_grid_message(FloorMap(walls, 0.05), walls_at))
    robot.map.publish(occupancy_grid_message(FloorMap(floor, 0.05), 1.0))
    with tour.TouredRobot() as toured:
        toured.wait_for_map()
        asyncio.run(wait_until(lambda: toured.floor is not None and not toured.floor.free[40, 60]))
        if rooms == 1:
            asyncio.run(wait_until(lambda: toured.walls is not None))
        assert (toured.walls is not None) == (rooms == 1)
        home = home_from_floor(toured.wait_for_map(), "home", None, toured.walls)
    assert len(home.rooms) == rooms


def test_a_note_that_fits_nothing_is_told_and_the_others_are_kept(robot: Robot, tmp_path: Path) -> None:
    robot.stand(5.0, 3.0)
    output, _ = run(tmp_path / "home.yaml", lines="furniture piano\nroom kitchen\n")
    assert "left out: furniture 'piano': nothing is at" in output
    assert "openral map annotate" in output
    assert [room.name for room in load_map(tmp_path / "home.yaml").rooms] == ["kitchen"]


def test_the_robot_drives_along_poses_and_tells_which_it_missed(robot: Robot, tmp_path: Path) -> None:
    poses = tmp_path / "tour.yaml"
    poses.write_text("poses:\n  - {at: [1.0, 1.0], name: charger}\n  - {at: [9.0, 1.0], name: garden}\n")
    output, error = run(tmp_path / "home.yaml", "--poses", poses)
    assert error is None, output
    assert "1 of 2: charger (1, 1): reached" in output
    assert "2 of 2: garden (9, 1): NOT_REACHABLE, no way there" in output
    assert len({round(pose.yaw, 2) for pose in robot.driven[:3]}) == 3, "it looks all round"
    names = {place.name for place in load_map(tmp_path / "home.yaml").places}
    assert "charger" in names
    assert "garden" not in names


def test_a_goal_that_is_not_taken_ends_the_tour_and_writes_nothing(robot: Robot, tmp_path: Path) -> None:
    robot.rejects = True
    poses = tmp_path / "tour.yaml"
    poses.write_text("poses: [{at: [1.0, 1.0]}]\n")
    _, error = run(tmp_path / "home.yaml", "--poses", poses)
    assert isinstance(error, tour.DriveRejected)
    assert not (tmp_path / "home.yaml").exists()


def test_a_robot_without_a_map_is_told_what_is_missing(
    ros_domain: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with tour.TouredRobot() as none, pytest.raises(tour.NoMap, match="--mapper"):
        none.wait_for_map(timeout=0.1)
    with tour.TouredRobot() as none, pytest.raises(tour.NoSkillServer, match="without --poses"):
        none.wait_for_skills(timeout=0.1)


def test_an_empty_list_of_poses_is_refused(tmp_path: Path) -> None:
    poses = tmp_path / "tour.yaml"
    poses.write_text("poses: []\n")
    _, error = run(tmp_path / "home.yaml", "--poses", poses)
    assert "at least 1 item" in str(error)
