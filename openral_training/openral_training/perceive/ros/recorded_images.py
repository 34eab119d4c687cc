"""Detectors over recorded images: each runs in its worker process, as in the graph, one image at a time."""

import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sensor_msgs.msg import CompressedImage, Image
from vision_msgs.msg import Detection2DArray

from openral_core.detectors import Detection, LocateResult
from openral_core.errors import OpenRALError
from openral_core.rskills import Mode, Sensor
from openral_perception_ros.camera_images import ImageSet, decode_frame
from openral_perception_ros.detector import Detector, find_detector, load_detector
from openral_perception_ros.inference.ipc import Load
from openral_perception_ros.inference.worker_command import worker_command
from openral_perception_ros.locate_errors import LocateError
from openral_perception_ros.locate_request import RequestValidator
from openral_perception_ros.parameters import DetectorParameters
from openral_perception_ros.scheduler import DetectionRequest, RequestOutcome
from openral_perception_ros.scheduler_thread import start_supervised_worker
from openral_ros.conversions.detections import detections_message
from openral_ros.conversions.images import image_message
from openral_ros.conversions.stamps import nanoseconds


class WrongMode(OpenRALError):
    """A detector that is asked to run in the mode of the other kind."""

    def __init__(self, rskill: str, mode: Mode, option: str) -> None:
        other = "--on-demand" if option == "--continuous" else "--continuous"
        super().__init__(f"{rskill} is a detector of mode {mode.value}: give it with {other}, not {option}")


class NeedsSensors(OpenRALError):
    """A detector that reads images which a recording does not have."""

    def __init__(self, rskill: str, sensors: Sequence[str]) -> None:
        super().__init__(
            f"{rskill} reads {' and '.join(sensors)} images, which this recording does not have; "
            "'recorded' replays the detections of the run"
        )


class RecordedImageDetector:
    """One detector with its worker; close it after use.

    Args:
        rskill: Id, alias, slug or folder of a detector.
        mode: In which it is used.
        cameras: Cameras of the recording, primary first.
        sensors: What the recording has of them, colour among it.
        folders: Searched for rSkills.
        options: Of its node: device, folders of weights and environments.
        threshold: Score from which it reports objects; None = the manifest's.

    Raises:
        OpenRALError: If there is no such detector, it does not fit, or its model does not load.
    """

    def __init__(
        self,
        rskill: str,
        mode: Mode,
        cameras: tuple[str, ...],
        sensors: Collection[Sensor],
        folders: list[Path],
        options: DetectorParameters,
        threshold: float | None = None,
    ) -> None:
        manifest, _ = find_detector(rskill, folders)
        if manifest.mode is not mode:
            option = "--continuous" if mode is Mode.CONTINUOUS else "--on-demand"
            raise WrongMode(rskill, manifest.mode, option)
        if others := [sensor.value for sensor in manifest.sensors if sensor not in sensors]:
            raise NeedsSensors(rskill, others)
        self.detector: Detector = load_detector(rskill, folders, cameras, is_default=False)
        if threshold is not None:
            manifest = manifest.model_copy(update={"threshold": threshold})
        self.errors: Counter[str] = Counter()
        self.examples: dict[str, str] = {}
        self.images = 0
        self._deadline = options.inference_deadline
        self._validator = RequestValidator(self.detector, self._deadline)
        load = Load(manifest, str(self.detector.folder), options.load_options)
        command = worker_command(manifest, Path(options.environments))
        self._worker = start_supervised_worker(
            command, load, options.limits, decode_frame, lambda event: None
        )
        try:
            self._worker.ready.result()
        except OpenRALError:
            self.close()
            raise

    @property
    def id(self) -> str:
        """Id of the rSkill."""
        return self.detector.manifest.id

    @property
    def needs_depth(self) -> bool:
        """True if it reads depth images too."""
        return Sensor.DEPTH in self.detector.manifest.sensors

    def detect(
        self, camera: str, image: Image | CompressedImage, depth: Image | None = None
    ) -> Detection2DArray | None:
        """Return what is seen in an image, None if it could not be searched."""
        outcome = self.search(camera, image, depth)
        return None if isinstance(outcome, LocateError) else detections_message(outcome, image.header)

    def search(
        self, camera: str, image: Image | CompressedImage, depth: Image | None = None
    ) -> tuple[Detection, ...] | LocateError:
        """Return the detections of its own vocabulary in an image, or why it could not be searched."""
        outcome = self._run(camera, image, depth, None)
        if isinstance(outcome, LocateError):
            self._count(outcome)
            return outcome
        return outcome.detections

    def locate(
        self, query: str, camera: str, image: Image | CompressedImage, depth: Image | None = None
    ) -> LocateResult:
        """Search an image for a query."""
        try:
            parsed = self._validator.parse(query, camera, "", 0.0)
        except LocateError as refusal:
            return self._validator.build_error(query, camera, refusal)
        outcome = self._run(parsed.camera, image, depth, parsed.phrases if parsed.labels is None else None)
        if isinstance(outcome, LocateError):
            self._count(outcome)
            return self._validator.build_error(query, camera, outcome)
        return self._validator.build_response(parsed, outcome, 0.0)

    def close(self) -> None:
        """End the worker."""
        self._worker.thread.stop()

    def _count(self, error: LocateError) -> None:
        self.errors[type(error).__name__] += 1
        self.examples.setdefault(type(error).__name__, str(error))

    def _run(
        self,
        camera: str,
        image: Image | CompressedImage,
        depth: Image | None,
        terms: tuple[str, ...] | None,
    ) -> RequestOutcome:
        now = time.monotonic()
        images: dict[str, object] = {Sensor.RGB.value: image}
        if self.needs_depth and depth is not None:
            images[Sensor.DEPTH.value] = depth
        frame = ImageSet(camera, nanoseconds(image.header.stamp), image.header.frame_id, now, images)
        outcome: Future[RequestOutcome] = Future()
        request = DetectionRequest(lambda: frame, terms, now, self._deadline, outcome.set_result)
        self._worker.thread.submit(request)
        self.images += 1
        return outcome.result()


