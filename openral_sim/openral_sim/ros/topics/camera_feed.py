"""A camera at work: its topics, its renderer and its rate."""

from collections.abc import Iterator

from openral_sim.loops import Metronome
from openral_sim.rendering import CameraRenderer
from openral_sim.ros.topics.camera import CameraTopics, Letter


class CameraFeed:
    """Belongs to the thread that made its renderer."""

    def __init__(self, topics: CameraTopics, renderer: CameraRenderer, rate: float) -> None:
        self._topics, self._renderer = topics, renderer
        self._metronome = Metronome(rate)

    def due(self, time: float) -> bool:
        """Whether an image is due at ``time`` [s] and somebody wants it."""
        return self._metronome.due(time) and self._topics.wanted

    def draw(self, time: float) -> Iterator[Letter]:
        """The pictures of this instant, ready to be sent."""
        return self._topics.draw(self._renderer, time)
