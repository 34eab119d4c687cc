"""One simulated home with its robot, its eyes and its memory."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from openral_bringup.households.detectors import CONTINUOUS, Detectors
from openral_bringup.households.sights import HeadCamera, Sight
from openral_core.geometry import Pose
from openral_core.rskills import Registry
from openral_core.text import Thesaurus
from openral_sim.loops import Metronome, Simulation
from openral_world_state.worlds import Settings, World, open_world

LOOKING_RATE = 2.0
"""Images a second that the streaming detector is given."""


@dataclass
class Robot:
    """Simulation, eyes and memory, advanced together one control period at a time.

    Attributes:
        metres: Way the base has driven [m].
        opened: Ids of the furniture whose door it has opened.
        watchers: Called after every control period.
    """

    simulation: Simulation
    camera: HeadCamera
    detectors: Detectors
    memory: World
    metres: float = 0.0
    opened: set[str] = field(default_factory=set)
    watchers: list[Callable[[], None]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._metronome = Metronome(LOOKING_RATE)
        self._held = ""
        self._at = self.simulation.control.base_pose[:2].copy()
        self.sight = self.camera.take()
        self.memory.vocabularies.learn(CONTINUOUS, self.detectors.labels)

    @property
    def pose(self) -> Pose:
        """Where the base stands in map."""
        x, y, yaw = self.simulation.control.base_pose
        return Pose.planar(float(x), float(y), float(yaw))

    def look(self) -> Sight:
        """See the world as it is now."""
        self.sight = self.camera.take()
        return self.sight

    def after_period(self) -> None:
        """What goes on beside any goal: odometry, carrying, and what streams into memory."""
        here = self.simulation.control.base_pose[:2].copy()
        self.metres += float(np.linalg.norm(here - self._at))
        self._at = here
        self._tell_held()
        if self._metronome.due(self.simulation.time):
            sight = self.look()
            self._carry()
            self.memory.take_in(sight.view, self.detectors.stream(sight), CONTINUOUS)
            self._note_doors()
        for watch in self.watchers:
            watch()

    def _gripper(self) -> Pose:
        control = self.simulation.control
        return Pose.from_matrix(control.T_map_body(control.names.wrist_optical_frame))

    def _tell_held(self) -> None:
        if self.simulation.holding != self._held:
            self._held = self.simulation.holding
            self.memory.hold(self._held, self._gripper(), self.simulation.time)

    def _carry(self) -> None:
        if self.memory.carrying.held:
            self.memory.carrying.move(self._gripper())

    def _note_doors(self) -> None:
        world = self.simulation.world
        self.opened |= {
            name for name, item in world.furniture.items() if item.doors and world.door_opening(name) > 0.5
        }


@contextmanager
def robot_at_home(scene: Path, seed: int, registry: Registry) -> Iterator[Robot]:
    """A robot that knows the map of a scene, and nothing of what lies where.

    Raises:
        InvalidDocument: If the scene or its map is wrong.
        GlContextRefused: If no picture can be drawn here.
    """
    simulation = Simulation.load(scene, seed)
    memory = open_world(simulation.world.scene.home, "", Settings(), Thesaurus.load())
    with HeadCamera(simulation) as camera:
        yield Robot(simulation, camera, Detectors(registry, seed), memory)
    memory.memory.close()
