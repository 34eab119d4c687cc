"""What the robot's head camera sees, for detectors and for memory."""

from dataclasses import dataclass
from types import TracebackType

import numpy as np
from numpy.typing import NDArray

from openral_core.rskills import Sensor
from openral_perception_ros.engines.frame import Frame, Plane
from openral_sim.loops import Simulation
from openral_sim.rendering import CameraRenderer
from openral_world_state.views import Intrinsics, View

CAMERA = "head"


@dataclass(frozen=True, eq=False)
class Sight:
    """One moment of the head camera: planes for detectors, depth and pose for memory."""

    frame: Frame
    view: View
    rgb: NDArray[np.uint8]


class HeadCamera:
    """Draws what the head sees; belongs to one thread, which closes it.

    Raises:
        GlContextRefused: If no picture can be drawn here.
    """

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._names = simulation.control.names
        style = simulation.world.scene.document.cameras[CAMERA]
        self._renderer = CameraRenderer(
            simulation.world, self._names.head_camera, style.width, style.height, shadows=False
        )
        self._intrinsics = Intrinsics(self._renderer.K, style.width, style.height)

    def take(self) -> Sight:
        """The world as the head sees it now."""
        drawn, semantic = self._renderer.render(), self._renderer.segment()
        planes: dict[str, Plane] = {Sensor.RGB.value: drawn.rgb, Sensor.SEMANTIC.value: semantic}
        frame = Frame(planes, CAMERA, round(drawn.time * 1e9), self._renderer.labels)
        T_map_camera = self._simulation.control.T_map_body(self._names.head_optical_frame)
        view = View(CAMERA, drawn.time, drawn.depth, self._intrinsics, T_map_camera)
        return Sight(frame, view, drawn.rgb)

    def pixels_of(self, phrase: str) -> int:
        """How many pixels show things called so, in truth."""
        ids = [number for number, name in self._renderer.labels.items() if name == phrase]
        return int(np.isin(self._renderer.segment(), ids).sum())

    def __enter__(self) -> "HeadCamera":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._renderer.close()
