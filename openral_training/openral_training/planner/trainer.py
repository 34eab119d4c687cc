"""Training of the adapter on the planner's missions; writes it with its model card.

Run as a module it takes the options as JSON. Exit code: 0 done; 2 refused, with the reason; 130 interrupted.
"""

import json
import math
import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from functools import partial
from random import Random

import numpy as np
import torch
from torch import Tensor

from openral_core.errors import OpenRALError
from openral_training.local.adapter import file_digest
from openral_training.local.tokens import LineEncoder
from openral_training.local.weights import read_weights
from openral_training.planner.network import AdaptedDecoder, LowRank, choice_loss
from openral_training.planner.options import MISSIONS, PlannerOptions
from openral_training.planner.samples import TokenTree, read_missions, trees_of

CHECKPOINT, ADAPTER, CARD = "last.pt", "planner.npz", "card.json"
"""Files of a run."""
SCALE, WARM_UP, FLOOR, CLIP = 2.0, 0.03, 0.05, 1.0
"""Scale of the adapter, share of the run in which the rate rises, its last share, largest gradient [1]."""
BETAS = (0.9, 0.98)
"""Of AdamW [1]."""


class PlannerRunDiffers(OpenRALError):
    """Run that cannot go on because its options changed."""

    def __init__(self, options: PlannerOptions, before: dict[str, object]) -> None:
        now = options.fixed()
        changed = {name: (before.get(name), now[name]) for name in now if before.get(name) != now[name]}
        super().__init__(
            f"the run in {options.out} cannot go on: {changed}; use the same options or another --out"
        )


