"""Arrangements of a home: open containers, where objects lie, where people stand and what they hold."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import pi

import mujoco
import numpy as np

from openral_core.arrays import Array, Vector3
from openral_core.home_map import Container, Fixture, Surface
from openral_sim.planning.occupancy_grid import SimOccupancyGrid, rasterise
from openral_sim.robot.control import robot_bodies
from openral_sim.robot.sim_robot import load_sim_robot
from openral_sim.scene.entities import WorldObject, WorldPerson
from openral_sim.scene.world import SimWorldModel


@dataclass(frozen=True)
class ArrangementConfig:
    """Settings of an arrangement; a probability is per arrangement and item."""

    open_probability: float = 0.55  # Probability that a container is open [-].
    # Bounds of how far an open one is open, as a fraction of its travel [-].
    opening: tuple[float, float] = (0.3, 1.0)
    tidy_probability: float = 0.3  # Probability that every object stays where the home has it [-].
    moved_probability: float = 0.75  # Probability that an object of an untidy home lies elsewhere [-].
    clutter: float = 2.0  # Exponent of the surfaces' random weights [-]; a larger one crowds fewer surfaces.
    toppled_probability: float = 0.15  # Probability that a moved tall object lies on its side [-].
    floor_probability: float = 0.04  # Probability that a moved object lies on the floor [-].
    attempts: int = 15  # Number of points tried for an object.
    gap: float = 0.01  # Smallest distance between two moved objects [m]; they nearly touch.
    headroom: float = 0.03  # Free height above an object on a shelf [m].
    person_probability: float = 0.6  # Probability that a person is in the home [-].
    person_clearance: float = 0.35  # Distance of a person from walls and furniture [m].
    given_probability: float = 0.4  # Probability that a person holds an object [-].


CONFIG = ArrangementConfig()
_ABSENT = -50.0
"""Height at which a person who is not in the home is kept, out of every camera's view [m]."""
SHELF_BOARD = 0.02
"""Thickness of the board above a surface in a container [m]."""


