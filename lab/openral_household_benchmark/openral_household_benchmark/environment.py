"""One simulated home with its robot, head camera, detectors and memory."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

import numpy as np
from numpy.typing import NDArray

from openral_core.arrays import ImagePlane
from openral_core.detectors import Detection, DetectorInfo, LifecycleState, LocateResult
from openral_core.errors import OpenRALError
from openral_core.geometry import Pose, yaw_matrix
from openral_core.rskills import Mode, Registry, Sensor
from openral_core.surroundings import Surroundings
from openral_core.text import Thesaurus
from openral_household_benchmark.own_map import MEMORY_FILE, OwnMap
from openral_perception_ros.camera_images import ImageSet
from openral_perception_ros.detector import Detector
from openral_perception_ros.engines.base import EngineFrame, LoadOptions, engine_loader
from openral_perception_ros.engines.vocabulary import load_vocabulary
from openral_perception_ros.inference import ipc
from openral_perception_ros.inference.worker import RequestServer
from openral_perception_ros.locate_errors import LocateError
from openral_perception_ros.locate_request import RequestValidator
from openral_perception_ros.scheduler import DetectionResult
from openral_sim.odometry import DriftName
from openral_sim.planning.perceived_floor import PerceivedFloor
from openral_sim.planning.perceived_space import PerceivedSpace
from openral_sim.rendering.camera import CameraRenderer
from openral_sim.rendering.sensor import PERFECT, SensorModel
from openral_sim.robot.catalogue import DEFAULT_ROBOT
from openral_sim.scene.scene import load_scene
from openral_sim.simulation import RateTimer, Simulation
from openral_world_state.depth_camera import DepthView, Intrinsics
from openral_world_state.world.open_world import open_world
from openral_world_state.world.world_model import WorldModel, WorldModelSettings

CAMERA = "head"


@dataclass(frozen=True, eq=False)
class HeadCameraFrame:
    """One moment of the head camera: planes for detectors, depth and pose for memory."""

    frame: EngineFrame
    view: DepthView
    rgb: NDArray[np.uint8]


class HeadCamera:
    """Draws what the head sees; belongs to one thread, which closes it.

    Args:
        simulation: Robot and home.
        size: Width and height of the images [px]; those of the scene if left out.
        sensor: Errors of the camera.

    Raises:
        GlContextRefused: If no picture can be drawn here.
    """

    def __init__(
        self, simulation: Simulation, size: tuple[int, int] | None = None, sensor: SensorModel = PERFECT
    ) -> None:
        self._simulation = simulation
        self._names = simulation.control.names
        style = simulation.world.scene.document.cameras[CAMERA]
        width, height = size or (style.width, style.height)
        self._renderer = CameraRenderer(
            simulation.world, self._names.head_camera, width, height, shadows=False, sensor=sensor
        )
        self._intrinsics = Intrinsics(self._renderer.K, width, height)

    def take(self) -> HeadCameraFrame:
        """Render the world as the head camera sees it now."""
        drawn, semantic = self._renderer.render(), self._renderer.segment()
        planes: dict[str, ImagePlane] = {Sensor.RGB.value: drawn.rgb, Sensor.SEMANTIC.value: semantic}
        frame = EngineFrame(planes, CAMERA, round(drawn.time * 1e9), self._renderer.labels)
        T_world_camera = self._simulation.control.T_map_body(self._names.head_optical_frame)
        T_map_camera = self._simulation.localisation.T_map_world @ T_world_camera
        view = DepthView(CAMERA, drawn.time, drawn.depth, self._intrinsics, T_map_camera)
        return HeadCameraFrame(frame, view, drawn.rgb)

    def pixels_of(self, phrase: str) -> int:
        """Count the pixels that show objects of a label, by ground truth."""
        ids = [number for number, name in self._renderer.labels.items() if name == phrase]
        return int(np.isin(self._renderer.segment(), ids).sum())

    def __enter__(self) -> "HeadCamera":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._renderer.close()


_DEADLINE = 5.0  # Of a locate request [s].


class DetectorFailed(OpenRALError):
    """A detector that could not be loaded, or an image that it could not search."""

    def __init__(self, detector: str, failed: ipc.EngineFailed) -> None:
        super().__init__(f"{detector}: {failed.kind.value}: {failed.message}")


class InProcessDetector:
    """A detector whose worker's requests are served in this process."""

    def __init__(self, registry: Registry, name: str, seed: int) -> None:
        manifest, folder = registry.detector(name), registry.folder(registry.detector(name).id)
        self.detector = Detector(
            manifest, folder, load_vocabulary(manifest, folder), (CAMERA,), manifest.mode is Mode.ON_DEMAND
        )
        self._buffer = ipc.SharedFrameBuffer.create()
        self._server = RequestServer(self._buffer, engine_loader)
        self._checked(self._server.handle(ipc.Load(manifest, str(folder), LoadOptions(seed=seed))))

    def detect(self, frame: EngineFrame, terms: tuple[str, ...] | None) -> tuple[Detection, ...]:
        """Search one image.

        Raises:
            DetectorFailed: If the engine could not.
        """
        needed = {sensor.value: frame.planes[sensor.value] for sensor in self.detector.manifest.sensors}
        planes = self._buffer.write(needed)
        request = ipc.Detect(planes, frame.camera, frame.stamp, dict(frame.instance_names), terms)
        reply = self._checked(self._server.handle(request))
        assert isinstance(reply, ipc.Detected)
        return reply.detections

    def close(self) -> None:
        """Give the shared memory back."""
        self._buffer.close()

    def _checked(self, reply: ipc.Reply) -> ipc.Reply:
        if isinstance(reply, ipc.EngineFailed):
            raise DetectorFailed(self.detector.manifest.id, reply)
        return reply


