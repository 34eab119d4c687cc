"""Errors of engines; each kind reaches the node as a typed reply.

EngineError
├── MissingWeights      activation fails, naming the command to run
├── WeightsRefused      weights that do not match the manifest's pins or have no record
├── WeightsUnreadable   a file that is no model of this library: a pointer, a web page, a newer format
├── MissingPackage      the worker's Python environment lacks a library
├── RemoteCodeRefused   a checkpoint with its own code, without the user's consent or a pinned revision
├── OutOfMemory         host or GPU
├── EmptyQuery          an open vocabulary without a term
├── MissingImagePlane   the frame lacks an image the engine needs
├── LabelMismatch       vocabulary and model disagree on the number of classes
├── RemoteUnavailable, RemoteTimedOut, RemoteRefused, CircuitOpen, InvalidEndpoint    see `remote`
└── BadDetections       NaN boxes, scores outside [0, 1]
"""

from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import ClassVar

from openral_core.errors import OpenRALError, format_choices
from openral_core.rskills import DetectorManifest


class FailureKind(StrEnum):
    """Conditions a worker reports in a `EngineFailed` reply."""

    MISSING_WEIGHTS = "missing_weights"
    MISSING_PACKAGE = "missing_package"
    OUT_OF_MEMORY = "out_of_memory"
    MISSING_PLANE = "missing_plane"
    BAD_DETECTIONS = "bad_detections"
    TIMEOUT = "timeout"
    ENGINE_ERROR = "engine_error"


class EngineError(OpenRALError):
    """Base of the errors that engines raise."""

    kind: ClassVar[FailureKind] = FailureKind.ENGINE_ERROR


def remedy(manifest: DetectorManifest, command: str = "fetch", needed: Iterable[str] = ()) -> str:
    """Return what to do about weights that are missing or refused; some come from no server."""
    if manifest.weights is not None and not manifest.weights.remote:
        return f"copy {' and '.join(needed) or 'its files'} there, for its manifest fetches none"
    return f"run `openral weights {command} {manifest.id}`"


class MissingWeights(EngineError):
    """Weights that are not on this machine; ``command`` brings them, unless they lie beside the manifest."""

    kind = FailureKind.MISSING_WEIGHTS

    def __init__(
        self,
        manifest: DetectorManifest,
        searched: Iterable[Path],
        command: str = "fetch",
        needed: Iterable[str] = (),
    ) -> None:
        super().__init__(
            f"no weights of {manifest.id!r} on this machine (searched {format_choices(searched)}): "
            f"{remedy(manifest, command, needed)}"
        )


class WeightsUnreadable(EngineError):
    """A file of weights that cannot be read as such."""

    kind = FailureKind.MISSING_WEIGHTS

    def __init__(self, file: Path, problem: str) -> None:
        super().__init__(f"{file}: {problem}")


class WeightsRefused(EngineError):
    """Weights that cannot be verified against the manifest; nothing is loaded."""

    kind = FailureKind.MISSING_WEIGHTS

    def __init__(self, manifest: DetectorManifest, folder: Path, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__(
            f"the weights of {manifest.id!r} in {folder} failed verification: {'; '.join(self.problems)}: "
            f"{remedy(manifest)}"
        )


class MissingPackage(EngineError):
    """A library missing from the engine's environment."""

    kind = FailureKind.MISSING_PACKAGE

    def __init__(self, engine: str, package: str, interpreter: str) -> None:
        super().__init__(
            f"engine {engine!r} needs the package {package!r}, which is not installed for {interpreter}"
        )


class OutOfMemory(EngineError):
    """Host or device memory exhausted."""

    kind = FailureKind.OUT_OF_MEMORY

    def __init__(self, during: str, detail: str) -> None:
        super().__init__(f"out of memory during {during}: {detail}")


class MissingImagePlane(EngineError):
    """A frame that lacks a plane the engine needs."""

    kind = FailureKind.MISSING_PLANE

    def __init__(self, sensor: str, planes: Iterable[str]) -> None:
        super().__init__(f"frame has no {sensor!r} plane: it has {format_choices(planes)}")


class BadDetections(EngineError):
    """Invalid model output; the model is faulty, which is not the same as an empty detection."""

    kind = FailureKind.BAD_DETECTIONS

    def __init__(self, what: str, value: object) -> None:
        super().__init__(f"the model returned {what}: {value}")


class LabelMismatch(EngineError):
    """A vocabulary that does not fit the model's classes."""

    def __init__(self, classes: int, vocabulary: str) -> None:
        super().__init__(f"the model has {classes} classes, but the vocabulary {vocabulary}")


class EmptyQuery(EngineError):
    """A request without terms to an open-vocabulary engine."""

    def __init__(self, rskill_id: str) -> None:
        super().__init__(f"{rskill_id!r} has no vocabulary of its own: give at least one term")


class RemoteCodeRefused(EngineError):
    """Code shipped with weights that is not allowed to run: it needs consent and a pinned revision."""

    def __init__(self, rskill_id: str, allowed: bool) -> None:
        missing = "its manifest pins no revision" if allowed else "the parameter remote_code is false"
        super().__init__(f"the checkpoint of {rskill_id!r} ships its own code, which may not run: {missing}")
