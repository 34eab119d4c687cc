"""Everything the simulation publishes of itself, in the order listeners need it."""

from collections.abc import Sequence
from contextlib import ExitStack

from rosgraph_msgs.msg import Clock

from openral_ros.conversions.times import stamp_of
from openral_ros.qos import RELIABLE, SENSOR
from openral_ros.scopes import Scope
from openral_sim.loops import Metronome, Simulation, WallShares
from openral_sim.rendering import CameraRenderer, InstanceLabels
from openral_sim.robot import PREFIX
from openral_sim.ros.parameters import SimParameters
from openral_sim.ros.topics.camera import CameraTopics
from openral_sim.ros.topics.camera_feed import CameraFeed
from openral_sim.ros.topics.outbox import Outbox
from openral_sim.ros.topics.robot_state import RobotStateTopics
from openral_sim.ros.topics.transforms import TransformTopics

STATE_RATE = 25.0
"""Transforms and joint states a second of simulated time [Hz]."""


class Outputs:
    """Clock and transforms of an instant go out before its images, so that no image waits for them."""

    def __init__(self, scope: Scope, simulation: Simulation, parameters: SimParameters) -> None:
        self._world, self._parameters = simulation.world, parameters
        self._styles = simulation.world.scene.document.cameras
        labels = InstanceLabels(self._world) if parameters.publish_semantic else None
        self._clock = scope.publisher(Clock, "/clock", RELIABLE)
        self._transforms = TransformTopics(scope, simulation.control)
        self._state = RobotStateTopics(scope, simulation.control)
        images = RELIABLE if parameters.reliable_images else SENSOR
        self._cameras = {
            n: CameraTopics(scope, n, style, labels, images) for n, style in self._styles.items()
        }
        self._beat = Metronome(STATE_RATE)
        self._outbox = Outbox()

    def open_feeds(self, stack: ExitStack) -> tuple[CameraFeed, ...]:
        """Every camera with a renderer of the calling thread, until the stack closes.

        Raises:
            GlContextRefused: If no picture can be drawn here.
        """
        stack.callback(self._outbox.clear)
        return tuple(self._open_feed(stack, name) for name in self._cameras)

    def publish(self, time: float, feeds: Sequence[CameraFeed], shares: WallShares) -> None:
        """All that is due at ``time`` [s]."""
        due = [feed for feed in feeds if feed.due(time)]
        with shares.of("messages"):
            self._clock.publish(Clock(clock=stamp_of(time)))
            beat = self._beat.due(time)
            if beat or due:
                self._transforms.publish(time)
            if beat:
                self._state.publish(time)
        with shares.of("pictures"):
            for feed in due:
                self._outbox.add(feed.draw(time))
            self._outbox.send()

    def _open_feed(self, stack: ExitStack, name: str) -> CameraFeed:
        style, shadows = self._styles[name], self._parameters.shadows
        renderer = CameraRenderer(self._world, PREFIX + name, style.width, style.height, shadows)
        rate = self._parameters.camera_rate or style.rate
        return CameraFeed(self._cameras[name], stack.enter_context(renderer), rate)
