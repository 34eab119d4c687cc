"""The commands of `openral teach`, without PyTorch."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import Result
from typer.testing import CliRunner

from openral_training import environment
from openral_training.ros import cli
from openral_training.ros.cli import NoTeacher
from openral_training.teach.lesson import Lesson, NotALesson, NothingTaught


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli.commands, ["teach", *map(str, arguments)], catch_exceptions=False)


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    folder, rng = tmp_path / "photos", np.random.default_rng(0)
    folder.mkdir()
    for number in range(3):
        cv2.imwrite(str(folder / f"{number}.jpg"), rng.integers(0, 256, (48, 64, 3)).astype(np.uint8))
    content = {
        "images": [{"id": 1, "file_name": "1.jpg", "width": 64, "height": 48}],
        "categories": [{"id": 1, "name": "pot"}],
        "annotations": [{"image_id": 1, "category_id": 1, "bbox": [1, 2, 30, 20]}],
    }
    (tmp_path / "labels.json").write_text(json.dumps(content))
    return folder


def test_a_folder_becomes_a_reviewed_lesson(photos: Path, tmp_path: Path) -> None:
    lesson = tmp_path / "lesson"
    assert "2 frames" in run("collect", lesson, photos, "--limit", 2).output
    assert "3 frames" in run("collect", lesson, photos).output
    assert "1 boxes in 1 frames" in run("label", lesson, "--coco", tmp_path / "labels.json").output
    assert "page_01.jpg" in run("review", lesson).output
    asked = CliRunner().invoke(cli.commands, ["teach", "review", str(lesson), "--terminal"], input="a\n")
    assert "1 boxes, 0 without a verdict" in asked.output
    assert Lesson.read(lesson).accepted()[0].label == "pot"


def test_what_cannot_be_taught_is_refused_before_anything_starts(tmp_path: Path, photos: Path) -> None:
    with pytest.raises(NotALesson):
        run("fit", tmp_path / "none", "--init", "run", "--out", tmp_path / "my-home")
    begun = Lesson(tmp_path / "lesson").with_frame(np.zeros((48, 64, 3), np.uint8), "black")
    with pytest.raises(NothingTaught):
        run("fit", begun.folder, "--init", "run", "--out", tmp_path / "my-home")
    with pytest.raises(NoTeacher):
        run("label", begun.folder, "--names", "pot")


def test_fitting_hands_the_options_to_the_job_and_its_exit_code_back(
    tmp_path: Path, photos: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = list[tuple[str, dict[str, object]]]()

    def command(_environments: Path, job: str, options: str) -> list[str]:
        jobs.append((job, json.loads(options)))
        return []

    monkeypatch.setattr(environment, "job_command", command)
    monkeypatch.setattr(environment, "run", lambda _command: 130)
    lesson = tmp_path / "lesson"
    run("collect", lesson, photos)
    run("label", lesson, "--coco", tmp_path / "labels.json")
    result = run("fit", lesson, "--init", "eyes", "--out", tmp_path / "my-home", "--views", 9)
    assert result.exit_code == 130
    ((job, options),) = jobs
    assert (job, options["views"], options["replay"], options["lesson"]) == ("teach", 9, None, str(lesson))
