"""The kit, as a user runs it, on detectors that are shipped."""

import subprocess
import sys
from pathlib import Path

PLUGIN = "openral_perception_ros.conformance.plugin"
ROOT = Path(__file__).parents[2]


def kit(detector: str, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", PLUGIN, "-p", "no:cacheprovider", "--rootdir", "/"]
    where = ["--pyargs", "openral_perception_ros.conformance", "--rskills", str(ROOT / "rskills")]
    return subprocess.run(
        [*command, *where, "--detector", detector, "--lives", "2", *options],
        capture_output=True,
        text=True,
        check=False,
        cwd="/",
    )


def test_a_shipped_detector_conforms_and_tells_its_memory() -> None:
    done = kit("sim-groundtruth-locator")
    assert done.returncode == 0, done.stdout
    assert "worker memory [MB]: [" in done.stdout


def test_a_detector_without_weights_does_not_conform_and_says_why(tmp_path: Path) -> None:
    done = kit("rtdetr-coco-r18", "-x", "--weights-dir", str(tmp_path))
    assert done.returncode == 1
    assert "openral weights fetch rtdetr-coco-r18" in done.stdout
