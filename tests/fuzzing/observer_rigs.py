"""Nodes beside the launched graph: recorder, skill server of a foreign robot, console and MCP server."""

import importlib.util
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any
from unittest.mock import patch

import anyio
import yaml
from lifecycle_msgs.msg import State
from lifecycle_msgs.srv import GetState
from rclpy.action import ActionClient
from rclpy.node import Node
from std_msgs.msg import String
from std_srvs.srv import Trigger

from fuzzing.rig import Rig, test_support
from openral_console.ros import commands
from openral_console.ros.robot import LiveSource
from openral_core.geometry import Pose
from openral_core.spatial_memory import RecallQuery, ResolveQuery
from openral_mcp import robot_reader
from openral_mcp.missions import MissionClient
from openral_mcp.robot_reader import RobotReader
from openral_msgs.action import ExecuteRskill
from openral_reasoner_ros.mission_client import MissionMonitor
from openral_recorder.ros.node import RecorderNode
from openral_ros.conversions.skills import key_values
from openral_ros.node_thread import NodeThread
from openral_ros.qos import RELIABLE
from openral_testing.ros.robot import PlayedRobot


class RecorderRig(Rig):
    """The recorder with a topic to record; what it receives are the images, so the stranger sends one."""

    name = "recorder"

    def make(self) -> Node:
        self._words = self.stranger.create_publisher(String, "words", RELIABLE)
        path = str(self.folder / "run.mcap")
        return RecorderNode(
            context=self.context,
            parameter_overrides=self.parameters(
                path=path, follow=str(self.folder / "lines"), min_free_mb=0.0
            ),
        )

    def ask(self) -> None:
        """Have one more word recorded."""
        recording = self.node.recording
        before = recording.counts.get("/words", 0)

        def recorded() -> bool:
            self._words.publish(String(data="word"))
            return bool(recording.counts.get("/words", 0) > before)

        self.until(recorded)


def _active(_: object, response: Any) -> Any:
    """Answer that the navigator is active."""
    response.current_state.id = State.PRIMARY_STATE_ACTIVE
    return response


BEGIN = 2.5
"""Longest wait for a drive to begin [s]; the skill server waits for a navigator that seems inactive."""


class SkillServerRig(Rig):
    """The skill server of real robots with a Nav2 that obeys."""

    name = "skill_server"

    def make(self) -> Node:
        from foreign_robot import MINIMAL, RSKILLS, FakeServer
        from nav2_msgs.action import NavigateToPose

        from openral_skills_ros.node import SkillServerNode

        robot = Node("foreign_robot", context=self.context)
        self.peers = [robot]
        robot.create_service(GetState, "bt_navigator/get_state", _active)
        self._nav2 = FakeServer(robot, NavigateToPose, "navigate_to_pose")
        file = self.folder / "robot.yaml"
        file.write_text(yaml.safe_dump({**MINIMAL, "skills": {"NAVIGATE": {"backend": "nav2"}}}))
        self._goals: Any = ActionClient(self.stranger, ExecuteRskill, "openral/execute_rskill")
        return SkillServerNode(
            context=self.context,
            parameter_overrides=self.parameters(robot=str(file), rskill_folders=[str(RSKILLS)]),
        )

    def ask(self) -> None:
        """Have the robot driven to a pose."""
        self._nav2.mode = "succeeds"
        self.until(self._goals.server_is_ready)
        self.release()
        result = self._end(self._begin())
        assert result.success, result.message

    def provoke(self, asked: Callable[[], object], timeout: float) -> None:
        """Have drives begun and cancelled; the navigator's odd state may hold for a second."""
        self.activate()
        self._nav2.mode = "runs"
        end = time.monotonic() + timeout
        while not asked() and time.monotonic() < end:
            self.release()  # an odd message may have stopped it again
            handle = self._begin()
            Rig.provoke(self, lambda: self._nav2.running or asked(), BEGIN)
            handle.cancel_goal_async()
            self._end(handle)

    def _begin(self) -> Any:
        params = key_values({"goal": Pose.planar(1.0, 1.0, 0.0)})
        goal = ExecuteRskill.Goal(rskill_id="navigate", params=params, deadline=10.0)
        sent = self._goals.send_goal_async(goal)
        self.until(sent.done)
        return sent.result()

    def _end(self, handle: Any) -> Any:
        result = handle.get_result_async()
        self.until(result.done)
        return result.result().result

    def close(self) -> None:
        """End what the other robot still runs, then give everything back."""
        self._nav2.end_all()
        self._goals.destroy()
        super().close()


SHORT = 1.0
"""Deadlines of clients here [s]: a peer that never answers takes all of it."""


