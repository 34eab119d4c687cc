"""Puts core, adapters and peers together for as long as the node is active."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from rclpy.node import Node

from openral_core.errors import listed
from openral_core.rskills import SkillManifest
from openral_reasoner.exchanges import commands as c
from openral_reasoner.exchanges.events import Event, PaletteChanged
from openral_reasoner.missions import Core
from openral_reasoner.models import Model
from openral_reasoner.palettes import ToolPalette, build_palette
from openral_reasoner_ros.adapters.deadlines import DeadlineAdapter
from openral_reasoner_ros.adapters.model import ModelAdapter
from openral_reasoner_ros.adapters.words import WordsAdapter
from openral_reasoner_ros.carrier import Adapter, Carrier
from openral_reasoner_ros.palette_text import PalettePublisher
from openral_reasoner_ros.parameters import ReasonerParameters
from openral_reasoner_ros.peers import Peers
from openral_reasoner_ros.recorder import recorder
from openral_reasoner_ros.traces import Traces
from openral_ros.callback_guard import guard_of
from openral_ros.scopes import Scope


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


def wire(scope: Scope, node: Node, prepared: Prepared) -> Wiring:
    """Make everything that lives while the node is active."""
    parameters, settings = prepared.parameters, prepared.parameters.settings()
    core, traces = Core(settings), Traces()
    scope.callback(traces.close)
    log = node.get_logger().error
    record = recorder(scope, parameters.record, settings, log)
    carrier = Carrier(core, record, log, guard_of(node))
    words = WordsAdapter(scope, node, parameters.brain.value)
    peers = Peers(scope, node, carrier.post, traces, parameters)
    deadlines = DeadlineAdapter(scope, node, carrier.post)
    model = ModelAdapter(scope, node, carrier.post, prepared.model)
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
            f"{listed(come)} call themselves default locator; {new.default_locator.id!r} is asked first: "
            "set the reasoner's parameter default_detector if that is wrong"
        )


def _own(node: Node, words: WordsAdapter, traces: Traces) -> Mapping[type, Adapter]:
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
