"""Link to one robot: its reports become events, and prompts go to its reasoner."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.duration import Duration
from rclpy.node import Node
from rclpy.qos import HistoryPolicy, QoSProfile, ReliabilityPolicy

from openral_core.errors import OpenRALError
from openral_core.prompts import STOP_SOURCES
from openral_core.skills import Verb
from openral_core.text.stop_words import contains_stop_word, is_stop_phrase
from openral_fleet.events import Event, RobotReported, SendPrompt, StopHeard, StopRobot
from openral_fleet.robots import RememberedObject, RobotState
from openral_fleet.ros.conversions import known_objects, mission_reported, prompt_answered
from openral_fleet.settings import PROMPT_LIFESPAN, REPEATS_FOR
from openral_msgs.msg import MissionStatus, PromptReceipt, PromptStamped, SkillCatalogue, WorldState
from openral_msgs.msg import SceneGraph as SceneGraphMsg
from openral_reasoner_ros.liveness import NodeProbe
from openral_reasoner_ros.topics import MISSION, PROMPT, SCENE_GRAPH, SKILLS, WORLD_STATE
from openral_ros.conversions.spatial_memory import scene_graph_from_message
from openral_ros.emergency_stop import STOP_STATE, stop_reason
from openral_ros.mission_calls import CallHistory
from openral_ros.prompt_client import NotAcknowledged, PromptClient
from openral_ros.qos import LATCHED, LATCHED_HISTORY, RELIABLE
from openral_ros.resources import ResourceScope

PROBE_TIMEOUT = 5.0
"""Silence of a reasoner after which it counts as absent [s]; that of its own peers is 1.4 s."""
EXPIRING = QoSProfile(
    history=HistoryPolicy.KEEP_LAST,
    depth=10,
    reliability=ReliabilityPolicy.RELIABLE,
    lifespan=Duration(seconds=PROMPT_LIFESPAN),
)
"""For prompts: one that reaches a robot after a break of the network must not start a mission."""


class RobotLink:
    """Subscriptions to one robot, and its prompt client. Used on the executor of its node.

    Args:
        scope: Owns the interfaces.
        node: Its executor calls back.
        name: Namespace of the robot.
        own: Prefix of the ids of the dispatcher's own prompts.
        post: Receives the events.
    """

    def __init__(
        self, scope: ResourceScope, node: Node, name: str, own: str, post: Callable[[Event], None]
    ) -> None:
        self.name, self._node, self._own, self._post = name, node, own, post
        self._mission_topic, self._skills_topic = (f"{name.rstrip('/')}/{each}" for each in (MISSION, SKILLS))
        self._prompts = PromptClient(scope, node, own, name, EXPIRING)
        self._probe = NodeProbe(scope, node, f"{name.rstrip('/')}/reasoner", PROBE_TIMEOUT)
        self._calls, self._sent, self._stops = CallHistory(), set[str](), 0
        self._sessions: dict[str, int] = {}
        self._state, self._scene = RobotState(name), SceneGraphMsg()
        self._objects: tuple[RememberedObject, ...] | None = ()
        self._has_mission, self._busy = False, ""
        self._emergency: str | None = None
        self._subscribe(scope)

    def _subscribe(self, scope: ResourceScope) -> None:
        base = self.name.rstrip("/")
        scope.subscription(MissionStatus, self._mission_topic, self._on_mission, LATCHED_HISTORY)
        scope.subscription(SceneGraphMsg, f"{base}/{SCENE_GRAPH}", self._on_scene, LATCHED)
        scope.subscription(SkillCatalogue, self._skills_topic, self._on_skills, LATCHED)
        scope.subscription(WorldState, f"{base}/{WORLD_STATE}", self._on_world, RELIABLE)
        scope.subscription(PromptStamped, f"{base}/{PROMPT}", self._on_prompt, RELIABLE)
        scope.subscription(DiagnosticStatus, f"{base}/{STOP_STATE}", self._on_stop_state, LATCHED)

    def poll(self) -> None:
        """Report the robot; called twice a second."""
        self._probe.poll()
        self._report()

    def send(self, command: SendPrompt) -> None:
        """Send a prompt, unless the process it is meant for has been replaced."""
        if command.session != self._state.session:
            return
        self._sent.add(command.prompt_id)
        self._prompts.withdraw(command.prompt_id)
        self._prompts.send(
            partial(self._on_receipt, command.prompt_id),
            REPEATS_FOR,
            command.prompt_id,
            text=command.text,
            requester=command.requester,
        )

    def withdraw(self, prompt_id: str) -> None:
        """No longer repeat a prompt."""
        self._sent.discard(prompt_id)
        self._prompts.withdraw(prompt_id)

    def stop(self, command: StopRobot) -> None:
        """Stop the robot; repeated until it is acknowledged."""
        self._stops += 1
        self._node.get_logger().warning(f"Stopping {self.name}: {command.reason}")
        self._prompts.send(lambda _: None, REPEATS_FOR, f"{self._own}-stop-{self._stops}", text="stop")

    def _report(self) -> None:
        session = self._session()
        if session and session != self._state.session:
            for prompt_id in tuple(self._sent):
                self.withdraw(prompt_id)
        if self._objects is None:
            self._objects = self._converted()
        # The last word of a skill server is kept after its end: one that is gone executes nothing.
        busy = self._busy if self._node.count_publishers(self._skills_topic) else ""
        self._state = replace(self._state, session=session, objects=self._objects, busy=busy)
        self._post(RobotReported(self._state))

    def _session(self) -> str:
        """Return the identity of the reasoner's process, the latest discovered; "" if it does not answer."""
        candidates = [
            bytes(info.endpoint_gid).hex()
            for info in self._node.get_publishers_info_by_topic(self._mission_topic)
        ]
        for gid in sorted(candidates):
            self._sessions.setdefault(gid, len(self._sessions))
        if not candidates or not self._probe.available:
            return ""
        return max(candidates, key=lambda gid: self._sessions[gid])

    def _converted(self) -> tuple[RememberedObject, ...]:
        try:
            return known_objects(scene_graph_from_message(self._scene))
        except OpenRALError as error:
            self._node.get_logger().warning(f"Scene graph of {self.name} is not valid: {error}")
            return ()

    def _on_receipt(self, prompt_id: str, receipt: PromptReceipt | NotAcknowledged) -> None:
        self._sent.discard(prompt_id)
        if isinstance(receipt, PromptReceipt):
            self._post(prompt_answered(self.name, receipt))

    def _on_mission(self, message: MissionStatus) -> None:
        self._calls.complete(message)
        self._report()  # the process that reports is known before what it reports
        event = mission_reported(self.name, message)
        self._has_mission = not event.state.ended and bool(event.mission_id)
        self._post(event)

    def _on_scene(self, message: SceneGraphMsg) -> None:
        self._scene, self._objects = message, None

    def _on_skills(self, message: SkillCatalogue) -> None:
        verbs = frozenset(Verb(verb) for verb in message.verbs if verb in set(Verb))
        self._busy = message.busy_with[:64]
        self._state = replace(self._state, verbs=verbs, holding=message.holding[:200])

    def _on_world(self, message: WorldState) -> None:
        point = message.robot_pose.position
        position = (point.x, point.y) if message.robot_pose_known else None
        self._state = replace(self._state, position=position)

    def _on_prompt(self, message: PromptStamped) -> None:
        """Hear a stop that is said to the robot, as its reasoner does."""
        if message.header.frame_id not in STOP_SOURCES or message.id.startswith(self._own):
            return
        means_stop = contains_stop_word if self._has_mission else is_stop_phrase
        if means_stop(message.text):
            self._post(StopHeard(f"{message.text[:80]!r} was said to {self.name}"))

    def _on_stop_state(self, message: DiagnosticStatus) -> None:
        """Hear an emergency stop; one from before this process only makes the robot refuse."""
        reason, before = stop_reason(message)[:200], self._emergency
        self._emergency = reason
        if reason and before == "":
            self._post(StopHeard(f"emergency stop of {self.name}: {reason}"))
