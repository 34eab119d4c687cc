"""Choice of the topics to record, and of the rate of each."""

import re
from dataclasses import dataclass
from math import floor

IMAGE = "sensor_msgs/msg/Image"
COMPRESSED_IMAGE = "sensor_msgs/msg/CompressedImage"
BULK = frozenset({IMAGE, COMPRESSED_IMAGE, "sensor_msgs/msg/PointCloud2"})
"""Types that fill a disk; their rate is limited, and they are dropped first."""
DEPTH_TOPIC = re.compile(r"depth")
CLOCK = "rosgraph_msgs/msg/Clock"
MARKERS = "visualization_msgs/msg/MarkerArray"
MARKER_RATE = 0.5
"""Highest rate of markers [Hz]: each message draws everything again."""
NOT_BY_DEFAULT = (r"/annotated$", r"/semantic$", r"/world_state/objects$", r"/parameter_events$")
"""Topics that are only computed while someone subscribes, and those that say nothing about a mission."""
ONLY_FROM_FILES = re.compile(r"(^|/)openral/recording/")
"""Topics of the lines of files, which no topic of a graph may forge."""
MAX_TOPICS = 500
"""Most topics of one recording; bounds memory, since peers can create any number."""


@dataclass(frozen=True)
class TopicSelection:
    """Policy of what is recorded and how often; rates are upper bounds in [Hz], 0 records none."""

    include: tuple[str, ...] = ()  # Regular expressions; a topic must match one of them. Empty = every topic.
    # Regular expressions of topics that are left out, besides `NOT_BY_DEFAULT`.
    exclude: tuple[str, ...] = ()
    image_rate: float = 2.0  # Of each colour image.
    depth_rate: float = 2.0  # Of each depth image.
    clock_rate: float = 10.0  # Of the simulated clock.
    topic_rate: float = 200.0  # Of each other topic.

    def accepts(self, topic: str, message_type: str) -> bool:
        """Return whether the topic is recorded."""
        if not self.rate(topic, message_type) or ONLY_FROM_FILES.search(topic):
            return False
        if self.include:
            return any(re.search(pattern, topic) for pattern in self.include) and not self._excluded(topic)
        return not self._excluded(topic) and not any(re.search(p, topic) for p in NOT_BY_DEFAULT)

    def rate(self, topic: str, message_type: str) -> float:
        """Return the highest rate at which a topic is recorded [Hz]."""
        if message_type in BULK:
            return self.depth_rate if DEPTH_TOPIC.search(topic) else self.image_rate
        if message_type == MARKERS:
            return min(self.topic_rate, MARKER_RATE)
        return self.clock_rate if message_type == CLOCK else self.topic_rate

    def _excluded(self, topic: str) -> bool:
        return any(re.search(pattern, topic) for pattern in self.exclude)


class StampSlots:
    """Choice of images by their stamps: the first of each period of ``1 / rate`` [s].

    Streams of one camera thereby keep images of the same stamps, if the rate of one is a multiple of the
    other's: boxes found in a recorded colour image have the depth of that image.
    """

    def __init__(self, rate: float) -> None:
        self._rate, self._slot = rate, float("nan")

    def passes(self, stamp: float) -> bool:
        """Return whether an image of this stamp [s] is recorded."""
        slot = floor(stamp * self._rate)
        is_new, self._slot = slot != self._slot, slot
        return is_new
