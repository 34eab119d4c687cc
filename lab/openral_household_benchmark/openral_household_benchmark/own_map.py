"""Floor, rooms and furniture that a simulated robot finds by itself, as the graph's mapper node does."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from openral_core.detectors import Detection
from openral_core.geometry import yaw_matrix
from openral_core.home_map import HomeMap
from openral_core.spatial_memory import SceneGraph
from openral_core.surroundings import Surroundings
from openral_mapping.floor.depth_mapper import DepthMapper, PixelRays
from openral_mapping.floor.recent_people import RecentPeople
from openral_mapping.floor.robot_body import without_body
from openral_mapping.floor.scan_matching import ScanMatcher, surfaces_path
from openral_mapping.furniture.file import furniture_path, load_furniture, save_furniture
from openral_mapping.furniture.tracks import FurnitureMapper
from openral_mapping.home.from_images import HomeSnapshot, furniture_view, people_in_view
from openral_sim.planning.perceived_floor import PerceivedFloor
from openral_sim.planning.perceived_space import PerceivedSpace
from openral_sim.robot.control import RobotControl
from openral_sim.robot.urdf import links_of
from openral_sim.scene.world import SimWorldModel
from openral_sim.simulation import RateTimer, Simulation
from openral_world_state.depth_camera import DepthView, Intrinsics
from openral_world_state.static_map import static_map_from_home
from openral_world_state.world.open_world import keep_home
from openral_world_state.world.world_model import WorldModel

IMAGE_RATE = 5.0
"""Images a second that the map is made of [Hz]; the mapper node's default."""
HOME_RATE = 0.2
"""Homes built a second of simulated time [Hz]; the mapper node's default."""
MEMORY_FILE, _MAP_FILE = "memory.sqlite3", "map.npz"


class OwnMap:
    """Map of what the robot saw; its floor is what the base plans on, its home what memory is about.

    Args:
        floor: Where the newest map is put.
        folder: One that `save` filled; None: nothing is known yet.
        space: Where the furniture is put for the arm.
    """

    def __init__(
        self, floor: PerceivedFloor, folder: Path | None = None, space: PerceivedSpace | None = None
    ) -> None:
        self._floor, self._space = floor, space
        self._mapper, self._furniture = DepthMapper(), FurnitureMapper()
        self._home: HomeMap | None = None
        if folder is not None:
            self._mapper = DepthMapper.load(folder / _MAP_FILE)
            self._furniture, self._home = load_furniture(furniture_path(folder / _MAP_FILE))
            floor.latest = self._mapper.floor_map()
        self._earlier = {item.id: item.pose for item in self._home.fixtures} if self._home else {}
        self._tell_arm()
        self._matcher, self._people = ScanMatcher(), RecentPeople()
        if folder is not None and surfaces_path(folder / _MAP_FILE).exists():
            self._matcher = ScanMatcher.load(surfaces_path(folder / _MAP_FILE))
        self._image, self._build = RateTimer(IMAGE_RATE), RateTimer(HOME_RATE)
        self._rays: tuple[Intrinsics, NDArray[np.float64], PixelRays] | None = None

    def surroundings(self, graph: SceneGraph) -> Surroundings:
        """Return what the robot knows that explains a blocked way; the people are those of memory."""
        return Surroundings.of(self._mapper.floor_map(), self._home, graph, self._earlier)

    def image_due(self, time: float) -> bool:
        """Return True if the map needs an image at a time [s]."""
        return self._image.due(time)

    def add_depth(self, view: DepthView, simulation: Simulation) -> None:
        """Fold one depth image into the floor; the robot's own links are left out.

        If the odometry drifts, the robot first finds where in the map the image was taken.
        """
        rays, pixel_rays = self._rays_of(view)
        localisation, base = simulation.localisation, yaw_matrix(*simulation.control.base_pose)
        T_map_world = localisation.T_map_world
        T_map_camera = view.T_map_camera
        body = (
            body_lines_of(simulation.world, simulation.control) @ T_map_world[:3, :3].T + T_map_world[:3, 3]
        )
        depth = without_body(view.depth, pixel_rays.body, T_map_camera, body, self._mapper.config.body_radius)
        if localisation.drifts:
            still = self._people.left_out(depth, pixel_rays.body, T_map_camera, view.stamp)
            correction = self._matcher.correction(still, rays, T_map_camera, T_map_world @ base)
            localisation.correct(correction)
            T_map_camera = correction @ T_map_camera
            if self._matcher.is_lost:
                return
        x, y = (localisation.T_map_world @ base)[:2, 3].tolist()
        self._mapper.update(depth, pixel_rays, T_map_camera, (x, y))
        self._floor.latest = self._mapper.floor_map().moved(localisation.T_world_map)

    def add_detections(self, view: DepthView, detections: Sequence[Detection]) -> None:
        """Use the furniture of an image; one without any is evidence too."""
        rays, _ = self._rays_of(view)
        self._people.see(people_in_view(view, rays, detections), view.stamp)
        self._furniture.update(furniture_view(view, rays, detections))

    def tell(self, memory: WorldModel, time: float) -> None:
        """Give memory the home as it was found up to now, at the rate of the mapper node."""
        if not self._build.due(time):
            return
        home = HomeSnapshot.of(self._mapper, self._furniture).build(self._home)
        if home is not None and home != self._home:
            self._home = home
            self._tell_arm()
            memory.change_home(static_map_from_home(home, memory.settings.map_epoch))
            keep_home(memory)

    def _tell_arm(self) -> None:
        if self._space is not None and self._home is not None:
            self._space.furniture = self._home.fixtures

    def save(self, folder: Path) -> None:
        """Write floor, furniture and home, for a robot that is switched on later."""
        self._mapper.save(folder / _MAP_FILE)
        self._matcher.save(surfaces_path(folder / _MAP_FILE))
        save_furniture(furniture_path(folder / _MAP_FILE), self._furniture, self._home)

    def _rays_of(self, view: DepthView) -> tuple[NDArray[np.float64], PixelRays]:
        intrinsics = view.depth_intrinsics
        if self._rays is None or not self._rays[0].matches(intrinsics):
            rays = intrinsics.image_rays()
            self._rays = intrinsics, rays, PixelRays(rays)
        return self._rays[1:]


def body_lines_of(world: SimWorldModel, control: RobotControl) -> NDArray[np.float64]:
    """Return the lines between the robot's joined links in the world [m], shape (N, 2, 3)."""
    model, data, names = world.model, world.data, control.names
    tip = data.site(names.grasp_site).xpos, data.body(names.hand).xpos
    lines = [(data.xpos[model.body_parentid[link]], data.xpos[link]) for link in links_of(model, names)[1:]]
    return np.array([*lines, tip[::-1]])
