"""Model of a stereo depth camera's errors, applied to rendered images.

Depth noise grows with the square of the distance, as the noise of a disparity does. Dark and grazing surfaces
give no depth, pixels at edges float between near and far or lie on a ramp from one to the other, and depth
has steps of disparity. Colour has shot
and read noise, an exposure that drifts, and bands of mains flicker that a rolling shutter makes.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import pi
from statistics import NormalDist
from types import MappingProxyType

import numpy as np
from scipy.ndimage import gaussian_filter, maximum_filter, minimum_filter, uniform_filter

from openral_core.arrays import Array, Array32, Image, Intrinsics, Mask


class SensorName(StrEnum):
    """Sensors that the simulated cameras can have."""

    OFF = "off"
    MILD = "mild"
    REALSENSE = "realsense"


@dataclass(frozen=True)
class SensorModel:
    """Errors of a colour and depth camera; 0 everywhere is a perfect one."""

    # Standard deviation of depth at 1 m [m]; it grows with the square of the distance.
    depth_noise: float = 0.0
    noise_grain: float = 0.0  # Extent over which neighbouring pixels err alike [px].
    inverse_depth_step: float = 0.0  # Quantisation step of the inverse of depth [1/m].
    range: tuple[float, float] = (0.0, np.inf)  # Smallest and largest depth that is measured [m].
    hole_fraction: float = 0.0  # Fraction of ordinary surface without depth, in patches [-].
    hole_grain: float = 2.0  # Extent of these patches [px].
    dark_level: float = 0.0  # Brightness below which a surface gives no depth, in [0, 1].
    grazing_cosine: float = 0.0  # Cosine of the angle of incidence below which a surface gives no depth [-].
    flying_fraction: float = 0.0  # Fraction of the pixels at an edge that float between near and far [-].
    ramp: float = 0.0  # Angle over which depth rises from an object to what is close behind it [rad].
    ramp_fraction: float = 0.5  # Fraction of such edges that are ramps [-]; the others are sharp.
    ramp_step: float = 0.3  # Largest difference of depth of a ramp, as a fraction of depth [-].
    # Difference of depth between neighbours that is an edge, as a fraction of depth [-].
    edge_step: float = 0.04
    # Standard deviation of a white pixel's noise as a fraction of white [-]; its variance is proportional to
    # brightness.
    shot_noise: float = 0.0
    read_noise: float = 0.0  # Standard deviation of a black pixel's noise as a fraction of white [-].
    exposure_drift: float = 0.0  # Amplitude of the slow change of exposure as a fraction [-].
    flicker: float = 0.0  # Amplitude of the bands of a rolling shutter as a fraction [-].

    def measure_depth(self, depth: Array32, rgb: Image, K: Intrinsics, rng: np.random.Generator) -> Array32:
        """Return the depth that the camera measures [m], 0 where it measures none, shape (H, W).

        Args:
            depth: True depth along the optical axis [m], 0 where unknown, shape (H, W).
            rgb: True colour, shape (H, W, 3).
            K: Intrinsics [px], shape (3, 3).
            rng: Source of the errors; the same state gives the same image.
        """
        ramps = self._with_ramps(depth, K, rng)
        measured = self._with_flying_pixels(ramps, rng).astype(np.float64)
        noise = _patches(rng, depth.shape, self.noise_grain)
        measured += self.depth_noise * measured**2 * noise
        if self.inverse_depth_step > 0.0:
            inverse = np.round(1.0 / np.maximum(measured, 1e-3) / self.inverse_depth_step)
            measured = 1.0 / np.maximum(inverse * self.inverse_depth_step, 1e-6)
        lost = (depth <= 0.0) | (measured < self.range[0]) | (measured > self.range[1])
        lost |= self._dark(rgb, rng) | (incidence_cosine(depth, K) < self.grazing_cosine)
        if self.hole_fraction > 0.0:
            threshold = NormalDist().inv_cdf(1.0 - self.hole_fraction)
            lost |= _patches(rng, depth.shape, self.hole_grain) > threshold
        return np.where(lost, 0.0, measured).astype(np.float32)

    def expose(self, rgb: Image, time: float, rng: np.random.Generator) -> Image:
        """Return the colour image that the camera takes at a time [s], shape (H, W, 3)."""
        rows = np.arange(rgb.shape[0]) / rgb.shape[0]
        gain = 1.0 + self.exposure_drift * np.sin(2 * pi * time / DRIFT_PERIOD)
        # Light on mains of 50 Hz flickers at 100 Hz: a readout of 1/30 s has about three bands.
        bands = 1.0 + self.flicker * np.sin(2 * pi * (BANDS * rows + FLICKER_RATE * time))
        exposed = rgb.astype(np.float32) / WHITE * (gain * bands)[:, None, None].astype(np.float32)
        deviation = np.sqrt(self.read_noise**2 + self.shot_noise**2 * exposed)
        exposed += deviation * rng.standard_normal(rgb.shape, dtype=np.float32)
        return np.asarray(np.clip(exposed * WHITE + 0.5, 0, WHITE).astype(np.uint8))

    def _with_ramps(self, depth: Array32, K: Intrinsics, rng: np.random.Generator) -> Array32:
        """Blend disparities outwards from the nearer side of an edge, as a window of stereo matching does.

        Beside an edge, a tilted surface is drawn towards its own nearer parts as well.
        """
        size = 2 * round(self.ramp * float(K[0, 0]) / 2) + 1
        if size == 1:
            return depth
        disparity = np.divide(1.0, depth, out=np.zeros_like(depth), where=depth > 0)
        nearest = maximum_filter(disparity, 2 * size + 1)
        is_behind = (disparity > 0) & (nearest < disparity * (1.0 + self.ramp_step))
        is_ramp = is_behind & maximum_filter(self._edges(depth), 2 * size + 1)
        threshold = NormalDist().inv_cdf(1.0 - self.ramp_fraction)
        is_ramp &= _patches(rng, depth.shape, float(size)) > threshold
        blended = uniform_filter(maximum_filter(disparity, size), size)
        is_ramp &= blended > disparity
        return np.asarray(np.divide(1.0, blended, out=depth.copy(), where=is_ramp), np.float32)

    def _edges(self, depth: Array32) -> Mask:
        """Mask of the pixels beside a jump of depth, shape (H, W)."""
        near = minimum_filter(np.where(depth > 0, depth, _FARTHEST), 3)
        return np.asarray((depth > 0) & (maximum_filter(depth, 3) - near > self.edge_step * near))

    def _with_flying_pixels(self, depth: Array32, rng: np.random.Generator) -> Array32:
        """Move pixels at edges to a depth between the near and the far side."""
        if self.flying_fraction == 0.0:
            return depth
        near = minimum_filter(np.where(depth > 0, depth, _FARTHEST), 3)
        far = maximum_filter(depth, 3)
        flying = self._edges(depth) & (rng.random(depth.shape) < self.flying_fraction)
        between = rng.random(depth.shape, dtype=np.float32)
        moved = np.where(flying, near, 0) + np.where(flying, between * (far - near), 0)
        return np.where(flying, moved, depth).astype(np.float32)

    def _dark(self, rgb: Image, rng: np.random.Generator) -> Mask:
        """Tell the pixels that are too dark, more surely the darker they are, shape (H, W)."""
        if self.dark_level == 0.0:
            return np.zeros(rgb.shape[:2], dtype=bool)
        brightness = rgb.mean(axis=2) / WHITE
        return np.asarray(brightness < self.dark_level * rng.random(rgb.shape[:2]))


WHITE = 255.0
"""Value of a white pixel [1]."""
DRIFT_PERIOD = 7.0
"""Period of the drift of exposure [s]: that of a slow automatic exposure."""
BANDS = 3.3
"""Number of bands of mains flicker in an image [1]."""
FLICKER_RATE = 1.7
"""Rate at which the bands move through the image [Hz]."""

_FARTHEST = np.float32(1000.0)  # Stands for an unknown depth when the nearest one is looked for [m].
PERFECT = SensorModel()
"""A camera without errors."""
SENSORS: Mapping[SensorName, SensorModel] = MappingProxyType(
    {
        SensorName.OFF: PERFECT,
        SensorName.MILD: SensorModel(
            depth_noise=0.001,
            noise_grain=0.7,
            inverse_depth_step=0.0005,
            range=(0.05, 10.0),
            hole_fraction=0.02,
            grazing_cosine=0.08,
            flying_fraction=0.25,
            shot_noise=0.015,
            read_noise=0.005,
            exposure_drift=0.03,
        ),
        SensorName.REALSENSE: SensorModel(
            # 0.08 px of disparity at a focal length of 640 px and a baseline of 50 mm, in steps of 1/32 px.
            depth_noise=0.0025,
            noise_grain=1.0,
            inverse_depth_step=0.001,
            range=(0.11, 8.0),
            hole_fraction=0.08,
            hole_grain=3.0,
            dark_level=0.12,
            grazing_cosine=0.16,
            flying_fraction=0.5,
            ramp=0.015,  # 9 px at a focal length of 613 px, where half of the edges of a D435 have ramps
            shot_noise=0.03,
            read_noise=0.012,
            exposure_drift=0.08,
            flicker=0.02,
        ),
    }
)
"""Errors of every sensor: none, those of a good camera, and those of a RealSense D400."""


def frame_generator(seed: int, camera: int, time: float) -> np.random.Generator:
    """Return the source of the errors of one image: the same for the same seed, camera and time [s]."""
    return np.random.default_rng([seed, camera, round(1000 * time)])


def incidence_cosine(depth: Array32, K: Intrinsics) -> Array:
    """Return the cosine between each pixel's ray and its surface's normal, from depth alone, shape (H, W).

    1 where depth is unknown or jumps.
    """
    z = depth.astype(np.float64)
    height, width = z.shape
    u = (np.arange(width) - K[0, 2]) / K[0, 0]
    v = ((np.arange(height) - K[1, 2]) / K[1, 1])[:, None]
    # A surface z(u, v) along the rays (u, v, 1) has the normal (z_u, z_v, -(z + u z_u + v z_v)).
    z_u, z_v = _slope(z, 1) * K[0, 0], _slope(z, 0) * K[1, 1]
    towards = z + u * z_u + v * z_v
    length = np.sqrt(z_u**2 + z_v**2 + towards**2) * np.sqrt(1 + u**2 + v**2)
    cosine = np.divide(z, length, out=np.ones_like(z), where=length > 0)
    return np.asarray(np.where(z > 0, cosine, 1.0))


def _slope(z: Array, axis: int) -> Array:
    """Return the smaller of the differences to both neighbours: an edge is not a slope."""
    before = np.diff(z, axis=axis, prepend=np.take(z, [0], axis=axis))
    after = np.diff(z, axis=axis, append=np.take(z, [-1], axis=axis))
    return np.asarray(np.where(np.abs(before) < np.abs(after), before, after))


def _patches(rng: np.random.Generator, shape: tuple[int, ...], grain: float) -> Array:
    """Return normal noise of unit variance that is alike over ``grain`` [px], shape (H, W)."""
    white = rng.standard_normal(shape)
    if grain == 0.0:
        return white
    smooth = gaussian_filter(white, grain, mode="wrap")
    return np.asarray(smooth / smooth.std())
