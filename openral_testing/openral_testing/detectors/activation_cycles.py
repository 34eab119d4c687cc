"""Repeated activation and deactivation of a node under a stream of images."""

import time
from dataclasses import replace

from lifecycle_msgs.msg import Transition

from openral_perception_ros.engines import EngineFrame
from openral_testing.detectors.running_node import RunningNode

PERIOD = 0.02
"""Time between two images [s]: 50 Hz."""
MAX_ACTIVE = 1.2
"""Longest active phase [s]: more than the period of the slowest timer, so it is interrupted anywhere."""


def toggle(node: RunningNode, frame: EngineFrame, times: int) -> list[float]:
    """Activate and deactivate ``times`` times and return the duration of each deactivation [s].

    Raises:
        NodeSilent: If the process died or a transition timed out.
    """
    taken = []
    pictures = node.client.create_timer(PERIOD, lambda: node.publish(replace(frame, stamp=time.time_ns())))
    try:
        for number in range(times):
            node.transition(Transition.TRANSITION_ACTIVATE)
            _listen(node, MAX_ACTIVE * (number % 10) / 10.0)
            began = time.monotonic()
            node.transition(Transition.TRANSITION_DEACTIVATE)
            taken.append(time.monotonic() - began)
    finally:
        node.client.destroy_timer(pictures)
    return taken


def _listen(node: RunningNode, seconds: float) -> None:
    end = time.monotonic() + seconds
    node.wait("listen", lambda: time.monotonic() > end, MAX_ACTIVE + seconds)
