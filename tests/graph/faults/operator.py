"""An operator with a node of its own, who answers questions."""

from uuid import uuid4

from openral_msgs.msg import Handoff, PromptStamped
from openral_ros.node_thread import NodeThread
from openral_ros.qos import LATCHED, RELIABLE


class Operator:
    """Answers each question once with ``answer``; "" leaves it open."""

    def __init__(self, name: str = "operator", answer: str = "") -> None:
        self.answer, self.questions = answer, list[str]()
        self._thread = NodeThread(name)
        self._prompts = self._thread.scope.publisher(PromptStamped, "openral/prompt", RELIABLE)
        self._thread.scope.subscription(Handoff, "openral/handoff", self._on_question, LATCHED)
        self._thread.start()

    def say(self, text: str, in_reply_to: str = "") -> str:
        """Publish a prompt; return its id."""
        prompt = PromptStamped(id=uuid4().hex, text=text, in_reply_to=in_reply_to)
        prompt.header.frame_id = "operator"
        self._prompts.publish(prompt)
        return str(prompt.id)

    def close(self) -> None:
        """Leave the graph."""
        self._thread.close()

    def _on_question(self, message: Handoff) -> None:
        if message.id not in self.questions:
            self.questions.append(message.id)
            if self.answer:
                self.say(self.answer, message.id)
