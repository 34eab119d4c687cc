"""Runs of the planner's training with a small model, in the environment that has PyTorch: ``FOLDER``.

Prints as JSON if a resumed run has the same factors bit for bit, if another one begins with its adapter, the
losses, and a changed option's error.
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
    form = json.loads((folder / MISSIONS).read_text().partition("\n")[0])["format"]
    base = {"out": folder / out, "base": folder / "small.gguf", "prompt_format": form, "save_every": 1}
    left = iter(range(steps))
    return train_planner(
        PlannerOptions.model_validate(chosen | base | changed), lambda line: None, lambda: next(left, -1) < 0
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
    run(folder, "further", 0, start=folder / "whole" / ADAPTER)
    states = [torch.load(folder / name / "last.pt", weights_only=True) for name in ("whole", "parts")]
    same = all(torch.equal(a, b) for a, b in zip(*(state["factors"] for state in states), strict=True))
    begun = torch.load(folder / "further" / "last.pt", weights_only=True)["factors"]
    close = all(
        torch.allclose(a, b, rtol=2e-3, atol=1e-4) for a, b in zip(states[0]["factors"], begun, strict=True)
    )
    adapters = [read_adapter(folder / name / ADAPTER) for name in ("whole", "parts")]
    history = states[0]["history"]
    sys.stdout.write(
        json.dumps(
            {
                "ended": [whole, first, second],
                "same": same
                and (folder / "whole" / CARD).read_text() == (folder / "parts" / CARD).read_text(),
                "goes_on": close,
                "loss": [history[0]["loss"], history[-1]["loss"]],
                "refused": refused,
                "matrices": len(adapters[0].factors),
            }
        )
    )


main(Path(sys.argv[1]))
