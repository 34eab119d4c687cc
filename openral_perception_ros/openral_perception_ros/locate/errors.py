"""Why a look has no answer; each leaf is one status of LocateInView.

LookRefused
├── WrongDetector, UnknownCamera, BadQuery, NotInVocabulary    the caller can mend the request
├── NoFrame, StaleFrame, BlankFrame                            the camera
├── NotActive, StillLoading, LineFull, DeadlinePassed          this node, now
└── DetectorFailed (WorkerGivenUp), DetectorOutOfMemory        the model or its worker
"""

from collections.abc import Iterable
from math import isfinite
from typing import ClassVar

from openral_core.detectors import LocateStatus
from openral_core.errors import OpenRALError, format_choices


class LocateError(OpenRALError):
    """Base; `status` is what the caller is told."""

    status: ClassVar[LocateStatus]


class WrongDetector(LocateError):
    """A request meant for another detector."""

    status = LocateStatus.WRONG_DETECTOR

    def __init__(self, asked: str, own: Iterable[str]) -> None:
        super().__init__(f"this is not detector {asked!r}: it answers to {format_choices(own)}")


class UnknownDetectorCamera(LocateError):
    """A camera this detector does not see through."""

    status = LocateStatus.UNKNOWN_CAMERA

    def __init__(self, asked: str, known: Iterable[str]) -> None:
        super().__init__(f"unknown camera {asked!r}: known are {format_choices(known)}")


class BadQuery(LocateError):
    """Words that cannot be asked for."""

    status = LocateStatus.BAD_QUERY

    def __init__(self, problem: str) -> None:
        super().__init__(f"bad query: {problem}")


class NotInVocabulary(LocateError):
    """Words a closed vocabulary does not hold: says nothing about what is in view."""

    status = LocateStatus.NOT_IN_VOCABULARY

    def __init__(self, asked: Iterable[str], broader: Iterable[str]) -> None:
        near = tuple(broader)
        hint = f"; it knows the broader {format_choices(near)}" if near else ""
        super().__init__(f"this detector cannot name {format_choices(asked)}{hint}")


class NoFrameAvailable(LocateError):
    """A camera that has not delivered."""

    status = LocateStatus.NO_FRAME

    def __init__(self, camera: str, missing: Iterable[str]) -> None:
        super().__init__(f"no frame of camera {camera!r} yet: nothing received on {format_choices(missing)}")


class StaleFrame(LocateError):
    """A camera that stopped delivering."""

    status = LocateStatus.STALE_FRAME

    def __init__(self, camera: str, age: float, limit: float) -> None:
        super().__init__(f"the newest frame of camera {camera!r} is {age:.1f} s old: allowed are {limit:g} s")


class BlankFrame(LocateError):
    """A camera that delivers, but shows nothing: no evidence of absence."""

    status = LocateStatus.NO_FRAME

    def __init__(self, camera: str) -> None:
        super().__init__(
            f"no usable frame of camera {camera!r}: the newest is all of one colour, or black; "
            "is the lens covered, the room dark or the camera broken?"
        )


class NotActive(LocateError):
    """A node that holds no model."""

    status = LocateStatus.INACTIVE

    def __init__(self, rskill_id: str) -> None:
        super().__init__(f"detector {rskill_id!r} is inactive: activate it first")


class ModelLoading(LocateError):
    """A worker that is not ready yet."""

    status = LocateStatus.LOADING

    def __init__(self, rskill_id: str, reason: str) -> None:
        super().__init__(f"detector {rskill_id!r} is loading its model ({reason}): ask again shortly")


class QueueFull(LocateError):
    """More requests than the node keeps waiting."""

    status = LocateStatus.BUSY

    def __init__(self, capacity: int) -> None:
        super().__init__(f"{capacity} looks are waiting already: ask again when some are answered")


class DeadlineExceeded(LocateError):
    """A request whose time ran out."""

    status = LocateStatus.TIMEOUT

    def __init__(self, deadline: float, where: str) -> None:
        super().__init__(f"no answer within the request's {deadline:g} s: it was {where}")


class DetectorFailed(LocateError):
    """The model or its worker broke: not the same as seeing nothing."""

    status = LocateStatus.DETECTOR_ERROR

    def __init__(self, reason: object) -> None:
        super().__init__(f"detector error: {reason}")


class WorkerUnavailable(DetectorFailed):
    """A worker that was lost too often: the detector is blind for a while."""

    def __init__(self, last_error: str, wait: float) -> None:
        again = f"tried again in {max(wait, 0.0):.0f} s" if isfinite(wait) else "not tried again"
        super().__init__(
            f"its worker was lost too often ({last_error}) and is {again}; "
            "to deactivate and activate the detector tries it now"
        )


class DetectorOutOfMemory(LocateError):
    """The model ran out of memory."""

    status = LocateStatus.OUT_OF_MEMORY

    def __init__(self, reason: object) -> None:
        super().__init__(f"out of memory: {reason}")
