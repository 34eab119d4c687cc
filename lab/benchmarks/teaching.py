"""Seven kinds that no training image shows, taught with `openral teach` from 60 frames.

Frames, test homes and replayed images are rendered; the annotations are the teacher. INIT=folder of an
rSkill or run that knows the other kinds (required). VIEWS=n: image views, else those of `openral teach fit`;
FRAMES=n, else 60; HOMES=n homes of each kind of data, else 12, and twice as many to replay; THREADS=n, else
2; ENVIRONMENTS=folder of Python environments.
The baseline is the detector before the lesson. CPU time is that of data, training, export and report.
"""

import json
import os
import resource
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np

from openral_training.coco import CocoFile, read_coco
from openral_training.data.dataset import Dataset
from openral_training.data.home_renderer import RenderSettings
from openral_training.data.jobs import in_processes, render
from openral_training.data.labels import CATEGORIES
from openral_training.data.splits import DataPlan, SplitPlan, load_plan
from openral_training.environment import job_command
from openral_training.environment import run as run_job
from openral_training.options import EvaluationOptions, TeachingOptions
from openral_training.ros.sources import stored_images
from openral_training.teach.lesson import Lesson
from openral_training.teach.teachers import label_by_coco

LONG = True
IMAGES = 20
"""Images of each home [count]."""
TAUGHT_TEST = "taught_test"
REPLAYED_HOMES = 2
"""Homes to replay for each home of another split [count]: 24 have the 800 images that a lesson replays."""


class NotTaught(RuntimeError):
    """A job that failed; its message is above."""


def run() -> list[dict[str, object]]:
    """One row for the detector before, one after, with AP50 of known and of new kinds."""
    os.environ["LP_NUM_THREADS"] = "1"
    init, environments = Path(os.environ["INIT"]), Path(os.environ.get("ENVIRONMENTS", ".environments"))
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        plan = rendered(folder / "data", int(os.environ.get("HOMES", "12")))
        new = tuple(CATEGORIES[kind].name for kind in plan.held_out)
        lesson = folder / "lesson"
        boxes = begin(lesson, folder / "data" / "teach", new, int(os.environ.get("FRAMES", "60")))
        views = {"views": os.environ["VIEWS"]} if "VIEWS" in os.environ else {}
        given = {"lesson": lesson, "init": init, "out": folder / "my-home", "replay": folder / "data"}
        threads = os.environ.get("THREADS", "2")
        options = TeachingOptions.model_validate({**given, **views, "threads": threads})
        before = cpu_minutes()
        started(environments, "teach", options.model_dump_json())
        spent = cpu_minutes() - before
        rows: list[dict[str, object]] = []
        for name, checkpoint in (("before", init), ("after", folder / "my-home")):
            known, _ = ap50(environments, checkpoint, folder, "test", new)
            _, taught = ap50(environments, checkpoint, folder, TAUGHT_TEST, new)
            rows.append({"detector": name, "AP50 of known kinds": known, "AP50 of new kinds": taught})
        return [rows[0], {**rows[1], "boxes taught": boxes, "CPU time [min]": round(spent, 1)}]


def rendered(folder: Path, homes: int) -> DataPlan:
    """Render homes to learn from, to replay and to judge on."""
    shipped = load_plan()
    splits = {
        name: split.model_copy(update={"homes": homes, "images": IMAGES})
        for name, split in shipped.splits.items()
    }
    splits["train"] = shipped.splits["train"].model_copy(update={"homes": REPLAYED_HOMES * homes})
    after = shipped.splits["teach"].seeds.stop
    splits[TAUGHT_TEST] = SplitPlan(first_seed=after, homes=homes, images=IMAGES, held_out_kinds=True)
    plan = DataPlan(held_out=shipped.held_out, splits=splits)
    render(
        Dataset(folder, plan, tuple(splits), RenderSettings()), in_processes(2), lambda _task, _images: None
    )
    return plan


def begin(lesson: Path, data: Path, new: tuple[str, ...], count: int) -> int:
    """Begin a lesson with the frames that show most of the new kinds; return the number of its boxes."""
    chosen = set(shown_most(read_coco(data / "annotations.json"), new, count))
    begun = Lesson(lesson)
    for rgb, origin in stored_images(data / "images"):
        if Path(origin).name in chosen:
            begun = begun.with_frame(rgb, origin)
    labelled = label_by_coco(begun, data / "annotations.json", new)
    labelled.save()
    return len(labelled.accepted())


def shown_most(content: CocoFile, new: tuple[str, ...], count: int) -> list[str]:
    """Choose frames one by one, that which shows most of the kinds that are rare so far."""
    names = {category.id: category.name for category in content.categories}
    kinds: dict[int | str, list[str]] = {image.id: [] for image in content.images}
    for each in content.annotations:
        if names[each.category_id] in new and not each.iscrowd:
            kinds[each.image_id].append(names[each.category_id])
    seen, chosen = Counter[str](), list[int | str]()
    for _ in range(min(count, len(kinds))):
        best = max(kinds.keys() - set(chosen), key=lambda i: sum(1.0 / (1 + seen[name]) for name in kinds[i]))
        chosen.append(best)
        seen.update(kinds[best])
    files = {image.id: Path(image.file_name).name for image in content.images}
    return [files[number] for number in chosen]


def ap50(
    environments: Path, checkpoint: Path, folder: Path, split: str, new: tuple[str, ...]
) -> tuple[float | None, float | None]:
    """Mean AP50 of the known and of the new kinds on a split; None where a detector knows none of them."""
    saved = folder / "result.json"
    options = EvaluationOptions(
        run=checkpoint, data=folder / "data", split=split, save=saved, cache=folder / "cache"
    )
    started(environments, "evaluate", options.model_dump_json())
    classes = json.loads(saved.read_text())["classes"]
    known = [each["ap50"] for each in classes if each["label"] not in new]
    taught = [each["ap50"] for each in classes if each["label"] in new]
    return mean(known), mean(taught)


def mean(values: list[float]) -> float | None:
    """Mean, None of nothing."""
    return round(float(np.mean(values)), 3) if values else None


def started(environments: Path, job: str, options: str) -> None:
    """Run a job of `openral_training` where PyTorch is."""
    if code := run_job(job_command(environments, job, options)):
        raise NotTaught(f"{job} ended with exit code {code}")


def cpu_minutes() -> float:
    """CPU time of the ended child processes [min]."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (used.ru_utime + used.ru_stime) / 60.0
