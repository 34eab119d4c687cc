"""Objects pasted into other images: few frames then show a taught object before many backgrounds.

Known objects that resemble taught ones are pasted as often, so that neither frequency nor the look of what is
pasted tells them apart.

Source: Ghiasi et al. 2021 (simple copy-paste); masks by Rother et al. 2004 (GrabCut) from the taught box.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

MARGIN = 0.3
"""Surroundings of a box from which its background is learned, relative to its sides [1]."""
ENLARGED = 64
"""Short side to which a crop is enlarged before it is segmented [px]."""
PLAUSIBLE = (0.25, 0.95)
"""Shares of the box that a mask may fill; outside of it an ellipse is taken [1]."""
SCALES = (0.5, 1.5)
"""Range of the factor by which a pasted object is scaled [1]."""
LEAST_SIDE = 6
"""Short side below which nothing is pasted [px]."""
BRIGHTNESS = 0.3
"""Largest relative change of an object's brightness [1]."""
MOST = 3
"""Objects of taught and of known kinds pasted into one image at most [count each]."""
HIDDEN = 0.5
"""Share of a box from which a pasted object hides what was there [1]."""
Box = tuple[float, float, float, float]
Row = tuple[str, Box, bool]
"""Label, box [x, y, width, height] [px], and whether it is to be ignored."""


@dataclass(frozen=True, slots=True, eq=False)
class Cutout:
    """An object without its background: RGB (H, W, 3) and opacity in [0, 1] (H, W)."""

    pixels: NDArray[np.uint8]
    opacity: NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Cutouts:
    """Cut-out objects by label, and the weights with which labels are drawn, relative to each other."""

    objects: Mapping[str, Sequence[Cutout]]
    weights: Mapping[str, float]

    def draw(self, rng: np.random.Generator) -> tuple[str, Cutout]:
        """Draw a label, then one of its objects."""
        labels = sorted(self.objects)
        weights = np.array([self.weights[label] for label in labels])
        label = labels[int(rng.choice(len(labels), p=weights / weights.sum()))]
        return label, self.objects[label][int(rng.integers(len(self.objects[label])))]


def cut_out(rgb: NDArray[np.uint8], box: Box) -> Cutout | None:
    """Segment the object in a box; None if it is too small to be pasted, or fills the image."""
    height, width = rgb.shape[:2]
    x_min, y_min = max(0, round(box[0])), max(0, round(box[1]))
    x_max, y_max = min(width, round(box[0] + box[2])), min(height, round(box[1] + box[3]))
    size = (x_max - x_min, y_max - y_min)
    if min(size) < LEAST_SIDE or size == (width, height):
        return None
    margin = (max(3, round(MARGIN * box[2])), max(3, round(MARGIN * box[3])))
    x, y = max(0, x_min - margin[0]), max(0, y_min - margin[1])
    around = rgb[y : min(height, y_max + margin[1]), x : min(width, x_max + margin[0])]
    inner = (x_min - x, y_min - y, x_max - x_min, y_max - y_min)
    return Cutout(rgb[y_min:y_max, x_min:x_max].copy(), _opacity(around, inner))


