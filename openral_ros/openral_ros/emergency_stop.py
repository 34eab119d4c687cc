"""Latched emergency stop of a skill server: who may stop the robot, and who may release it.

Subscribes openral/stop, openral/prompt and openral/operator_heartbeat; publishes openral/stop_state and
openral/stopped; serves openral/emergency_stop and openral/release, and both on a local socket, whose stops it
publishes on openral/stop for other skill servers of the robot.
"""

import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus, KeyValue
from pydantic import Field
from rclpy.event_handler import PublisherEventCallbacks, SubscriptionEventCallbacks
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from std_msgs.msg import Bool, Empty, String
from std_srvs.srv import Trigger

from openral_core.emergency_stop import NO_REASON, StopNotKept, StopRecord, StopState
from openral_core.local_commands import STOP_TOPIC
from openral_core.missions import PromptOutcome
from openral_core.prompts import STOP_SOURCES
from openral_core.text.stop_words import contains_emergency_word, ends_motion, is_stop_phrase
from openral_msgs.msg import PromptReceipt, PromptStamped
from openral_ros.command_socket import Answer, CommandSocket
from openral_ros.parameters import Parameters
from openral_ros.prompt_client import PROMPT, NotAcknowledged
from openral_ros.prompt_service import PromptService, StopRelay
from openral_ros.qos import LATCHED, RELIABLE
from openral_ros.resources import ResourceScope
from openral_ros.worker_thread import WorkerThread

STOP, STOP_STATE = STOP_TOPIC, "openral/stop_state"
STOPPED = "openral/stopped"
STOP_SERVICE = "openral/emergency_stop"
RELEASE_SERVICE = "openral/release"
HEARTBEAT = "openral/operator_heartbeat"
ANY_RELIABILITY = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)
"""Matches every publisher."""
WATCH_PERIOD = 0.1
"""Period at which the heartbeat is checked [s]."""
REPEAT_PERIOD = 1.0
"""Period at which the state is repeated [s]: it replaces one that another node published by mistake."""
RELEASED = "released"
NO_BEAT_YET = "no heartbeat of the operator came yet"
MAX_REASON = 1000
"""Longest reason that is passed on [characters]."""


class StopParameters(Parameters):
    """Parameters of the emergency stop."""

    stop_file: str = Field(
        default="",
        description="file that keeps an emergency stop over a restart of node and machine; "
        "'' = it outlives the death of the node, not its orderly end",
    )
    operator_heartbeat: float = Field(
        default=0.0,
        ge=0.0,
        le=3600.0,
        description="silence on openral/operator_heartbeat that is an emergency stop [s]; 0 = not required",
    )


def stop_reason(message: DiagnosticStatus) -> str:
    """Return the reason that openral/stop_state gives for a stop, "" for none."""
    return "" if message.level == DiagnosticStatus.OK else str(message.message) or NO_REASON


def _state_message(state: StopState) -> DiagnosticStatus:
    level = DiagnosticStatus.ERROR if state.reason else DiagnosticStatus.OK
    since = [KeyValue(key="since", value=f"{state.since:.3f}")]
    return DiagnosticStatus(
        level=level, name="emergency stop", message=state.reason or RELEASED, values=since
    )


def _record_of(node: Node, file: str) -> StopRecord:
    """Return the record of a node's stop; without a file, it is that of its name in its ROS domain."""
    name = node.get_fully_qualified_name()
    if file:
        return StopRecord(Path(file), name)
    return StopRecord(None, f"{name} of domain {node.context.get_domain_id()}")


