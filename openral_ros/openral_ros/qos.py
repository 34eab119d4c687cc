"""Quality-of-service profiles of the graph."""

from rclpy.qos import (
    DurabilityPolicy,
    HistoryPolicy,
    QoSProfile,
    ReliabilityPolicy,
    qos_profile_sensor_data,
)

SENSOR = qos_profile_sensor_data
"""For images and other streams of which only the latest message matters."""

RELIABLE = QoSProfile(history=HistoryPolicy.KEEP_LAST, depth=10, reliability=ReliabilityPolicy.RELIABLE)
"""For prompts, failures and detections, which must not be lost."""

LATCHED = QoSProfile(
    history=HistoryPolicy.KEEP_LAST,
    depth=1,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)
"""For state of which a late joiner needs the latest message."""

LATCHED_HISTORY = QoSProfile(
    history=HistoryPolicy.KEEP_LAST,
    depth=64,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)
"""For state of which every change matters, such as the end of a mission before the next one starts.

A stop ends the running mission and all that wait in one burst, of which a busy reader must lose none.

A late joiner with a depth of 1 gets the latest message.
"""

PROMPTS = QoSProfile(history=HistoryPolicy.KEEP_LAST, depth=100, reliability=ReliabilityPolicy.RELIABLE)
"""For readers of prompts: a busy one must lose none of a burst."""

RECEIPTS = QoSProfile(history=HistoryPolicy.KEEP_LAST, depth=100, reliability=ReliabilityPolicy.RELIABLE)
"""For receipts of prompts, which can come in bursts."""
