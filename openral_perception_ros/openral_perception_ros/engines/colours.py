"""Colours of detected objects, measured in their boxes; a closed vocabulary then grounds "red mug".

The names are the basic colour terms of Berlin and Kay (1969), as bounds in the cylinder of CIE L*a*b*.
They overlap: two people would name some pixels differently, and a white object in the shade is grey.
"""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from openral_core.detectors import Box, Detection
from openral_core.lazy_modules import lazy_module
from openral_core.text import Thesaurus

cv2 = lazy_module("cv2")

ACHROMATIC = 12.0
"""Chroma of greys, of which noise and the colour of the light remain [L*a*b* units]."""
LEAST_SHARE = 0.25
"""Share of an object that must have a colour for its name [1]; docs/detectors.md has what it finds."""
CENTRE = 0.6
"""Fall of a pixel's weight from the centre of its box [squared half sides]: corners show the background."""
MAX_SIDE = 128
"""Longest side that is measured [px]; larger objects are scaled down."""

LIGHT_SIZE = (160, 120)
"""Width and height at which the light is estimated [px]: noise averages out."""
LIGHT_NORM, LIGHT_STRENGTH, CLIPPED = 6, 0.5, 0.96
"""Minkowski norm, exponent of the correction, and linear level from which pixels are left out [1]."""
LIGHT_PERCENTILE, LIGHT_TARGET, LIGHT_GAIN = 98, 0.9, 5.0
"""Percentile of the pixels that is brought up to this linear level [1], by at most this factor."""

Bounds = tuple[float, float]
HUES: Mapping[str, tuple[Bounds, Bounds, Bounds]] = MappingProxyType(
    {
        "red": ((345.0, 50.0), (0.0, 75.0), (ACHROMATIC, 200.0)),
        "orange": ((45.0, 76.0), (45.0, 100.0), (ACHROMATIC, 200.0)),
        "yellow": ((72.0, 115.0), (0.0, 100.0), (ACHROMATIC, 200.0)),
        "green": ((108.0, 205.0), (0.0, 100.0), (ACHROMATIC, 200.0)),
        "blue": ((200.0, 312.0), (0.0, 100.0), (ACHROMATIC, 200.0)),
        "purple": ((300.0, 350.0), (0.0, 100.0), (ACHROMATIC, 200.0)),
        "pink": ((325.0, 45.0), (55.0, 100.0), (ACHROMATIC, 60.0)),
        "brown": ((30.0, 85.0), (0.0, 55.0), (ACHROMATIC, 45.0)),
    }
)
"""Hue [degrees], lightness and chroma [L*a*b* units] of each name; a hue range may pass through 360."""
GREYS: Mapping[str, tuple[Bounds, float]] = MappingProxyType(
    {
        "black": ((-1.0, 35.0), ACHROMATIC),
        "grey": ((25.0, 82.0), ACHROMATIC),
        "white": ((50.0, 101.0), ACHROMATIC + 4.0),
    }
)
"""Lightness and largest chroma of each name [L*a*b* units]."""
DARK: tuple[float, float] = (22.0, 18.0)
"""Lightness and chroma below which every hue is black [L*a*b* units]."""
COLOURS = (*HUES, *GREYS)
"""Names that can be measured."""


