"""Checks of what needs PyTorch, run in its environment by `test_torch_parts.py`; prints one JSON object."""

import copy
import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

from openral_core.errors import OpenRALError
from openral_training.detector.augmentation import Augmentation
from openral_training.detector.batches import Batch, BatchPlan, BatchStream, collate, draw_batch
from openral_training.detector.checkpoints import Checkpoint, initial_weights, read_checkpoint
from openral_training.detector.evaluation import evaluate
from openral_training.detector.image_cache import DecodedImages, ImageView
from openral_training.detector.losses import Assignment, assign, detection_loss, overlaps
from openral_training.detector.matching import Detections
from openral_training.detector.muon import Muon
from openral_training.detector.network import DetectionNetwork, anchor_points, decode_boxes
from openral_training.detector.options import TrainingOptions
from openral_training.detector.run_state import Optimiser
from openral_training.detector.splits import AnnotatedImage, Objects

torch.set_num_threads(1)
LABELS = ("mug", "bowl")


def objects(boxes: list[list[float]], classes: list[int], ignored: list[bool]) -> Objects:
    return Objects(
        np.array(boxes, np.float32).reshape(-1, 4), np.array(classes, np.int64), np.array(ignored, np.bool_)
    )


def batch_of(*parts: Objects) -> Batch:
    return collate([ImageView(np.zeros((64, 96, 3), np.uint8), part) for part in parts])


def error_of(call: Callable[[], object]) -> str:
    try:
        call()
    except OpenRALError as error:
        return f"{type(error).__name__}: {error}"
    return "no error"


def shapes() -> dict[str, object]:
    network = DetectionNetwork("micro", 2)
    logits, boxes = network(torch.rand(2, 3, 64, 96))
    points, strides = anchor_points(64, 96)
    centred = decode_boxes(torch.zeros(1, len(points), 4), points, strides)
    sides = (centred[0, :, 2:] - centred[0, :, :2] - strides[:, None]).abs().max()
    return {
        "logits": list(logits.shape),
        "boxes": list(boxes.shape),
        "points": len(points),
        "difference_to_stride": float(sides),
        "prior": float(logits.sigmoid().mean()),
    }


def assignment() -> dict[str, object]:
    """A tiny object between points, one inside a region to ignore, and two that want the same prediction."""
    points, strides = anchor_points(64, 96)
    boxes = decode_boxes(torch.zeros(1, len(points), 4), points, strides)
    tiny, ignored = [7.0, 7.0, 9.0, 9.0], [60.0, 20.0, 90.0, 50.0]
    twins = [[20.0, 20.0, 28.0, 28.0], [21.0, 20.0, 29.0, 28.0]]
    part = objects([tiny, ignored, *twins], [0, 0, 1, 0], [False, True, False, False])
    targets = assign(torch.full((1, len(points), 2), -2.0), boxes, points, batch_of(part), Assignment())
    inside = (points > torch.tensor([60.0, 20.0])).all(1) & (points < torch.tensor([90.0, 50.0])).all(1)
    tiny_row = (targets.boxes[0] == torch.tensor(tiny)).all(1) & (targets.weights[0] > 0)
    return {
        "tiny": int(tiny_row.sum()),
        "counted_in_region": int(targets.counted[0, inside].sum()),
        "in_region": int(inside.sum()),
        "several_classes": int(((targets.qualities[0] > 0).sum(1) > 1).sum()),
        "largest": float(targets.qualities.max()),
        "without_objects": float(
            assign(
                torch.zeros(1, len(points), 2), boxes, points, batch_of(objects([], [], [])), Assignment()
            ).weights.sum()
        ),
    }


def losses() -> dict[str, object]:
    """The loss of a perfect prediction is near 0; a region to ignore removes that of a false positive."""
    points, _ = anchor_points(64, 96)
    box = [16.0, 16.0, 32.0, 32.0]
    perfect = torch.tensor(box).expand(1, len(points), 4)
    inside = (points > 16).all(1) & (points < 32).all(1)
    logits = torch.full((1, len(points), 2), -9.0)
    logits[0, inside, 0] = 9.0

    def total(*arguments: object) -> float:
        return float(
            detection_loss(logits, perfect, points, batch_of(objects(*arguments)), Assignment()).total
        )

    giou = overlaps(torch.tensor([0.0, 0.0, 1.0, 1.0]), torch.tensor([2.0, 0.0, 3.0, 1.0]))
    return {
        "right": total([box], [0], [False]),
        "wrong_class": total([box], [1], [False]),
        "nothing_there": total([], [], []),
        "ignored": total([box], [0], [True]),
        "giou": [round(float(value), 4) for value in giou],
    }


