"""Rendering of one home: its arrangements, viewpoints and light, drawn from its seed alone."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from openral_core.geometry import Pose
from openral_sim.planning.inverse_kinematics import IkSolver
from openral_sim.rendering.camera import fixed_camera
from openral_sim.rendering.renderer import SceneView
from openral_sim.rendering.sensor import SENSORS, SensorName
from openral_sim.robot.sim_robot import load_sim_robot
from openral_sim.scene.world import SimWorldModel
from openral_training.data.annotation import Annotation, Pinhole, SurfaceSamples, annotate
from openral_training.data.arrangement import ArrangedHome
from openral_training.data.labels import HomeLabels
from openral_training.data.photometry import Illumination, develop
from openral_training.data.viewpoints import Viewpoint, ViewpointSampler
from openral_training.homes.home import NoValidHome, sample_home
from openral_training.homes.object_placement import ObjectChoice

IMAGES_PER_ARRANGEMENT = 9
"""Number of images of a home between two rearrangements."""
MISPLACED = 12
"""Objects of a home where they are not usually kept [1]: every kind is seen everywhere."""
ATTEMPTS = 10
"""Number of viewpoints tried for an image."""


@dataclass(frozen=True)
class ViewLimits:
    """Views that are rejected: they show a wall before the camera, or little but the robot."""

    # Smallest median depth [m] of the head camera's view and of the wrist camera's.
    median_depth: tuple[float, float] = (0.45, 0.10)
    robot_share: float = 0.45  # Largest share of the image that shows the robot [-].
    # Largest share of the image without anything in it [-], where the view leaves the home.
    unknown_share: float = 0.25


LIMITS = ViewLimits()


@dataclass(frozen=True)
class RenderSettings:
    """Options of the images of every home."""

    width: int = 640  # Width of the images [px].
    height: int = 480  # Height of the images [px].
    shadows: float = 0.25  # Share of the images with shadows [-].
    depth: bool = False  # True to render depth images.
    sensors: SensorName = SensorName.OFF  # Sensor model of the depth images.


@dataclass(frozen=True)
class LabelledImage:
    """One image with its labels."""

    rgb: NDArray[np.uint8]  # Colour, shape (H, W, 3).
    # Depth [m], 0 where unknown, shape (H, W); None if it was not asked for.
    depth: NDArray[np.float32] | None
    annotations: list[Annotation]  # Boxes.
    viewpoint: Viewpoint  # Where it was taken from.
    camera: Pinhole  # Its intrinsics and pose.

    def record(self) -> dict[str, object]:
        """Return its size, pose and intrinsics as an entry of a COCO file, without id and file name."""
        pose, K = Pose.from_matrix(self.camera.T_map_camera), self.camera.K
        return {
            "width": self.rgb.shape[1],
            "height": self.rgb.shape[0],
            "viewpoint": self.viewpoint.kind,
            "camera_pose": {
                "position": [round(float(value), 5) for value in pose.position],
                "orientation": [round(float(value), 6) for value in pose.orientation],
            },
            "camera": {
                "name": self.viewpoint.camera.rpartition("/")[2],
                **{name: round(float(value), 4) for name, value in _intrinsics(K)},
            },
        }


def _intrinsics(K: NDArray[np.float64]) -> Iterator[tuple[str, float]]:
    yield from (("fx", K[0, 0]), ("fy", K[1, 1]), ("cx", K[0, 2]), ("cy", K[1, 2]))


@cache
def _solver() -> IkSolver:
    return IkSolver(load_sim_robot())


def render_home(
    seed: int, images: int, without: tuple[str, ...], settings: RenderSettings
) -> Iterator[LabelledImage]:
    """Yield the images of the home of a seed; none if the seed gives no valid home."""
    try:
        scene = sample_home(seed, choice=ObjectChoice(without, MISPLACED))
    except NoValidHome:
        return
    rng = np.random.default_rng([seed, images])
    home = ArrangedHome(SimWorldModel.load(scene, seed, load_sim_robot()))
    camera = HomeCamera(home, settings, rng)
    try:
        for index in range(images):
            if index % IMAGES_PER_ARRANGEMENT == 0:
                home.rearrange(rng)
                viewpoints = ViewpointSampler(home, _solver(), rng)
            yield camera.photograph(viewpoints, rng)
    finally:
        camera.close()


class HomeCamera:
    """Camera that can be anywhere in a home; belongs to the thread that created it."""

    def __init__(self, home: ArrangedHome, settings: RenderSettings, rng: np.random.Generator) -> None:
        self._home, self._settings = home, settings
        self._model, self._data = home.world.model, home.world.data
        self._labels = HomeLabels(home.world)
        self._points = SurfaceSamples(self._model, self._labels, rng)
        self._light = Illumination(self._model, rng)
        self._view = SceneView(self._model, settings.width, settings.height, shadows=False)

    def close(self) -> None:
        """Free the OpenGL context."""
        self._view.close()

    def photograph(self, viewpoints: ViewpointSampler, rng: np.random.Generator) -> LabelledImage:
        """Take an image from the first viewpoint that shows more than a wall or the robot itself."""
        for _ in range(ATTEMPTS):
            self._light.vary(rng)
            viewpoint = viewpoints.sample()
            self._view.cast_shadows(bool(rng.random() < self._settings.shadows))
            rgb, depth, geoms = self._render(viewpoint)
            if self._is_useful(viewpoint, depth, geoms):
                break
        camera = viewpoint.pinhole(self._settings.width, self._settings.height)
        instances = self._labels.of_geom[geoms]
        shares = self._points.visible_shares(self._data, camera, instances)
        annotations = annotate(instances, shares, self._labels)
        measured = None
        # A generator of its own: the colour images are the same with depth and without.
        noise = np.random.default_rng(rng.integers(2**63))
        if self._settings.depth:
            measured = SENSORS[self._settings.sensors].measure_depth(depth, rgb, camera.K, noise)
        return LabelledImage(develop(rgb, rng), measured, annotations, viewpoint, camera)

    def _render(
        self, viewpoint: Viewpoint
    ) -> tuple[NDArray[np.uint8], NDArray[np.float32], NDArray[np.int32]]:
        number = self._model.camera(viewpoint.camera).id
        self._model.cam_fovy[number] = viewpoint.fovy
        # MuJoCo's cameras look along -z with y up.
        self._data.cam_xmat[number] = (viewpoint.T_map_camera[:3, :3] * (1.0, -1.0, -1.0)).ravel()
        self._data.cam_xpos[number] = viewpoint.T_map_camera[:3, 3]
        self._view.update(self._data, fixed_camera(number))
        return self._view.render_labelled()

    def _is_useful(self, viewpoint: Viewpoint, depth: NDArray[np.float32], geoms: NDArray[np.int32]) -> bool:
        least = LIMITS.median_depth[viewpoint.camera.endswith("wrist")]
        unknown = float(np.mean(depth == 0.0))
        return (
            float(np.median(depth[depth > 0.0] if unknown < 1.0 else 0.0)) > least
            and float(np.mean(self._labels.robot[geoms])) < LIMITS.robot_share
            and unknown < LIMITS.unknown_share
        )
