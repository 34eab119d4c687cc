"""A node that is deactivated and activated again and again while pictures come."""

import time
from dataclasses import replace

from lifecycle_msgs.msg import Transition

from openral_detector_conformance.running_node import RunningNode
from openral_perception_ros.engines import EngineFrame

PERIOD = 0.02
"""Between two pictures [s]."""
LISTENS = 1.2
"""How long it is left active at most [s]: what it does once a second is met at any moment."""


def toggle(node: RunningNode, frame: EngineFrame, times: int) -> list[float]:
    """How long each deactivation took [s].

    Raises:
        NodeSilent: If its process died, or did not make a transition in time.
    """
    taken = []
    pictures = node.client.create_timer(PERIOD, lambda: node.publish(replace(frame, stamp=time.time_ns())))
    try:
        for number in range(times):
            node.transition(Transition.TRANSITION_ACTIVATE)
            _listen(node, LISTENS * (number % 10) / 10.0)
            began = time.monotonic()
            node.transition(Transition.TRANSITION_DEACTIVATE)
            taken.append(time.monotonic() - began)
    finally:
        node.client.destroy_timer(pictures)
    return taken


def _listen(node: RunningNode, seconds: float) -> None:
    end = time.monotonic() + seconds
    node.wait("listen", lambda: time.monotonic() > end, LISTENS + seconds)
