"""A camera of a world: colour with depth, and semantic instances."""

from collections.abc import Mapping
from types import TracebackType

import mujoco
import numpy as np
from numpy.typing import NDArray

from openral_core.errors import OpenRALError
from openral_sim.rendering.frame import Frame, intrinsics
from openral_sim.rendering.labels import InstanceLabels
from openral_sim.rendering.scene_view import SceneView
from openral_sim.world import World


class UnknownSimCamera(OpenRALError):
    """A camera that the model does not have."""

    def __init__(self, asked: str, valid: list[str]) -> None:
        super().__init__(f"the model has no camera '{asked}'; it has: {', '.join(valid) or 'none'}")


class CameraRenderer:
    """Renders one named camera of a world; use it from one thread, and close it there.

    Args:
        world: What to see.
        camera: The camera's name in the model, such as `robot/head`.
        width: Image width [px].
        height: Image height [px].
        shadows: Whether to draw shadows, the costliest part of a frame.

    Raises:
        UnknownSimCamera: If the model has no such camera.
    """

    def __init__(self, world: World, camera: str, width: int, height: int, shadows: bool = True) -> None:
        names = [world.model.camera(index).name for index in range(world.model.ncam)]
        if camera not in names:
            raise UnknownSimCamera(camera, names)
        self._world = world
        self._camera = _fixed_camera(names.index(camera))
        self._labels = InstanceLabels(world)
        self._view = SceneView(world.model, width, height, shadows)
        self.K = intrinsics(width, height, float(world.model.camera(camera).fovy[0]))

    @property
    def labels(self) -> Mapping[int, str]:
        """Instance id to phrase, for every id `segment` can give but 0."""
        return self._labels.phrases

    def render(self) -> Frame:
        """Colour and depth of the world as it is now."""
        self._view.look(self._world.data, self._camera)
        rgb, depth = self._view.draw()
        return Frame(rgb, depth, self.K, self._world.time)

    def segment(self) -> NDArray[np.uint16]:
        """The instance id in each pixel, 0 for background and robot, uint16, shape (H, W)."""
        self._view.look(self._world.data, self._camera)
        instance = np.append(self._labels.of_geom, np.uint16(0))
        return instance[self._view.draw_geom_ids()]

    def close(self) -> None:
        """Free the drawing context."""
        self._view.close()

    def __enter__(self) -> "CameraRenderer":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _fixed_camera(index: int) -> mujoco.MjvCamera:
    camera = mujoco.MjvCamera()
    camera.type = mujoco.mjtCamera.mjCAMERA_FIXED
    camera.fixedcamid = index
    return camera