class EmergencyStop:
    """Latched stop. All of its state belongs to the node's executor.

    It starts stopped unless the robot is known to have been released, see `StopRecord`.

    A message on openral/stop stops whatever it says, and nothing but the service releases: a panel that
    starts with "not pressed" does not.

    Args:
        scope: Owns the interfaces.
        node: Its log tells every stop and release.
        options: Parameters.
        on_change: Called with the new state, before it is published.
        on_stop_phrase: Called with the text when the operator says stop, or cries, without asking for an
            emergency stop.
    """

    def __init__(
        self,
        scope: ResourceScope,
        node: Node,
        options: StopParameters,
        on_change: Callable[[StopState], None],
        on_stop_phrase: Callable[[str], None],
    ) -> None:
        self._log, self._on_change, self._on_stop_phrase = node.get_logger(), on_change, on_stop_phrase
        self._record, self._has_file = _record_of(node, options.stop_file), bool(options.stop_file)
        self._silence, self._last_beat = options.operator_heartbeat, time.monotonic()
        self._awaits_beat = self._silence > 0.0
        self.state = self._record.begin(time.time())
        scope.callback(self._end)
        self._writer = WorkerThread(scope, "stop record")
        self._states = scope.publisher(DiagnosticStatus, STOP_STATE, LATCHED)
        self._locks = scope.publisher(Bool, STOPPED, LATCHED)
        quiet = SubscriptionEventCallbacks(use_default_callbacks=False)
        for qos in (LATCHED, ANY_RELIABILITY):  # each publisher suits one of them
            scope.subscription(
                String, STOP, lambda message: self.stop(message.data), qos, event_callbacks=quiet
            )
        ends_motion("stop")  # loads the lists before they are needed
        scope.subscription(PromptStamped, PROMPT, self._on_prompt, RELIABLE)
        scope.service(Trigger, STOP_SERVICE, self._on_stop_request)
        scope.service(Trigger, RELEASE_SERVICE, self._on_release_request)
        if self._silence > 0.0:
            scope.subscription(Empty, HEARTBEAT, self._on_beat, ANY_RELIABILITY)
            scope.timer(WATCH_PERIOD, self._check_heartbeat)
        if self.state.reason:
            self._log.warning(f"Starts stopped, until `openral release`: {self.state.reason}")
        self._publish()
        scope.timer(REPEAT_PERIOD, self._publish)
        mute = PublisherEventCallbacks(use_default_callbacks=False)
        self._stops = scope.publisher(String, STOP, RELIABLE, event_callbacks=mute)
        self._prompts, self._relay = PromptService(scope, node), StopRelay(scope, node)
        commands = {
            "stop": self._on_stop_command,
            "release": self._on_release_command,
            "prompt": self._on_prompt_command,
        }
        CommandSocket(scope, node, node.resolve_topic_name(STOP), commands, always=frozenset({"stop"}))

    def stop(self, reason: str) -> None:
        """Stop the robot until it is released; the first reason is kept."""
        if not self.state.reason:
            self._log.warning(f"Emergency stop: {reason[:200]}")
            self._change(StopState.stopped(reason, time.time()))

    def _change(self, state: StopState) -> None:
        self.state = state
        problem = self._record.keep(state)
        self._on_change(state)
        self._publish()
        self._writer.submit(partial(self._save, state), self._on_saved)
        if problem:
            self._log.error(f"A restart of this node will not know this state, and be a stop: {problem}")

    def _save(self, state: StopState) -> None:
        self._record.save(state)

    def _on_saved(self, outcome: Exception | None) -> None:
        if outcome is not None:
            self._log.error(f"After a restart of the machine the robot will be stopped: {outcome}")

    def _end(self) -> None:
        """Keep the state at an orderly end."""
        if self.state.reason and not self._has_file:
            self._log.warning("This emergency stop ends with the node, whose parameter stop_file is ''")
        try:
            self._record.end(self.state)
        except StopNotKept as error:
            self._log.error(f"The next start will be a stop: {error}")

    def _publish(self) -> None:
        self._states.publish(_state_message(self.state))
        self._locks.publish(Bool(data=bool(self.state.reason)))

    def _on_prompt(self, message: PromptStamped) -> None:
        text = message.text
        if message.header.frame_id not in STOP_SOURCES or not ends_motion(text):
            return
        if is_stop_phrase(text) and contains_emergency_word(text):
            self.stop(f"the operator said {text[:80]!r}")
        elif self._relay.take(message):
            self._on_stop_phrase(text)

    @property
    def reason(self) -> str:
        """Reason why nothing may move: that of the stop, or that no heartbeat came yet; "" for none."""
        return self.state.reason or (NO_BEAT_YET if self._awaits_beat else "")

    def _on_beat(self, _: Empty) -> None:
        self._awaits_beat = False
        self._last_beat = time.monotonic()

    @property
    def _operator_is_lost(self) -> bool:
        return 0.0 < self._silence < time.monotonic() - self._last_beat

    def _check_heartbeat(self) -> None:
        if self._operator_is_lost:
            self.stop(f"no heartbeat of the operator for {self._silence:g} s")

    def _on_stop_request(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        self.stop(f"service {STOP_SERVICE}")
        response.success, response.message = True, self.state.reason
        return response

    def _on_stop_command(self, command: Mapping[str, Any], answer: Answer) -> None:
        reason = str(command.get("reason", "")).encode(errors="replace").decode()
        self.stop(reason)
        answer({"message": self.state.reason})
        self._stops.publish(String(data=reason[:MAX_REASON]))

    def _on_release_command(self, _: Mapping[str, Any], answer: Answer) -> None:
        response = self._on_release_request(Trigger.Request(), Trigger.Response())
        answer({"success": response.success, "message": response.message})

    def _on_prompt_command(self, command: Mapping[str, Any], answer: Answer) -> None:
        def finish(outcome: PromptReceipt | NotAcknowledged) -> None:
            if isinstance(outcome, NotAcknowledged):
                answer({"message": str(outcome)})
                return
            name = PromptOutcome(outcome.outcome).name.lower()
            answer({"outcome": name, "mission": outcome.mission_id, "message": outcome.message})

        self._prompts.deliver(PromptStamped(text=str(command.get("text", ""))), finish)

    def _on_release_request(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        response.success = not self._operator_is_lost
        if not response.success:
            response.message = f"not released: no heartbeat of the operator for {self._silence:g} s"
            return response
        problem = self._record.release_problem(time.time()) if self.state.reason else ""
        if problem:
            response.success, response.message = False, f"not released: {problem}"
            return response
        response.message = f"released; stopped was: {self.state.reason}" if self.state.reason else RELEASED
        if self.state.reason:
            self._log.warning("Emergency stop released")
            self._change(StopState())
        return response
