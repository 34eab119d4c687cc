"""Publishers of the reasoner: prompts, prompt receipts, hand-offs, mission status, palette and frontier."""

import json
import uuid
from collections import OrderedDict
from collections.abc import Callable
from itertools import count

from diagnostic_msgs.msg import DiagnosticStatus, KeyValue
from rclpy.node import Node
from std_msgs.msg import Header, String

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
    AskModel,
    CallRecord,
    MissionReport,
    PublishHandoff,
    PublishPrompt,
    PublishReceipt,
    PublishStatus,
)
from openral_reasoner.context import Context, Frontier
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.prompt_queue import RECEIPTS_KEPT
from openral_reasoner.request.plain import to_json
from openral_reasoner.system_prompt import SYSTEM_PROMPT
from openral_reasoner.tools.listing import in_lines, listing
from openral_reasoner.tools.registry import schemas
from openral_reasoner_ros.topics import (
    FRONTIER,
    HANDOFF,
    MISSION,
    OPERATOR_PROMPTS,
    PALETTE,
    PROMPT,
    RECEIPT,
)
from openral_ros.mission_calls import CallSelection
from openral_ros.qos import LATCHED, LATCHED_HISTORY, RECEIPTS, RELIABLE
from openral_ros.resources import ResourceScope


class MissionPublishers:
    """Publishers of a mission: prompts, receipts, hand-offs and status."""

    def __init__(self, scope: ResourceScope, node: Node, brain: str) -> None:
        self._clock, self._brain = node.get_clock(), brain
        self._prompts = scope.publisher(PromptStamped, PROMPT, RELIABLE)
        self._receipts = scope.publisher(PromptReceipt, RECEIPT, RECEIPTS)
        self._handoffs = scope.publisher(Handoff, HANDOFF, LATCHED)
        self._missions = scope.publisher(MissionStatus, MISSION, LATCHED_HISTORY)
        self._ids, self._calls = count(1), CallSelection()

    def prompt(self, command: PublishPrompt) -> None:
        """Publish a prompt."""
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
        """Publish a question to a human."""
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
        """Publish the mission status that a command carries."""
        self.report(command.report)

    def report(self, report: MissionReport) -> None:
        """Publish a mission status, with the calls that changed since the last one."""
        calls = self._calls.select(
            (report.mission_id, report.prompt_id),
            [record_message(record) for record in report.calls],
            self._missions.get_subscription_count(),
            ended=report.state.ended,
        )
        message = MissionStatus(
            header=self._header("reasoner"),
            contract_version=CONTRACT_VERSION,
            mission_id=report.mission_id,
            prompt_id=report.prompt_id,
            goal=report.goal,
            understood=report.understood,
            request=to_json(report.request),
            requester=report.requester,
            state=int(report.state),
            step=report.step,
            reason=report.reason,
            evidence=list(report.evidence),
            brain=self._brain,
            budget=[budget_message(line) for line in report.budget],
            calls=calls,
            searched=list(report.searched),
            traceparent=report.traceparent,
        )
        self._missions.publish(message)

    def _header(self, source: str) -> Header:
        return Header(stamp=self._clock.now().to_msg(), frame_id=source)


class OperatorPromptPublisher:
    """Publisher of every prompt that the reasoner takes from its operator, once and with an id.

    A sender may have left before any other reader of openral/prompt has discovered it; recorder and console
    have discovered the reasoner.
    """

    def __init__(self, scope: ResourceScope, node: Node) -> None:
        self._clock = node.get_clock()
        self._publisher = scope.publisher(PromptStamped, OPERATOR_PROMPTS, LATCHED_HISTORY)
        self._published: OrderedDict[tuple[str, str], None] = OrderedDict()

    def publish(self, message: PromptStamped) -> None:
        """Name and stamp a prompt where its sender did not, and publish it unless it is repeated."""
        message.id = message.id or f"unnamed-{uuid.uuid4().hex[:12]}"
        if not (message.header.stamp.sec or message.header.stamp.nanosec):
            message.header.stamp = self._clock.now().to_msg()
        key = (message.id, message.text)
        if key not in self._published:
            self._published[key] = None
            self._publisher.publish(message)
            if len(self._published) > RECEIPTS_KEPT:
                self._published.popitem(last=False)


class FrontierPublisher:
    """Publisher of the places that a search has left, best first, latched, on change only."""

    def __init__(self, scope: ResourceScope) -> None:
        self._publisher = scope.publisher(DiagnosticStatus, FRONTIER, LATCHED)
        self._published: tuple[Frontier, ...] | None = None

    def before(self, ask: Callable[[AskModel], None]) -> Callable[[AskModel], None]:
        """Return ``ask`` preceded by the publication of the frontier that the model gets."""

        def handle(command: AskModel) -> None:
            self.publish(command.context)
            ask(command)

        return handle

    def publish(self, context: Context) -> None:
        """Publish the frontier in the latest reply to the model; none if that reply has none."""
        frontier = context.turns[-1].reply.frontier if context.turns else ()
        if frontier == self._published:
            return
        self._published = frontier
        message = DiagnosticStatus(level=DiagnosticStatus.OK, name="frontier", hardware_id="reasoner")
        message.message = f"{len(frontier)} places, best first"
        message.values = [
            KeyValue(key=place.id, value=f"{place.why}{', closed' if place.must_open else ''}")
            for place in frontier
        ]
        self._publisher.publish(message)


def budget_message(line: BudgetLine) -> Budget:
    """Convert one line of a budget."""
    return Budget(name=line.name, used=float(line.used), limit=float(line.limit))


def record_message(record: CallRecord) -> ToolCallRecord:
    """Convert one tool call of a mission."""
    return ToolCallRecord(
        index=record.index,
        tool=record.tool,
        arguments_json=record.arguments,
        status=record.status,
        message=record.message,
        duration=float(record.duration),
    )


class PalettePublisher:
    """Publisher of the palette as the model receives it, latched, on change only."""

    def __init__(self, scope: ResourceScope) -> None:
        self._publisher = scope.publisher(String, PALETTE, LATCHED)
        self._published = ""

    def publish(self, palette: ToolPalette) -> None:
        """Publish the palette if it differs from the last one."""
        text = palette_text(palette)
        if text != self._published:
            self._published = text
            self._publisher.publish(String(data=text))


def palette_text(palette: ToolPalette) -> str:
    """Return the system prompt, the tools with their schemas, what is listed, and the palette as JSON."""
    tools = [
        {"name": t.name, "description": t.description, "parameters": json.loads(t.parameters)}
        for t in schemas(palette)
    ]
    content = {
        "system": SYSTEM_PROMPT,
        "tools": tools,
        "listed": in_lines(listing(palette)),
        "palette": palette.model_dump(mode="json"),
    }
    return json.dumps(content, sort_keys=True)
