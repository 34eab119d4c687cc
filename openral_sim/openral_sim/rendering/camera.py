"""Camera of a world: colour, depth and semantic instances.

Every object, fixture and person has an instance id; 0 is the background and the robot.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import radians, tan
from types import MappingProxyType, TracebackType

import mujoco
import numpy as np
from numpy.typing import NDArray

from openral_core.arrays import Array32, Image, Intrinsics
from openral_core.errors import OpenRALError, format_choices
from openral_sim.rendering.renderer import SceneView
from openral_sim.rendering.sensor import PERFECT, SensorModel, frame_generator
from openral_sim.scene.world import SimWorldModel


@dataclass(frozen=True)
class CameraFrame:
    """Colour and depth images of one instant, top row first."""

    rgb: Image  # Colour, uint8, shape (H, W, 3).
    depth: Array32  # Distance along the optical axis [m], float32, shape (H, W); 0 where unknown.
    K: Intrinsics  # Intrinsics [px], shape (3, 3); pixel centres at whole coordinates.
    time: float  # Simulated time [s].


def intrinsics(width: int, height: int, fovy: float) -> Intrinsics:
    """Return the pinhole intrinsics [px] of a vertical field of view [deg], shape (3, 3)."""
    focal = 0.5 * height / tan(radians(fovy) / 2)
    return np.array([[focal, 0, (width - 1) / 2], [0, focal, (height - 1) / 2], [0, 0, 1]])


class InstanceLabels:
    """Instance ids of a world's entities, and the instance to which each geom belongs.

    Attributes:
        phrases: Phrase of every instance id; two entities with one phrase have different ids.
        ids: Instance id of every entity's id.
        of_geom: Instance id of every geom, uint16, shape (ngeom,).
    """

    def __init__(self, world: SimWorldModel) -> None:
        phrases: dict[int, str] = {}
        ids: dict[str, int] = {}
        self.of_geom = np.zeros(world.model.ngeom, dtype=np.uint16)
        for number, (entity, phrase, geoms) in enumerate(_entities(world), start=1):
            phrases[number], ids[entity] = phrase, number
            self.of_geom[[world.model.geom(name).id for name in geoms]] = number
        self.phrases: Mapping[int, str] = MappingProxyType(phrases)
        self.ids: Mapping[str, int] = MappingProxyType(ids)


def _entities(world: SimWorldModel) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    for item in world.objects.values():
        yield item.id, item.phrase, item.geoms
    for fixture in world.furniture.values():
        yield fixture.id, fixture.phrase, fixture.geoms
    for person in world.people.values():
        yield person.id, "person", person.geoms


class UnknownSimCamera(OpenRALError):
    """A camera that the model does not contain."""

    def __init__(self, requested: str, valid: list[str]) -> None:
        super().__init__(f"the model has no camera '{requested}'; valid names: {format_choices(valid)}")


class CameraRenderer:
    """Renderer of one named camera of a world; created, used and closed in one thread.

    Args:
        world: World to render.
        camera: Name of the camera in the model, such as `robot/head`.
        width: Image width [px].
        height: Image height [px].
        shadows: True to render shadows, the costliest part of a frame.
        sensor: Errors of the camera; none by default.
        seed: Seed of these errors.

    Raises:
        UnknownSimCamera: If the model has no such camera.
    """

    def __init__(
        self,
        world: SimWorldModel,
        camera: str,
        width: int,
        height: int,
        shadows: bool = True,
        sensor: SensorModel = PERFECT,
        seed: int = 0,
    ) -> None:
        names = [world.model.camera(index).name for index in range(world.model.ncam)]
        if camera not in names:
            raise UnknownSimCamera(camera, names)
        self._world = world
        self._camera = fixed_camera(names.index(camera))
        self._sensor, self._seed = sensor, seed
        self._labels = InstanceLabels(world)
        self._view = SceneView(world.model, width, height, shadows)
        self.K = intrinsics(width, height, float(world.model.camera(camera).fovy[0]))

    @property
    def labels(self) -> Mapping[int, str]:
        """Phrase of every instance id in the images of `segment`, except 0."""
        return self._labels.phrases

    def render(self) -> CameraFrame:
        """Render colour and depth of the current state, with the errors of the sensor."""
        self._view.update(self._world.data, self._camera)
        rgb, depth = self._view.render()
        time = self._world.time
        if self._sensor != PERFECT:
            rng = frame_generator(self._seed, self._camera.fixedcamid, time)
            depth = self._sensor.measure_depth(depth, rgb, self.K, rng)
            rgb = self._sensor.expose(rgb, time, rng)
        return CameraFrame(rgb, depth, self.K, time)

    def segment(self) -> NDArray[np.uint16]:
        """Render the instance id of each pixel, 0 for background and robot, uint16, shape (H, W)."""
        self._view.update(self._world.data, self._camera)
        instance = np.append(self._labels.of_geom, np.uint16(0))
        return instance[self._view.render_geom_ids()]

    def close(self) -> None:
        """Free the OpenGL context."""
        self._view.close()

    def __enter__(self) -> "CameraRenderer":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def free_camera(
    lookat: tuple[float, float, float], azimuth: float, elevation: float, distance: float
) -> mujoco.MjvCamera:
    """Create a camera that looks at a point [m] from a direction [deg] and a distance [m]."""
    camera = mujoco.MjvCamera()
    camera.lookat[:] = lookat
    camera.azimuth, camera.elevation, camera.distance = azimuth, elevation, distance
    return camera


def fixed_camera(index: int) -> mujoco.MjvCamera:
    """Create a view of the model's camera of an index."""
    camera = mujoco.MjvCamera()
    camera.type = mujoco.mjtCamera.mjCAMERA_FIXED
    camera.fixedcamid = index
    return camera
