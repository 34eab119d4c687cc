"""The reasoner: carries events to the mission core and its commands to the graph.

Subscribes: openral/prompt (operator's), openral/scene_graph, openral/world_state, openral/skills,
    every openral/perception/<slug>/info, every openral/failure/<source>.
Publishes: openral/mission, openral/palette, openral/handoff, openral/prompt, openral/prompt_receipt,
    openral/failure/reasoner.
Calls: recall_object, resolve_place, observe, locate_in_view of every detector, execute_rskill.
"""

from pathlib import Path

from openral_core.rskills import Registry
from openral_msgs.msg import PromptStamped
from openral_reasoner.exchanges.events import Cancelled, PromptReceived
from openral_reasoner.missions.prompts import NAME_CHARACTERS, PROMPT_CHARACTERS
from openral_reasoner_ros.brains import make_brain
from openral_reasoner_ros.names import OWN_FAILURE, PROMPT
from openral_reasoner_ros.palette_text import PalettePublisher
from openral_reasoner_ros.parameters import ReasonerParameters
from openral_reasoner_ros.wiring import Prepared, Wiring, wire
from openral_ros.callback_guard import CannotGoOn
from openral_ros.failures import Failures
from openral_ros.managed_node import ManagedNode
from openral_ros.parameters import declare
from openral_ros.qos import RELIABLE
from openral_ros.running import run
from openral_ros.scopes import Scope
from openral_ros.tracing import start_tracing

OPERATOR, UNNAMED = "operator", ""
LONGEST = 2 * PROMPT_CHARACTERS
"""Characters of a prompt that reach the core; it takes fewer, and looks for a stop at both ends."""


class ReasonerNode(ManagedNode):
    """Thin: what to do is decided in `openral_reasoner`."""

    def __init__(self, **options: object) -> None:
        super().__init__("reasoner", **options)
        self._prepared: Prepared | None = None

    def configure(self, scope: Scope) -> None:
        """Check parameters and manifests, and make the brain."""
        parameters = declare(self, ReasonerParameters)
        start_tracing("reasoner", Path(parameters.record) if parameters.record else None)
        skills = Registry.load(parameters.folders).skills
        self._failures = Failures(scope, self, OWN_FAILURE, "reasoner")
        palette = PalettePublisher(scope)
        self._prepared = Prepared(parameters, skills, make_brain(parameters), palette)

    def last_words(self, reason: CannotGoOn) -> None:
        """Others are told too."""
        super().last_words(reason)
        self._failures.tell_last(reason)

    def activate(self, scope: Scope) -> None:
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
