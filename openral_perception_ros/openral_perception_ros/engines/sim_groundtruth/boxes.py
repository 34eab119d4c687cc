"""Boxes of what a semantic image shows."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage


@dataclass(frozen=True, slots=True)
class Visible:
    """One instance in view: ``corners`` x_min, y_min, x_max, y_max [px], ``pixels`` of it not occluded."""

    instance: int
    corners: tuple[int, int, int, int]
    pixels: int


def visible_instances(semantic: NDArray[np.generic], min_pixels: int) -> list[Visible]:
    """Instances with at least ``min_pixels`` in view, by id; 0 is background.

    Args:
        semantic: Instance ids, shape (H, W).
        min_pixels: Fewer are not seen.
    """
    counts = np.bincount(semantic.ravel())
    found = ndimage.find_objects(semantic.astype(np.int32))
    return [
        Visible(instance, (columns.start, rows.start, columns.stop, rows.stop), int(counts[instance]))
        for instance, (rows, columns) in ((i, each) for i, each in enumerate(found, start=1) if each)
        if counts[instance] >= min_pixels
    ]
