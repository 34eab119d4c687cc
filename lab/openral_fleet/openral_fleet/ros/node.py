"""Fleet node: allocates a list of errands to robots, each a whole graph in a namespace of its own.

Subscribes: of each robot openral/mission, openral/prompt, openral/prompt_receipt, openral/scene_graph,
    openral/skills, openral/world_state, openral/stop_state; its own openral/prompt.
Publishes: openral/prompt of each robot; its own openral/errands, openral/handoff, openral/prompt_receipt.
Serves: openral/send_prompt.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from std_msgs.msg import Header

from openral_core.missions import PromptOutcome
from openral_core.prompts import STOP_SOURCES, prompt_refusal
from openral_core.text.stop_words import contains_stop_word
from openral_fleet.dispatcher import Dispatcher
from openral_fleet.errands import Errand, read_errands
from openral_fleet.events import (
    AskHuman,
    ErrandDropped,
    Event,
    HumanAnswered,
    RobotLost,
    SendPrompt,
    StopHeard,
    StopRobot,
    Ticked,
    WithdrawPrompt,
)
from openral_fleet.records import FleetState
from openral_fleet.ros.conversions import errands_message
from openral_fleet.ros.journal import FleetJournal
from openral_fleet.ros.parameters import FleetParameters
from openral_fleet.ros.robot_link import RobotLink
from openral_msgs.msg import Handoff, PromptReceipt, PromptStamped
from openral_reasoner_ros.journal import MissionClock
from openral_reasoner_ros.topics import HANDOFF, PROMPT, RECEIPT
from openral_ros.lifecycle_node import SUCCESS, LifecycleNodeBase
from openral_ros.parameters import declare
from openral_ros.prompt_service import PromptService
from openral_ros.qos import LATCHED, LATCHED_HISTORY, PROMPTS, RECEIPTS
from openral_ros.resources import ResourceScope
from openral_ros.run_node import run_process

ERRANDS = "openral/errands"
"""Table of errands, latched, one status for each."""
POLL_PERIOD = 0.5
"""Time between two reports of each robot [s]."""
DROP, LOST = "drop", "lost"
"""Texts of prompts whose in_reply_to is the id of an errand, and the namespace of a robot."""


class FleetNode(LifecycleNodeBase):
    """Node that begins when it is constructed; the robots go on without it, and begin nothing new."""

    def __init__(self, **options: object) -> None:
        super().__init__("fleet", **options)
        self.dispatcher: Dispatcher | None = None
        if self.trigger_configure() == SUCCESS:
            self.trigger_activate()

    @property
    def ended(self) -> bool:
        """True when every errand has ended."""
        return self.dispatcher is not None and self.dispatcher.state.ended

    def configure(self, scope: ResourceScope) -> None:
        """Check parameters and errands."""
        self._fleet_parameters = declare(self, FleetParameters)
        path, self._robots = self._fleet_parameters.checked()
        self._errands: tuple[Errand, ...] = read_errands(path).errands

    def activate(self, scope: ResourceScope) -> None:
        """Go on from the journal, or begin, and subscribe to the robots."""
        folder = Path(self._fleet_parameters.journal) if self._fleet_parameters.journal else None
        self._steady = MissionClock()
        self._journal = FleetJournal(folder, self._steady, self.get_logger().error)
        self.dispatcher = Dispatcher(self._fleet_parameters.settings(), self._journal.begin(self._errands))
        own = f"fleet-{self.dispatcher.state.run}"
        self._table = scope.publisher(DiagnosticArray, ERRANDS, LATCHED)
        self._questions = scope.publisher(Handoff, HANDOFF, LATCHED_HISTORY)
        self._receipts = scope.publisher(PromptReceipt, RECEIPT, RECEIPTS)
        self._shown: FleetState | None = None
        self._links = {name: RobotLink(scope, self, name, own, self._post) for name in self._robots}
        self._handlers: Mapping[type, Callable[[Any], None]] = {
            SendPrompt: lambda command: self._links[command.robot].send(command),
            WithdrawPrompt: lambda command: self._links[command.robot].withdraw(command.prompt_id),
            StopRobot: lambda command: self._links[command.robot].stop(command),
            AskHuman: self._ask,
        }
        scope.subscription(PromptStamped, PROMPT, self._on_prompt, PROMPTS)
        PromptService(scope, self)
        scope.timer(POLL_PERIOD, self._poll)
        self._post(Ticked())

    def _poll(self) -> None:
        for link in self._links.values():
            link.poll()
        self._post(Ticked())

    def _post(self, event: Event) -> None:
        """Have an event handled; nothing is dispatched that the disk does not have."""
        assert self.dispatcher is not None
        commands = self.dispatcher.handle(event, self._steady())
        is_written = self._journal.write(self.dispatcher.state)
        for command in commands:
            if is_written or not isinstance(command, SendPrompt):
                self._handlers[type(command)](command)
        if self.dispatcher.state != self._shown:
            self._shown = self.dispatcher.state
            message = errands_message(self._shown.records)
            message.header.stamp = self.get_clock().now().to_msg()
            self._table.publish(message)

    def _ask(self, command: AskHuman) -> None:
        self.get_logger().warning(f"{command.text} Answer {command.question} with {command.choices}.")
        message = Handoff(
            header=Header(stamp=self.get_clock().now().to_msg(), frame_id="fleet"),
            id=command.question,
            mission_id=command.errand,
            goal=command.goal,
            tried=list(command.attempts),
            question=command.text,
            choices=list(command.choices),
        )
        self._questions.publish(message)

    def _on_prompt(self, message: PromptStamped) -> None:
        """Take a stop, an answer, or a word about an errand or a robot; anything else is refused."""
        if message.header.frame_id not in STOP_SOURCES:
            return
        event, problem = self._event_of(message), ""
        outcome, text = PromptOutcome.ANSWERED, ""
        if not isinstance(event, StopHeard):
            problem = prompt_refusal(message.header.frame_id, message.text)
        if isinstance(event, StopHeard):
            outcome, text = PromptOutcome.STOPPED, "every robot is stopped, every errand has ended"
        elif problem or event is None:
            outcome, event = PromptOutcome.REFUSED, None
            text = problem or (
                "valid are stop, an answer to an open question, drop with an errand's id, lost with a robot's"
            )
        if event is not None:
            self._post(event)
        header = Header(stamp=self.get_clock().now().to_msg(), frame_id="fleet")
        receipt = PromptReceipt(header=header, prompt_id=message.id[:200], outcome=int(outcome), message=text)
        self._receipts.publish(receipt)

    def _event_of(self, message: PromptStamped) -> Event | None:
        assert self.dispatcher is not None
        name, answer = message.in_reply_to, message.text.strip().lower()
        records = self.dispatcher.state.records
        if contains_stop_word(message.text):
            return StopHeard(f"the operator said {message.text[:80]!r}")
        if answer == DROP and any(record.id == name for record in records):
            return ErrandDropped(name)
        if answer == LOST and name in self._links:
            return RobotLost(name)
        if name and any(record.question == name for record in records):
            return HumanAnswered(name, message.text[:200])
        return None


def main() -> None:
    """Run the node as a process."""
    run_process(FleetNode)
