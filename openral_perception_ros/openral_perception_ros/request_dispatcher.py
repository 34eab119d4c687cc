"""Dispatch of detection requests to the worker, with the latest frame of their camera."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from openral_core.detectors import LocateResult
from openral_perception_ros.camera_images import ImageCache, ImageSet
from openral_perception_ros.inference.worker_manager import NEVER
from openral_perception_ros.locate_errors import LocateError, NoFrameAvailable, StaleFrame
from openral_perception_ros.locate_request import LocateQuery, RequestValidator
from openral_perception_ros.scheduler import DetectionRequest, RequestOutcome
from openral_perception_ros.worker_supervisor import WorkerSupervisor


@dataclass(frozen=True, slots=True, eq=False)
class LocateAnswer:
    """The result of one request, and the image set it was computed from, if any."""

    result: LocateResult
    image_set: ImageSet | None = None


@dataclass(frozen=True, slots=True, eq=False)
class RequestDispatcher:
    """Dispatch detection requests to the worker with the latest frame of their camera.

    ``ros_now`` returns ROS time [ns]; frames older than ``max_frame_age`` [s] are rejected.
    """

    validator: RequestValidator
    supervisor: WorkerSupervisor
    caches: Mapping[str, ImageCache]
    ros_now: Callable[[], int]
    max_frame_age: float

    def locate(
        self, locate_query: LocateQuery, received: float, on_done: Callable[[LocateAnswer], None]
    ) -> None:
        """Submit a query; ``on_done`` is called once, on any thread."""
        terms = locate_query.phrases if locate_query.labels is None else None
        get_frame = partial(self.latest_frame, locate_query.camera)
        answer = partial(self._answer, locate_query, on_done)
        self.supervisor.submit(DetectionRequest(get_frame, terms, received, locate_query.deadline, answer))

    def detect_stream(self, camera: str, received: float, on_done: Callable[[RequestOutcome], None]) -> None:
        """Run detection on the latest frame of a camera once no request waits."""
        self.supervisor.set_latest_frame(
            DetectionRequest(partial(self.latest_frame, camera), None, received, NEVER, on_done)
        )

    def latest_frame(self, camera: str) -> ImageSet:
        """Return the latest image set of a camera.

        Raises:
            NoFrameAvailable: If the camera has delivered none yet.
            StaleFrame: If it is older than ``max_frame_age``.
        """
        image_set = self.caches[camera].latest()
        if image_set is None:
            raise NoFrameAvailable(camera, self.caches[camera].missing_topics())
        age = self.age(image_set)
        if age > self.max_frame_age:
            raise StaleFrame(camera, age, self.max_frame_age)
        return image_set

    def age(self, image_set: ImageSet) -> float:
        """Return the current age of an image set [s]."""
        return image_set.age(self.ros_now(), time.monotonic())

    def _answer(
        self, locate_query: LocateQuery, on_done: Callable[[LocateAnswer], None], outcome: RequestOutcome
    ) -> None:
        if isinstance(outcome, LocateError):
            on_done(
                LocateAnswer(self.validator.build_error(locate_query.query, locate_query.camera, outcome))
            )
        else:
            result = self.validator.build_response(locate_query, outcome, self.age(outcome.image_set))
            on_done(LocateAnswer(result, outcome.image_set))
