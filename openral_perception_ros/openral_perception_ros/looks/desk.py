"""Where requests meet frames and the supervised worker."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from openral_core.detectors import LocateResult
from openral_perception_ros.frames import CameraCache, Shot
from openral_perception_ros.looks.look import Look, LookOutcome
from openral_perception_ros.looks.reception import Question, Reception
from openral_perception_ros.looks.refusals import LookRefused, NoFrame, StaleFrame
from openral_perception_ros.supervision.supervisor import Supervisor

NO_HURRY = float("inf")


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """The result of one request, with the frame it is about when there was one."""

    result: LocateResult
    shot: Shot | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Desk:
    """Answers requests while a worker is there.

    ``ros_now`` is ROS time [ns]; frames older than ``max_frame_age`` [s] are refused.
    """

    reception: Reception
    supervisor: Supervisor
    caches: Mapping[str, CameraCache]
    ros_now: Callable[[], int]
    max_frame_age: float

    def ask(self, question: Question, received: float, on_done: Callable[[Answer], None]) -> None:
        """Have a question answered; ``on_done`` is called once, on any thread."""
        terms = question.terms if question.labels is None else None
        take = partial(self.newest, question.camera)
        answer = partial(self._answer, question, on_done)
        self.supervisor.submit(Look(take, terms, received, question.deadline, answer))

    def stream(self, camera: str, received: float, on_done: Callable[[LookOutcome], None]) -> None:
        """Look at a camera's newest frame when no request waits."""
        self.supervisor.offer(Look(partial(self.newest, camera), None, received, NO_HURRY, on_done))

    def newest(self, camera: str) -> Shot:
        """The newest shot of a camera.

        Raises:
            NoFrame: If none came yet.
            StaleFrame: If it is too old to be called the present.
        """
        shot = self.caches[camera].newest()
        if shot is None:
            raise NoFrame(camera, self.caches[camera].missing())
        age = self.age(shot)
        if age > self.max_frame_age:
            raise StaleFrame(camera, age, self.max_frame_age)
        return shot

    def age(self, shot: Shot) -> float:
        """Age of a shot now [s]."""
        return shot.age(self.ros_now(), time.monotonic())

    def _answer(self, question: Question, on_done: Callable[[Answer], None], outcome: LookOutcome) -> None:
        if isinstance(outcome, LookRefused):
            on_done(Answer(self.reception.refusal(question.query, question.camera, outcome)))
        else:
            result = self.reception.answer(question, outcome, self.age(outcome.shot))
            on_done(Answer(result, outcome.shot))