def checkpoints() -> dict[str, object]:
    torch.manual_seed(0)
    network = DetectionNetwork("micro", 2)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file, text = folder / "best.pt", folder / "text.pt"
        text.write_text("no checkpoint")
        torch.save({"weights": 1}, folder / "foreign.pt")
        Checkpoint("micro", LABELS, (96, 64), network.state_dict(), None, {"views": 3}).save(file)
        other = {
            **network.state_dict(),
            "stem.0.weight": torch.zeros(4, 3, 3, 3),
            "neck.weight": torch.zeros(1),
        }
        del other["class_head.bias"]
        Checkpoint("micro", LABELS, (96, 64), other, None, {}).save(folder / "layers.pt")
        grown = initial_weights(file, "micro", ("bowl", "plate"), new_classes=True)
        more = Checkpoint(
            "micro", (*LABELS, "cat"), (96, 64), DetectionNetwork("micro", 3).state_dict(), None, {}
        )
        blended = more.blended(read_checkpoint(folder), 0.25).weights
        moved = torch.lerp(network.stem[0].weight, more.weights["stem.0.weight"], 0.25)
        kept = torch.equal(grown["class_head.weight"][0], network.state_dict()["class_head.weight"][1])
        return {
            "same": torch.equal(read_checkpoint(folder).weights["stem.0.weight"], network.stem[0].weight),
            "kept_class": kept,
            "blended": torch.allclose(blended["stem.0.weight"], moved),
            "blended_class": torch.equal(
                blended["class_head.weight"][2], more.weights["class_head.weight"][2]
            ),
            "text": error_of(lambda: read_checkpoint(text)),
            "foreign": error_of(lambda: read_checkpoint(folder / "foreign.pt")),
            "empty_folder": error_of(lambda: read_checkpoint(folder / "none")),
            "architecture": error_of(lambda: initial_weights(file, "tiny", LABELS, new_classes=False)),
            "classes": error_of(lambda: initial_weights(file, "micro", ("mug", "cat"), new_classes=False)),
            "layers": error_of(lambda: read_checkpoint(folder / "layers.pt")),
            "unknown": error_of(lambda: DetectionNetwork("huge", 2)),
            **_full_disk(folder, file, network),
        }


def _full_disk(folder: Path, file: Path, network: DetectionNetwork) -> dict[str, object]:
    import resource

    before, limits = file.read_bytes(), resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, limits[1]))
    full = error_of(lambda: Checkpoint("micro", LABELS, (96, 64), network.state_dict(), None, {}).save(file))
    resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    left = sorted(path.name for path in folder.iterdir())
    return {"full_disk": full, "unchanged": file.read_bytes() == before, "left": left}


def batches() -> dict[str, object]:
    """A stream that begins later gives the same batches, also after the change to plain ones."""
    rng = np.random.default_rng(0)
    pixels = rng.integers(0, 255, (9, 64, 96, 3), np.uint8)
    part = objects([[5, 5, 40, 40]], [0], [False])
    cache = DecodedImages(pixels, [AnnotatedImage(Path("-"), (96, 64), part)] * 9)
    plan = BatchPlan(3, 9, (64, 64), (96, 64), 4, 2, 3, Augmentation())
    stream = BatchStream(cache, plan, 0, 0, 2)
    whole = [stream.next(number >= 4) for number in range(7)]
    stream.close()
    later = BatchStream(cache, plan, 2, 8, 2)
    again = [later.next(number >= 4) for number in range(2, 7)]
    later.close()
    processes = BatchStream(cache, plan, 2, 8, 2, in_processes=True)
    elsewhere = [processes.next(number >= 4) for number in range(2, 7)]
    processes.close()
    same = [
        torch.equal(a.pixels, b.pixels) and torch.equal(a.boxes, b.boxes)
        for others in (again, elsewhere)
        for a, b in zip(whole[2:], others, strict=True)
    ]
    other = draw_batch(cache, BatchPlan(4, 9, (64, 64), (96, 64), 4, 2, 3, Augmentation()), 0, 0, plain=False)
    epoch = sorted(plan.index(position) for position in range(9, 18))
    return {
        "same": same,
        "sizes": [list(each.pixels.shape) for each in whole],
        "another_seed": torch.equal(other.pixels, whole[0].pixels),
        "epoch": epoch,
    }


