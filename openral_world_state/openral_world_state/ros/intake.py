"""Detections on their way into memory: they wait for their depth image and transforms, or are refused."""

import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from std_msgs.msg import Header
from vision_msgs.msg import Detection2DArray

from openral_core.detections import Detection, InvalidDetection
from openral_core.errors import OpenRALError
from openral_core.geometry.transform_tree import StaleTransform
from openral_ros.conversions.detections import detection_from_message
from openral_ros.conversions.times import seconds
from openral_world_state.ros.cameras import NoFrame
from openral_world_state.views import View

_MOST_WAITING = 64

ViewAt = Callable[[str, float], View]
TakeIn = Callable[[View, Sequence[Detection], str], None]


@dataclass(frozen=True, slots=True)
class Waiting:
    """Detections of one image that came at steady time ``since`` [s]."""

    source: str
    header: Header
    detections: Sequence[Detection]
    since: float


class Intake:
    """Gives each snapshot to memory as soon as its view is known.

    Args:
        view_at: The view of a camera (by optical frame) at a stamp [s].
        take_in: Receives the view and what was seen in it.
        patience: How long a snapshot may wait [s].
        most: Detections taken of one message.
    """

    def __init__(self, view_at: ViewAt, take_in: TakeIn, patience: float, most: int) -> None:
        self._view_at, self._take_in = view_at, take_in
        self._patience, self._most = patience, most
        self._waiting: deque[Waiting] = deque(maxlen=_MOST_WAITING)
        self.refused: Counter[str] = Counter()

    def put(self, source: str, message: Detection2DArray) -> None:
        """One snapshot of a detector; what waits is only what may be taken of it."""
        detections, problems = readable(message, self._most)
        self.refused.update(type(problem).__name__ for problem in problems)
        self._waiting.append(Waiting(source, message.header, detections, time.monotonic()))
        self.work()

    def work(self) -> None:
        """Try again what waits."""
        for _ in range(len(self._waiting)):
            each = self._waiting.popleft()
            try:
                self._give(each)
            except (NoFrame, StaleTransform) as error:
                if time.monotonic() - each.since < self._patience:
                    self._waiting.append(each)
                else:
                    self.refused[type(error).__name__] += 1
            except OpenRALError as error:
                self.refused[type(error).__name__] += 1

    def _give(self, each: Waiting) -> None:
        view = self._view_at(each.header.frame_id, seconds(each.header.stamp))
        self._take_in(view, each.detections, each.source)


def readable(message: Detection2DArray, most: int) -> tuple[list[Detection], list[InvalidDetection]]:
    """Valid detections of a message, at most ``most`` of them, and what is wrong with others."""
    found, problems = [], []
    for each in message.detections[:most]:
        try:
            found.append(detection_from_message(each))
        except InvalidDetection as error:
            problems.append(error)
    if len(message.detections) > most:
        problems.append(InvalidDetection("number of detections", len(message.detections), f"at most {most}"))
    return found, problems
