"""The reasoner: carries events to the mission core and its commands to the graph.

Subscribes: openral/prompt (operator's), openral/scene_graph, openral/world_state, openral/skills,
    every openral/perception/<slug>/info, every openral/failure/<source>.
Publishes: openral/mission, openral/palette, openral/handoff, openral/prompt, openral/prompt_receipt,
    openral/failure/reasoner.
Calls: recall_object, resolve_place, observe, locate_in_view of every detector, execute_rskill.
"""
# MERGED Puts core, adapters and peers together for as long as the node is active.

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from rclpy.node import Node

from openral_core.errors import format_choices
from openral_core.rskills import Registry, SkillManifest
from openral_msgs.msg import PromptStamped
from openral_reasoner import commands as c
from openral_reasoner.core import Core
from openral_reasoner.events import Cancelled, Event, PaletteChanged, PromptReceived
from openral_reasoner.llm.base import Model
from openral_reasoner.palette.build import build_palette
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.prompt_queue import NAME_CHARACTERS, PROMPT_CHARACTERS
from openral_reasoner_ros.clients.model import DeadlineClient, ModelClient
from openral_reasoner_ros.decision_models import make_model
from openral_reasoner_ros.dispatcher import Adapter, EventDispatcher
from openral_reasoner_ros.graph_monitor import GraphMonitor
from openral_reasoner_ros.parameters import ReasonerParameters
from openral_reasoner_ros.publishers import MissionPublishers
from openral_reasoner_ros.topics import OWN_FAILURE, PROMPT, PalettePublisher, recorder
from openral_reasoner_ros.tracing import Traces
from openral_ros.callback_guard import FatalNodeError, guard_of
from openral_ros.failure_reporter import FailureReporter
from openral_ros.lifecycle_node import LifecycleNodeBase
from openral_ros.parameters import declare
from openral_ros.qos import RELIABLE
from openral_ros.resources import ResourceScope
from openral_ros.run_node import run
from openral_ros.tracing import start_tracing


@dataclass(frozen=True)
class Prepared:
    """What configuration has made."""

    parameters: ReasonerParameters
    skills: tuple[SkillManifest, ...]
    model: Model
    palette: PalettePublisher


@dataclass(frozen=True)
class Wiring:
    """The active reasoner: `post` an event, `poll` the graph."""

    post: Callable[[Event], None]
    poll: Callable[[], None]
    traces: Traces


def wire(scope: ResourceScope, node: Node, prepared: Prepared) -> Wiring:
    """Make everything that lives while the node is active."""
    parameters, settings = prepared.parameters, prepared.parameters.settings()
    core, traces = Core(settings), Traces()
    scope.callback(traces.close)
    log = node.get_logger().error
    record = recorder(scope, parameters.record, settings, log)
    carrier = EventDispatcher(core, record, log, guard_of(node))
    words = MissionPublishers(scope, node, parameters.brain.value)
    peers = GraphMonitor(scope, node, carrier.post, traces, parameters)
    deadlines = DeadlineClient(scope, node, carrier.post)
    model = ModelClient(scope, node, carrier.post, prepared.model)
    carrier.serve(peers.table)
    carrier.serve(_own(node, words, traces))
    carrier.serve({c.SetDeadline: deadlines.set, c.ClearDeadline: deadlines.clear, c.AskModel: model.ask})
    words.show(core.report(0.0))

    def poll() -> None:
        palette = build_palette(peers.poll(), prepared.skills, parameters.default_detector)
        if palette != core.palette:
            _warn_of_rivals(node, core.palette, palette)
            carrier.post(PaletteChanged(palette=palette))
        prepared.palette.show(palette)
        if core.mission is not None:
            words.show(core.mission.report())

    return Wiring(carrier.post, poll, traces)


def _warn_of_rivals(node: Node, old: ToolPalette, new: ToolPalette) -> None:
    """Two locators that call themselves default are a deployment's mistake, or a stranger."""
    come = [each for each in new.rivals if each not in old.rivals]
    if come and new.default_locator is not None:
        node.get_logger().warning(
            f"{format_choices(come)} call themselves default locator; "
            f"{new.default_locator.id!r} is asked first: "
            "set the reasoner's parameter default_detector if that is wrong"
        )


def _own(node: Node, words: MissionPublishers, traces: Traces) -> Mapping[type, Adapter]:
    def ended(command: c.EndMission) -> None:
        node.get_logger().info(f"mission {command.mission_id} ended {command.state.name}: {command.reason}")

    return {
        c.PublishPrompt: words.prompt,
        c.PublishReceipt: words.receipt,
        c.PublishHandoff: words.handoff,
        c.PublishStatus: words.status,
        c.SpanStarted: traces.start,
        c.SpanEnded: traces.end,
        c.EndMission: ended,
    }


OPERATOR, UNNAMED = "operator", ""
LONGEST = 2 * PROMPT_CHARACTERS
"""Characters of a prompt that reach the core; it takes fewer, and looks for a stop at both ends."""


class ReasonerNode(LifecycleNodeBase):
    """Thin: what to do is decided in `openral_reasoner`."""

    def __init__(self, **options: object) -> None:
        super().__init__("reasoner", **options)
        self._prepared: Prepared | None = None

    def configure(self, scope: ResourceScope) -> None:
        """Check parameters and manifests, and make the brain."""
        parameters = declare(self, ReasonerParameters)
        start_tracing("reasoner", Path(parameters.record) if parameters.record else None)
        skills = Registry.load(parameters.folders).skills
        self._failures = FailureReporter(scope, self, OWN_FAILURE, "reasoner")
        palette = PalettePublisher(scope)
        self._prepared = Prepared(parameters, skills, make_model(parameters), palette)

    def last_words(self, reason: FatalNodeError) -> None:
        """Others are told too."""
        super().last_words(reason)
        self._failures.tell_last(reason)

    def activate(self, scope: ResourceScope) -> None:
        """Begin to listen."""
        assert self._prepared is not None
        wiring = wire(scope, self, self._prepared)
        scope.subscription(PromptStamped, PROMPT, lambda message: on_prompt(wiring, message), RELIABLE)
        scope.timer(self._prepared.parameters.poll_period, wiring.poll)
        scope.callback(wiring.post, Cancelled(reason="the reasoner shuts down"))


def on_prompt(wiring: Wiring, message: PromptStamped) -> None:
    """Only an operator's words are a goal; what peers say is data."""
    if message.header.frame_id in (OPERATOR, UNNAMED):
        wiring.traces.prompted(message.traceparent)
        wiring.post(prompt_event(message))


def prompt_event(message: PromptStamped) -> PromptReceived:
    """A prompt's message as an event of bounded size."""
    text = message.text
    if len(text) > LONGEST:
        text = text[: LONGEST // 2] + text[-LONGEST // 2 :]
    return PromptReceived(
        id=message.id[: NAME_CHARACTERS + 1],
        text=text,
        requester=message.requester[: NAME_CHARACTERS + 1],
        in_reply_to=message.in_reply_to[: NAME_CHARACTERS + 1],
        traceparent=message.traceparent[:NAME_CHARACTERS],
        source="operator" if message.header.frame_id == OPERATOR else "",
    )


def main() -> int:
    """Run the node as a process."""
    return run(ReasonerNode)
