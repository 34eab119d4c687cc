"""Views for training: crops at random scale, mosaics, flips, colour and noise, as functions of a generator.

A crop of a large image shows small objects at their own scale for a quarter of the cost of the whole image.
"""

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from openral_training.detector.image_cache import GREY, ImageView
from openral_training.detector.splits import Objects

Size = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Augmentation:
    """Strength of the augmentation.

    Args:
        scale: Range of the factor from source to view [1].
        mosaic: Probability of a view of four images.
        whole: Probability that a view of one image shows all of it, fitted to the view.
        colour: Largest relative change of brightness and contrast, and of each channel's gain [1].
        noise: Largest standard deviation of added noise [levels of 255].
        blur: Probability of a slight blur.
        least_visible: Share of a box that a crop must keep; below it the rest is a region to ignore [1].
    """

    scale: tuple[float, float] = (0.5, 1.3)
    mosaic: float = 0.1
    whole: float = 0.65
    colour: float = 0.25
    noise: float = 8.0
    blur: float = 0.15
    least_visible: float = 0.4


def training_view(
    load: Callable[[int], ImageView],
    index: int,
    count: int,
    size: Size,
    settings: Augmentation,
    rng: np.random.Generator,
) -> ImageView:
    """Draw one view of an image, or of it and three others.

    Args:
        load: Loader of an image by index.
        index: The image.
        count: Number of images.
        size: (width, height) of the view [px].
        settings: Strength.
        rng: Generator of this view alone, which makes it reproducible.
    """
    if rng.random() < settings.mosaic:
        others = [index, *rng.integers(0, count, 3).tolist()]
        view = _mosaic([load(each) for each in others], size, settings, rng)
    else:
        source = load(index)
        fitting = min(size[0] / source.pixels.shape[1], size[1] / source.pixels.shape[0])
        scale = fitting if rng.random() < settings.whole else rng.uniform(*settings.scale)
        view = crop(source, size, scale, settings.least_visible, rng)
    if rng.random() < 0.5:
        view = flipped(view)
    return ImageView(_recoloured(view.pixels, settings, rng), view.objects)


def crop(
    view: ImageView, size: Size, scale: float, least_visible: float, rng: np.random.Generator
) -> ImageView:
    """Scale an image and cut a window out of it, or pad it where it is smaller.

    Args:
        view: The image.
        size: (width, height) of the window [px].
        scale: Factor applied before cutting [1].
        least_visible: See `Augmentation`.
        rng: Draws the place.
    """
    height, width = view.pixels.shape[:2]
    window = np.minimum(np.ceil(np.array(size) / scale), (width, height)).astype(int)
    x, y = (int(rng.integers(0, limit + 1)) for limit in (width - window[0], height - window[1]))
    cut = view.pixels[y : y + window[1], x : x + window[0]]
    scaled = (min(size[0], max(1, round(window[0] * scale))), min(size[1], max(1, round(window[1] * scale))))
    kind = cv2.INTER_AREA if scale < 1.0 else cv2.INTER_LINEAR
    fitted = np.asarray(cv2.resize(cut, scaled, interpolation=kind), np.uint8)
    pixels = np.full((size[1], size[0], 3), GREY, np.uint8)
    free = [int(rng.integers(0, total - part + 1)) for total, part in zip(size, scaled, strict=True)]
    pixels[free[1] : free[1] + scaled[1], free[0] : free[0] + scaled[0]] = fitted
    factor = np.array([scaled[0] / window[0], scaled[1] / window[1]] * 2, np.float32)
    boxes = (view.objects.boxes - np.array([x, y] * 2, np.float32)) * factor
    corner = np.array([0, 0, *scaled], np.float32)
    objects = clipped(Objects(boxes, view.objects.classes, view.objects.ignored), corner, least_visible)
    moved = objects.boxes + np.array(free * 2, np.float32)
    return ImageView(pixels, Objects(moved, objects.classes, objects.ignored))


def clipped(objects: Objects, window: NDArray[np.float32], least_visible: float) -> Objects:
    """Clip boxes to x_min, y_min, x_max, y_max; those mostly cut off become regions to ignore."""
    before = objects.boxes
    boxes = np.hstack([np.maximum(before[:, :2], window[:2]), np.minimum(before[:, 2:], window[2:])])
    sides = np.maximum(boxes[:, 2:] - boxes[:, :2], 0.0)
    whole = np.maximum(np.prod(before[:, 2:] - before[:, :2], axis=1), 1e-6)
    share = np.prod(sides, axis=1) / whole
    result = Objects(boxes, objects.classes, objects.ignored | (share < least_visible))
    return result.only((sides > 1.0).all(axis=1))


def flipped(view: ImageView) -> ImageView:
    """Mirror an image left to right."""
    width = view.pixels.shape[1]
    boxes = view.objects.boxes.copy()
    boxes[:, [0, 2]] = width - boxes[:, [2, 0]]
    objects = Objects(boxes, view.objects.classes, view.objects.ignored)
    return ImageView(np.ascontiguousarray(view.pixels[:, ::-1]), objects)


def _mosaic(
    views: list[ImageView], size: Size, settings: Augmentation, rng: np.random.Generator
) -> ImageView:
    """Join crops of four images around a random centre."""
    centre = [int(side * rng.uniform(0.35, 0.65)) for side in size]
    pixels = np.empty((size[1], size[0], 3), np.uint8)
    parts: list[Objects] = []
    for number, view in enumerate(views):
        right, below = number % 2, number // 2
        corner = (centre[0] * right, centre[1] * below)
        part = (size[0] - centre[0] if right else centre[0], size[1] - centre[1] if below else centre[1])
        cut = crop(view, part, rng.uniform(*settings.scale), settings.least_visible, rng)
        pixels[corner[1] : corner[1] + part[1], corner[0] : corner[0] + part[0]] = cut.pixels
        moved = cut.objects.boxes + np.array(corner * 2, np.float32)
        parts.append(Objects(moved, cut.objects.classes, cut.objects.ignored))
    return ImageView(pixels, Objects.joined(parts))


def _recoloured(
    pixels: NDArray[np.uint8], settings: Augmentation, rng: np.random.Generator
) -> NDArray[np.uint8]:
    """Change contrast, brightness and white balance, blur slightly and add noise."""
    spread = settings.colour
    gain = rng.uniform(1 - spread, 1 + spread) * rng.uniform(1 - spread / 2, 1 + spread / 2, 3)
    offset = 255.0 * rng.uniform(-spread, spread) / 2
    levels = np.arange(256, dtype=np.float32)[:, None] * gain + offset
    table = levels.clip(0, 255).astype(np.uint8)
    changed = cv2.LUT(pixels, table.reshape(1, 256, 3))
    if rng.random() < settings.blur:
        changed = cv2.GaussianBlur(changed, (3, 3), rng.uniform(0.4, 1.0))
    deviation = rng.uniform(0.0, settings.noise)
    if deviation >= 1.0:
        noise = np.empty(changed.shape, np.int16)
        cv2.setRNGSeed(int(rng.integers(1 << 31)))
        cv2.randn(noise, 0, deviation)
        changed = np.clip(changed + noise, 0, 255).astype(np.uint8)
    return np.asarray(changed, np.uint8)
