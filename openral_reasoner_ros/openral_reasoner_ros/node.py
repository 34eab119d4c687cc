"""Reasoner node: carries messages to the mission core as events, and the core's commands to the graph.

Subscribes: openral/prompt (operator's), openral/scene_graph, openral/world_state and its in_view,
    openral/skills,
    every openral/perception/<slug>/info, every openral/failure/<source>, openral/stop_state,
    openral/policy.
Publishes: openral/mission, openral/palette, openral/frontier, openral/handoff, openral/prompt,
    openral/operator_prompts, openral/prompt_receipt, openral/look_first, openral/failure/reasoner.
Calls: recall_object, resolve_place, observe, locate_in_view of every detector, execute_rskill.
"""

import os
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from rclpy.node import Node

from openral_core.errors import format_choices
from openral_core.prompts import MAX_OBJECTS, NAME_CHARACTERS, OPERATOR, PROMPT_CHARACTERS, STOP_SOURCES
from openral_core.rskills import Registry, SkillManifest
from openral_msgs.msg import PromptStamped
from openral_reasoner import commands as c
from openral_reasoner.events import Cancelled, Event, PaletteChanged, PromptReceived
from openral_reasoner.foreign_tools import LoadedTool, load_tools
from openral_reasoner.llm.base import Model
from openral_reasoner.palette.build import build_palette
from openral_reasoner.palette.entries import ForeignToolEntry, ToolPalette
from openral_reasoner.tools.registry import PALETTE, name_of
from openral_reasoner_ros.attendance import Attendance
from openral_reasoner_ros.dispatcher import EventDispatcher, Handler
from openral_reasoner_ros.foreign_tool_client import ForeignToolClient
from openral_reasoner_ros.genai_spans import GenAiConventions
from openral_reasoner_ros.graph_monitor import GraphMonitor
from openral_reasoner_ros.journal import MissionClock, MissionJournal
from openral_reasoner_ros.mission_client import SHUTTING_DOWN
from openral_reasoner_ros.model_client import (
    DeadlineClient,
    ModelClient,
    make_advisor,
    make_model,
)
from openral_reasoner_ros.parameters import ReasonerParameters
from openral_reasoner_ros.publishers import (
    FrontierPublisher,
    MissionPublishers,
    OperatorPromptPublisher,
    PalettePublisher,
)
from openral_reasoner_ros.resumption import Resumption, restore
from openral_reasoner_ros.telemetry import Traces, make_recorder
from openral_reasoner_ros.topics import OWN_FAILURE, PROMPT
from openral_ros.callback_guard import FatalNodeError, guard_of
from openral_ros.failure_reporter import FailureReporter
from openral_ros.lifecycle_node import LifecycleNodeBase
from openral_ros.parameters import declare
from openral_ros.qos import PROMPTS
from openral_ros.resources import ResourceScope
from openral_ros.run_node import run_process
from openral_ros.tracing import start_tracing


@dataclass(frozen=True)
class Configured:
    """Result of the configure transition."""

    parameters: ReasonerParameters
    skills: tuple[SkillManifest, ...]
    model: Model
    advisor: Model | None
    palette: PalettePublisher
    tools: tuple[LoadedTool, ...]

    @property
    def foreign(self) -> tuple[ForeignToolEntry, ...]:
        """Entries of the tools of other packages."""
        return tuple(each.entry for each in self.tools)


@dataclass(frozen=True)
class ActiveReasoner:
    """Interface of the active reasoner: `post` an event, `poll` the graph."""

    post: Callable[[Event], None]
    poll: Callable[[], None]
    traces: Traces


def start_reasoner(scope: ResourceScope, node: Node, configured: Configured) -> ActiveReasoner:
    """Connect core, clients and publishers for as long as the scope is open."""
    parameters, log = configured.parameters, node.get_logger().error
    conventions = GenAiConventions.from_environment(os.environ, parameters.brain.value, parameters.model)
    traces, clock = scope.enter_context(closing(Traces(conventions))), MissionClock()
    journal = scope.enter_context(closing(MissionJournal(parameters.journal_folder, log)))
    restored = restore(journal, parameters.settings(), log)
    core = restored.core
    record = make_recorder(scope, parameters.record, core, log, restored.mission)
    dispatcher = EventDispatcher(core, record, log, guard_of(node), journal, clock)
    publishers = MissionPublishers(scope, node, parameters.brain.value)
    monitor = GraphMonitor(scope, node, dispatcher.post, traces, parameters)
    models = ModelClient(scope, node, dispatcher.post, configured.model, configured.advisor)
    dispatcher.register(
        {
            **monitor.handlers,
            **_own_handlers(node, publishers, traces),
            **DeadlineClient(scope, node, dispatcher.post).handlers,
            c.CallForeignTool: ForeignToolClient(scope, dispatcher.post, configured.tools).call,
            c.AskModel: FrontierPublisher(scope).before(models.ask),
            c.ChangeState: models.before(monitor.handlers[c.ChangeState]),
        }
    )
    resumption = Resumption(restored, dispatcher, monitor.skill, journal, clock)
    publishers.report(restored.lost or core.report(clock()))
    attendance = Attendance(node, dispatcher.post)
    scope.callback(dispatcher.close)

    def poll() -> None:
        palette = build_palette(
            monitor.poll(models.resident), configured.skills, parameters.default_detector, configured.foreign
        )
        resumption.poll(palette)
        if resumption.is_done and palette != core.palette:
            _warn_of_rivals(node, core.palette, palette)
            dispatcher.post(PaletteChanged(palette=palette))
        configured.palette.publish(palette)
        if core.mission is not None:
            publishers.report(resumption.shown(core.mission.report()))
        attendance.poll(core.mission if resumption.is_done else None)

    def post(event: Event) -> None:
        if not (isinstance(event, PromptReceived) and resumption.takes(event)):
            dispatcher.post(event)

    return ActiveReasoner(post, poll, traces)


