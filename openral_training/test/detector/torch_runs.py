"""Runs of trainings in the environment that has PyTorch, for `test_jobs.py`; prints one JSON object.

``python torch_runs.py resume DATA KILLED FOLDER``; ``python torch_runs.py learn DATA FOLDER``
"""

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from itertools import count
from pathlib import Path

import cv2
import torch

from openral_core.errors import OpenRALError
from openral_training.detector.checkpoints import Checkpoint, read_checkpoint
from openral_training.detector.coco import read_split
from openral_training.detector.jobs import evaluate_run, export_run, train
from openral_training.detector.options import (
    EvaluationOptions,
    ExportOptions,
    TeachingOptions,
    TrainingOptions,
    stored_options,
)
from openral_training.detector.rskill_folder import check_id, write_rskill
from openral_training.teach.job import teach
from openral_training.teach.lesson import Lesson, TaughtBox

VIEWS = 160


def small(data: Path, out: Path, **changes: object) -> TrainingOptions:
    """The smallest network on windows of 64x64."""
    options = {
        "data": data,
        "out": out,
        "views": VIEWS,
        "architecture": "micro",
        "image_size": (96, 64),
        "window": (64, 64),
        "batch": 8,
        "full_batch": 4,
        "threads": 1,
        "evaluations": 2,
        "save_every": 0.0,
        "learning_rate": 0.01,
    }
    return TrainingOptions.model_validate({**options, **changes})


def never() -> bool:
    return False


def after(batches: int) -> Callable[[], bool]:
    """Return a function that is True when it is called for the given time."""
    calls: Iterator[int] = count(1)
    return lambda: next(calls) > batches


def same(first: Checkpoint, second: Checkpoint) -> bool:
    assert first.training is not None
    assert second.training is not None
    pairs = [(first.weights[name], second.weights[name]) for name in first.weights]
    pairs += [(first.training["network"][name], second.training["network"][name]) for name in first.weights]
    return all(torch.equal(a, b) for a, b in pairs)


def resume(data: Path, killed: Path, folder: Path) -> dict[str, object]:
    """Finish a killed run in two parts, and compare it with an uninterrupted one."""
    lines: list[str] = []
    again = small(data, killed, resume=True)
    before = read_checkpoint(killed / "last.pt").facts["views"]
    stopped = train(again, lines.append, after(3))
    between = read_checkpoint(killed / "last.pt").facts["views"]
    complete = train(again, lines.append, never)
    train(small(data, folder / "whole"), lines.append, never)
    first, second = (read_checkpoint(each / "last.pt") for each in (killed, folder / "whole"))
    other = small(data, folder / "other", views=8, init=killed)
    train(other, lines.append, never)
    return {
        "views": [before, between, first.facts["views"]],
        "complete": [stopped, complete],
        "same": same(first, second),
        "differs": same(first, read_checkpoint(other.out / "last.pt")),
        "said": [line for line in lines if line.startswith(("going on", "stopped"))],
        "stored": stored_options(killed)["views"],
        **refusals(data, killed, folder),
    }


def taught(data: Path, known: Path, folder: Path) -> dict[str, object]:
    """Teach a third class, stopped once and gone on with, to a run that knows two."""
    lesson = Lesson(folder / "lesson")
    for image in read_split(data, "train").images[:12]:
        lesson = lesson.with_frame(cv2.imread(str(image.file)), str(image.file))
        box = dict(zip(("x", "y"), image.objects.boxes[0, :2].tolist(), strict=True))
        lesson = lesson.with_boxes(
            [TaughtBox(frame=lesson.frames[-1].file, label="ring", width=20, height=20, **box)]
        )
    lesson.save()
    out, lines = folder / "taught" / "my-home", list[str]()
    options = TeachingOptions(lesson=lesson.folder, init=known, out=out, replay=data, views=48, threads=1)
    stopped = teach(options, lines.append, after(2))
    complete = teach(options, lines.append, never)
    report = json.loads((lesson.folder / "report.json").read_text())
    again = TeachingOptions(lesson=lesson.folder, init=out, out=out, views=8, threads=1)
    return {
        "complete": [stopped, complete],
        "went_on": any(line.startswith("going on after") for line in lines),
        "labels": read_checkpoint(out).labels,
        "report": sorted(report),
        "runs": len(list((lesson.folder / "runs").iterdir())),
        "next": teach(again, lines.append, never),
    }


def refusals(data: Path, done: Path, folder: Path) -> dict[str, object]:
    """Return the errors of runs that cannot begin or go on."""

    def refusal(out: Path, data: Path = data, **changes: object) -> str:
        try:
            train(small(data, out, **changes), lambda _line: None, never)
        except OpenRALError as error:
            return f"{type(error).__name__}: {error}"
        return "no error"

    damaged = folder / "damaged"
    damaged.mkdir()
    (damaged / "last.pt").write_bytes((done / "last.pt").read_bytes()[:5000])
    return {
        "exists": refusal(done),
        "options": refusal(done, resume=True, learning_rate=0.02),
        "data": refusal(done, data.with_name("more"), resume=True),
        "nothing": refusal(folder / "none", resume=True),
        "format": refusal(folder / "none", folder),
        "architecture": refusal(folder / "fresh", init=done, architecture="tiny"),
        "classes": refusal(folder / "fresh", data.with_name("fewer"), init=done),
        "damaged": refusal(damaged, resume=True),
        "diverged": refusal(folder / "hot", learning_rate=1e30),
    }


def learn(data: Path, folder: Path) -> dict[str, object]:
    """Train until the shapes are known; evaluate; export."""
    lines: list[str] = []
    train(small(data, folder / "run", views=1600, save_every=60.0), lines.append, never)
    saved = folder / "result.json"
    judged = evaluate_run(EvaluationOptions(run=folder / "run", data=data, save=saved), lines.append)
    exported = export_run(
        ExportOptions(
            run=folder / "run", data=data, out=folder / "rskills" / "shape-detector", quantise=True
        ),
        lines.append,
    )

    def refusal(call: Callable[[], object]) -> str:
        try:
            call()
        except OpenRALError as error:
            return f"{type(error).__name__}: {error}"
        return "no error"

    return {
        "no_folder": refusal(lambda: write_rskill(saved / "eyes", b"", exported)),
        "no_id": refusal(lambda: check_id(folder / "My Eyes")),
        "evaluated": asdict(judged),
        "saved": json.loads(saved.read_text()) == json.loads(json.dumps(asdict(judged))),
        "exported": asdict(exported.judged),
        "parity": asdict(exported.parity),
        "split": exported.split,
        "taught": taught(data, folder / "run", folder),
    }


JOBS: dict[str, Callable[..., dict[str, object]]] = {"resume": resume, "learn": learn}

if __name__ == "__main__":
    sys.stdout.write(json.dumps(JOBS[sys.argv[1]](*map(Path, sys.argv[2:]))))
