"""Errors of detection requests; each leaf maps to one status of LocateInView.

LocateError
├── WrongDetector, UnknownDetectorCamera, BadQuery, NotInVocabulary    the request: the caller can fix it
├── NoFrameAvailable, StaleFrame, BlankFrame                           the camera
├── NotActive, ModelLoading, QueueFull, DeadlineExceeded               the current state of this node
└── DetectorError (WorkerUnavailable), DetectorOutOfMemory, EndpointTimedOut    the model or its worker
"""

from collections.abc import Iterable, Sequence
from math import isfinite
from typing import ClassVar

from openral_core.clocks import clock_hint
from openral_core.detectors import LocateStatus
from openral_core.errors import OpenRALError, format_choices

MAX_LABELS = 100
"""Labels of a vocabulary that an error lists [count]."""


class LocateError(OpenRALError):
    """Base; `status` is the status of the response."""

    status: ClassVar[LocateStatus]


class WrongDetector(LocateError):
    """A request meant for another detector."""

    status = LocateStatus.WRONG_DETECTOR

    def __init__(self, name: str, own: Iterable[str]) -> None:
        super().__init__(f"detector {name!r} is not served here: this detector is {format_choices(own)}")


class UnknownDetectorCamera(LocateError):
    """A camera this detector is not subscribed to."""

    status = LocateStatus.UNKNOWN_CAMERA

    def __init__(self, camera: str, cameras: Iterable[str]) -> None:
        super().__init__(f"unknown camera {camera!r}: valid cameras are {format_choices(cameras)}")


class BadQuery(LocateError):
    """A query that cannot be parsed or grounded."""

    status = LocateStatus.BAD_QUERY

    def __init__(self, problem: str) -> None:
        super().__init__(f"bad query: {problem}")


class NotInVocabulary(LocateError):
    """Terms outside a closed vocabulary, or relations that cannot be judged; no evidence about the view."""

    status = LocateStatus.NOT_IN_VOCABULARY

    def __init__(
        self,
        terms: Iterable[str],
        broader: Iterable[str],
        labels: Sequence[str] = (),
        reasons: Iterable[str] = (),
    ) -> None:
        near = tuple(broader)
        hint = f"; broader labels in it: {format_choices(near)}" if near else ""
        why = "".join(f"; {reason}" for reason in reasons)
        more = f" and {len(labels) - MAX_LABELS} more" if len(labels) > MAX_LABELS else ""
        vocabulary = f"; it knows {', '.join(labels[:MAX_LABELS])}{more}" if labels else ""
        super().__init__(f"not in this detector's vocabulary: {format_choices(terms)}{why}{hint}{vocabulary}")


class NoFrameAvailable(LocateError):
    """A camera that has not delivered a complete image set."""

    status = LocateStatus.NO_FRAME

    def __init__(self, camera: str, missing: Iterable[str]) -> None:
        super().__init__(
            f"no frame from camera {camera!r} yet: nothing received on {format_choices(missing)}"
        )


class StaleFrame(LocateError):
    """A camera that stopped delivering."""

    status = LocateStatus.STALE_FRAME

    def __init__(self, camera: str, age: float, limit: float) -> None:
        super().__init__(
            f"the latest frame of camera {camera!r} is {age:.1f} s old, the limit is {limit:g} s"
            f"{clock_hint(age)}"
        )


class BlankFrame(LocateError):
    """A camera whose frames are blank; no evidence of absence."""

    status = LocateStatus.NO_FRAME

    def __init__(self, camera: str) -> None:
        super().__init__(
            f"no usable frame from camera {camera!r}: the latest is black or a single colour; "
            "check for a covered lens, a dark room or a broken camera"
        )


class NotActive(LocateError):
    """A node without a loaded model."""

    status = LocateStatus.INACTIVE

    def __init__(self, rskill_id: str) -> None:
        super().__init__(f"detector {rskill_id!r} is inactive: activate it first")


class ModelLoading(LocateError):
    """A worker that is not ready yet."""

    status = LocateStatus.LOADING

    def __init__(self, rskill_id: str, reason: str) -> None:
        super().__init__(f"detector {rskill_id!r} is loading its model ({reason}): retry shortly")


class QueueFull(LocateError):
    """More requests than the queue holds."""

    status = LocateStatus.BUSY

    def __init__(self, capacity: int) -> None:
        super().__init__(f"the request queue is full ({capacity} waiting): retry later")


class DeadlineExceeded(LocateError):
    """A request that missed its deadline."""

    status = LocateStatus.TIMEOUT

    def __init__(self, deadline: float, where: str) -> None:
        super().__init__(f"request timed out after {deadline:g} s while {where}")


class EndpointTimedOut(LocateError):
    """A model served elsewhere that missed the deadline of its manifest."""

    status = LocateStatus.TIMEOUT

    def __init__(self, reason: object) -> None:
        super().__init__(f"request timed out: {reason}")


class DetectorError(LocateError):
    """The model or its worker failed; not the same as an empty detection."""

    status = LocateStatus.DETECTOR_ERROR

    def __init__(self, reason: object) -> None:
        super().__init__(f"detector error: {reason}")


class WorkerUnavailable(DetectorError):
    """A worker that failed too often; no inference until the next restart."""

    def __init__(self, last_error: str, wait: float) -> None:
        restart = f"next restart in {max(wait, 0.0):.0f} s" if isfinite(wait) else "no further restart"
        super().__init__(
            f"the inference worker failed too often ({last_error}); {restart}; "
            "deactivate and activate the detector to retry now"
        )


class DetectorOutOfMemory(LocateError):
    """The model ran out of memory."""

    status = LocateStatus.OUT_OF_MEMORY

    def __init__(self, reason: object) -> None:
        super().__init__(f"out of memory: {reason}")