def _warn_of_rivals(node: Node, old: ToolPalette, new: ToolPalette) -> None:
    """Warn when more than one locator claims to be the default: a wrong deployment, or an impostor."""
    rivals = [rival for rival in new.rivals if rival not in old.rivals]
    if rivals and new.default_locator is not None:
        node.get_logger().warning(
            f"More than one default locator: {format_choices(rivals)}. "
            f"Using {new.default_locator.id!r} first; "
            "set the reasoner's parameter default_detector to choose another."
        )


def _own_handlers(node: Node, publishers: MissionPublishers, traces: Traces) -> Mapping[type, Handler]:
    def ended(command: c.EndMission) -> None:
        node.get_logger().info(f"Mission {command.mission_id} ended {command.state.name}: {command.reason}")

    return {
        c.PublishPrompt: publishers.prompt,
        c.PublishReceipt: publishers.receipt,
        c.PublishHandoff: publishers.handoff,
        c.PublishStatus: publishers.status,
        c.SpanStarted: traces.start,
        c.SpanEnded: traces.end,
        c.EndMission: ended,
    }


MAX_PROMPT_LENGTH = 2 * PROMPT_CHARACTERS
"""Characters of a prompt that reach the core, which rejects long ones but finds a stop at either end."""


class ReasonerNode(LifecycleNodeBase):
    """Lifecycle node around the mission core of `openral_reasoner`, which makes every decision."""

    def __init__(self, **options: object) -> None:
        super().__init__("reasoner", **options)
        self._configuration: Configured | None = None

    def configure(self, scope: ResourceScope) -> None:
        """Check parameters and manifests, and create the decision model."""
        parameters = declare(self, ReasonerParameters)
        start_tracing("reasoner", Path(parameters.record) if parameters.record else None)
        skills = Registry.load(parameters.folders).skills
        self._failures = FailureReporter(scope, self, OWN_FAILURE, "reasoner")
        palette = PalettePublisher(scope)
        model = make_model(parameters)
        scope.callback(getattr(model, "close", lambda: None))
        tools = load_tools(parameters.tools, tuple(map(name_of, PALETTE)))
        self._configuration = Configured(parameters, skills, model, make_advisor(parameters), palette, tools)

    def on_fatal(self, reason: FatalNodeError) -> None:
        """Publish the failure too."""
        super().on_fatal(reason)
        self._failures.report_fatal(reason)

    def activate(self, scope: ResourceScope) -> None:
        """Start the mission core and subscribe to prompts."""
        assert self._configuration is not None
        active = start_reasoner(scope, self, self._configuration)
        parameters = self._configuration.parameters
        echo = OperatorPromptPublisher(scope, self)
        scope.subscription(PromptStamped, PROMPT, lambda message: on_prompt(active, echo, message), PROMPTS)
        scope.timer(parameters.poll_period, active.poll)
        scope.callback(active.post, Cancelled(reason=SHUTTING_DOWN))


def on_prompt(active: ActiveReasoner, echo: OperatorPromptPublisher, message: PromptStamped) -> None:
    """Post an operator's prompt to the core, and publish it; prompts of other nodes are not goals."""
    if message.header.frame_id in STOP_SOURCES:
        message.text = bounded(message.text)
        for name in ("id", "in_reply_to", "requester", "traceparent"):
            setattr(message, name, getattr(message, name)[: NAME_CHARACTERS + 1])
        message.objects = [each[: NAME_CHARACTERS + 1] for each in message.objects[: MAX_OBJECTS + 1]]
        active.traces.prompted(message.traceparent)
        echo.publish(message)
        active.post(prompt_event(message))


def bounded(text: str) -> str:
    """Return a text without its middle if it is long."""
    if len(text) <= MAX_PROMPT_LENGTH:
        return text
    return text[: MAX_PROMPT_LENGTH // 2] + text[-MAX_PROMPT_LENGTH // 2 :]


def prompt_event(message: PromptStamped) -> PromptReceived:
    """Convert a prompt to an event."""
    return PromptReceived(
        id=message.id,
        text=message.text,
        requester=message.requester,
        in_reply_to=message.in_reply_to,
        traceparent=message.traceparent[:NAME_CHARACTERS],
        objects=tuple(message.objects),
        source=OPERATOR if message.header.frame_id == OPERATOR else "",
    )


def main() -> None:
    """Run the node as a process."""
    run_process(ReasonerNode)
