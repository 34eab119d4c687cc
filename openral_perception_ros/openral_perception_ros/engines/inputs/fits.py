"""How a source image is fitted into a model's input, and how boxes come back."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

Size = tuple[int, int]


class FitKind(StrEnum):
    """``stretch`` changes the aspect ratio; ``letterbox`` keeps it and fills right and below."""

    STRETCH = "stretch"
    LETTERBOX = "letterbox"


@dataclass(frozen=True, slots=True)
class Fit:
    """Sizes are (width, height) [px]; ``content`` is the part of ``model`` that shows the source."""

    source: Size
    content: Size
    model: Size

    def to_source(self, corners: NDArray[np.floating]) -> NDArray[np.float64]:
        """Boxes back in source pixels.

        Args:
            corners: x_min, y_min, x_max, y_max relative to the model's input, in [0, 1], shape (N, 4).
        """
        scale = np.array(self.model) * np.array(self.source) / np.array(self.content)
        return np.asarray(corners, np.float64) * np.tile(scale, 2)


def fit_of(kind: FitKind, source: Size, model: Size) -> Fit:
    """The fit of one image."""
    if kind is FitKind.STRETCH:
        return Fit(source, model, model)
    scale = min(model[0] / source[0], model[1] / source[1])
    return Fit(source, (max(round(source[0] * scale), 1), max(round(source[1] * scale), 1)), model)
