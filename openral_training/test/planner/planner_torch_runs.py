"""Runs of the planner's training with a small model, in the environment that has PyTorch: ``FOLDER``.

Prints as JSON if a resumed run has the same factors bit for bit, the losses, and a changed option's error.
"""

import json
import shutil
import sys
from pathlib import Path

import torch

from openral_core.errors import OpenRALError
from openral_training.local.adapter import read_adapter
from openral_training.planner.options import MISSIONS, PlannerOptions
from openral_training.planner.trainer import ADAPTER, CARD, train_planner


def run(folder: Path, out: str, steps: int = 99, **changed: object) -> bool:
    (folder / out).mkdir(exist_ok=True)
    shutil.copy(folder / MISSIONS, folder / out / MISSIONS)
    chosen = {"missions": 8, "batch": 2, "epochs": 3, "longest": 6000, "layers": 2, "rank": 4, "rate": 0.01}
    given = chosen | {"out": folder / out, "base": folder / "small.gguf", "prompt_format": 1, "save_every": 1}
    left = iter(range(steps))
    return train_planner(
        PlannerOptions.model_validate(given | changed), lambda line: None, lambda: next(left, -1) < 0
    )


def main(folder: Path) -> None:
    whole = run(folder, "whole")
    first = run(folder, "parts", 5)
    try:
        run(folder, "parts", rank=5)
        refused = ""
    except OpenRALError as error:
        refused = str(error)
    second = run(folder, "parts")
    states = [torch.load(folder / name / "last.pt", weights_only=True) for name in ("whole", "parts")]
    same = all(torch.equal(a, b) for a, b in zip(*(state["factors"] for state in states), strict=True))
    adapters = [read_adapter(folder / name / ADAPTER) for name in ("whole", "parts")]
    history = states[0]["history"]
    sys.stdout.write(
        json.dumps(
            {
                "ended": [whole, first, second],
                "same": same
                and (folder / "whole" / CARD).read_text() == (folder / "parts" / CARD).read_text(),
                "loss": [history[0]["loss"], history[-1]["loss"]],
                "refused": refused,
                "matrices": len(adapters[0].factors),
            }
        )
    )


main(Path(sys.argv[1]))
