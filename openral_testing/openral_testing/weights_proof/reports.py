"""Contents of the file that a proof writes."""

from collections.abc import Mapping

from openral_core.documents import Document
from openral_perception_ros.inference.errors import ModelNotLoaded


class StageFailure(Document):
    """Failed stage, the type of the error, and its message, which says what to do."""

    stage: str
    kind: str
    message: str


class DetectorReport(Document):
    """Measurements of one detector; times in [s], memory of host and GPU in [MB]."""

    rskill: str
    engine: str
    uri: str = ""
    revision: str = ""
    files: Mapping[str, str] = {}
    failure: StageFailure | None = None
    load_time: float | None = None
    latency_median: float | None = None
    latency_90: float | None = None
    declared_mb: float = 0.0
    active_mb: float | None = None
    inactive_mb: float | None = None
    photographs: int = 0
    detections: int = 0
    ap50: float | None = None
    classes: Mapping[str, float] = {}


class TogetherReport(Document):
    """All detectors under one budget, beside a stand-in for a heavy skill; memory in [MB].

    ``resident`` stayed loaded together; ``swapped`` were loaded one by one in the place of other locators.
    """

    budget_mb: float
    heavy_mb: float
    resident: tuple[str, ...] = ()
    swapped: tuple[str, ...] = ()
    peak_mb: float = 0.0
    failures: Mapping[str, StageFailure] = {}


class ProofReport(Document):
    """The file that can be sent in."""

    date: str
    by: str
    machine: Mapping[str, str | float]
    device: str
    detectors: tuple[DetectorReport, ...] = ()
    together: TogetherReport | None = None

    @property
    def passed(self) -> bool:
        """True if every detector passed, alone and together with the others."""
        alone = all(each.failure is None for each in self.detectors)
        return alone and self.together is not None and not self.together.failures


def outcome_of(result: DetectorReport) -> str:
    """Say how a proof ended, in one line."""
    if result.failure is not None:
        return f"FAILED at {result.failure.stage}, {result.failure.kind}: {result.failure.message}"
    precision = "" if result.ap50 is None else f", AP50 {result.ap50:.2f}"
    memory = f"{result.active_mb:.0f} MB, {result.inactive_mb:.0f} MB after deactivate"
    return f"ok{precision}, {result.latency_median:.3f} s an image, {memory}"


def failure_of(stage: str, error: Exception) -> StageFailure:
    """Describe an error; that of a worker has the kind which its engine reports."""
    kind = error.kind.value if isinstance(error, ModelNotLoaded) else type(error).__name__
    return StageFailure(stage=stage, kind=kind, message=str(error)[:1000])
