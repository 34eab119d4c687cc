"""The embedded detectors without nodes: the same engines, manifests and answers."""

from openral_bringup.households.sights import CAMERA, Sight
from openral_core.detections import Detection
from openral_core.detectors import DetectorInfo, LifecycleState, LocateResult
from openral_core.rskills import Registry
from openral_perception_ros.detector import Detector
from openral_perception_ros.engines.engine import Engine, LoadOptions
from openral_perception_ros.engines.sim_groundtruth import load
from openral_perception_ros.frames import Shot
from openral_perception_ros.looks.look import Seen
from openral_perception_ros.looks.reception import Reception
from openral_perception_ros.looks.refusals import LookRefused
from openral_perception_ros.vocabularies import vocabulary_of

CONTINUOUS, LOCATOR = "sim-groundtruth", "sim-groundtruth-locator"
_DEADLINE = 5.0


class Detectors:
    """One that streams into memory and one that answers questions."""

    def __init__(self, registry: Registry, seed: int) -> None:
        self._stream = _detector(registry, CONTINUOUS)
        self._locator = _detector(registry, LOCATOR)
        self._engines = {each.manifest.id: _engine(each, seed) for each in (self._stream, self._locator)}
        self._reception = Reception(self._locator, _DEADLINE)

    @property
    def infos(self) -> tuple[DetectorInfo, ...]:
        """What the graph would be told of them."""
        return tuple(each.info(LifecycleState.ACTIVE, 0.0, 0.0) for each in (self._stream, self._locator))

    @property
    def labels(self) -> tuple[str, ...]:
        """What the one that streams can name."""
        return self._stream.labels

    def stream(self, sight: Sight) -> list[Detection]:
        """What streams into memory of one sight."""
        return self._engines[CONTINUOUS].detect(sight.frame, None)

    def locate(self, sight: Sight, query: str, camera: str, detector: str) -> LocateResult:
        """One look for some words."""
        try:
            question = self._reception.question(query, camera, detector, _DEADLINE)
        except LookRefused as refused:
            return self._reception.refusal(query, camera, refused)
        found = self._engines[LOCATOR].detect(sight.frame, question.terms)
        shot = Shot(CAMERA, sight.frame.stamp, CAMERA, 0.0, {})
        return self._reception.answer(question, Seen(shot, tuple(found), 0.0, 0.0), 0.0)


def _detector(registry: Registry, name: str) -> Detector:
    manifest, folder = registry.detector(name), registry.folder(name)
    return Detector(manifest, folder, vocabulary_of(manifest, folder), (CAMERA,), name == LOCATOR)


def _engine(detector: Detector, seed: int) -> Engine:
    return load(detector.manifest, detector.folder, LoadOptions(seed=seed))
