"""Assignment of predictions to objects, and the losses.

Source: task-aligned assignment of Feng et al. 2021 (TOOD); varifocal loss of Zhang et al. 2021;
generalised intersection over union of Rezatofighi et al. 2019.
"""

from dataclasses import dataclass

import torch
from torch.nn.functional import binary_cross_entropy_with_logits

from openral_training.detector.batches import Batch

TINY = 1e-7
"""Guards divisions by zero; areas are in square pixels."""


@dataclass(frozen=True, slots=True)
class Assignment:
    """Constants of the assignment and weights of the losses.

    An object takes the ``candidates`` predictions with the highest score^alpha x overlap^beta whose points
    lie inside its box, or within ``reach`` [px] of its centre, which gives objects smaller than a stride some
    at all. ``least_weight`` is that of a box which does not overlap its object yet. The loss of a score
    that should be 0 has the weight ``negatives`` x score^``focal``, that of another the score it should be.
    """

    candidates: int = 10
    alpha: float = 1.0
    beta: float = 6.0
    reach: float = 8.0
    focal: float = 2.0
    negatives: float = 0.75
    box_weight: float = 2.0
    least_weight: float = 0.1


@dataclass(frozen=True, slots=True, eq=False)
class Targets:
    """Targets of all predictions.

    ``qualities`` (B, A, C) are the scores to predict, ``boxes`` (B, A, 4) [px], ``weights`` (B, A) of the box
    loss, 0 where there is no object; ``counted`` (B, A) is False inside regions to ignore.
    """

    qualities: torch.Tensor
    boxes: torch.Tensor
    weights: torch.Tensor
    counted: torch.Tensor


def overlaps(first: torch.Tensor, second: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return intersection over union and its generalised form of boxes that broadcast, shape (..., 4)."""
    inner = _area(
        torch.maximum(first[..., :2], second[..., :2]), torch.minimum(first[..., 2:], second[..., 2:])
    )
    outer = _area(
        torch.minimum(first[..., :2], second[..., :2]), torch.maximum(first[..., 2:], second[..., 2:])
    )
    union = _area(first[..., :2], first[..., 2:]) + _area(second[..., :2], second[..., 2:]) - inner
    plain = inner / (union + TINY)
    return plain, plain - (outer - union) / (outer + TINY)


def _area(low: torch.Tensor, high: torch.Tensor) -> torch.Tensor:
    sides = (high - low).clamp(min=0.0)
    return sides[..., 0] * sides[..., 1]


@torch.no_grad()
def assign(
    logits: torch.Tensor, boxes: torch.Tensor, points: torch.Tensor, batch: Batch, settings: Assignment
) -> Targets:
    """Assign predictions to objects; a prediction wanted by several goes to the one it overlaps most.

    Args:
        logits: Shape (B, A, C).
        boxes: Shape (B, A, 4) [px].
        points: Shape (A, 2) [px].
        batch: The objects.
        settings: Constants.
    """
    exists = batch.classes >= 0
    classes = batch.classes.clamp(min=0)
    index = classes[:, :, None].expand(-1, -1, points.shape[0])
    scores = logits.sigmoid().transpose(1, 2).gather(1, index)  # (B, M, A)
    plain, _ = overlaps(batch.boxes[:, :, None], boxes[:, None])
    inside = _near(points, batch.boxes, settings.reach) & exists[..., None]
    metric = scores.pow(settings.alpha) * plain.pow(settings.beta) * inside
    # Before anything is learned all overlaps may be 0: near points are then taken in the order of distance.
    ranked = metric + inside * TINY * TINY / (1.0 + _distance(points, batch.boxes))
    best = ranked.topk(min(settings.candidates, points.shape[0]), -1)
    chosen = torch.zeros_like(metric).scatter_(-1, best.indices, (best.values > 0).to(metric.dtype))
    rival = torch.where(chosen > 0, plain + TINY, torch.zeros_like(plain))
    owner = rival.argmax(1)  # (B, A)
    owned = rival.amax(1) > 0
    chosen = chosen * torch.zeros_like(chosen).scatter_(1, owner[:, None], 1.0)
    quality = _qualities(metric * chosen, plain * chosen).gather(1, owner[:, None])[:, 0] * owned
    labels = classes.gather(1, owner)
    qualities = torch.zeros_like(logits).scatter_(-1, labels[..., None], quality[..., None])
    assigned = batch.boxes.gather(1, owner[..., None].expand(-1, -1, 4))
    weights = quality.clamp(min=settings.least_weight) * owned
    return Targets(qualities, assigned, weights, owned | ~_within(points, batch.ignored))


def _near(points: torch.Tensor, boxes: torch.Tensor, reach: float) -> torch.Tensor:
    """Test which points lie in each box or near its centre, shape (B, M, A)."""
    centre = (boxes[..., :2] + boxes[..., 2:]) / 2
    half = ((boxes[..., 2:] - boxes[..., :2]) / 2).clamp(min=reach)
    return ((points - centre[..., None, :]).abs() < half[..., None, :]).all(-1)


def _distance(points: torch.Tensor, boxes: torch.Tensor) -> torch.Tensor:
    centre = (boxes[..., :2] + boxes[..., 2:]) / 2
    return (points - centre[..., None, :]).abs().sum(-1)


def _within(points: torch.Tensor, regions: torch.Tensor) -> torch.Tensor:
    """Test which points lie in any region, shape (B, A)."""
    low, high = regions[..., None, :2], regions[..., None, 2:]
    return ((points > low) & (points < high)).all(-1).any(1)


def _qualities(metric: torch.Tensor, plain: torch.Tensor) -> torch.Tensor:
    """Scale the metric of each object so that its best prediction gets its best overlap, shape (B, M, A)."""
    return metric * plain.amax(-1, keepdim=True) / (metric.amax(-1, keepdim=True) + TINY * TINY)


@dataclass(frozen=True, slots=True, eq=False)
class Losses:
    """Losses of one batch."""

    total: torch.Tensor
    classification: float
    box: float


def detection_loss(
    logits: torch.Tensor, boxes: torch.Tensor, points: torch.Tensor, batch: Batch, settings: Assignment
) -> Losses:
    """Compute the losses of a batch; the arguments are those of `assign`."""
    targets = assign(logits.detach(), boxes.detach(), points, batch, settings)
    scale = targets.qualities.sum().clamp(min=1.0)
    background = settings.negatives * logits.detach().sigmoid().pow(settings.focal)
    weights = torch.where(targets.qualities > 0, targets.qualities, background)
    every = binary_cross_entropy_with_logits(logits, targets.qualities, reduction="none") * weights
    classification = (every.sum(-1) * targets.counted).sum() / scale
    _, generalised = overlaps(boxes, targets.boxes)
    box = ((1.0 - generalised) * targets.weights).sum() / targets.weights.sum().clamp(min=1.0)
    return Losses(
        classification + settings.box_weight * box, float(classification.detach()), float(box.detach())
    )
