"""How an engine fails; each kind crosses to the node as a typed answer.

EngineError
├── MissingWeights      activate ends in FAILURE, naming the command to run
├── WeightsRefused      weights that are not those the manifest pins, or of which nothing is recorded
├── MissingPackage      the worker's Python environment lacks a library
├── RemoteCodeRefused   a checkpoint that brings its own code, without the user's word or a pinned revision
├── OutOfMemory         host or GPU
├── NothingAsked        an open vocabulary without a term
├── MissingPlane        the frame lacks an image the engine needs
├── LabelsDiffer        vocabulary and model do not fit each other
└── BadDetections       NaN boxes, scores outside [0, 1]
"""

from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import ClassVar

from openral_core.errors import OpenRALError, format_choices


class FailureKind(StrEnum):
    """Conditions a worker reports instead of an answer."""

    MISSING_WEIGHTS = "missing_weights"
    MISSING_PACKAGE = "missing_package"
    OUT_OF_MEMORY = "out_of_memory"
    MISSING_PLANE = "missing_plane"
    BAD_DETECTIONS = "bad_detections"
    ENGINE_ERROR = "engine_error"


class EngineError(OpenRALError):
    """Base of what engines raise on purpose."""

    kind: ClassVar[FailureKind] = FailureKind.ENGINE_ERROR


class MissingWeights(EngineError):
    """Weight files that are not on this machine."""

    kind = FailureKind.MISSING_WEIGHTS

    def __init__(self, rskill_id: str, looked_at: Iterable[Path], command: str = "fetch") -> None:
        super().__init__(
            f"no weights of {rskill_id!r} on this machine (looked at {format_choices(looked_at)}): "
            f"run `openral weights {command} {rskill_id}`"
        )


class WeightsRefused(EngineError):
    """Files that are not known to be the ones a manifest means; nothing of them is loaded."""

    kind = FailureKind.MISSING_WEIGHTS

    def __init__(self, rskill_id: str, folder: Path, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__(
            f"the weights of {rskill_id!r} in {folder} are not loaded: {'; '.join(self.problems)}: "
            f"run `openral weights fetch {rskill_id}`"
        )


class MissingPackage(EngineError):
    """A library the engine needs and its environment lacks."""

    kind = FailureKind.MISSING_PACKAGE

    def __init__(self, engine: str, package: str, interpreter: str) -> None:
        super().__init__(f"engine {engine!r} needs the package {package!r}, which {interpreter} lacks")


class OutOfMemory(EngineError):
    """Host or device memory exhausted."""

    kind = FailureKind.OUT_OF_MEMORY

    def __init__(self, during: str, detail: str) -> None:
        super().__init__(f"out of memory during {during}: {detail}")


class MissingImagePlane(EngineError):
    """A frame without an image the engine needs."""

    kind = FailureKind.MISSING_PLANE

    def __init__(self, sensor: str, found: Iterable[str]) -> None:
        super().__init__(f"frame has no {sensor!r} plane: it has {format_choices(found)}")


class BadDetections(EngineError):
    """Output no image can hold: the model is broken, which is not the same as seeing nothing."""

    kind = FailureKind.BAD_DETECTIONS

    def __init__(self, what: str, found: object) -> None:
        super().__init__(f"the model returned {what}: {found}")


class LabelMismatch(EngineError):
    """A vocabulary of another length than the model's classes: every name would be wrong."""

    def __init__(self, classes: int, labels: int) -> None:
        super().__init__(
            f"the model has {classes} classes, its vocabulary {labels} labels: they must be as many"
        )


class EmptyQuery(EngineError):
    """An open vocabulary without a question."""

    def __init__(self, rskill_id: str) -> None:
        super().__init__(f"{rskill_id!r} has no words of its own: it needs at least one term")


class RemoteCodeRefused(EngineError):
    """Code that comes with weights runs only if the user allows it and its revision is pinned."""

    def __init__(self, rskill_id: str, allowed: bool) -> None:
        missing = "its manifest pins no revision" if allowed else "the parameter remote_code is false"
        super().__init__(f"the checkpoint of {rskill_id!r} brings its own code, which is not run: {missing}")
