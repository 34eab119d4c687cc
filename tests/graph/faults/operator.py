"""An operator with a node of its own, who sends prompts, answers questions and follows the missions."""

import time
from collections import Counter
from dataclasses import dataclass

from openral_core.missions import MissionState, PromptOutcome
from openral_msgs.msg import Handoff, MissionStatus, PromptReceipt
from openral_ros.node_thread import NodeThread
from openral_ros.prompt_client import NotAcknowledged, PromptClient
from openral_ros.qos import LATCHED, LATCHED_HISTORY


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """A prompt and its receipt; times in [s] since the epoch."""

    text: str
    sent: float
    received: float
    outcome: PromptOutcome


class Operator:
    """Answers each question once with ``answer``; "" leaves it open.

    Attributes:
        questions: Ids of the questions asked, in order.
        acknowledged: Prompts with a receipt, in the order of the receipts.
        unacknowledged: Texts of prompts without a receipt in time.
        running: Goals of the missions that run, by mission id.
        overlaps: Ids of two missions that ran at the same time.
        ends: Number of missions by their final state.
    """

    def __init__(self, name: str = "operator", answer: str = "") -> None:
        self.answer, self.questions = answer, list[str]()
        self.acknowledged, self.unacknowledged = list[Acknowledged](), list[str]()
        self.running, self.overlaps = dict[str, str](), set[tuple[str, ...]]()
        self.ends, self._ended = Counter[str](), set[str]()
        self._thread = NodeThread(name)
        scope = self._thread.scope
        self._prompts = PromptClient(scope, self._thread.node, name)
        scope.subscription(Handoff, "openral/handoff", self._on_question, LATCHED)
        scope.subscription(MissionStatus, "openral/mission", self._on_mission, LATCHED_HISTORY)
        self._thread.start()

    def say(self, text: str, in_reply_to: str = "") -> None:
        """Publish a prompt until it is acknowledged."""
        self._thread.post(lambda: self._send(text, in_reply_to))

    def close(self) -> None:
        """Leave the graph."""
        self._thread.close()

    def _send(self, text: str, in_reply_to: str) -> None:
        sent = time.time()

        def done(outcome: PromptReceipt | NotAcknowledged) -> None:
            if isinstance(outcome, NotAcknowledged):
                self.unacknowledged.append(text)
            else:
                receipt = Acknowledged(text, sent, time.time(), PromptOutcome(outcome.outcome))
                self.acknowledged.append(receipt)

        self._prompts.send(done, text=text, in_reply_to=in_reply_to)

    def _on_question(self, message: Handoff) -> None:
        if message.id not in self.questions:
            self.questions.append(message.id)
            if self.answer:
                self._send(self.answer, message.id)

    def _on_mission(self, message: MissionStatus) -> None:
        state, mission = MissionState(message.state), message.mission_id
        if state.ended:
            self.running.pop(mission, None)
            if mission not in self._ended:
                self._ended.add(mission)
                self.ends[state.name] += 1
        elif state is not MissionState.IDLE and mission not in self._ended:
            self.running[mission] = message.goal
            if len(self.running) > 1:
                self.overlaps.add(tuple(sorted(self.running)))
