"""Latency of an event in the executor of the reasoner: idle, and during a model call of ten seconds."""

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter
from std_msgs.msg import Header

from openral_msgs.msg import PromptStamped
from openral_msgs.srv import RecallObject
from openral_reasoner.context import Context as Given
from openral_reasoner.context import RawCall
from openral_reasoner.llm.base import Decision
from openral_reasoner_ros import node as reasoner_node
from openral_ros.qos import RELIABLE

CALL = 10.0
"""How long one decision takes [s]."""
SAMPLES = 400
DOMAIN = 77
RSKILLS = Path(__file__).parents[2] / "rskills"
ENOUGH = RawCall(tool="done", arguments='{"success": false, "message": "enough"}')
ANSWER = "no question"
"""Opening of the reply to an answer that nothing asked for."""


class Operator:
    """Speaks, and times the reasoner's word in reply."""

    def __init__(self, context: Context) -> None:
        self.node = rclpy.create_node("operator", context=context)
        self.heard = threading.Event()
        self.node.create_subscription(PromptStamped, "/openral/prompt", self._on_prompt, RELIABLE)
        self.node.create_service(RecallObject, "/openral/recall_object", lambda _, response: response)
        self.prompts = self.node.create_publisher(PromptStamped, "/openral/prompt", RELIABLE)

    def say(self, text: str, in_reply_to: str = "") -> None:
        header = Header(frame_id="operator")
        self.prompts.publish(PromptStamped(header=header, id="p", text=text, in_reply_to=in_reply_to))

    def seconds(self) -> float:
        """One event's way to the core and the core's answer back."""
        self.heard.clear()
        begun = time.perf_counter()
        self.say("hm", in_reply_to="nobody")
        if not self.heard.wait(5.0):
            return float("inf")
        return time.perf_counter() - begun

    def _on_prompt(self, message: PromptStamped) -> None:
        if message.header.frame_id == "reasoner" and message.text.startswith(ANSWER):
            self.heard.set()


def run() -> list[dict[str, object]]:
    """One row idle, one while the model thinks."""
    thinking = threading.Event()

    def slow(given: Given) -> Decision:
        thinking.set()
        time.sleep(CALL)
        return Decision((ENOUGH,), cost=0.0)

    os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    with patch.object(reasoner_node, "make_model", lambda parameters: slow), operator() as one:
        idle = [one.seconds() for _ in range(SAMPLES)]
        one.say("find the mug")
        if not thinking.wait(20.0):
            raise TimeoutError("the model was not asked")
        end = time.monotonic() + CALL - 1.0
        busy = [one.seconds() for _ in range(SAMPLES) if time.monotonic() < end]
    return [row("idle", idle), row(f"a model call of {CALL:g} s in flight", busy)]


def row(name: str, seconds: list[float]) -> dict[str, object]:
    """Percentiles of round trips over DDS, in milliseconds."""
    ordered = sorted(seconds)
    return {
        "executor": name,
        "events": len(ordered),
        "p50_ms": round(1e3 * ordered[len(ordered) // 2], 3),
        "p99_ms": round(1e3 * ordered[int(0.99 * (len(ordered) - 1))], 3),
        "max_ms": round(1e3 * ordered[-1], 3),
    }


@contextmanager
def operator() -> Iterator[Operator]:
    """An active reasoner with a memory service and an operator."""
    context = Context()
    rclpy.init(context=context, domain_id=DOMAIN)
    values = {"rskill_folders": [str(RSKILLS)], "palette_wait": 2.0, "locator_wait": 0.0, "poll_period": 0.5}
    overrides = [Parameter(name, value=value) for name, value in values.items()]
    reasoner = reasoner_node.ReasonerNode(context=context, parameter_overrides=overrides)
    one = Operator(context)
    executors = [spinning(context, item) for item in (reasoner, one.node)]
    reasoner.trigger_configure()
    reasoner.trigger_activate()
    try:
        while one.prompts.get_subscription_count() < 2:
            time.sleep(0.05)
        yield one
    finally:
        for executor in executors:
            executor.shutdown(timeout_sec=2.0)
        reasoner.close()
        reasoner.destroy_node()
        one.node.destroy_node()
        rclpy.try_shutdown(context=context)


def spinning(context: Context, node: rclpy.node.Node) -> SingleThreadedExecutor:
    """The node's own executor, on its own thread."""
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    threading.Thread(target=executor.spin, daemon=True).start()
    return executor
