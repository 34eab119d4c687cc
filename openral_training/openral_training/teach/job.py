"""The job of `openral teach fit`: data set, training, export and report; runs where PyTorch is."""

import hashlib
import json
from pathlib import Path

import numpy as np

from openral_core.files import replace_file
from openral_training.detector.checkpoints import Checkpoint, read_checkpoint
from openral_training.detector.evaluation import Evaluation
from openral_training.detector.jobs import export_run, judge, train
from openral_training.detector.options import ExportOptions, TeachingOptions, TrainingOptions
from openral_training.detector.rskill_folder import check_id
from openral_training.detector.trainer import LAST, Say, Stopped
from openral_training.teach.data import REPLAY, taught_labels, write_data
from openral_training.teach.lesson import Lesson

REPORT, BLENDED = "report.json", "blended.pt"
LARGEST_WINDOW = (320, 256)
"""Largest width and height of crops [px]: those of a training."""


def teach(options: TeachingOptions, say: Say, stopped: Stopped) -> bool:
    """Learn a lesson, or go on with it; return False if it was stopped and the same command goes on.

    Raises:
        OpenRALError: One leaf per condition; frames, labels and what was learned stay.
    """
    check_id(options.out)
    lesson, checkpoint = Lesson.read(options.lesson), read_checkpoint(options.init)
    data = write_data(lesson, checkpoint, options.replay, options.seed)
    training = training_of(options, checkpoint, data)
    if not train(training, say, stopped):
        return False
    learned = training.out / BLENDED
    blended = read_checkpoint(training.out / LAST).blended(checkpoint, options.blend)
    blended.save(learned)
    export_run(ExportOptions(run=learned, data=data, out=options.out, licence=options.licence), say)
    report = compared(checkpoint, blended, lesson, data, say)
    replace_file(options.lesson / REPORT, json.dumps(report, indent=1))
    say(f"new kinds: AP50 {report['new']} on held-out frames; {options.lesson / REPORT}")
    return True


def training_of(options: TeachingOptions, checkpoint: Checkpoint, data: Path) -> TrainingOptions:
    """Return the options of the training; its folder belongs to exactly these data and options."""
    settings = options.model_dump_json(
        include={"init", "views", "seed", "learning_rate", "head_rate", "kernel_rate"}
    )
    content = (data / "train" / "annotations.json").read_bytes()
    out = options.lesson / "runs" / hashlib.sha256(settings.encode() + content).hexdigest()[:12]
    sides = zip(LARGEST_WINDOW, checkpoint.size, strict=True)
    width, height = (max(32, min(limit, side // 32 * 32)) for limit, side in sides)
    return TrainingOptions(
        data=data,
        out=out,
        cache=data / "cache",
        init=options.init,
        new_classes=True,
        all_classes=True,
        resume=(out / LAST).is_file(),
        views=options.views,
        architecture=checkpoint.architecture,
        image_size=checkpoint.size,
        window=(width, height),
        learning_rate=options.learning_rate,
        head_rate=options.head_rate,
        kernel_rate=options.kernel_rate,
        averaging=0.995,
        evaluations=4,
        seed=options.seed,
        threads=options.threads,
    )


def compared(
    before: Checkpoint, after: Checkpoint, lesson: Lesson, data: Path, say: Say
) -> dict[str, object]:
    """Judge what is new on the held-out frames, and what was known before and after on replayed images."""
    cache = data / "cache"
    new = [label for label in taught_labels(lesson, before.labels) if label not in before.labels]
    judged = judge(after, data, "val", cache, say).evaluation(after.labels, None)
    report: dict[str, object] = {"new": _mean(judged, new), "kinds": _by_label(judged, new)}
    if (data / REPLAY / "annotations.json").is_file():
        for name, checkpoint in (("before", before), ("after", after)):
            result = judge(checkpoint, data, REPLAY, cache, say).evaluation(checkpoint.labels, None)
            report[f"known_{name}"] = _mean(result, before.labels)
        say(f"known kinds: AP50 {report['known_before']} before, {report['known_after']} after")
    return report


def _by_label(judged: Evaluation, labels: list[str]) -> dict[str, float]:
    return {each.label: round(each.ap50, 3) for each in judged.classes if each.label in labels}


def _mean(judged: Evaluation, labels: list[str] | tuple[str, ...]) -> float | None:
    precisions = [each.ap50 for each in judged.classes if each.label in labels]
    return round(float(np.mean(precisions)), 4) if precisions else None