class PlannerRun:
    """A training run, resumable with the same result."""

    def __init__(self, options: PlannerOptions) -> None:
        torch.set_num_threads(options.threads)
        self.options, self.base = options, file_digest(options.base)
        weights = read_weights(options.base)
        encoder = LineEncoder(weights.tokenizer)
        missions = list(read_missions(options.out / MISSIONS, options.prompt_format))
        self.missions = sum(bool(each) for each in missions)
        self.trees = [tree for each in missions for tree in trees_of(each, encoder, options.longest)]
        first = max(0, weights.shape.layers - options.layers)
        self.network = AdaptedDecoder(
            weights, LowRank(options.rank, SCALE, first), options.seed, options.device
        )
        self.start = "" if options.start is None else file_digest(options.start)
        if options.start is not None:
            self.network.load(options.start)
        parameters = self.network.parameters
        self.optimiser = torch.optim.AdamW(parameters, options.rate, BETAS, weight_decay=0.0)
        self.step, self.history = 0, list[dict[str, float]]()
        self.steps = math.ceil(len(self.trees) / options.batch) * options.epochs

    def batch(self, step: int) -> list[TokenTree]:
        """Return the missions of a step: each epoch has its own order, of missions of similar length."""
        per_epoch = self.steps // self.options.epochs
        epoch, index = divmod(step, per_epoch)
        rng = Random(f"{self.options.seed} {epoch}")
        order = sorted(
            range(len(self.trees)), key=lambda i: len(self.trees[i].tokens) * rng.uniform(0.9, 1.1)
        )
        batches = [order[i : i + self.options.batch] for i in range(0, len(order), self.options.batch)]
        rng.shuffle(batches)
        return [self.trees[i] for i in batches[index]]

    def advance(self) -> None:
        """Do one step."""
        progress = self.step / self.steps
        rise = min(1.0, (self.step + 1) / max(1.0, WARM_UP * self.steps))
        for group in self.optimiser.param_groups:
            group["lr"] = (
                self.options.rate * rise * (FLOOR + (1 - FLOOR) * 0.5 * (1 + math.cos(math.pi * progress)))
            )
        loss, hits = self._loss(self.batch(self.step))
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters, CLIP)
        self.optimiser.step()
        self.optimiser.zero_grad(set_to_none=True)
        self.step += 1
        self.history.append({"loss": round(loss.item(), 4), "right": round(hits.float().mean().item(), 4)})

    def _loss(self, trees: Sequence[TokenTree]) -> tuple[Tensor, Tensor]:
        width = max(len(tree.tokens) for tree in trees)
        tokens, depths = (torch.zeros(len(trees), width, dtype=torch.long) for _ in range(2))
        visible = torch.eye(width, dtype=torch.bool).repeat(len(trees), 1, 1)
        for row, tree in enumerate(trees):
            size = len(tree.tokens)
            tokens[row, :size], depths[row, :size] = torch.tensor(tree.tokens), torch.tensor(tree.depths)
            visible[row, :size, :size] = torch.from_numpy(tree.visible())
        device = self.options.device
        with torch.autocast(device, torch.bfloat16):
            hidden = self.network.hidden(tokens.to(device), depths.to(device), visible.to(device))
        choices = [(row, node, each) for row, tree in enumerate(trees) for node, each in tree.choices]
        most = max(len(each) for _, _, each in choices)
        candidates = torch.tensor([each + [0] * (most - len(each)) for _, _, each in choices])
        lengths = torch.tensor([len(each) for _, _, each in choices])
        at = hidden[
            torch.tensor([row for row, _, _ in choices]), torch.tensor([node for _, node, _ in choices])
        ]
        is_candidate = torch.arange(most) < lengths[:, None]
        return choice_loss(at.float(), self.network.output, candidates.to(device), is_candidate.to(device))

    def save(self) -> None:
        """Write the checkpoint, atomically."""
        state = {
            "options": self.options.fixed(),
            "base": self.base,
            "start": self.start,
            "step": self.step,
            "history": self.history,
            "factors": [each.detach() for each in self.network.parameters],
            "optimiser": self.optimiser.state_dict(),
        }
        fresh = self.options.out / f".{CHECKPOINT}.{os.getpid()}"
        torch.save(state, fresh)
        fresh.replace(self.options.out / CHECKPOINT)

    def restore(self) -> None:
        """Go on from the checkpoint.

        Raises:
            PlannerRunDiffers: If the options, the base model or the adapter to start from are others.
        """
        state = torch.load(self.options.out / CHECKPOINT, weights_only=True)
        same = state["base"] == self.base and state.get("start", "") == self.start
        if not same or state["options"] != self.options.fixed():
            raise PlannerRunDiffers(self.options, {**state["options"]})
        with torch.no_grad():
            for parameter, stored in zip(self.network.parameters, state["factors"], strict=True):
                parameter.copy_(stored)
        self.optimiser.load_state_dict(state["optimiser"])
        self.step, self.history = state["step"], state["history"]

    def finish(self) -> None:
        """Write the adapter and its model card."""
        self.network.adapter(self.base, self.options.prompt_format).save(self.options.out / ADAPTER)
        last = self.history[-max(1, len(self.history) // 10) :]
        card = {
            "base": {"file": self.options.base.name, "sha256": self.base},
            "start": self.start,
            "options": self.options.fixed(),
            "data": {
                "seeds": [self.options.seed, self.options.seed + self.options.missions - 1],
                "missions": self.missions,
                "trees": len(self.trees),
                "tokens": sum(len(tree.tokens) for tree in self.trees),
                "choices": sum(len(tree.choices) for tree in self.trees),
            },
            "steps": self.step,
            "adapter": {"parameters": sum(each.numel() for each in self.network.parameters)},
            "last_tenth": {
                key: round(float(np.mean([each[key] for each in last])), 4) for key in ("loss", "right")
            },
        }
        (self.options.out / CARD).write_text(json.dumps(card, indent=1) + "\n")


def train_planner(options: PlannerOptions, say: Callable[[str], None], stop: Callable[[], bool]) -> bool:
    """Train until the end; return False if it was stopped before, and can go on.

    Raises:
        OpenRALError: If the base model, the missions or the checkpoint cannot be used.
    """
    run = PlannerRun(options)
    if (options.out / CHECKPOINT).exists():
        run.restore()
    say(f"{run.missions} missions in {len(run.trees)} trees; {run.steps} steps, at step {run.step}")
    while run.step < run.steps and not stop():
        run.advance()
        if run.step % options.save_every == 0 or run.step == run.steps:
            run.save()
            last = run.history[-options.save_every :]
            means = (sum(each[key] for each in last) / len(last) for key in ("loss", "right"))
            say("step {} of {}: loss {:.3f}, right {:.3f}".format(run.step, run.steps, *means))
    run.save()
    if run.step == run.steps:
        run.finish()
    return run.step == run.steps


def main() -> int:
    """Train until the end, or until SIGINT or SIGTERM."""
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    options = PlannerOptions.model_validate_json(sys.argv[-1])
    try:
        return 0 if train_planner(options, partial(print, flush=True), stop.is_set) else 130
    except OpenRALError as error:
        sys.stderr.write(f"{error}\n")
        return 2


if __name__ == "__main__":
    sys.exit(main())
