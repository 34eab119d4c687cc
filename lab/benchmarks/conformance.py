"""The conformance kit on shipped detectors whose weights are of the hub or served: passed, failed, skipped.

Each runs from its own manifest in its own environment (`openral weights prepare`), with a small checkpoint of
its architecture, or against a local server of its protocol. `CHANGES` has what differs from the manifest.
DETECTORS in the environment names some of them.
"""

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import yaml

from openral_core.rskills import Registry
from openral_perception_ros.detector import load_detector
from openral_perception_ros.inference.worker_command import package_roots

LONG = True
ROOT = Path(__file__).parents[2]
ENVIRONMENTS = Path(os.environ.get("OPENRAL_ENVIRONMENTS", ROOT / ".environments"))
CYCLES = "3"
"""Loads and unloads of each detector [count]."""
HANG = "10"
"""Duration from which an inference hangs [s]."""
CHECKPOINTS: Mapping[str, tuple[str, int]] = {
    "rtdetr-v2-r50vd": ("rtdetr_v2", 80),
    "rfdetr-small": ("rf_detr", 91),
    "dfine-nano": ("d_fine", 80),
    "omdet-turbo-locator": ("omdet_turbo", 0),
    "llmdet-tiny-locator": ("mm_grounding_dino", 0),
    "mm-grounding-dino-tiny": ("mm_grounding_dino", 0),
    "qwen3-vl-2b-locator": ("qwen3_vl", 0),
}
"""Architecture and classes of the small checkpoints."""
SERVERS: Mapping[str, str] = {"rtdetr-coco-kserve": "kserve_server", "qwen3-vl-2b-endpoint": "vision_server"}
CHANGES: Mapping[str, Mapping[str, object]] = {
    "rtdetr-coco-kserve": {
        "input_size": [64, 48],
        "vocabulary": {"kind": "closed", "labels": ["cup", "jar"]},
        "options": {"model": "detr"},
    },
    "qwen3-vl-2b-endpoint": {"options": {"model": "marks", "answer_format": "json_thousandths"}},
}
_COUNTS = re.compile(r"(\d+) (passed|failed|skipped|error)")
Row = dict[str, object]


def run() -> list[Row]:
    """One row per detector."""
    detectors = os.environ.get("DETECTORS", "").split() or [*CHECKPOINTS, *SERVERS]
    with TemporaryDirectory() as base:
        return [row_of(name, Path(base) / name) for name in detectors]


def row_of(name: str, folder: Path) -> Row:
    """Prepare one detector and run the kit on it."""
    manifest = Registry.load([ROOT / "rskills"]).detector(name)
    python = ENVIRONMENTS / manifest.environment.name / "bin" / "python"
    if manifest.environment.requirements and not python.exists():
        return {"detector": name, "skipped": f"no {python}: run `openral weights prepare {name}`"}
    content = manifest.model_dump(mode="json") | dict(CHANGES.get(name, {}))
    if name in CHECKPOINTS:
        architecture, classes = CHECKPOINTS[name]
        _write_checkpoint(python, folder, architecture, classes)
        content |= {"weights": {"uri": "file://weights"}}
        if manifest.vocabulary.file:
            labels = load_detector(name, [ROOT / "rskills"], ("head",), is_default=False).labels
            content["vocabulary"] = {"kind": "closed", "labels": list(labels)}
        return {"detector": name, **_kit(folder, content)}
    interpreter = python if manifest.environment.requirements else Path(sys.executable)
    with _served(interpreter, SERVERS[name]) as address:
        content["options"] = {**dict(content["options"]), "endpoint": address}
        return {"detector": name, **_kit(folder, content)}


def _write_checkpoint(python: Path, folder: Path, architecture: str, classes: int) -> None:
    module = "openral_testing.detectors.tiny_checkpoints"
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join(package_roots(module)), "HF_HUB_OFFLINE": "1"}
    command = [str(python), "-m", module, str(folder), architecture, "--classes", str(classes or 1)]
    subprocess.run(command, env=variables, check=True, capture_output=True)
    (folder / architecture / "weights").rename(folder / "weights")


@contextmanager
def _served(python: Path, server: str) -> Iterator[str]:
    module = f"openral_testing.detectors.{server}"
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join(package_roots(module))}
    process = subprocess.Popen([str(python), "-m", module], env=variables, stdout=subprocess.PIPE, text=True)
    try:
        printed = process.stdout.readline().strip() if process.stdout else ""
        yield f"grpc://127.0.0.1:{printed}" if printed.isdecimal() else printed
    finally:
        process.kill()
        process.communicate()


def _kit(folder: Path, content: dict[str, object]) -> Row:
    folder.mkdir(exist_ok=True)
    (folder / "rskill.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
    where = ["--openral-detector", str(folder), "--openral-environments", str(ENVIRONMENTS.absolute())]
    bounds = ["--openral-load-cycles", CYCLES, "--openral-inference-timeout", HANG]
    pytest = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", "/"]
    began = time.monotonic()
    kit = subprocess.run([*pytest, *where, *bounds], capture_output=True, text=True, check=False, cwd="/")
    counts = {kind: int(number) for number, kind in _COUNTS.findall(kit.stdout.rstrip().rpartition("\n")[2])}
    failures = [line for line in kit.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return {
        "passed": counts.get("passed", 0),
        "failed": counts.get("failed", 0) + counts.get("error", 0),
        "skipped tests": counts.get("skipped", 0),
        "seconds": round(time.monotonic() - began, 1),
        "failures": "; ".join(failures)[:400],
    }