class ThreadedRig(Rig):
    """A node that spins on a thread of its own, which therefore delivers what comes in."""

    thread: NodeThread
    questions: tuple[Callable[[], Coroutine[Any, Any, object]], ...] = ()
    deadlines: tuple[Any, tuple[str, ...]]

    def __init__(self, context: Any, folder: Any, domain: int) -> None:
        self.pool = ThreadPoolExecutor(8)
        module, names = self.deadlines
        self._short = patch.multiple(module, **dict.fromkeys(names, SHORT))
        self._short.start()
        super().__init__(context, folder, domain)

    def inject(self, callback: Callable[[Any], None], message: Any) -> None:
        """Call back on the node's thread and wait for the end."""
        done: Future[None] = Future()

        def run() -> None:
            try:
                callback(message)
            finally:
                done.set_result(None)

        self.thread.post(run)
        self.until(done.done)

    def answers(self) -> list[Any]:
        """Ask every question at once; return answers and exceptions."""
        asked = [self.pool.submit(anyio.run, question) for question in self.questions]
        self.until(lambda: all(each.done() for each in asked))
        return [each.exception() or each.result() for each in asked]

    def provoke(self, asked: Callable[[], object], timeout: float) -> None:
        """Ask every question."""
        self.answers()
        super().provoke(asked, timeout)

    def release(self) -> None:
        """End the node's thread."""
        self.thread.close()

    def close(self) -> None:
        """Give everything back."""
        self.pool.shutdown()
        self._short.stop()
        self.executor.shutdown(5.0)
        self.release()
        for each in (*self.peers, self.stranger):
            each.destroy_node()


def _done(_: object, response: Any) -> Any:
    """Answer that it was done."""
    response.success = True
    return response


COMMANDS: Mapping[str, Mapping[str, Any]] = {
    "prompt": {"text": "find the mug"},
    "recall": {"query": "mug"},
    "edit": {"operation": "rename", "id": "mug_1", "label": "cup"},
    "locate": {"detector": "locator", "query": "mug"},
    "stop": {},
    "release": {},
}


class ConsoleRig(ThreadedRig):
    """The console's client of a robot that is played."""

    name = "console (node)"
    deadlines = (
        commands,
        ("RECALL_TIMEOUT", "EDIT_TIMEOUT", "LOCATE_TIMEOUT", "TRANSITION_TIMEOUT", "RECEIPT_TIMEOUT"),
    )

    def make(self) -> Node:
        self._robot = PlayedRobot(self.domain)
        for name in ("emergency_stop", "release"):
            self.stranger.create_service(Trigger, f"openral/{name}", _done)
        self._source = LiveSource(domain=self.domain)
        self.thread = self._source._thread
        self.questions = tuple(partial(self._source.command, *each) for each in COMMANDS.items())
        return self.thread.node

    def service_nodes(self) -> Iterator[Node]:
        """Yield the played robot, which spins on its own thread, and its emergency stop."""
        yield self._robot.node
        yield self.stranger

    def ask(self) -> None:
        """Have the mug recalled, renamed and located, and see the mission."""
        self.until(lambda: self._source.sections.get("mission") and self._source.sections.get("scene"))
        wrong = [each for each in self.answers() if not isinstance(each, dict)]
        assert not wrong, wrong

    def release(self) -> None:
        """End both threads."""
        self._source.close()
        self._robot.close()


class McpRig(ThreadedRig):
    """The MCP server's client of a robot that is played."""

    name = "mcp (node)"
    deadlines = (robot_reader, ("MEMORY_DEADLINE", "LOCATE_DEADLINE", "IMAGE_DEADLINE", "DISCOVERY"))

    def make(self) -> Node:
        part = test_support("openral_mcp/test/conftest.py")
        self._graph = part.FakeGraph(self.context, part.small_home(), part.LOCATOR)
        self.peers = [self._graph]
        self.thread = NodeThread("openral_mcp", domain=self.domain)
        reader, monitor = RobotReader(self.thread), MissionMonitor(self.thread.scope)
        MissionClient(self.thread, monitor)
        self.questions = (
            partial(reader.recall, RecallQuery("red mug")),
            partial(reader.resolve, ResolveQuery("kitchen counter")),
            partial(reader.locate, "red mug", "", ""),
        )
        self.thread.start()
        return self.thread.node

    def provoke(self, asked: Callable[[], object], timeout: float) -> None:
        """Ask every question of a robot whose locator is known."""
        self._graph.announce_locator()
        self.settle(30)
        super().provoke(asked, timeout)

    def ask(self) -> None:
        """Have the mug recalled, the counter resolved and the view looked at."""
        self._graph.announce_locator()
        end = time.monotonic() + 30.0
        while wrong := [each for each in self.answers() if isinstance(each, Exception)]:
            assert time.monotonic() < end, wrong
            self._graph.announce_locator()


def _observers() -> Iterator[type[Rig]]:
    yield from (RecorderRig, ConsoleRig, McpRig)
    if importlib.util.find_spec("nav2_msgs"):
        yield SkillServerRig


OBSERVERS = tuple(_observers())
"""Rigs of these nodes; the skill server's if the interfaces of Nav2 are built (`make robot`)."""
