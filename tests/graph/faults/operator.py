"""An operator with a node of its own, who answers questions."""

from threading import Thread
from uuid import uuid4

import rclpy
from rclpy.context import Context
from rclpy.node import Node

from openral_msgs.msg import Handoff, PromptStamped
from openral_ros.executor import spin_until_closed
from openral_ros.qos import LATCHED, RELIABLE
from openral_ros.resources import ResourceScope


class Operator:
    """Answers each question once with ``answer``; "" leaves it open."""

    def __init__(self, name: str = "operator", answer: str = "") -> None:
        self.answer, self.questions = answer, list[str]()
        self._context = Context()
        rclpy.init(context=self._context)
        self._node = Node(name, context=self._context)
        self._scope = ResourceScope(self._node)
        self._prompts = self._scope.publisher(PromptStamped, "openral/prompt", RELIABLE)
        self._scope.subscription(Handoff, "openral/handoff", self._on_question, LATCHED)
        self._closing = False
        self._thread = Thread(target=self._spin, name=name, daemon=True)
        self._thread.start()

    def say(self, text: str, in_reply_to: str = "") -> str:
        """Publish a prompt; return its id."""
        prompt = PromptStamped(id=uuid4().hex, text=text, in_reply_to=in_reply_to)
        prompt.header.frame_id = "operator"
        self._prompts.publish(prompt)
        return str(prompt.id)

    def close(self) -> None:
        """Leave the graph."""
        self._closing = True
        self._thread.join(timeout=3.0)
        self._scope.close()
        self._node.destroy_node()
        rclpy.try_shutdown(context=self._context)

    def _spin(self) -> None:
        spin_until_closed(self._node, lambda: self._closing, 0.1)

    def _on_question(self, message: Handoff) -> None:
        if message.id not in self.questions:
            self.questions.append(message.id)
            if self.answer:
                self.say(self.answer, message.id)