def balance_light(rgb: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Take half of the light's colour out of an image, and brighten a dark one.

    The light is estimated by shades of grey (Finlayson & Trezzi 2004), in linear light (IEC 61966-2-1).

    Args:
        rgb: Image, shape (H, W, 3).
    """
    linear = _LINEAR[cv2.resize(rgb, LIGHT_SIZE, interpolation=cv2.INTER_AREA)].reshape(-1, 3)
    unclipped = linear[linear.max(axis=1) < CLIPPED]
    if not len(unclipped):
        return rgb
    light = np.maximum((unclipped**LIGHT_NORM).mean(axis=0) ** (1.0 / LIGHT_NORM), 1e-4)
    gains = (light.mean() / light) ** LIGHT_STRENGTH
    brightest = np.percentile((linear * gains).max(axis=1), LIGHT_PERCENTILE)
    gains *= np.clip(LIGHT_TARGET / max(brightest, 1e-4), 1.0, LIGHT_GAIN)
    levels = np.clip(_LINEAR[:, None] * gains, 0.0, 1.0)
    encoded = np.where(levels <= 0.0031308, levels * 12.92, 1.055 * levels ** (1.0 / 2.4) - 0.055)
    return np.asarray(cv2.LUT(rgb, np.rint(255.0 * encoded).astype(np.uint8).reshape(1, 256, 3)), np.uint8)


def _linear_levels() -> NDArray[np.float64]:
    encoded = np.arange(256) / 255.0
    return np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)


_LINEAR = _linear_levels()
"""Linear intensity of each 8-bit level of sRGB [1]."""


def colour_shares(rgb: NDArray[np.uint8], box: Box) -> dict[str, float]:
    """Measure which share of an object each colour covers; shares of overlapping names add up to more than 1.

    Args:
        rgb: Image, shape (H, W, 3).
        box: The object [px].
    """
    corners = np.rint([box.x_min, box.y_min, box.x_max, box.y_max]).astype(int)
    x_min, y_min = np.maximum(corners[:2], 0)
    part = rgb[y_min : max(corners[3], y_min + 1), x_min : max(corners[2], x_min + 1)]
    if part.size == 0:
        return dict.fromkeys(COLOURS, 0.0)
    scale = min(1.0, MAX_SIDE / max(part.shape[:2]))
    if scale < 1.0:
        part = cv2.resize(part, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    offsets = [np.linspace(-1.0, 1.0, 2 * side + 1)[1::2] for side in part.shape[:2]]
    weights = np.exp(-(offsets[0][:, None] ** 2 + offsets[1][None] ** 2) / CENTRE)
    weights /= weights.sum()
    return {name: float(weights[named].sum()) for name, named in _named(part).items()}


def _named(rgb: NDArray[np.uint8]) -> dict[str, NDArray[np.bool_]]:
    """Test which pixels may have each name, shape (H, W)."""
    lab = cv2.cvtColor(rgb.astype(np.float32) / 255.0, cv2.COLOR_RGB2LAB)
    lightness, chroma = lab[..., 0], np.hypot(lab[..., 1], lab[..., 2])
    hue = np.degrees(np.arctan2(lab[..., 2], lab[..., 1])) % 360.0
    dark = (lightness < DARK[0]) & (chroma < DARK[1])

    def between(values: NDArray[np.float32], bounds: Bounds) -> NDArray[np.bool_]:
        low, high = values >= bounds[0], values < bounds[1]
        return np.asarray(low & high if bounds[0] < bounds[1] else low | high)

    named = {
        name: between(hue, hues) & between(lightness, levels) & between(chroma, strengths) & ~dark
        for name, (hues, levels, strengths) in HUES.items()
    }
    greys = {
        name: between(lightness, levels) & (chroma < strongest) for name, (levels, strongest) in GREYS.items()
    }
    return {**named, **greys, "black": greys["black"] | dark}


class ColourGrounding:
    """Ground phrases such as "red mug" in the detections of a closed vocabulary.

    Args:
        labels: The vocabulary.
        thesaurus: Relates phrases to labels.
    """

    def __init__(self, labels: Sequence[str], thesaurus: Thesaurus) -> None:
        self._labels, self._thesaurus = tuple(labels), thesaurus

    def labels_of(self, term: str) -> tuple[str, ...]:
        """Return the labels that satisfy a phrase apart from colours that can be measured; may be empty."""
        return self._meaning(term)[0]

    def ground(
        self, detections: Iterable[Detection], terms: Iterable[str], rgb: NDArray[np.uint8]
    ) -> list[Detection]:
        """Return the detections that satisfy a phrase, labelled with it, best score first.

        Args:
            detections: Labelled by the vocabulary.
            rgb: The image, shape (H, W, 3).
        """
        meanings = {term: self._meaning(term) for term in terms}
        balanced = balance_light(rgb) if any(colours for _, colours in meanings.values()) else rgb
        return [
            Detection(detection.box, term, detection.score, detection.track)
            for detection in detections
            for term, (labels, colours) in meanings.items()
            if detection.label in labels and _has_colours(balanced, detection.box, colours)
        ]

    def _meaning(self, term: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the labels and the colours that satisfy a phrase."""
        bare, colours = self._thesaurus.split(term, "colour")
        if not set(colours) <= set(COLOURS):
            bare = term
        return tuple(label for label in self._labels if self._thesaurus.relation(bare, label).is_hit), colours


def _has_colours(rgb: NDArray[np.uint8], box: Box, colours: Sequence[str]) -> bool:
    if not colours:
        return True
    shares = colour_shares(rgb, box)
    return all(shares[name] >= LEAST_SHARE for name in colours)
