"""Proof of one detector: fetch, prepare, verify, and measure on photographs.

Every failure is part of the report, with its stage and type.
"""

import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import psutil

from openral_core.detectors import Detection
from openral_core.errors import OpenRALError
from openral_core.rskills import DetectorManifest, Vocabulary
from openral_perception_ros.engines import LoadOptions
from openral_perception_ros.engines.checkpoints import candidate_folders
from openral_perception_ros.engines.provenance import verify
from openral_perception_ros.engines.weights_record import WeightsRecord
from openral_perception_ros.weights.environments import prepare
from openral_perception_ros.weights.fetch import HERE, NOT_EXPORTED, Download, fetch, weights_status
from openral_ros.gpu import gpu_used_mb
from openral_testing.detectors.average_precision import Photograph, average_precisions
from openral_testing.detectors.detector_run import LoadedDetector, WorkerSetup
from openral_testing.weights_proof.reports import DetectorReport, failure_of

SCORE_FLOOR = 0.05
"""Least score for average precision [1]."""
WORDS_PER_PHOTOGRAPH = 3
"""Labels of a photograph that a locator is asked for [count]."""


@dataclass(frozen=True, slots=True)
class ProofPlan:
    """Detectors to prove, and what they are proved with."""

    detectors: Sequence[tuple[DetectorManifest, Path]]
    photographs: Sequence[Photograph]
    options: LoadOptions
    environments: Path
    download: Download
    accepted: tuple[str, ...]
    budget_mb: float
    heavy_mb: float
    by: str
    log: Callable[[str], object]

    def setup(self, manifest: DetectorManifest, folder: Path) -> WorkerSetup:
        """Return what the worker of a detector needs."""
        low = manifest.model_copy(update={"threshold": min(manifest.threshold, SCORE_FLOOR)})
        return WorkerSetup(low, folder, self.options, self.environments)


def prove_one(plan: ProofPlan, manifest: DetectorManifest, folder: Path) -> DetectorReport:
    """Prove one detector; a failure is part of the report."""
    uri = manifest.weights.uri if manifest.weights else ""
    facts: dict[str, object] = {"rskill": manifest.id, "engine": manifest.engine, "uri": uri}
    facts["declared_mb"] = manifest.memory_mb
    for stage, step in _STAGES.items():
        try:
            facts |= step(plan, manifest, folder)
        except (OpenRALError, OSError) as error:
            facts["failure"] = failure_of(stage, error)
            break
    return DetectorReport.model_validate(facts)


def _fetch(plan: ProofPlan, manifest: DetectorManifest, folder: Path) -> dict[str, object]:
    weights = manifest.weights
    state = weights_status(manifest, folder, plan.options.weights_folder).state
    if weights is not None and weights.remote and state not in (HERE, NOT_EXPORTED):
        fetch(manifest, plan.options.weights_folder, plan.accepted, plan.download)
    return {}


def _prepare(plan: ProofPlan, manifest: DetectorManifest, folder: Path) -> dict[str, object]:
    environment = manifest.environment
    interpreter = plan.environments / environment.name / "bin" / "python"
    if environment.requirements and not interpreter.exists():
        prepare(manifest, folder, plan.environments)
    if weights_status(manifest, folder, plan.options.weights_folder).state == NOT_EXPORTED:
        _export(plan, manifest, folder)
    return {}


class ExportRefused(OpenRALError):
    """An export that `openral weights export` could not make."""

    def __init__(self, rskill_id: str, output: str) -> None:
        super().__init__(f"{rskill_id!r} could not be exported to ONNX: {output[-500:].strip()}")


def _export(plan: ProofPlan, manifest: DetectorManifest, folder: Path) -> None:
    """Run `openral weights export`, which belongs to another package."""
    entry = "from openral_bringup.cli.main import main; main()"
    places = ["--rskills", str(folder.parent), "--environments", str(plan.environments)]
    places += ["--weights-dir", plan.options.weights_folder] if plan.options.weights_folder else []
    command = [sys.executable, "-c", entry, "weights", "export", manifest.id, *places]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        raise ExportRefused(manifest.id, ended.stderr or ended.stdout)


def _verify(plan: ProofPlan, manifest: DetectorManifest, folder: Path) -> dict[str, object]:
    for candidate in candidate_folders(manifest, folder, plan.options.weights_folder):
        if candidate.is_dir():
            verify(manifest, candidate)
            record = WeightsRecord.read(candidate)
            pins = manifest.weights.files if manifest.weights else {}
            return {
                "revision": record.revision if record else "",
                "files": record.files if record else dict(pins),
            }
    return {}


def _measure(plan: ProofPlan, manifest: DetectorManifest, folder: Path) -> dict[str, object]:
    with LoadedDetector.load(plan.setup(manifest, folder)) as loaded:
        detections, times = look(loaded, plan.photographs)
        active, pid = loaded.memory_mb, loaded.worker.pid
    labels = loaded.ready.labels or tuple({label for each in plan.photographs for label in each.boxes})
    precisions = average_precisions(plan.photographs, detections, labels)
    return {
        "load_time": loaded.load_time,
        "latency_median": statistics.median(times),
        "latency_90": float(np.percentile(times, 90)),
        "active_mb": active,
        "inactive_mb": process_mb(pid),
        "photographs": len(plan.photographs),
        "detections": sum(map(len, detections)),
        "ap50": float(np.mean(list(precisions.values()))) if precisions else None,
        "classes": precisions,
    }


Stage = Callable[[ProofPlan, DetectorManifest, Path], dict[str, object]]
_STAGES: Mapping[str, Stage] = {"fetch": _fetch, "prepare": _prepare, "verify": _verify, "measure": _measure}


def process_mb(pid: int) -> float:
    """Return the memory that a process still has on host and GPUs [MB]."""
    try:
        on_host = psutil.Process(pid).memory_info().rss / 1e6
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        on_host = 0.0
    return float(on_host + gpu_used_mb([pid]))


def look(
    loaded: LoadedDetector, photographs: Sequence[Photograph]
) -> tuple[list[list[Detection]], list[float]]:
    """Look at photographs and return the detections of each, and inference times [s].

    A detector that grounds words is asked for labels of the photograph: precision then tells how well it
    places what is there, not whether it invents what is not.
    """
    detections: list[list[Detection]] = []
    times = []
    for photograph in photographs:
        image = np.ascontiguousarray(np.asarray(cv2.imread(str(photograph.file)))[..., ::-1], np.uint8)
        reported: list[Detection] = []
        for terms in _queries(loaded.setup.manifest, photograph):
            reply = loaded.detect(image, terms)
            times.append(reply.inference_time)
            reported += reply.detections
        detections.append(reported)
    return detections, times


def _queries(manifest: DetectorManifest, photograph: Photograph) -> Iterator[tuple[str, ...] | None]:
    if manifest.vocabulary.kind is Vocabulary.CLOSED:
        yield None
        return
    yield from ((label,) for label in list(photograph.boxes)[:WORDS_PER_PHOTOGRAPH])
