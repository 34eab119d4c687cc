"""Send a goal and follow its mission to the end.

Usage: tools/env python examples/send_goal.py "find the mug"
"""

import sys
import time
import uuid

import rclpy
from rclpy.qos import DurabilityPolicy, QoSProfile

from openral_msgs.msg import MissionStatus, PromptReceipt, PromptStamped

RUNNING = (MissionStatus.STATE_IDLE, MissionStatus.STATE_ACTIVE, MissionStatus.STATE_WAITING_FOR_HUMAN)
TIMEOUT = 600.0
"""Longest mission [s]."""


def main(goal: str) -> int:
    """Print each step; 0 if the mission succeeded."""
    rclpy.init()
    node = rclpy.create_node("send_goal")
    prompt = PromptStamped(id=uuid.uuid4().hex, text=goal)
    prompt.header.frame_id = "operator"
    receipts: list[PromptReceipt] = []
    statuses: list[MissionStatus] = []
    latched = QoSProfile(depth=10, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    publisher = node.create_publisher(PromptStamped, "openral/prompt", 10)
    node.create_subscription(PromptReceipt, "openral/prompt_receipt", receipts.append, 10)
    node.create_subscription(MissionStatus, "openral/mission", statuses.append, latched)

    end, step = time.monotonic() + TIMEOUT, ""
    while time.monotonic() < end:
        if not any(receipt.prompt_id == prompt.id for receipt in receipts):
            publisher.publish(prompt)  # repeated until acknowledged; the reasoner acts on an id once
        rclpy.spin_once(node, timeout_sec=0.5)
        status = next((s for s in reversed(statuses) if s.prompt_id == prompt.id), None)
        if status is None:
            continue
        if status.step != step:
            step = status.step
            print(step)
        if status.state not in RUNNING:
            print(f"state {status.state}: {status.reason}", *status.evidence, sep="\n  ")
            return 0 if status.state == MissionStatus.STATE_SUCCEEDED else 1
    print(f"no end within {TIMEOUT:.0f} s")
    return 1


if __name__ == "__main__":
    sys.exit(main(" ".join(sys.argv[1:]) or "find the mug"))