def _opacity(around: NDArray[np.uint8], box: tuple[int, int, int, int]) -> NDArray[np.float32]:
    """Segment what lies in a box (x, y, width, height) of an image, shape (height, width)."""
    factor = max(1.0, ENLARGED / min(box[2:]))
    large = cv2.resize(around, None, fx=factor, fy=factor, interpolation=cv2.INTER_CUBIC)
    x, y, width, height = (round(factor * side) for side in box)
    mask, models = np.zeros(large.shape[:2], np.uint8), np.zeros((2, 1, 65))
    cv2.setRNGSeed(0)
    cv2.grabCut(large, mask, [x, y, width, height], models[0], models[1], 4, cv2.GC_INIT_WITH_RECT)
    opacity = np.isin(mask, (cv2.GC_FGD, cv2.GC_PR_FGD))[y : y + height, x : x + width].astype(np.float32)
    if not PLAUSIBLE[0] <= opacity.mean() <= PLAUSIBLE[1]:
        opacity = np.zeros_like(opacity)
        half = (opacity.shape[1] // 2, opacity.shape[0] // 2)
        cv2.ellipse(opacity, half, half, 0.0, 0.0, 360.0, 1.0, cv2.FILLED)
    return np.asarray(cv2.resize(opacity, box[2:], interpolation=cv2.INTER_AREA), np.float32)


def with_pasted(
    rgb: NDArray[np.uint8], rows: Sequence[Row], kinds: Sequence[Cutouts], rng: np.random.Generator
) -> tuple[NDArray[np.uint8], list[Row]]:
    """Paste one to three objects of each of the kinds, each beside something that stands in the image.

    Returns:
        Image and rows.
    """
    pixels, labelled = rgb.copy(), list(rows)
    drawn = [kind.draw(rng) for kind in kinds for _ in range(int(rng.integers(1, MOST + 1)))]
    for index in rng.permutation(len(drawn)):
        label, cutout = drawn[index][0], _varied(drawn[index][1], rng)
        height, width = cutout.opacity.shape
        x, y = _place(labelled, (width, height), (rgb.shape[1], rgb.shape[0]), rng)
        if min(width, height) < LEAST_SIDE or x < 0 or y < 0:
            continue
        target, opacity = pixels[y : y + height, x : x + width], cutout.opacity[..., None]
        target[:] = (opacity * cutout.pixels + (1.0 - opacity) * target).round().astype(np.uint8)
        box = (float(x), float(y), float(width), float(height))
        labelled = [*_uncovered(labelled, box), (label, box, False)]
    return pixels, labelled


def _varied(cutout: Cutout, rng: np.random.Generator) -> Cutout:
    """Scale, mirror and brighten an object at random."""
    scale, gain = rng.uniform(*SCALES), rng.uniform(1.0 - BRIGHTNESS, 1.0 + BRIGHTNESS)
    height, width = cutout.opacity.shape
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    kind = cv2.INTER_AREA if scale < 1.0 else cv2.INTER_LINEAR
    step = -1 if rng.random() < 0.5 else 1
    pixels = cv2.resize(cutout.pixels[:, ::step], size, interpolation=kind).astype(np.float32)
    opacity = cv2.resize(cutout.opacity[:, ::step], size, interpolation=kind)
    return Cutout((gain * pixels).clip(0, 255).astype(np.uint8), np.asarray(opacity, np.float32))


def _place(
    rows: Sequence[Row], size: tuple[int, int], image: tuple[int, int], rng: np.random.Generator
) -> tuple[int, int]:
    """Return the left and top edge of an object that stands beside another one, or anywhere."""
    x, bottom = rng.uniform(0, max(0, image[0] - size[0])), rng.uniform(0.3, 1.0) * image[1]
    standing = [box for _, box, ignored in rows if not ignored and box[1] + box[3] < image[1] - 2]
    if standing and rng.random() < 0.7:
        x_min, y_min, width, height = standing[int(rng.integers(len(standing)))]
        x = x_min + width / 2 - size[0] / 2 + rng.uniform(-1.0, 1.0) * (width + size[0])
        bottom = y_min + height * rng.uniform(0.7, 1.05)
    x = min(max(0.0, x), image[0] - size[0])
    return round(x), round(min(bottom, image[1]) - size[1])


def _uncovered(rows: Sequence[Row], box: Box) -> Iterator[Row]:
    """Yield the rows; those that a pasted box hides for the most part are to be ignored."""
    for label, other, ignored in rows:
        width = min(box[0] + box[2], other[0] + other[2]) - max(box[0], other[0])
        height = min(box[1] + box[3], other[1] + other[3]) - max(box[1], other[1])
        hidden = max(0.0, width) * max(0.0, height) >= HIDDEN * other[2] * other[3]
        yield label, other, ignored or hidden
