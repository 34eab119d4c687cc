"""A run from drawn shapes to a detector that conforms: killed, resumed, evaluated, exported, started."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from torch_environments import FOLDER, PACKAGES, PATIENCE, ROOT, TRAINING, in_environment, needs

from openral_core.rskills import DetectorManifest, load_manifest

Write = Callable[[Path, int, int], object]
pytestmark = [needs(TRAINING), pytest.mark.slow, pytest.mark.xdist_group("torch"), pytest.mark.timeout(300)]
RUN_PATIENCE = 240.0
RUNS = Path(__file__).with_name("torch_runs.py")
KILLED = {
    "views": 160,
    "architecture": "micro",
    "image_size": [96, 64],
    "window": [64, 64],
    "batch": 8,
    "full_batch": 4,
    "threads": 1,
    "evaluations": 2,
    "save_every": 0.0,
    "learning_rate": 0.01,
}
"""The options of `torch_runs.small`."""


def kill_once_saved(data: Path, out: Path) -> int:
    """Start a run as the command does, kill it once it has saved, and return its exit code."""
    paths = os.pathsep.join(str(ROOT / package) for package in PACKAGES)
    options = json.dumps({"data": str(data), "out": str(out), **KILLED})
    command = [str(FOLDER / TRAINING / "bin" / "python"), "-m", "openral_training", "detector", options]
    variables = {**os.environ, "PYTHONPATH": paths, "OMP_NUM_THREADS": "1"}
    process = subprocess.Popen(command, env=variables, stdout=subprocess.DEVNULL)
    limit = time.monotonic() + PATIENCE
    while not (out / "last.pt").exists() and process.poll() is None and time.monotonic() < limit:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    return process.wait(PATIENCE)


def without_class(folder: Path, number: int) -> None:
    """Remove the objects of one category, so that it is not learned."""
    content = json.loads((folder / "annotations.json").read_text())
    content["annotations"] = [each for each in content["annotations"] if each["category_id"] != number]
    (folder / "annotations.json").write_text(json.dumps(content))


@pytest.fixture(scope="module")
def resumed(tmp_path_factory: pytest.TempPathFactory, write_shapes: Write) -> dict[str, Any]:
    """Results of a killed run that went on, and of runs that were refused."""
    folder = tmp_path_factory.mktemp("resumed")
    for name, count in (("data", 24), ("more", 25), ("fewer", 24)):
        write_shapes(folder / name / "train", count, 0)
        write_shapes(folder / name / "val", 6, 1)
    without_class(folder / "fewer" / "train", 20)
    data, killed = folder / "data", folder / "killed"
    assert kill_once_saved(data, killed) == -signal.SIGKILL
    found: dict[str, Any] = json.loads(
        in_environment(
            str(RUNS), "resume", str(data), str(killed), str(folder), name=TRAINING, patience=RUN_PATIENCE
        )
    )
    return found


def test_a_killed_run_goes_on_to_the_weights_of_an_uninterrupted_one(resumed: dict[str, Any]) -> None:
    before, between, last = resumed["views"]
    assert 0 < before <= between <= last
    assert last >= KILLED["views"]
    assert resumed["complete"][1]
    assert resumed["said"][0] == f"going on after {before} views"
    assert resumed["same"], "the weights differ"
    assert not resumed["differs"], "the comparison cannot fail"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("exists", ("RunExists", "go on with --resume")),
        ("options", ("RunDiffers", "learning_rate was 0.01, is 0.02", "--init")),
        ("data", ("RunDiffers", "data was", "--new-data")),
        ("nothing", ("NothingToResume", "leave out --resume")),
        ("format", ("NotCoco", "no annotations of split 'train'")),
        ("architecture", ("OtherArchitecture", "'micro'", "'tiny'")),
        ("classes", ("ClassesDiffer", "missing 'disc'", "--new-classes")),
        ("damaged", ("NotACheckpoint", "last.pt")),
        ("diverged", ("Diverged", "not finite", "--learning-rate")),
    ],
)
def test_a_run_that_cannot_be_is_refused_in_words(
    resumed: dict[str, Any], name: str, words: tuple[str, ...]
) -> None:
    assert [word for word in words if word not in resumed[name]] == [], resumed[name]


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory, write_shapes: Write) -> tuple[Path, dict[str, Any]]:
    """Folder of an exported detector that has learned the shapes, and what its jobs returned."""
    folder = tmp_path_factory.mktemp("learned")
    for number, (split, count) in enumerate((("train", 48), ("val", 16), ("test", 16))):
        write_shapes(folder / "data" / split, count, number)
    found: dict[str, Any] = json.loads(
        in_environment(
            str(RUNS), "learn", str(folder / "data"), str(folder), name=TRAINING, patience=RUN_PATIENCE
        )
    )
    return folder / "rskills" / "shape-detector", found


def test_shapes_are_learned_and_judged_on_images_not_seen(learned: tuple[Path, dict[str, Any]]) -> None:
    found = learned[1]["evaluated"]
    assert found["ap50"] > 0.4
    assert found["images"] == 16
    assert {row["label"] for row in found["classes"]} == {"square", "disc"}
    assert sum(row["objects"] for row in found["sizes"]) == 32
    assert learned[1]["saved"]


def test_the_exported_file_gives_the_same_boxes(learned: tuple[Path, dict[str, Any]]) -> None:
    folder, found = learned
    assert found["split"] == "test"
    assert found["parity"]["boxes"] > 10
    assert found["parity"]["largest_difference"] < 0.001
    assert found["exported"]["ap50"] == pytest.approx(found["evaluated"]["ap50"], abs=0.03)
    manifest = load_manifest(folder / "rskill.yaml")
    assert isinstance(manifest, DetectorManifest)
    assert manifest.input_size == (96, 64)
    card = (folder / "MODEL_CARD.md").read_text()
    assert "| image views | 16" in card
    assert f"| AP50 | {found['exported']['ap50']:.3f} |" in card


def test_an_rskill_that_cannot_be_written_is_refused_in_words(learned: tuple[Path, dict[str, Any]]) -> None:
    assert "RskillNotWritten: cannot write the rSkill" in learned[1]["no_folder"]
    assert "InvalidName: rSkill id (the name of the folder) 'My Eyes'" in learned[1]["no_id"]


def test_a_lesson_adds_a_class_and_keeps_the_others(learned: tuple[Path, dict[str, Any]]) -> None:
    taught = learned[1]["taught"]
    assert taught["complete"] == [False, True]
    assert taught["went_on"]
    assert taught["runs"] == 1, "it went on with its run"
    assert taught["labels"] == ["square", "disc", "ring"]
    assert taught["report"] == ["kinds", "known_after", "known_before", "new"]
    assert taught["next"], "a taught rSkill can be taught again"


def test_the_exported_detector_conforms(learned: tuple[Path, dict[str, Any]]) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", "/"]
    options = ["--openral-detector", str(learned[0]), "--openral-load-cycles", "2"]
    quick = ["--openral-inference-timeout", "3", "-k", "test_detector"]
    done = subprocess.run(
        [*command, *options, *quick], capture_output=True, text=True, check=False, cwd="/", timeout=250
    )
    assert done.returncode == 0, done.stdout