class NoLabels(OpenRALError):
    """A detector without labels of its own."""

    def __init__(self, rskill: str) -> None:
        super().__init__(
            f"{rskill} finds what it is asked for and has no labels of its own: give a detector with a "
            "closed vocabulary"
        )


@dataclass(frozen=True, slots=True)
class DetectorRun:
    """Detections of one detector by name of the image; ``threshold`` is its manifest's.

    ``problems`` tells of the other images why they could not be searched.
    """

    rskill: str
    labels: tuple[str, ...]
    threshold: float
    detections: Mapping[str, Sequence[Detection]]
    problems: Mapping[str, str]

    def above(self, threshold: float | None) -> dict[str, list[Detection]]:
        """Return the detections from a threshold; None = the manifest's."""
        least = self.threshold if threshold is None else threshold
        return {name: [each for each in row if each.score >= least] for name, row in self.detections.items()}


def detect_images(
    rskill: str,
    images: Mapping[str, NDArray[np.uint8]],
    folders: list[Path],
    options: DetectorParameters,
    threshold: float | None,
) -> DetectorRun:
    """Detect in images by name, RGB (H, W, 3); see `RecordedImageDetector` for the other arguments.

    Raises:
        NoLabels: If the detector has no labels.
        OpenRALError: If there is no such detector, or its model does not load.
    """
    manifest, _ = find_detector(rskill, folders)
    camera = "camera"
    detector = RecordedImageDetector(
        rskill, manifest.mode, (camera,), (Sensor.RGB,), folders, options, threshold
    )
    try:
        if not detector.detector.labels:
            raise NoLabels(manifest.id)
        outcomes = {
            name: detector.search(camera, image_message(rgb, "rgb8", 0.0, camera))
            for name, rgb in images.items()
        }
    finally:
        detector.close()
    detections = {name: each for name, each in outcomes.items() if not isinstance(each, LocateError)}
    problems = {name: str(each) for name, each in outcomes.items() if isinstance(each, LocateError)}
    return DetectorRun(manifest.id, detector.detector.labels, manifest.threshold, detections, problems)