class ArrangedHome:
    """A world that is rearranged again and again; physics does not run.

    Attributes:
        world: The world, in its present arrangement.
        grid: Occupancy of the floor without the robot.
        blind: Ids of the robot's bodies.
    """

    def __init__(self, world: SimWorldModel) -> None:
        self.world = world
        self.blind = robot_bodies(world.model, load_sim_robot().names)
        load_sim_robot().set_stowed(world.model, world.data)
        self._at_rest = world.data.qpos.copy()
        self._standing = {person.body: world.model.body(person.body).pos.copy() for person in self.people}
        self.grid = self._rasterise()

    @property
    def people(self) -> list[WorldPerson]:
        """Everyone who can be in the home."""
        return list(self.world.people.values())

    @property
    def objects(self) -> list[WorldObject]:
        """Every object."""
        return list(self.world.objects.values())

    def rearrange(self, rng: np.random.Generator) -> None:
        """Open and close containers, move objects and people."""
        data = self.world.data
        data.qpos[:] = self._at_rest
        for person in self.people:
            self.world.model.body(person.body).pos[2] = _ABSENT
        opened = self._open_containers(rng)
        self.grid = self._rasterise()
        if rng.random() > CONFIG.tidy_probability:
            self._scatter(rng, opened)
        for person in self.people:
            self._place_person(rng, person)
        self.forward()
        for person in self.people:
            if (
                self.world.model.body(person.body).pos[2] > _ABSENT
                and rng.random() < CONFIG.given_probability
            ):
                self._give(rng, person)
        self.forward()
        self.grid = self._rasterise()

    def forward(self) -> None:
        """Compute the poses of everything from the joints' positions."""
        mujoco.mj_kinematics(self.world.model, self.world.data)
        mujoco.mj_camlight(self.world.model, self.world.data)

    def put(self, item: WorldObject, position: Vector3, quaternion: Array) -> None:
        """Set the pose of an object in map; `forward` makes it visible."""
        self.world.data.joint(item.body).qpos[:] = (*position, *quaternion)

    def position(self, item: WorldObject) -> Vector3:
        """Return the position of an object in map [m], shape (3,)."""
        return np.array(self.world.data.joint(item.body).qpos[:3])

    def _rasterise(self) -> SimOccupancyGrid:
        mujoco.mj_kinematics(self.world.model, self.world.data)
        return rasterise(self.world.model, self.world.data, self.blind)

    def _open_containers(self, rng: np.random.Generator) -> dict[str, float]:
        """Open some containers, and carry what lies in a drawer along; return how far each is open [-]."""
        opened: dict[str, float] = {}
        for furniture in self.world.furniture.values():
            if not furniture.doors:
                continue
            is_open = rng.random() < CONFIG.open_probability
            opened[furniture.id] = opening = float(rng.uniform(*CONFIG.opening)) if is_open else 0.0
            for door in furniture.doors:
                self.world.data.joint(door.joint).qpos[0] = opening * door.travel
            if furniture.container is not None and furniture.container.opens == "out":
                self._carry_along(furniture.fixture, furniture.container, opening)
        return opened

    def _carry_along(self, fixture: Fixture, container: Container, opening: float) -> None:
        shift = opening * container.drawer_travel
        dx, dy = np.subtract(fixture.pose.to_parent(shift, 0.0), (fixture.pose.x, fixture.pose.y))
        for item in self.objects:
            x, y, z = self.position(item)
            if container.interior.contains(*fixture.pose.to_local(x, y), z):
                self.world.data.joint(item.body).qpos[:2] += (dx, dy)

    def _scatter(self, rng: np.random.Generator, opened: dict[str, float]) -> None:
        """Move objects to any free surface that is in sight."""
        surfaces = list(_surfaces_in_sight(self.world, opened))
        weights = rng.exponential(size=len(surfaces)) ** CONFIG.clutter
        taken = {item.id: (self.position(item), _radius(item)) for item in self.objects}
        for item in self.objects:
            # Anything that is where no camera sees it is moved for certain.
            if rng.random() > CONFIG.moved_probability and not self._is_hidden(item, opened):
                continue
            others = [value for name, value in taken.items() if name != item.id]
            pose = self._free_spot(rng, item, (surfaces, weights / weights.sum()), others)
            if pose is not None:
                self.put(item, *pose)
                taken[item.id] = (pose[0], _radius(item))

    def _is_hidden(self, item: WorldObject, opened: dict[str, float]) -> bool:
        """Return True if an object is in a closed container."""
        x, y, z = self.position(item)
        return any(
            furniture.container is not None
            and furniture.occludes_contents
            and not opened.get(furniture.id, 0.0)
            and furniture.container.interior.contains(*furniture.pose.to_local(x, y), z)
            for furniture in self.world.furniture.values()
        )

    def _free_spot(
        self,
        rng: np.random.Generator,
        item: WorldObject,
        surfaces: tuple[list[tuple[Fixture, Surface, float]], Array],
        others: list[tuple[Vector3, float]],
    ) -> tuple[Vector3, Array] | None:
        """Sample a pose of an object on a surface or the floor, clear of others; None if none was found."""
        quaternion, half_height = _sample_orientation(rng, item)
        for _ in range(CONFIG.attempts):
            if rng.random() < CONFIG.floor_probability:
                x, y = self.free_point(rng, 0.15)
                position = np.array([x, y, half_height])
            else:
                choices, weights = surfaces
                fixture, surface, headroom = choices[rng.choice(len(choices), p=weights)]
                low, high = np.array(surface.area.min), np.array(surface.area.max)
                inset = np.minimum(_radius(item), 0.49 * (high - low))
                x, y = fixture.pose.to_parent(*rng.uniform(low + inset, high - inset))
                position = np.array([x, y, surface.z + half_height])
                if 2 * half_height + CONFIG.headroom > headroom:
                    continue
            apart = _radius(item) + CONFIG.gap
            if all(
                np.hypot(*(position - other)[:2]) > apart + radius
                for other, radius in others
                if abs(other[2] - position[2]) < 0.3
            ):
                return position, quaternion
        return None

    def free_point(self, rng: np.random.Generator, clearance: float) -> tuple[float, float]:
        """Sample a point of a room's floor with at least this distance to obstacles [m], if there is one."""
        cells = np.argwhere(self.grid.clearance >= min(clearance, float(self.grid.clearance.max())))
        for _ in range(100):
            x, y = self.grid.point(cells[rng.integers(len(cells))])
            if self.world.scene.home.room_at(float(x), float(y)) is not None:
                break
        return float(x), float(y)

    def _place_person(self, rng: np.random.Generator, person: WorldPerson) -> None:
        body = self.world.model.body(person.body)
        if rng.random() > CONFIG.person_probability:
            return
        x, y = self.free_point(rng, CONFIG.person_clearance)
        yaw = float(rng.uniform(-pi, pi))
        body.pos[:] = (x, y, self._standing[person.body][2])
        body.quat[:] = (np.cos(yaw / 2), 0.0, 0.0, np.sin(yaw / 2))

    def _give(self, rng: np.random.Generator, person: WorldPerson) -> None:
        """Put a small object into a person's hand."""
        small = [item for item in self.objects if item.graspable]
        if small:
            item = small[rng.integers(len(small))]
            yaw = float(rng.uniform(-pi, pi))
            palm = self.world.data.site(person.hand_site).xpos
            quaternion = np.array([np.cos(yaw / 2), 0.0, 0.0, np.sin(yaw / 2)])
            self.put(item, palm + np.array([0.0, 0.0, item.size[2] / 2]), quaternion)


def _radius(item: WorldObject) -> float:
    return max(item.size[0], item.size[1]) / 2


def _sample_orientation(rng: np.random.Generator, item: WorldObject) -> tuple[Array, float]:
    """Sample the orientation of an object, and return half of its height in it [m]."""
    yaw = float(rng.uniform(-pi, pi))
    upright = np.array([np.cos(yaw / 2), 0.0, 0.0, np.sin(yaw / 2)])
    is_tall = item.size[2] > max(item.size[:2])
    if not is_tall or rng.random() > CONFIG.toppled_probability:
        return upright, item.size[2] / 2
    over = np.array([np.cos(pi / 4), np.sin(pi / 4), 0.0, 0.0])
    lying = np.zeros(4)
    mujoco.mju_mulQuat(lying, upright, over)
    return lying, item.size[1] / 2


def _surfaces_in_sight(
    world: SimWorldModel, opened: dict[str, float]
) -> Iterator[tuple[Fixture, Surface, float]]:
    """Yield the surfaces neither behind a closed door nor full of books, with the free height above [m]."""
    trims = {trim.id.rpartition("_book_")[0] for trim in world.scene.document.trims}
    for furniture in world.furniture.values():
        container = furniture.container
        for surface in furniture.surfaces:
            if f"{furniture.id}_{surface.id}" in trims:
                continue
            inside = (
                container is not None and container.interior.min[2] <= surface.z < container.interior.max[2]
            )
            if container is None or not inside:
                yield furniture.fixture, surface, np.inf
            elif container.opens != "out" and (
                not container.occludes_contents or opened.get(furniture.id, 0.0)
            ):
                above = [other.z for other in furniture.surfaces if other.z > surface.z]
                top = min([container.interior.max[2], *above])
                yield furniture.fixture, surface, top - surface.z - SHELF_BOARD