def evaluation() -> dict[str, object]:
    """Of two objects one is found, at the right place; a false positive lies in a region to ignore."""
    truth = objects([[0, 0, 10, 10], [50, 50, 90, 90], [20, 0, 40, 20]], [0, 1, 0], [False, False, True])
    found = Detections(
        np.array([[0, 0, 10, 10], [22, 2, 38, 18]], np.float32),
        np.array([0.9, 0.95], np.float32),
        np.array([0, 0]),
    )
    result = evaluate([found], [truth], LABELS, threshold=0.5)
    return {
        "ap50": result.ap50,
        "classes": [(each.label, each.ap50, each.recall) for each in result.classes],
        "recall": result.recall,
        "precision": result.precision,
        "sizes": [(each.objects, each.recall) for each in result.sizes if each.objects],
    }


def optimiser() -> dict[str, object]:
    """One step changes every layer; a kernel gets an update whose singular values are near each other."""
    torch.manual_seed(0)
    network = DetectionNetwork("micro", 2).to(memory_format=torch.channels_last)
    rates = {"kernel_rate": 0.5, "kernel_decay": 0.0, "head_rate": 0.1}
    options = TrainingOptions.model_validate({"data": "-", "out": "-", "views": 1, **rates})
    made = Optimiser(network, options)
    before = copy.deepcopy(network)
    made.set_rate(0.5)
    logits, boxes = network(torch.rand(2, 3, 64, 96))
    (logits.square().mean() + boxes.square().mean()).backward()
    made.step()
    pairs = zip(network.named_parameters(), before.named_parameters(), strict=True)
    changes = {name: (new - old).detach() for (name, new), (_, old) in pairs}
    kernel = changes["box_tower.convolutions.0.weight"].flatten(1)
    singular = torch.linalg.svdvals(kernel / 0.25)
    return {
        "unchanged": sorted(name for name, change in changes.items() if not change.any()),
        "singular": [float(singular.min()), float(singular.max())],
        "outer": float(changes["stem.0.weight"].abs().max()) / options.learning_rate,
        "head": float(changes["class_head.weight"].abs().max()) / 0.1,
    }


def muon() -> dict[str, object]:
    """Differences between five steps of PyTorch's Muon and of ours in both precisions [share of the way]."""
    difference, states = dict[str, float](), list[bool]()
    for shape in ((8, 72), (64, 16), (24, 24)):
        torch.manual_seed(1)
        start, gradients = torch.randn(shape), torch.randn(5, *shape)
        ends = []
        options = {"lr": 0.1, "weight_decay": 0.1, "momentum": 0.9}
        for in_bfloat16 in (None, True, False):
            pair = [start.clone().requires_grad_(), (2.0 * start).requires_grad_()]
            optimiser: torch.optim.Optimizer = torch.optim.Muon(pair, **options)
            if in_bfloat16 is not None:
                optimiser = Muon(pair, **options, in_bfloat16=in_bfloat16)
            for gradient in gradients:
                pair[0].grad, pair[1].grad = gradient.clone(), -gradient
                optimiser.step()
            ends.append(torch.stack(pair).detach())
            states.append(all("momentum_buffer" in optimiser.state[each] for each in pair))
        way = float((ends[0][0] - start).norm())
        for name, end in zip(("bfloat16", "float32"), ends[1:], strict=True):
            difference[f"{shape[0]} x {shape[1]}, {name}"] = float((ends[0] - end).norm()) / way
    return {"difference": difference, "states": states}


CHECKS = (optimiser, muon, shapes, assignment, losses, checkpoints, batches, evaluation)

if __name__ == "__main__":
    sys.stdout.write(json.dumps({check.__name__: check() for check in CHECKS}))
