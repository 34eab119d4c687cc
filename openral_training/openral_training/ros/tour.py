"""Guided tour of a home: pose and floor map of a robot that a person drives, or that drives along poses."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from math import pi

from nav_msgs.msg import OccupancyGrid
from pydantic import Field, FiniteFloat
from rclpy.action import ActionClient
from rclpy.action.client import ClientGoalHandle
from rclpy.task import Future

from openral_core.arrays import Transform
from openral_core.documents import Document
from openral_core.errors import OpenRALError
from openral_core.floor_map import FloorMap
from openral_core.geometry import Pose, planar_part
from openral_core.home_map import Point2, Pose2
from openral_core.robot import Frames
from openral_core.skills import SkillGoal, SkillResult, SkillStatus
from openral_msgs.action import ExecuteRskill
from openral_ros.conversions.floor_maps import floor_map_from_message
from openral_ros.conversions.skills import skill_goal_message, skill_result_from_message
from openral_ros.foreign_topics import subscribe_state
from openral_ros.node_thread import Deliver, NodeThread, NodeThreadStuck
from openral_ros.qos import LATCHED
from openral_ros.tf_buffer import TransformBuffer
from openral_training.maps.tour_notes import TourNotes

MAP, WALLS = "map", "map_walls"
NAVIGATE = "navigate"
"""Id of the rSkill that drives to a pose."""
FIRST_MAP_TIMEOUT = 10.0
"""Time for discovery and the latched map [s]."""
TURNS = (0.0, 2.0 * pi / 3.0, -2.0 * pi / 3.0)
"""Headings at a pose, after its own [rad]: the camera sees all round."""
DONE = "done"
"""Line that ends a tour."""
POSE_TIMEOUT = 2.0
"""Time for the first transforms [s]."""
CANCEL_TIMEOUT = 2.0
"""Time for an answer to a cancellation [s]."""
DRIVE_TIMEOUT = 180.0
"""Longest drive to one pose [s]; the skill's own deadline is shorter."""


class NoMap(OpenRALError):
    """A robot that publishes no map."""

    def __init__(self, timeout: float) -> None:
        super().__init__(
            f"no map within {timeout:g} s: start the graph with --mapper, or SLAM that publishes nav_msgs/"
            "OccupancyGrid on map; for a robot in a namespace give --namespace"
        )


class NoSkillServer(OpenRALError):
    """A robot that cannot be asked to drive."""

    def __init__(self, timeout: float) -> None:
        super().__init__(
            f"no skill server within {timeout:g} s: drive the robot yourself (without --poses), or start it"
        )


class DriveRejected(OpenRALError):
    """A goal that the skill server did not take."""

    def __init__(self) -> None:
        super().__init__("the skill server rejected the goal: it is inactive or has no NAVIGATE; see its log")


class TourPose(Document):
    """A pose of a tour; one with a name becomes a place."""

    at: Point2
    yaw: FiniteFloat = 0.0
    name: str = ""


class TourPoses(Document):
    """File of a tour that the robot drives by itself."""

    poses: tuple[TourPose, ...] = Field(min_length=1)


_REP_105 = Frames()