@dataclass(frozen=True, slots=True)
class DetectorPair:
    """Ids of the detector that streams and of the one that answers questions."""

    continuous: str = "sim-groundtruth"
    locator: str = "sim-groundtruth-locator"


class DetectorPairEngines:
    """One detector that streams into memory and one that answers questions.

    Raises:
        DetectorFailed: If one of them cannot be loaded.
    """

    def __init__(self, registry: Registry, seed: int, pair: DetectorPair | None = None) -> None:
        chosen = pair or DetectorPair()
        self._stream = InProcessDetector(registry, chosen.continuous, seed)
        self._locator = InProcessDetector(registry, chosen.locator, seed)
        self._validator = RequestValidator(self._locator.detector, _DEADLINE)

    @property
    def infos(self) -> tuple[DetectorInfo, ...]:
        """Descriptions of the detectors, as the graph would announce them."""
        both = (self._stream.detector, self._locator.detector)
        return tuple(item.info(LifecycleState.ACTIVE, 0.0, 0.0) for item in both)

    @property
    def source(self) -> str:
        """Id of the continuous detector."""
        return self._stream.detector.manifest.id

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels of the continuous detector."""
        return self._stream.detector.labels

    def stream(self, sight: HeadCameraFrame) -> tuple[Detection, ...]:
        """Detect objects in one image."""
        return self._stream.detect(sight.frame, None)

    def locate(self, sight: HeadCameraFrame, query: str, camera: str, detector: str) -> LocateResult:
        """One look for some words."""
        try:
            question = self._validator.parse(query, camera, detector, _DEADLINE)
        except LocateError as refused:
            return self._validator.build_error(query, camera, refused)
        terms = question.phrases if question.labels is None else None
        detections = self._locator.detect(sight.frame, terms)
        image_set = ImageSet(CAMERA, sight.frame.stamp, CAMERA, 0.0, {})
        return self._validator.build_response(question, DetectionResult(image_set, detections, 0.0, 0.0), 0.0)

    def close(self) -> None:
        """Give the memory shared with the engines back."""
        self._stream.close()
        self._locator.close()


LOOKING_RATE = 2.0
"""Images a second that the streaming detector is given."""


@dataclass
class HouseholdEnv:
    """Simulation, eyes and memory, advanced together one control period at a time."""

    simulation: Simulation
    camera: HeadCamera
    detectors: DetectorPairEngines
    memory: WorldModel
    metres: float = 0.0  # Way the base has driven [m].
    opened: set[str] = field(default_factory=set)  # Ids of the furniture whose door it has opened.
    watchers: list[Callable[[], None]] = field(default_factory=list)  # Called after every control period.
    own_map: OwnMap | None = None  # What the robot found of the home; None if it was told.

    def __post_init__(self) -> None:
        self._metronome = RateTimer(LOOKING_RATE)
        self._held = ""
        self._at = self.simulation.control.base_pose[:2].copy()
        self.sight = self.camera.take()
        self.memory.vocabularies.set(self.detectors.source, self.detectors.labels)

    @property
    def pose(self) -> Pose:
        """Pose of the base in map, as the robot believes it."""
        T_map_world = self.simulation.localisation.T_map_world
        return Pose.from_matrix(T_map_world @ yaw_matrix(*self.simulation.control.base_pose))

    def look(self) -> HeadCameraFrame:
        """See the world as it is now."""
        self.sight = self.camera.take()
        return self.sight

    def after_period(self) -> None:
        """Update odometry, the held object and streamed detections, independently of any goal."""
        here = self.simulation.control.base_pose[:2].copy()
        self.metres += float(np.linalg.norm(here - self._at))
        self._at = here
        self._tell_held()
        if self.own_map is not None and self.own_map.image_due(self.simulation.time):
            self.own_map.add_depth(self.look().view, self.simulation)
        if self._metronome.due(self.simulation.time):
            sight = self.look()
            self._carry()
            detections = self.detectors.stream(sight)
            self.memory.integrate(sight.view, detections, self.detectors.source)
            self._note_doors()
            if self.own_map is not None:
                self.own_map.add_detections(sight.view, detections)
                self.own_map.tell(self.memory, self.simulation.time)
        for watch in self.watchers:
            watch()

    def _gripper(self) -> Pose:
        T_world_grasp = self.simulation.control.T_map_grasp()
        return Pose.from_matrix(self.simulation.localisation.T_map_world @ T_world_grasp)

    def _tell_held(self) -> None:
        if self.simulation.holding != self._held:
            self._held = self.simulation.holding
            self.memory.update_held_object(self._held, self._gripper(), self.simulation.time)

    def _carry(self) -> None:
        if self.memory.held_object.held:
            self.memory.held_object.move(self._gripper())

    def _note_doors(self) -> None:
        world = self.simulation.world
        self.opened |= {
            name for name, item in world.furniture.items() if item.doors and world.door_opening(name) > 0.5
        }


@contextmanager
def robot_at_home(
    scene: Path, seed: int, registry: Registry, pair: DetectorPair | None = None, robot: str = DEFAULT_ROBOT
) -> Iterator[HouseholdEnv]:
    """Provide a robot that knows the map of a scene but no object in it.

    Raises:
        InvalidDocument: If the scene or its map is wrong.
        GlContextRefused: If no picture can be drawn here.
        DetectorFailed: If a detector cannot be loaded.
    """
    home = load_scene(scene).home
    memory = open_world(home, "", WorldModelSettings(), Thesaurus.load())
    simulation = Simulation.load(
        scene, seed, robot=robot, surroundings=lambda: Surroundings.of(None, home, memory.graph())
    )
    with closing(DetectorPairEngines(registry, seed, pair)) as detectors, HeadCamera(simulation) as camera:
        yield HouseholdEnv(simulation, camera, detectors, memory)
    memory.memory.close()


@contextmanager
def robot_without_map(
    scene: Path,
    seed: int,
    registry: Registry,
    pair: DetectorPair,
    folder: Path,
    *,
    explored: bool,
    drift: DriftName = DriftName.OFF,
    robot: str = DEFAULT_ROBOT,
    space: PerceivedSpace | None = None,
) -> Iterator[HouseholdEnv]:
    """Provide a robot that is told nothing of its home: it maps what it sees and plans on that.

    Args:
        scene: The home.
        seed: Of what lies where.
        registry: Detectors.
        pair: Those to use.
        folder: Of memory and, with ``explored``, of the map that an earlier visit left.
        explored: Whether there was an earlier visit.
        drift: Errors of the odometry, which the robot's own map corrects.
        robot: Robot, by its name or its description's file.
        space: What the arm keeps clear of, with the furniture that was found; None: the model.

    Raises:
        InvalidDocument, GlContextRefused, DetectorFailed: See `robot_at_home`.
        InvalidMapFile, MemoryRefused: If the earlier visit left nothing that can be used.
    """
    floor = PerceivedFloor()
    own_map = OwnMap(floor, folder if explored else None, space)
    memory = open_world(None, str(folder / MEMORY_FILE), WorldModelSettings(), Thesaurus.load())
    simulation = Simulation.load(
        scene,
        seed,
        perceived=floor,
        drift=drift,
        robot=robot,
        space=space,
        surroundings=lambda: own_map.surroundings(memory.graph()),
    )
    with closing(DetectorPairEngines(registry, seed, pair)) as detectors, HeadCamera(simulation) as camera:
        yield HouseholdEnv(simulation, camera, detectors, memory, own_map=own_map)
    memory.memory.close()
