"""Trainings from scratch that differ in their seed alone, judged on homes of the test split.

Homes are rendered from the committed seeds (HOMES=n of `train`, else 80, all of `test`, half of `val`).
SEEDS=0,1,2 are the runs, VIEWS=n image views of each, else 7,000; KERNEL_RATE and LEARNING_RATE are those of
`openral train detector`, else its defaults; THREADS=n, else 2; ENVIRONMENTS=folder of Python environments.
OUT=folder keeps data and runs, and goes on with what it has; else they are temporary.
"""

import json
import os
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.teaching import cpu_minutes, started
from openral_training.data.dataset import Dataset
from openral_training.data.home_renderer import RenderSettings
from openral_training.data.jobs import in_processes, render
from openral_training.data.splits import DataPlan, load_plan
from openral_training.options import EvaluationOptions, TrainingOptions

LONG = True
METRICS = ("ap50", "ap", "ap_small")


def run() -> list[dict[str, object]]:
    """One row per run, then the means and the differences between the best and the worst."""
    os.environ["LP_NUM_THREADS"] = "1"
    environments = Path(os.environ.get("ENVIRONMENTS", ".environments"))
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(os.environ.get("OUT", temporary)).absolute()
        rendered(folder / "data", int(os.environ.get("HOMES", "80")))
        seeds = [int(seed) for seed in os.environ.get("SEEDS", "0,1,2").split(",")]
        rows = [trained(environments, folder, seed) for seed in seeds]
    figures = {name: [float(str(row[name])) for row in rows] for name in METRICS}
    mean = {name: round(sum(values) / len(values), 3) for name, values in figures.items()}
    spread = {name: round(max(values) - min(values), 3) for name, values in figures.items()}
    return [*rows, {"seed": "mean", **mean}, {"seed": "spread", **spread}]


def rendered(folder: Path, homes: int) -> None:
    """Render what is missing of the first homes of each split."""
    shipped = load_plan()
    counts = {"train": homes, "val": shipped.splits["val"].homes // 2, "test": shipped.splits["test"].homes}
    splits = {
        name: shipped.splits[name].model_copy(update={"homes": count}) for name, count in counts.items()
    }
    plan = DataPlan(held_out=shipped.held_out, splits=splits)
    dataset = Dataset(folder, plan, tuple(splits), RenderSettings())
    render(dataset, in_processes(2), lambda _task, _images: None)


def trained(environments: Path, folder: Path, seed: int) -> dict[str, object]:
    """Train with one seed, or finish that run, and evaluate it on the test split."""
    out = folder / f"seed-{seed}"
    rates = {
        name.lower(): os.environ[name] for name in ("KERNEL_RATE", "LEARNING_RATE") if name in os.environ
    }
    content: dict[str, Any] = {
        "data": folder / "data",
        "out": out,
        "views": os.environ.get("VIEWS", "7000"),
        "seed": seed,
        "threads": os.environ.get("THREADS", "2"),
        "cache": folder / "cache",
        "evaluations": 4,
        "resume": out.exists(),
        **rates,
    }
    options = TrainingOptions.model_validate(content)
    began, used = time.monotonic(), cpu_minutes()
    started(environments, "detector", options.model_dump_json())
    minutes, used = (time.monotonic() - began) / 60.0, cpu_minutes() - used
    saved = folder / f"seed-{seed}.json"
    judged = EvaluationOptions(
        run=out, data=folder / "data", split="test", save=saved, cache=folder / "cache"
    )
    started(environments, "evaluate", judged.model_dump_json())
    metrics = json.loads(saved.read_text())
    figures = {name: round(metrics[name], 3) for name in METRICS}
    return {"seed": seed, **figures, "minutes": round(minutes, 1), "CPU time [min]": round(used, 1)}