class TouredRobot:
    """A running robot, seen from a tour; use it as a context manager.

    Args:
        namespace: Of the robot.
        frames: Of its map and its base.

    Attributes:
        floor: Newest map of the floor.
        walls: Tall obstacles alone, on the cells of ``floor``; None if the robot does not tell them.
        refused: Why the newest map could not be used, "" if it could.
    """

    def __init__(self, namespace: str = "", frames: Frames = _REP_105) -> None:
        self._frames = frames
        self.floor: FloorMap | None = None
        self.walls: FloorMap | None = None
        self.refused = ""
        self._newest_walls: OccupancyGrid | None = None
        self._newest_floor: OccupancyGrid | None = None
        self._thread = NodeThread("tour", namespace)
        scope = self._thread.scope
        self._transforms = TransformBuffer(scope)
        self._skills = ActionClient(self._thread.node, ExecuteRskill, "openral/execute_rskill")
        scope.callback(self._skills.destroy)
        subscribe_state(scope, OccupancyGrid, MAP, self._on_map)
        scope.subscription(OccupancyGrid, WALLS, self._on_walls, LATCHED)

    def __enter__(self) -> "TouredRobot":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.close()

    def _on_map(self, message: OccupancyGrid) -> None:
        self._newest_floor = message
        self._take()

    def _on_walls(self, message: OccupancyGrid) -> None:
        self._newest_walls = message
        self._take()

    def _take(self) -> None:
        """Take the newest map, with the walls if both are of one moment."""
        floor, walls = self._newest_floor, self._newest_walls
        if floor is None:
            return
        if walls is not None and (walls.header, walls.info) != (floor.header, floor.info):
            walls = None
        try:
            self.walls = None if walls is None else floor_map_from_message(walls, self._frames.map)
            self.floor, self.refused = floor_map_from_message(floor, self._frames.map), ""
        except OpenRALError as error:
            self.refused = str(error)

    def wait_for_map(self, timeout: float = FIRST_MAP_TIMEOUT) -> FloorMap:
        """Return the first map.

        Raises:
            NoMap: If none comes.
        """
        asyncio.run(self._thread.wait(lambda: self.floor is not None, timeout))
        if self.floor is None:
            raise NoMap(timeout)
        return self.floor

    def seen(self) -> str:
        """Return the area of the floor seen so far, and what is wrong with the newest map."""
        floor = self.wait_for_map()
        area = float(floor.free.sum()) * floor.resolution**2
        return "; ".join(filter(None, (f"{area:.1f} m^2 of floor seen", self.refused)))

    def pose(self) -> Pose2:
        """Return the newest pose of the base in map.

        Raises:
            UnknownFrame: If the robot is not localised within two seconds.
        """
        asyncio.run(self._thread.wait(self._is_localised, POSE_TIMEOUT))
        x, y, yaw = planar_part(asyncio.run(self._thread.ask(self._lookup)))
        return Pose2(x=x, y=y, yaw=yaw)

    def _lookup(self) -> Transform:
        return self._transforms.lookup_newest(self._frames.map, self._frames.base)

    def _is_localised(self) -> bool:
        try:
            self._lookup()
        except OpenRALError:
            return False
        return True

    def wait_for_skills(self, timeout: float = FIRST_MAP_TIMEOUT) -> None:
        """Wait for the skill server.

        Raises:
            NoSkillServer: If there is none.
        """
        if not asyncio.run(self._thread.wait(self._skills.server_is_ready, timeout)):
            raise NoSkillServer(timeout)

    def drive(self, pose: Pose2) -> SkillResult:
        """Have the skill server drive to a pose, which refuses it or asks for consent as for any other goal.

        Raises:
            DriveRejected: If the skill server does not take the goal.
            NodeThreadStuck: If no result comes within three minutes; the drive is then cancelled.
        """
        goal = SkillGoal(
            NAVIGATE, "tour of the home", {"goal": Pose.planar(pose.x, pose.y, pose.yaw)}, DRIVE_TIMEOUT
        )
        accepted: list[ClientGoalHandle] = []

        def begin(deliver: Deliver[SkillResult]) -> None:
            def on_answer(future: Future) -> None:
                handle = future.result()
                if not handle.accepted:
                    deliver(DriveRejected())
                    return
                accepted.append(handle)
                ended = handle.get_result_async()
                ended.add_done_callback(
                    lambda future: deliver(skill_result_from_message(future.result().result))
                )

            self._skills.send_goal_async(skill_goal_message(goal, "")).add_done_callback(on_answer)

        try:
            return asyncio.run(self._thread.call(begin, DRIVE_TIMEOUT))
        except (KeyboardInterrupt, NodeThreadStuck):
            asyncio.run(self._cancel(accepted))
            raise

    async def _cancel(self, accepted: list[ClientGoalHandle]) -> None:
        """End a drive, also one whose acceptance is still on its way."""
        if await self._thread.wait(lambda: bool(accepted), CANCEL_TIMEOUT):
            await self._thread.call(
                lambda deliver: accepted[0].cancel_goal_async().add_done_callback(deliver), CANCEL_TIMEOUT
            )


def drive_along(
    robot: TouredRobot, poses: Sequence[TourPose], notes: TourNotes, echo: Callable[[str], object]
) -> None:
    """Drive to each pose and turn round there; what cannot be reached is told and left out.

    Raises:
        NoSkillServer: If no server takes goals.
    """
    robot.wait_for_skills()
    for number, stop in enumerate(poses, start=1):
        x, y = stop.at
        what = f"{number} of {len(poses)}: {stop.name or 'pose'} ({x:g}, {y:g})"
        results = []
        for turned in TURNS:
            results.append(robot.drive(Pose2(x=x, y=y, yaw=stop.yaw + turned)))
            if results[-1].status is SkillStatus.CANCELLED:
                break
        failed = next((result for result in results if not result.success), None)
        echo(f"{what}: {failed.status.name}, {failed.message}" if failed else f"{what}: reached")
        if stop.name and results[0].success:
            notes.add(f"place {stop.name}", Pose2(x=x, y=y, yaw=stop.yaw))


def follow(robot: TouredRobot, lines: Iterable[str], notes: TourNotes, echo: Callable[[str], object]) -> None:
    """Take notes line by line until "done" or the end of input; a wrong line is told and left out."""
    echo('drive the robot; "room NAME", "place NAME", "furniture KIND", "person NAME", "done"')
    for line in lines:
        if line.strip() == DONE:
            return
        try:
            if line.strip():
                echo(notes.add(line, robot.pose()))
        except OpenRALError as error:
            echo(str(error))
        echo(robot.seen())
