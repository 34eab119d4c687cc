"""What the reasoner says: prompts, receipts of prompts, hand-offs and the mission as it stands."""

from itertools import count

from rclpy.node import Node
from std_msgs.msg import Header

from openral_core import CONTRACT_VERSION
from openral_msgs.msg import (
    Budget,
    Handoff,
    MissionStatus,
    PromptReceipt,
    PromptStamped,
    ToolCallRecord,
)
from openral_reasoner.budget import BudgetLine
from openral_reasoner.commands import (
    CallRecord,
    MissionReport,
    PublishHandoff,
    PublishPrompt,
    PublishReceipt,
    PublishStatus,
)
from openral_reasoner_ros.topics import HANDOFF, MISSION, PROMPT, RECEIPT
from openral_ros.qos import ENDINGS, LATCHED, RECEIPTS, RELIABLE
from openral_ros.resources import ResourceScope


class MissionPublishers:
    """Publishes what others read of the mission."""

    def __init__(self, scope: ResourceScope, node: Node, brain: str) -> None:
        self._clock, self._brain = node.get_clock(), brain
        self._prompts = scope.publisher(PromptStamped, PROMPT, RELIABLE)
        self._receipts = scope.publisher(PromptReceipt, RECEIPT, RECEIPTS)
        self._handoffs = scope.publisher(Handoff, HANDOFF, LATCHED)
        self._missions = scope.publisher(MissionStatus, MISSION, ENDINGS)
        self._ids = count(1)

    def prompt(self, command: PublishPrompt) -> None:
        """Say something."""
        message = PromptStamped(
            header=self._header(command.source),
            id=f"{command.source}-{next(self._ids)}",
            in_reply_to=command.in_reply_to,
            mission_id=command.mission_id,
            text=command.text,
        )
        self._prompts.publish(message)

    def receipt(self, command: PublishReceipt) -> None:
        """Acknowledge a prompt."""
        message = PromptReceipt(
            header=self._header("reasoner"),
            prompt_id=command.prompt_id,
            outcome=int(command.outcome),
            mission_id=command.mission_id,
            message=command.message,
        )
        self._receipts.publish(message)

    def handoff(self, command: PublishHandoff) -> None:
        """Ask a human."""
        question = command.question
        message = Handoff(
            header=self._header("reasoner"),
            id=question.id,
            mission_id=question.mission_id,
            goal=question.goal,
            tried=list(question.tried),
            question=question.question,
            choices=list(question.choices),
            budget=[budget_message(line) for line in question.budget],
            traceparent=question.traceparent,
        )
        self._handoffs.publish(message)

    def status(self, command: PublishStatus) -> None:
        """Show the mission."""
        self.show(command.report)

    def show(self, report: MissionReport) -> None:
        """Show the mission."""
        message = MissionStatus(
            header=self._header("reasoner"),
            contract_version=CONTRACT_VERSION,
            mission_id=report.mission_id,
            prompt_id=report.prompt_id,
            goal=report.goal,
            requester=report.requester,
            state=int(report.state),
            step=report.step,
            reason=report.reason,
            evidence=list(report.evidence),
            brain=self._brain,
            budget=[budget_message(line) for line in report.budget],
            calls=[record_message(record) for record in report.calls],
            searched=list(report.searched),
            traceparent=report.traceparent,
        )
        self._missions.publish(message)

    def _header(self, source: str) -> Header:
        return Header(stamp=self._clock.now().to_msg(), frame_id=source)


def budget_message(line: BudgetLine) -> Budget:
    """One line of a budget."""
    return Budget(name=line.name, used=float(line.used), limit=float(line.limit))


def record_message(record: CallRecord) -> ToolCallRecord:
    """One call of a mission."""
    return ToolCallRecord(
        index=record.index,
        tool=record.tool,
        arguments_json=record.arguments,
        status=record.status,
        message=record.message,
        duration=float(record.duration),
    )
