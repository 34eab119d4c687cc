"""Proof of all detectors together: under one memory budget, beside a stand-in for a heavy skill."""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from openral_core.errors import OpenRALError
from openral_core.rskills import DetectorManifest, Mode
from openral_testing.detectors.detector_run import LoadedDetector
from openral_testing.weights_proof.reports import StageFailure, TogetherReport, failure_of
from openral_testing.weights_proof.single import ProofPlan, look

HEAVY = "import sys, time; block = b'x' * (int(sys.argv[1]) * 1_000_000)"
"""Program of the stand-in on the host: a process that holds so many MB."""
HEAVY_GPU = (
    "import sys, time, torch; block = torch.ones(int(sys.argv[1]) * 1_000_000, dtype=torch.uint8, "
    "device=sys.argv[2])"
)
"""The same on a GPU, by PyTorch of a detector's environment."""
WAIT = "; print('ready', flush=True); time.sleep(1e6)"


class TooLittleMemory(OpenRALError):
    """A detector that takes more memory than the budget leaves."""

    def __init__(self, rskill_id: str, measured: float, remaining: float) -> None:
        super().__init__(
            f"{rskill_id!r} takes {measured:.0f} MB, and the budget has {remaining:.0f} MB left: raise "
            "--gpu-budget-mb, lower --heavy-mb, or prove fewer detectors together"
        )


class HeavySkillFailed(OpenRALError):
    """A stand-in for a heavy skill that could not get its memory."""

    def __init__(self, wanted_mb: float, device: str) -> None:
        super().__init__(f"no {wanted_mb:.0f} MB on {device} for a heavy skill: lower --heavy-mb")


class ResidentDetectors:
    """Detectors that are loaded at once; the last one makes way first."""

    def __init__(self, plan: ProofPlan, scope: ExitStack) -> None:
        self._plan, self._scope = plan, scope
        self._limit = plan.budget_mb - plan.heavy_mb
        self._loaded: dict[str, tuple[LoadedDetector, ExitStack]] = {}
        self.peak_mb = plan.heavy_mb
        self.swapped: list[str] = []

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids of the loaded detectors."""
        return tuple(self._loaded)

    @property
    def memory_mb(self) -> float:
        """Memory of all of them on the device [MB]."""
        return sum(loaded.device_mb for loaded, _ in self._loaded.values())

    def add(self, manifest: DetectorManifest, folder: Path) -> None:
        """Load a detector, in the place of others if the budget does not hold it, and look once.

        Raises:
            TooLittleMemory: If it does not fit alone; other errors as in `LoadedDetector.load`.
        """
        while self._loaded and self.memory_mb + manifest.memory_mb > self._limit:
            self._loaded.popitem()[1][1].close()
            self.swapped += [manifest.id] if manifest.id not in self.swapped else []
        own = self._scope.enter_context(ExitStack())
        loaded = own.enter_context(LoadedDetector.load(self._plan.setup(manifest, folder)))
        look(loaded, self._plan.photographs[:1])
        if (memory := loaded.device_mb) > self._limit:
            own.close()
            raise TooLittleMemory(manifest.id, memory, self._limit)
        self._loaded[manifest.id] = loaded, own
        self.peak_mb = max(self.peak_mb, self.memory_mb + self._plan.heavy_mb)


def prove_together(plan: ProofPlan, detectors: Sequence[tuple[DetectorManifest, Path]]) -> TogetherReport:
    """Load what the budget holds at once, continuous detectors first, then the others in their place."""
    failures: dict[str, StageFailure] = {}
    with ExitStack() as scope:
        resident = ResidentDetectors(plan, scope)
        try:
            scope.enter_context(heavy_skill(plan, detectors[0][0]))
        except OpenRALError as error:
            failures["heavy skill"] = failure_of("together", error)
        for manifest, folder in sorted(detectors, key=lambda each: each[0].mode is Mode.ON_DEMAND):
            try:
                resident.add(manifest, folder)
            except OpenRALError as error:
                failures[manifest.id] = failure_of("together", error)
        return TogetherReport(
            budget_mb=plan.budget_mb,
            heavy_mb=plan.heavy_mb,
            resident=resident.ids,
            swapped=tuple(resident.swapped),
            peak_mb=resident.peak_mb,
            failures=failures,
        )


@contextmanager
def heavy_skill(plan: ProofPlan, manifest: DetectorManifest) -> Iterator[None]:
    """Hold the memory of a heavy skill in a process of its own, on the device of the detectors."""
    on_host = plan.options.device == "cpu"
    interpreter = plan.environments / manifest.environment.name / "bin" / "python"
    python = str(interpreter) if interpreter.exists() and not on_host else sys.executable
    command = [
        python,
        "-c",
        (HEAVY if on_host else HEAVY_GPU) + WAIT,
        str(int(plan.heavy_mb)),
        plan.options.device,
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            if process.stdout is None or process.stdout.readline().strip() != "ready":
                raise HeavySkillFailed(plan.heavy_mb, plan.options.device)
            yield
        finally:
            process.kill()
