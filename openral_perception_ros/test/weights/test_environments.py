"""Python environments of engines: a real one, filled from a wheel made on the spot; nothing is downloaded."""

import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from openral_core.rskills import DetectorManifest
from openral_perception_ros.weights.environments import (
    EngineNotImportable,
    EnvironmentNotMade,
    InstallationFailed,
    NoEnvironmentNeeded,
    prepare,
)

RSKILLS = Path(__file__).parents[3] / "rskills"
NAME = "own"
IMPORTED = """
import sys
before = set(sys.modules)
import openral_perception_ros.inference.worker
new = {name.partition(".")[0] for name in set(sys.modules) - before}
sys.stdout.write(" ".join(new - sys.stdlib_module_names))
"""
PACKAGES = {"yaml": "pyyaml", "cv2": "opencv-python-headless", "PIL": "pillow"}
"""Of modules that are not called like their package."""
BEHIND = {"annotated_types", "pydantic_core", "typing_extensions", "typing_inspection", "cython_runtime"}
"""What packages bring along."""


def wheel(folder: Path, version: str) -> None:
    """A package that has this environment's own libraries in sight, as an engine's would be installed."""
    folder.mkdir(exist_ok=True)
    info = f"door_words-{version}.dist-info"
    with zipfile.ZipFile(folder / f"door_words-{version}-py3-none-any.whl", "w") as file:
        file.writestr("door_words.py", f"VERSION = {version!r}\n")
        file.writestr("door_words.pth", sysconfig.get_paths()["purelib"] + "\n")
        file.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: door-words\nVersion: {version}\n")
        file.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        names = [*file.namelist(), f"{info}/RECORD"]
        file.writestr(f"{info}/RECORD", "".join(f"{name},,\n" for name in names))


def require(folder: Path, *lines: str) -> None:
    local = ["--no-index", f"--find-links {folder / 'wheels'}"]
    (folder / "requirements.txt").write_text("\n".join([*local, *lines]) + "\n")


def version_in(interpreter: Path) -> str:
    command = [str(interpreter), "-c", "import door_words; print(door_words.VERSION)"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture
def own(manifest: DetectorManifest) -> DetectorManifest:
    environment = {"name": NAME, "requirements": "requirements.txt"}
    return DetectorManifest.model_validate({**manifest.model_dump(), "environment": environment})


@pytest.mark.slow
def test_an_environment_is_made_kept_and_brought_up_to_date(tmp_path: Path, own: DetectorManifest) -> None:
    for version in ("1.0", "2.0"):
        wheel(tmp_path / "wheels", version)
    require(tmp_path, "door-words==1.0")
    interpreter = prepare(own, tmp_path, tmp_path / "environments")
    assert interpreter == tmp_path / "environments" / NAME / "bin" / "python"
    assert version_in(interpreter) == "1.0"
    made = interpreter.lstat().st_mtime_ns
    assert prepare(own, tmp_path, tmp_path / "environments") == interpreter
    require(tmp_path, "door-words==2.0")
    prepare(own, tmp_path, tmp_path / "environments")
    assert version_in(interpreter) == "2.0"
    assert interpreter.lstat().st_mtime_ns == made
    require(tmp_path, "door-words==3.0")
    with pytest.raises(InstallationFailed, match="exit code 1"):
        prepare(own, tmp_path, tmp_path / "environments")
    assert version_in(interpreter) == "2.0"


def test_one_that_broke_off_is_completed_and_one_that_cannot_run_its_engine_says_so(
    tmp_path: Path, own: DetectorManifest, capfd: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "environments" / NAME / "bin"
    home.mkdir(parents=True)
    (home / "python").symlink_to(sys.executable)
    require(tmp_path)
    with pytest.raises(EngineNotImportable, match=own.engine):
        prepare(own, tmp_path, tmp_path / "environments")
    assert (home / "pip").exists()
    assert "No module named" in capfd.readouterr().err


def test_a_folder_that_cannot_be_made_and_a_detector_that_needs_none_are_said(
    tmp_path: Path, own: DetectorManifest, manifest: DetectorManifest
) -> None:
    (tmp_path / "taken").write_text("")
    with pytest.raises(EnvironmentNotMade, match="python3-venv"):
        prepare(own, tmp_path, tmp_path / "taken")
    with pytest.raises(NoEnvironmentNeeded, match=manifest.id):
        prepare(manifest, tmp_path, tmp_path / "environments")


@pytest.mark.parametrize(
    "file", sorted(RSKILLS.glob("*/requirements.txt")), ids=lambda file: file.parent.name
)
def test_a_worker_imports_nothing_its_requirements_do_not_name(file: Path) -> None:
    done = subprocess.run([sys.executable, "-c", IMPORTED], capture_output=True, text=True, check=True)
    named = {line.partition("==")[0] for line in file.read_text().splitlines()}
    ours = {name for name in done.stdout.split() if not name.startswith(("openral_", "_"))} - BEHIND
    assert {PACKAGES.get(name, name) for name in ours} <= named
